// Q8_0: 32 signed bytes with one scale, 34 bytes.
//
//   bytes  0..1   d, f16: the scale
//   bytes  2..33  qs, i8: byte j is the code of element j
//
//   value = code * d                                          exact in f32
//
// Quantizing: d = largest magnitude / 127, code = x / d rounded to nearest, ties away
// from zero, computed with the unrounded inverse of d; only the stored d is rounded
// to f16.  Codes are -127 to 127.  A block of zeros is all zero bytes.
//
// Illegal: d NaN or infinite.  Code -128 is legal, though no quantizer gives it.

#include "reference/block.h"

namespace gcts {
namespace {

struct Block {
  Little16 d;
  int8_t qs[32];
};
static_assert(sizeof(Block) == 34);
constexpr uint32_t kElements = 32;
constexpr BlockField kFields[] = {
    {"d", FieldRole::scale, NumberFormat::f16, offsetof(Block, d), 1},
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
    block.d = f32_to_f16(d);
    for (uint32_t j = 0; j < kElements; ++j) {
      block.qs[j] = static_cast<int8_t>(round_away(values[j] * inverse, -127, 127));
    }
    store_block(block, blocks, i);
  }
}

BlockFault validate(const std::byte* bytes) {
  return f16_scale_fault(load_block<Block>(bytes, 0).d, offsetof(Block, d));
}

}  // namespace

constinit const Codec codec::q8_0 = {kFields, dequantize, quantize, validate,
                                     scan_f16<sizeof(Block), offsetof(Block, d)>};

}  // namespace gcts
