// Q4_0: 32 signed 4-bit codes with one scale, 18 bytes.
//
//   bytes  0..1   d, f16: the scale
//   bytes  2..17  qs: byte j holds the codes of elements j (low nibble) and
//                 j + 16 (high nibble)
//
//   value = (code - 8) * d                                    exact in f32
//
// Quantizing: the first element of largest magnitude, M with its sign, becomes code
// 0, which fixes d = M / -8.  code = trunc(x / d + 8.5), at most 15, computed with
// the unrounded inverse of d; only the stored d is rounded to f16.  A block of
// zeros has d = -0 and codes 8.
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
constexpr uint32_t kElements = 32;
constexpr BlockField kFields[] = {
    {"d", FieldRole::scale, NumberFormat::f16, offsetof(Block, d), 1},
    {"qs", FieldRole::code, NumberFormat::u8, offsetof(Block, qs), 16},
};

void dequantize(const std::byte* blocks, float* values, uint64_t count) {
  for (uint64_t i = 0; i < count / kElements; ++i, values += kElements) {
    const Block block = load_block<Block>(blocks, i);
    const float d = f16_to_f32(block.d);
    for (uint32_t j = 0; j < 16; ++j) {
      values[j] = static_cast<float>(static_cast<int32_t>(block.qs[j] & 15) - 8) * d;
      values[j + 16] = static_cast<float>(static_cast<int32_t>(block.qs[j] >> 4) - 8) * d;
    }
  }
}

void quantize(const float* values, const float*, std::byte* blocks, uint64_t count) {
  for (uint64_t i = 0; i < count / kElements; ++i, values += kElements) {
    const float d = largest_signed(values, kElements) / -8.0f;
    const float inverse = inverse_or_zero(d);
    const auto code = [&](uint32_t j) { return truncate(values[j] * inverse + 8.5f, 0, 15); };
    Block block;
    block.d = f32_to_f16(d);
    for (uint32_t j = 0; j < 16; ++j) block.qs[j] = static_cast<uint8_t>(code(j) | code(j + 16) << 4);
    store_block(block, blocks, i);
  }
}

BlockFault validate(const std::byte* bytes) {
  return f16_scale_fault(load_block<Block>(bytes, 0).d, offsetof(Block, d));
}

}  // namespace

constinit const Codec codec::q4_0 = {kFields, dequantize, quantize, validate,
                                     scan_f16<sizeof(Block), offsetof(Block, d)>};

}  // namespace gcts
