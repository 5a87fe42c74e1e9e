// IQ3_S: 256 values in 110 bytes, as eight groups of 32 with a 4-bit scale each.
//
//   bytes   0..1    d, f16
//   bytes   2..65   one byte for each four values: the low eight bits of a point index
//   bytes  66..73   the ninth bits: bit m of byte g is that of point m of group g
//   bytes  74..105  one byte for each eight values: bit j set where value j is negative
//   bytes 106..109  scales, two a byte, the even group in the low half
//
// Each index names a point of kIq3sGrid, four magnitudes.
//
//   y = d * (1 + 2 * scale) * magnitude * sign
//
// Exact in f32.
//
// Legal: d is finite; all other bytes are free.

#include "reference/codebooks.h"
#include "reference/codecs/superblock.h"

namespace gcts {
namespace {

struct Block {
  Little16 d;
  uint8_t points_low[64];
  uint8_t points_high[8];
  uint8_t signs[32];
  uint8_t scales[4];
};
static_assert(sizeof(Block) == 110);
constexpr BlockField kFields[] = {
    {"d", FieldRole::scale, NumberFormat::f16, offsetof(Block, d), 1},
    {"points_low", FieldRole::code, NumberFormat::u8, offsetof(Block, points_low), 64},
    {"points_high", FieldRole::code, NumberFormat::u8, offsetof(Block, points_high), 8},
    {"signs", FieldRole::code, NumberFormat::u8, offsetof(Block, signs), 32},
    {"scales", FieldRole::subscale, NumberFormat::u8, offsetof(Block, scales), 4},
};

void decode(const Block& block, float* values) {
  const float d = f16_to_f32(block.d);
  for (size_t i = 0; i < superblock::kElements; i += 4) {
    const uint32_t high = static_cast<uint32_t>(block.points_high[i / 32]) >> (i / 4 % 8) & 1;
    const uint32_t nibble = static_cast<uint32_t>(block.scales[i / 64]) >> 4 * (i / 32 % 2) & 15;
    const float scale = d * static_cast<float>(1 + 2 * nibble);
    const auto& point = kIq3sGrid[block.points_low[i / 4] | high << 8];
    for (size_t j = 0; j < 4; ++j)
      values[i + j] =
          scale * static_cast<float>(point[j]) * superblock::sign_factor(block.signs[i / 8], i % 8 + j);
  }
}

}  // namespace

constinit const Codec codec::iq3_s = {kFields, superblock::dequantize<Block, decode>, nullptr,
                                      superblock::validate_scale<offsetof(Block, d)>,
                                      scan_f16<sizeof(Block), offsetof(Block, d)>};

}  // namespace gcts
