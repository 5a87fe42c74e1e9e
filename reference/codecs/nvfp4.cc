// NVFP4: 64 e2m1 codes in four groups of 16, each with a ue4m3 scale, 36 bytes.
//
//   bytes  0..3   d, ue4m3: the scale of each group
//   bytes  4..35  qs: byte 8s + j holds the codes of elements j (low nibble) and
//                 j + 8 (high nibble) of group s (s = 0 to 3, j = 0 to 7)
//
//   value = doubled e2m1 value * half of the scale            exact in f32
//
// Doubled values are 0, 1, 2, 3, 4, 6, 8, 12 and their negatives; code 8 is +0.  The
// scale ignores bit 7 of its byte; 7f is 0, ff is 480.
//
// Quantizing, by group: the scale is the largest magnitude / 6 as ue4m3; then each
// element takes the code with the nearest value, of two the smaller code number: code
// 8 is never given.  Magnitudes above 2688 saturate; a group below about 2^-10 * 6
// becomes zero.
//
// Illegal: nothing for everyone.  Strict only: scale byte 7f, which others read as
// NaN, and 80 and above, whose bit 7 others read as a sign.

#include "reference/block.h"

namespace gcts {
namespace {

struct Block {
  uint8_t d[4];
  uint8_t qs[32];
};
static_assert(sizeof(Block) == 36);
constexpr uint32_t kElements = 64;
constexpr BlockField kFields[] = {
    {"d", FieldRole::scale, NumberFormat::ue4m3, offsetof(Block, d), 4},
    {"qs", FieldRole::code, NumberFormat::u8, offsetof(Block, qs), 32},
};

void dequantize(const std::byte* blocks, float* values, uint64_t count) {
  for (uint64_t i = 0; i < count / kElements; ++i, values += kElements) {
    const Block block = load_block<Block>(blocks, i);
    for (uint32_t j = 0; j < kElements; ++j) {
      const uint32_t group = j / 16;
      const uint8_t packed = block.qs[group * 8 + j % 8];
      const uint32_t code = j % 16 < 8 ? packed & 15u : packed >> 4u;
      values[j] = static_cast<float>(kE2m1Doubled[code]) * ue4m3_half(block.d[group]);
    }
  }
}

void quantize(const float* values, const float*, std::byte* blocks, uint64_t count) {
  for (uint64_t i = 0; i < count / kElements; ++i, values += kElements) {
    Block block;
    for (uint32_t group = 0; group < 4; ++group) {
      const float* members = values + group * 16;
      block.d[group] = f32_to_ue4m3(largest_magnitude(members, 16) / 6.0f);
      const float half = ue4m3_half(block.d[group]);
      for (uint32_t j = 0; j < 8; ++j) {
        block.qs[group * 8 + j] =
            static_cast<uint8_t>(nearest_e2m1(members[j], half) | nearest_e2m1(members[j + 8], half) << 4);
      }
    }
    store_block(block, blocks, i);
  }
}

BlockFault validate(const std::byte* bytes) {
  const Block block = load_block<Block>(bytes, 0);
  for (uint32_t group = 0; group < 4; ++group) {
    if (block.d[group] == 0x7f) return {"scale byte is 7f, NaN to some decoders", group, true};
    if (block.d[group] > 0x7f) return {"scale byte has bit 7 set", group, true};
  }
  return {};
}

uint64_t scan(const std::byte* blocks, uint64_t count, bool strict) {
  if (!strict) return count;
  // Adding 1 carries 7f into bit 7; a byte of ff has it set before.
  return first_illegal<sizeof(Block)>(blocks, count, [](const std::byte* block) {
    const uint32_t scales = load_block<Little32>(block, 0);
    return ((scales | ((scales & 0x7f7f7f7f) + 0x01010101)) & 0x80808080) != 0;
  });
}

}  // namespace

constinit const Codec codec::nvfp4 = {kFields, dequantize, quantize, validate, scan};

}  // namespace gcts
