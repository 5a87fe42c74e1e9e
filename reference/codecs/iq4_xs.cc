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
// Quantizing: scale_search.h with the weights of search_block.h, importance included;
// deterministic, and of our own definition: other quantizers give other bytes with about the
// same error.
//
// Legal: d is finite; all other bytes are free.

#include "reference/codebooks.h"
#include "reference/codecs/scale_search.h"
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

// The code whose value is nearest, by rounding down to a multiple of a half: the values
// are integers, so that every midpoint between two of them is such a multiple.
constexpr auto kNearest = [] {
  std::array<uint8_t, 512> nearest{};
  for (int halves = 0; halves < 512; ++halves) {
    uint8_t code = 0;
    while (code < 15 && halves - 254 >= kIq4Values[code] + kIq4Values[code + 1]) ++code;
    nearest[static_cast<size_t>(halves)] = code;
  }
  return nearest;
}();

struct Iq4Codes {
  static constexpr float kLargestMagnitude = 127;
  static uint8_t code(float ratio) {
    const float halves = 2 * ratio + 254;
    return kNearest[static_cast<size_t>(halves < 0 ? 0 : halves > 511 ? 511 : halves)];
  }
  static float nearest(float ratio) { return static_cast<float>(kIq4Values[code(ratio)]); }
};

constexpr float kShare = 1;
constexpr ScaleSearchOptions kSearch = {
    .level_low = -32, .level_high = 31, .reach = 2, .trial_step = 4, .trials = 5, .top_levels = 6};

void encode(const SearchBlock& from, Block& to) {
  ScaleSearch<32, Iq4Codes> search(from, kSearch);
  const auto best = search.run();
  if (best.d.value == 0) return;
  to.d = best.d.bits;
  for (size_t group = 0; group < 8; ++group) {
    const uint32_t stored = static_cast<uint32_t>(best.levels[group] + 32);
    to.scales_low[group / 2] =
        static_cast<uint8_t>(to.scales_low[group / 2] | (stored & 15) << 4 * (group % 2));
    to.scales_high = static_cast<uint16_t>(to.scales_high | (stored >> 4) << 2 * group);
    uint8_t codes[32];
    search.codes(group, best.d.value * static_cast<float>(best.levels[group]), codes);
    for (size_t j = 0; j < 16; ++j)
      to.codes[16 * group + j] = static_cast<uint8_t>(codes[j] | codes[j + 16] << 4);
  }
}

void quantize(const float* values, const float* importance, std::byte* blocks, uint64_t count) {
  quantize_blocks<Block, encode>(values, importance, blocks, count, kShare);
}

}  // namespace

constinit const Codec codec::iq4_xs = {kFields,
                                       superblock::dequantize<Block, decode>,
                                       quantize,
                                       superblock::validate_scale<offsetof(Block, d)>,
                                       scan_f16<sizeof(Block), offsetof(Block, d)>,
                                       /*searches=*/true};

}  // namespace gcts
