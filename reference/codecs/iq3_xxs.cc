// IQ3_XXS: 256 values in 98 bytes, as eight groups of 32 with a 4-bit scale each.
//
//   bytes  0..1   d, f16
//   bytes  2..65  one byte for each four values: a point index
//   bytes 66..97  one u32 a group: four 7-bit sign indices from bit 0 up, and the scale in the
//                 top four bits
//
// Each index names a point of kIq3xxsGrid, four magnitudes; each sign index the signs of
// eight values, two points (even_signs).
//
//   y = d * (0.5 + scale) * 0.5 * magnitude * sign
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
  uint8_t points[64];
  Little32 signs_and_scales[8];
};
static_assert(sizeof(Block) == 98);
constexpr BlockField kFields[] = {
    {"d", FieldRole::scale, NumberFormat::f16, offsetof(Block, d), 1},
    {"points", FieldRole::code, NumberFormat::u8, offsetof(Block, points), 64},
    {"signs_and_scales", FieldRole::code, NumberFormat::u32, offsetof(Block, signs_and_scales), 8},
};

void decode(const Block& block, float* values) {
  const float d = f16_to_f32(block.d);
  for (size_t i = 0; i < superblock::kElements; i += 8) {
    const uint32_t word = block.signs_and_scales[i / 32];
    const float scale = d * (0.5f + static_cast<float>(word >> 28)) * 0.5f;
    const uint32_t signs = even_signs(word >> 7 * (i / 8 % 4) & 127);
    for (size_t j = 0; j < 8; ++j) {
      const int magnitude = kIq3xxsGrid[block.points[(i + j) / 4]][j % 4];
      values[i + j] = scale * static_cast<float>(magnitude) * superblock::sign_factor(signs, j);
    }
  }
}

using Cell = SignedCell<256, 4, true>;
constexpr float kShare = 0.45f;
constexpr GridSearchOptions kSearch = {.levels = 16,
                                       .stored_per_scale = 4,
                                       .largest = 62,
                                       .shift_of_run = false,
                                       .trials = 5,
                                       .first_top = 15.5f,
                                       .top_step = 1.25f};

void encode(const SearchBlock& from, Block& to) {
  static const Cell::Split grid(kIq3xxsGrid);
  GridSearch<Cell, 4> search(from, grid, kSearch);
  const auto best = search.run();
  if (best.d.value == 0) return;
  to.d = best.d.bits;
  for (size_t g = 0; g < 8; ++g) {
    uint32_t word = static_cast<uint32_t>(best.levels[g]) << 28;
    for (size_t eight = 0; eight < 4; ++eight) {
      const CellChoice choice = search.choose(best, 4 * g + eight);
      for (size_t p = 0; p < 2; ++p)
        to.points[8 * g + 2 * eight + p] = static_cast<uint8_t>(choice.points[p]);
      word |= static_cast<uint32_t>(choice.signs & 127) << 7 * eight;
    }
    to.signs_and_scales[g] = word;
  }
}

void quantize(const float* values, const float* importance, std::byte* blocks, uint64_t count) {
  quantize_blocks<Block, encode>(values, importance, blocks, count, kShare);
}

}  // namespace

constinit const Codec codec::iq3_xxs = {kFields,
                                        superblock::dequantize<Block, decode>,
                                        quantize,
                                        superblock::validate_scale<offsetof(Block, d)>,
                                        scan_f16<sizeof(Block), offsetof(Block, d)>,
                                        /*searches=*/true};

}  // namespace gcts
