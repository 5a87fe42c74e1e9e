// Q8_1: 32 signed bytes with one scale and their sum, 36 bytes.  Used for activations
// only: dot products with Q4_1 and Q5_1 multiply the weights' offset by s.
//
//   bytes  0..1   d, f16: the scale
//   bytes  2..3   s, f16: d times the sum of the codes
//   bytes  4..35  qs, i8: byte j is the code of element j
//
//   value = code * d                                          exact in f32
//
// Quantizing: as Q8_0; s = d * sum of the codes with the unrounded d, then rounded
// to f16.
//
// Illegal: d or s NaN or infinite.  s is not compared with the codes: it stems from
// a d that the block does not hold.

#include "reference/block.h"

namespace gcts {
namespace {

struct Block {
  Little16 d;
  Little16 s;
  int8_t qs[32];
};
static_assert(sizeof(Block) == 36);
constexpr uint32_t kElements = 32;
constexpr BlockField kFields[] = {
    {"d", FieldRole::scale, NumberFormat::f16, offsetof(Block, d), 1},
    {"s", FieldRole::sum, NumberFormat::f16, offsetof(Block, s), 1},
    {"qs", FieldRole::code, NumberFormat::i8, offsetof(Block, qs), 32},
};

void dequantize(const std::byte* blocks, float* values, uint64_t count) {
  for (uint64_t i = 0; i < count / kElements; ++i, values += kElements) {
    const Block block = load_block<Block>(blocks, i);
    const float d = f16_to_f32(block.d);
    for (uint32_t j = 0; j < kElements; ++j) values[j] = static_cast<float>(block.qs[j]) * d;
  }
}

void quantize(const float* values, const float*, std::byte* blocks, uint64_t count) {
  for (uint64_t i = 0; i < count / kElements; ++i, values += kElements) {
    const float d = largest_magnitude(values, kElements) / 127.0f;
    const float inverse = inverse_or_zero(d);
    Block block;
    int32_t sum = 0;
    for (uint32_t j = 0; j < kElements; ++j) {
      const int32_t code = round_away(values[j] * inverse, -127, 127);
      block.qs[j] = static_cast<int8_t>(code);
      sum += code;
    }
    block.d = f32_to_f16(d);
    block.s = f32_to_f16(static_cast<float>(sum) * d);
    store_block(block, blocks, i);
  }
}

BlockFault validate(const std::byte* bytes) {
  const Block block = load_block<Block>(bytes, 0);
  const BlockFault fault = f16_scale_fault(block.d, offsetof(Block, d));
  if (fault.what != nullptr) return fault;
  return f16_fault(block.s, offsetof(Block, s), "sum s is NaN", "sum s is infinite");
}

}  // namespace

constinit const Codec codec::q8_1 = {kFields, dequantize, quantize, validate,
                                     scan_f16<sizeof(Block), offsetof(Block, d), offsetof(Block, s)>};

}  // namespace gcts
