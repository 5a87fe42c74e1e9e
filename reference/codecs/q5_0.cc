// Q5_0: 32 signed 5-bit codes with one scale, 22 bytes.
//
//   bytes  0..1   d, f16: the scale
//   bytes  2..5   qh, u32: bit i is the fifth bit of the code of element i
//   bytes  6..21  qs: byte j holds the low four bits of elements j (low nibble) and
//                 j + 16 (high nibble)
//
//   value = (code - 16) * d                                   exact in f32
//
// Quantizing: the first element of largest magnitude, M with its sign, becomes code
// 0, which fixes d = M / -16.  code = trunc(x / d + 16.5), at most 31, computed with
// the unrounded inverse of d; only the stored d is rounded to f16.  A block of zeros
// has d = -0 and codes 16.
//
// Illegal: d NaN or infinite.

#include "reference/block.h"

namespace gcts {
namespace {

struct Block {
  Little16 d;
  Little32 qh;
  uint8_t qs[16];
};
static_assert(sizeof(Block) == 22);
constexpr uint32_t kElements = 32;
constexpr BlockField kFields[] = {
    {"d", FieldRole::scale, NumberFormat::f16, offsetof(Block, d), 1},
    {"qh", FieldRole::code, NumberFormat::u32, offsetof(Block, qh), 1},
    {"qs", FieldRole::code, NumberFormat::u8, offsetof(Block, qs), 16},
};

void dequantize(const std::byte* blocks, float* values, uint64_t count) {
  for (uint64_t i = 0; i < count / kElements; ++i, values += kElements) {
    const Block block = load_block<Block>(blocks, i);
    const float d = f16_to_f32(block.d);
    const uint32_t high = block.qh;
    for (uint32_t j = 0; j < 16; ++j) {
      const uint32_t first = (block.qs[j] & 15u) | (high >> j & 1u) << 4;
      const uint32_t second = (block.qs[j] >> 4u) | (high >> (j + 16) & 1u) << 4;
      values[j] = static_cast<float>(static_cast<int32_t>(first) - 16) * d;
      values[j + 16] = static_cast<float>(static_cast<int32_t>(second) - 16) * d;
    }
  }
}

void quantize(const float* values, const float*, std::byte* blocks, uint64_t count) {
  for (uint64_t i = 0; i < count / kElements; ++i, values += kElements) {
    const float d = largest_signed(values, kElements) / -16.0f;
    const float inverse = inverse_or_zero(d);
    uint32_t codes[kElements];
    uint32_t high = 0;
    for (uint32_t j = 0; j < kElements; ++j) {
      codes[j] = static_cast<uint32_t>(truncate(values[j] * inverse + 16.5f, 0, 31));
      high |= (codes[j] >> 4) << j;
    }
    Block block;
    block.d = f32_to_f16(d);
    block.qh = high;
    for (uint32_t j = 0; j < 16; ++j)
      block.qs[j] = static_cast<uint8_t>((codes[j] & 15) | (codes[j + 16] & 15) << 4);
    store_block(block, blocks, i);
  }
}

BlockFault validate(const std::byte* bytes) {
  return f16_scale_fault(load_block<Block>(bytes, 0).d, offsetof(Block, d));
}

}  // namespace

constinit const Codec codec::q5_0 = {kFields, dequantize, quantize, validate,
                                     scan_f16<sizeof(Block), offsetof(Block, d)>};

}  // namespace gcts
