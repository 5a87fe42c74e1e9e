// IQ1_S: 256 values in 50 bytes, as eight groups of 32 with a 3-bit scale and a shift each.
//
//   bytes  0..1   d, f16
//   bytes  2..33  one byte for each eight values: the low eight bits of a point index
//   bytes 34..49  one u16 a group: the upper three bits of its four point indices from bit 0 up,
//                 the scale in bits 12..14, and in bit 15 whether the shift is negative
//
// Each index names a point of kIq1sGrid, eight values of -1, 0 or 1; the shift is
// kIq1Delta up or down.
//
//   y = d * (2 * scale + 1) * (value + shift)
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
  Little16 groups[8];
};
static_assert(sizeof(Block) == 50);
constexpr BlockField kFields[] = {
    {"d", FieldRole::scale, NumberFormat::f16, offsetof(Block, d), 1},
    {"points_low", FieldRole::code, NumberFormat::u8, offsetof(Block, points_low), 32},
    {"groups", FieldRole::code, NumberFormat::u16, offsetof(Block, groups), 8},
};

void decode(const Block& block, float* values) {
  const float d = f16_to_f32(block.d);
  for (size_t i = 0; i < superblock::kElements; i += 8) {
    const uint32_t group = block.groups[i / 32];
    const float scale = d * static_cast<float>(2 * (group >> 12 & 7) + 1);
    const float shift = (group & 0x8000) != 0 ? -kIq1Delta : kIq1Delta;
    const auto& point = kIq1sGrid[block.points_low[i / 8] | (group >> 3 * (i / 8 % 4) & 7) << 8];
    for (size_t j = 0; j < 8; ++j) values[i + j] = scale * (static_cast<float>(point[j]) + shift);
  }
}

using Cell = ShiftedCell<2048>;
constexpr float kShare = 2;
constexpr GridSearchOptions kSearch = {.levels = 8,
                                       .stored_per_scale = 1,
                                       .largest = 1.125f,
                                       .shift_of_run = true,
                                       .trials = 5,
                                       .first_top = 7.5f,
                                       .top_step = 0.75f};

void encode(const SearchBlock& from, Block& to) {
  static const Cell::Split grid(kIq1sGrid);
  GridSearch<Cell, 4> search(from, grid, kSearch);
  const auto best = search.run();
  if (best.d.value == 0) return;
  to.d = best.d.bits;
  for (size_t g = 0; g < 8; ++g) {
    uint32_t word = static_cast<uint32_t>(best.levels[g]) << 12 | static_cast<uint32_t>(best.shifts[4 * g])
                                                                      << 15;
    for (size_t eight = 0; eight < 4; ++eight) {
      const CellChoice choice = search.choose(best, 4 * g + eight);
      to.points_low[4 * g + eight] = static_cast<uint8_t>(choice.points[0] & 255);
      word |= static_cast<uint32_t>(choice.points[0] >> 8) << 3 * eight;
    }
    to.groups[g] = static_cast<uint16_t>(word);
  }
}

void quantize(const float* values, const float* importance, std::byte* blocks, uint64_t count) {
  quantize_blocks<Block, encode>(values, importance, blocks, count, kShare);
}

}  // namespace

constinit const Codec codec::iq1_s = {kFields,
                                      superblock::dequantize<Block, decode>,
                                      quantize,
                                      superblock::validate_scale<offsetof(Block, d)>,
                                      scan_f16<sizeof(Block), offsetof(Block, d)>,
                                      /*searches=*/true};

}  // namespace gcts
