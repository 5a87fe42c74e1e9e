// Q4_1: 32 unsigned 4-bit codes with scale and offset, 20 bytes.
//
//   bytes  0..1   d, f16: the scale
//   bytes  2..3   m, f16: the offset
//   bytes  4..19  qs: byte j holds the codes of elements j (low nibble) and
//                 j + 16 (high nibble)
//
//   value = code * d + m            the product is exact, the sum rounds once
//
// Quantizing: m is the smallest element, d = (largest - smallest) / 15.
// code = trunc((x - m) / d + 0.5), at most 15, computed with the unrounded m and
// inverse of d, so ties go up; only the stored d and m are rounded to f16.  A
// constant block has d = 0 and codes 0.
//
// Illegal: d or m NaN or infinite.

#include "reference/block.h"

namespace gcts {
namespace {

struct Block {
  Little16 d;
  Little16 m;
  uint8_t qs[16];
};
static_assert(sizeof(Block) == 20);
constexpr uint32_t kElements = 32;
constexpr BlockField kFields[] = {
    {"d", FieldRole::scale, NumberFormat::f16, offsetof(Block, d), 1},
    {"m", FieldRole::min, NumberFormat::f16, offsetof(Block, m), 1},
    {"qs", FieldRole::code, NumberFormat::u8, offsetof(Block, qs), 16},
};

void dequantize(const std::byte* blocks, float* values, uint64_t count) {
  for (uint64_t i = 0; i < count / kElements; ++i, values += kElements) {
    const Block block = load_block<Block>(blocks, i);
    const float d = f16_to_f32(block.d);
    const float m = f16_to_f32(block.m);
    for (uint32_t j = 0; j < 16; ++j) {
      values[j] = static_cast<float>(block.qs[j] & 15) * d + m;
      values[j + 16] = static_cast<float>(block.qs[j] >> 4) * d + m;
    }
  }
}

void quantize(const float* values, const float*, std::byte* blocks, uint64_t count) {
  for (uint64_t i = 0; i < count / kElements; ++i, values += kElements) {
    const Range range = range_of(values, kElements);
    const float d = (range.high - range.low) / 15.0f;
    const float inverse = inverse_or_zero(d);
    const auto code = [&](uint32_t j) { return truncate((values[j] - range.low) * inverse + 0.5f, 0, 15); };
    Block block;
    block.d = f32_to_f16(d);
    block.m = f32_to_f16(range.low);
    for (uint32_t j = 0; j < 16; ++j) block.qs[j] = static_cast<uint8_t>(code(j) | code(j + 16) << 4);
    store_block(block, blocks, i);
  }
}

BlockFault validate(const std::byte* bytes) {
  const Block block = load_block<Block>(bytes, 0);
  const BlockFault fault = f16_scale_fault(block.d, offsetof(Block, d));
  return fault.what != nullptr ? fault : f16_min_fault(block.m, offsetof(Block, m));
}

}  // namespace

constinit const Codec codec::q4_1 = {kFields, dequantize, quantize, validate,
                                     scan_f16<sizeof(Block), offsetof(Block, d), offsetof(Block, m)>};

}  // namespace gcts
