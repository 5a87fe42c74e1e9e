// Q2_0: 64 2-bit codes with one scale, 18 bytes.
//
//   bytes  0..1   d, f16: the scale
//   bytes  2..17  qs: byte j holds the codes of elements 4j to 4j + 3, the first in
//                 the lowest two bits
//
//   value = (code - 1) * d          -d, 0, d, 2d              exact in f32
//
// Quantizing: d is the largest magnitude, code = x / d rounded to nearest, ties away
// from zero, plus 1; only the stored d is rounded to f16.  Code 3 is legal, though
// this quantizer never gives it.  A block of zeros has d = 0 and codes 1.
//
// Illegal: d NaN or infinite.

#include "reference/block.h"

namespace gcts {
namespace {

struct Block {
  Little16 d;
  uint8_t qs[16];
};
static_assert(sizeof(Block) == 18);
constexpr uint32_t kElements = 64;
constexpr BlockField kFields[] = {
    {"d", FieldRole::scale, NumberFormat::f16, offsetof(Block, d), 1},
    {"qs", FieldRole::code, NumberFormat::u8, offsetof(Block, qs), 16},
};

void dequantize(const std::byte* blocks, float* values, uint64_t count) {
  for (uint64_t i = 0; i < count / kElements; ++i, values += kElements) {
    const Block block = load_block<Block>(blocks, i);
    const float d = f16_to_f32(block.d);
    for (uint32_t j = 0; j < kElements; ++j) {
      const int32_t code = block.qs[j / 4] >> (2 * (j % 4)) & 3;
      values[j] = static_cast<float>(code - 1) * d;
    }
  }
}

void quantize(const float* values, const float*, std::byte* blocks, uint64_t count) {
  for (uint64_t i = 0; i < count / kElements; ++i, values += kElements) {
    const float d = largest_magnitude(values, kElements);
    const float inverse = inverse_or_zero(d);
    Block block{};
    block.d = f32_to_f16(d);
    for (uint32_t j = 0; j < kElements; ++j) {
      const int32_t code = round_away(values[j] * inverse, -1, 2) + 1;
      block.qs[j / 4] = static_cast<uint8_t>(block.qs[j / 4] | code << (2 * (j % 4)));
    }
    store_block(block, blocks, i);
  }
}

BlockFault validate(const std::byte* bytes) {
  return f16_scale_fault(load_block<Block>(bytes, 0).d, offsetof(Block, d));
}

}  // namespace

constinit const Codec codec::q2_0 = {kFields, dequantize, quantize, validate,
                                     scan_f16<sizeof(Block), offsetof(Block, d)>};

}  // namespace gcts
