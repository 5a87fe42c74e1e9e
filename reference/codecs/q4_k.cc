// Q4_K: 256 values in 144 bytes, as eight runs of 32 with a scale and a minimum each.
//
//   bytes  0..1    d, f16
//   bytes  2..3    dmin, f16
//   bytes  4..15   eight 6-bit scales and eight 6-bit minima (k_scales.h)
//   bytes 16..143  4-bit codes: 32 bytes for each two runs, the first of them in the low
//                  halves and the second in the high halves
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

#include "reference/codecs/k_scales.h"
#include "reference/codecs/min_search.h"
#include "reference/codecs/superblock.h"

namespace gcts {
namespace {

struct Block {
  Little16 d;
  Little16 dmin;
  uint8_t scales[12];
  uint8_t codes[128];
};
static_assert(sizeof(Block) == 144);
constexpr BlockField kFields[] = {
    {"d", FieldRole::scale, NumberFormat::f16, offsetof(Block, d), 1},
    {"dmin", FieldRole::min, NumberFormat::f16, offsetof(Block, dmin), 1},
    {"scales", FieldRole::subscale, NumberFormat::u8, offsetof(Block, scales), 12},
    {"codes", FieldRole::code, NumberFormat::u8, offsetof(Block, codes), 128},
};

void decode(const Block& block, float* values) {
  const float d = f16_to_f32(block.d);
  const float dmin = f16_to_f32(block.dmin);
  for (size_t run = 0; run < 8; ++run) {
    const float scale = d * static_cast<float>(k_scales::scale(block.scales, run));
    const float minimum = dmin * static_cast<float>(k_scales::minimum(block.scales, run));
    for (size_t j = 0; j < 32; ++j) {
      const int code = block.codes[32 * (run / 2) + j] >> 4 * (run % 2) & 15;
      values[32 * run + j] = scale * static_cast<float>(code) - minimum;
    }
  }
}

constexpr float kShare = 2;
constexpr MinSearchOptions kSearch = {.level_high = 63,
                                      .reach = 1,
                                      .min_reach = 1,
                                      .trial_step = 0.25f,
                                      .trials_below = 2,
                                      .trials_above = 6,
                                      .top_levels = 2};

void encode(const SearchBlock& from, Block& to) {
  MinSearch<32, 15> search(from, kSearch);
  const auto best = search.run();
  if (best.d.value == 0 && best.dmin.value == 0) return;
  to.d = best.d.bits;
  to.dmin = best.dmin.bits;
  for (size_t run = 0; run < 8; ++run) {
    k_scales::put(to.scales, run, static_cast<uint32_t>(best.levels[run]),
                  static_cast<uint32_t>(best.min_levels[run]));
    uint8_t codes[32];
    search.codes(run, best, codes);
    for (size_t j = 0; j < 32; ++j) {
      uint8_t& byte = to.codes[32 * (run / 2) + j];
      byte = static_cast<uint8_t>(byte | codes[j] << 4 * (run % 2));
    }
  }
}

void quantize(const float* values, const float* importance, std::byte* blocks, uint64_t count) {
  quantize_blocks<Block, encode>(values, importance, blocks, count, kShare);
}

}  // namespace

constinit const Codec codec::q4_k = {
    kFields,
    superblock::dequantize<Block, decode>,
    quantize,
    superblock::validate_scale_and_min<offsetof(Block, d), offsetof(Block, dmin)>,
    scan_f16<sizeof(Block), offsetof(Block, d), offsetof(Block, dmin)>,
    /*searches=*/true};

}  // namespace gcts
