// Q2_K: 256 values in 84 bytes, as sixteen runs of 16 with a scale and a minimum each.
//
//   bytes  0..15  one byte a run: its scale in the low four bits, its minimum in the high four
//   bytes 16..79  2-bit codes
//   bytes 80..81  d, f16
//   bytes 82..83  dmin, f16
//
// Each half of 128 values has 32 bytes of codes, used as four planes of two bits: the
// code of value i is at bit 2 * (i % 128 / 32) of byte 32 * (i / 128) + i % 32.
//
//   y = (d * scale) * code - (dmin * minimum)
//
// The products are exact in f32; the subtraction rounds once.
//
// Quantizing: min_search.h with the weights of search_block.h, importance included;
// deterministic, and of our own definition: other quantizers give other bytes with about the
// same error.
//
// Legal: d and dmin are finite; all other bytes are free.

#include "reference/codecs/min_search.h"
#include "reference/codecs/superblock.h"

namespace gcts {
namespace {

struct Block {
  uint8_t scales[16];
  uint8_t codes[64];
  Little16 d;
  Little16 dmin;
};
static_assert(sizeof(Block) == 84);
constexpr BlockField kFields[] = {
    {"scales", FieldRole::subscale, NumberFormat::u8, offsetof(Block, scales), 16},
    {"codes", FieldRole::code, NumberFormat::u8, offsetof(Block, codes), 64},
    {"d", FieldRole::scale, NumberFormat::f16, offsetof(Block, d), 1},
    {"dmin", FieldRole::min, NumberFormat::f16, offsetof(Block, dmin), 1},
};

void decode(const Block& block, float* values) {
  const float d = f16_to_f32(block.d);
  const float dmin = f16_to_f32(block.dmin);
  for (size_t i = 0; i < superblock::kElements; ++i) {
    const uint8_t pair = block.scales[i / 16];
    const int code = block.codes[32 * (i / 128) + i % 32] >> 2 * (i % 128 / 32) & 3;
    values[i] =
        d * static_cast<float>(pair & 15) * static_cast<float>(code) - dmin * static_cast<float>(pair >> 4);
  }
}

constexpr float kShare = 1;
constexpr MinSearchOptions kSearch = {.level_high = 15,
                                      .reach = 1,
                                      .min_reach = 1,
                                      .trial_step = 0.1f,
                                      .trials_below = 10,
                                      .trials_above = 10,
                                      .top_levels = 2};

void encode(const SearchBlock& from, Block& to) {
  MinSearch<16, 3> search(from, kSearch);
  const auto best = search.run();
  if (best.d.value == 0 && best.dmin.value == 0) return;
  to.d = best.d.bits;
  to.dmin = best.dmin.bits;
  for (size_t run = 0; run < 16; ++run) {
    to.scales[run] = static_cast<uint8_t>(best.levels[run] | best.min_levels[run] << 4);
    uint8_t codes[16];
    search.codes(run, best, codes);
    for (size_t j = 0; j < 16; ++j) {
      const size_t i = 16 * run + j;
      uint8_t& byte = to.codes[32 * (i / 128) + i % 32];
      byte = static_cast<uint8_t>(byte | codes[j] << 2 * (i % 128 / 32));
    }
  }
}

void quantize(const float* values, const float* importance, std::byte* blocks, uint64_t count) {
  quantize_blocks<Block, encode>(values, importance, blocks, count, kShare);
}

}  // namespace

constinit const Codec codec::q2_k = {
    kFields,
    superblock::dequantize<Block, decode>,
    quantize,
    superblock::validate_scale_and_min<offsetof(Block, d), offsetof(Block, dmin)>,
    scan_f16<sizeof(Block), offsetof(Block, d), offsetof(Block, dmin)>,
    /*searches=*/true};

}  // namespace gcts
