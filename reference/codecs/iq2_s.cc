// IQ2_S: 256 values in 82 bytes, as sixteen runs of 16 with a 4-bit scale each.
//
//   bytes  0..1   d, f16
//   bytes  2..33  one byte for each eight values: the low eight bits of a point index
//   bytes 34..65  one byte for each eight values: bit j set where value j is negative
//   bytes 66..73  the upper two bits of the point indices, four a byte from bit 0 up
//   bytes 74..81  scales, two a byte, the even run in the low half
//
// Each index names a point of kIq2sGrid, eight magnitudes.
//
//   y = d * (0.5 + scale) * 0.25 * magnitude * sign
//
// Exact in f32.
//
// Quantizing: grid_search.h with the weights of search_block.h, importance included;
// deterministic, and of our own definition: other quantizers give other bytes with about the
// same error.
//
// Legal: d is finite; all other bytes are free.

#include "reference/codebooks.h"
#include "reference/codecs/grid_search.h"
#include "reference/codecs/superblock.h"

namespace gcts {
namespace {

struct Block {
  Little16 d;
  uint8_t points_low[32];
  uint8_t signs[32];
  uint8_t points_high[8];
  uint8_t scales[8];
};
static_assert(sizeof(Block) == 82);
constexpr BlockField kFields[] = {
    {"d", FieldRole::scale, NumberFormat::f16, offsetof(Block, d), 1},
    {"points_low", FieldRole::code, NumberFormat::u8, offsetof(Block, points_low), 32},
    {"signs", FieldRole::code, NumberFormat::u8, offsetof(Block, signs), 32},
    {"points_high", FieldRole::code, NumberFormat::u8, offsetof(Block, points_high), 8},
    {"scales", FieldRole::subscale, NumberFormat::u8, offsetof(Block, scales), 8},
};

void decode(const Block& block, float* values) {
  const float d = f16_to_f32(block.d);
  for (size_t i = 0; i < superblock::kElements; i += 8) {
    const uint32_t high = static_cast<uint32_t>(block.points_high[i / 32]) >> 2 * (i / 8 % 4) & 3;
    const uint32_t nibble = static_cast<uint32_t>(block.scales[i / 32]) >> 4 * (i / 16 % 2) & 15;
    const float scale = d * (0.5f + static_cast<float>(nibble)) * 0.25f;
    const auto& point = kIq2sGrid[block.points_low[i / 8] | high << 8];
    for (size_t j = 0; j < 8; ++j)
      values[i + j] = scale * static_cast<float>(point[j]) * superblock::sign_factor(block.signs[i / 8], j);
  }
}

using Cell = SignedCell<1024, 8, false>;
constexpr float kShare = 1;
constexpr GridSearchOptions kSearch = {.levels = 16,
                                       .stored_per_scale = 8,
                                       .largest = 43,
                                       .shift_of_run = false,
                                       .trials = 5,
                                       .first_top = 15.5f,
                                       .top_step = 1.25f};

void encode(const SearchBlock& from, Block& to) {
  static const Cell::Split grid(kIq2sGrid);
  GridSearch<Cell, 2> search(from, grid, kSearch);
  const auto best = search.run();
  if (best.d.value == 0) return;
  to.d = best.d.bits;
  for (size_t run = 0; run < 16; ++run)
    to.scales[run / 2] = static_cast<uint8_t>(to.scales[run / 2] | best.levels[run] << 4 * (run % 2));
  for (size_t i = 0; i < 32; ++i) {
    const CellChoice choice = search.choose(best, i);
    to.points_low[i] = static_cast<uint8_t>(choice.points[0] & 255);
    to.points_high[i / 4] =
        static_cast<uint8_t>(to.points_high[i / 4] | choice.points[0] >> 8 << 2 * (i % 4));
    to.signs[i] = choice.signs;
  }
}

void quantize(const float* values, const float* importance, std::byte* blocks, uint64_t count) {
  quantize_blocks<Block, encode>(values, importance, blocks, count, kShare);
}

}  // namespace

constinit const Codec codec::iq2_s = {kFields,
                                      superblock::dequantize<Block, decode>,
                                      quantize,
                                      superblock::validate_scale<offsetof(Block, d)>,
                                      scan_f16<sizeof(Block), offsetof(Block, d)>,
                                      /*searches=*/true};

}  // namespace gcts
