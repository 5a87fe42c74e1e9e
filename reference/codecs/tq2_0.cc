// TQ2_0: 256 2-bit codes with one scale, 66 bytes.
//
//   bytes  0..63  qs: byte 32n + l holds, from the lowest bits, the codes of elements
//                 128n + l, 128n + 32 + l, 128n + 64 + l and 128n + 96 + l
//                 (n = 0, 1; l = 0 to 31)
//   bytes 64..65  d, f16: the scale
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
  uint8_t qs[64];
  Little16 d;
};
static_assert(sizeof(Block) == 66);
constexpr uint32_t kElements = 256;
constexpr BlockField kFields[] = {
    {"qs", FieldRole::code, NumberFormat::u8, offsetof(Block, qs), 64},
    {"d", FieldRole::scale, NumberFormat::f16, offsetof(Block, d), 1},
};

void dequantize(const std::byte* blocks, float* values, uint64_t count) {
  for (uint64_t i = 0; i < count / kElements; ++i, values += kElements) {
    const Block block = load_block<Block>(blocks, i);
    const float d = f16_to_f32(block.d);
    for (uint32_t j = 0; j < kElements; ++j) {
      const int32_t code = block.qs[j / 128 * 32 + j % 32] >> (j % 128 / 32 * 2) & 3;
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
      const int32_t code = round_away(values[j] * inverse, -1, 1) + 1;
      uint8_t& packed = block.qs[j / 128 * 32 + j % 32];
      packed = static_cast<uint8_t>(packed | code << (j % 128 / 32 * 2));
    }
    store_block(block, blocks, i);
  }
}

BlockFault validate(const std::byte* bytes) {
  return f16_scale_fault(load_block<Block>(bytes, 0).d, offsetof(Block, d));
}

}  // namespace

constinit const Codec codec::tq2_0 = {kFields, dequantize, quantize, validate,
                                      scan_f16<sizeof(Block), offsetof(Block, d)>};

}  // namespace gcts
