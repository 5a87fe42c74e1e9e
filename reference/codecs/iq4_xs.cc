// IQ4_XS: 256 values in 136 bytes, as eight groups of 32 with a signed 6-bit scale each.
//
//   bytes 0..1    d, f16
//   bytes 2..3    upper two bits of the scales, from bit 0 up
//   bytes 4..7    low four bits of the scales, two a byte, the even group in the low half
//   bytes 8..135  sixteen bytes a group: codes of its first 16 values in the low halves, of the
//                 last 16 in the high halves
//
// The stored scale is 32 more than the scale; a code names one of kIq4Values.
//
//   y = d * scale * value
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
  Little16 scales_high;
  uint8_t scales_low[4];
  uint8_t codes[128];
};
static_assert(sizeof(Block) == 136);
constexpr BlockField kFields[] = {
    {"d", FieldRole::scale, NumberFormat::f16, offsetof(Block, d), 1},
    {"scales_high", FieldRole::subscale, NumberFormat::u16, offsetof(Block, scales_high), 1},
    {"scales_low", FieldRole::subscale, NumberFormat::u8, offsetof(Block, scales_low), 4},
    {"codes", FieldRole::code, NumberFormat::u8, offsetof(Block, codes), 128},
};

void decode(const Block& block, float* values) {
  const float d = f16_to_f32(block.d);
  for (size_t group = 0; group < 8; ++group) {
    const int low = block.scales_low[group / 2] >> 4 * (group % 2) & 15;
    const int high = block.scales_high >> 2 * group & 3;
    const float scale = d * static_cast<float>((low | high << 4) - 32);
    for (size_t j = 0; j < 32; ++j) {
      const uint32_t code = static_cast<uint32_t>(block.codes[16 * group + j % 16]) >> 4 * (j / 16) & 15;
      values[32 * group + j] = scale * static_cast<float>(kIq4Values[code]);
    }
  }
}

}  // namespace

constinit const Codec codec::iq4_xs = {kFields, superblock::dequantize<Block, decode>, nullptr,
                                       superblock::validate_scale<offsetof(Block, d)>,
                                       scan_f16<sizeof(Block), offsetof(Block, d)>};

}  // namespace gcts
