// IQ2_XS: 256 values in 74 bytes, as sixteen runs of 16 with a 4-bit scale each.
//
//   bytes  0..1   d, f16
//   bytes  2..65  one u16 for each eight values: a point index in the low nine bits, a sign
//                 index in the upper seven
//   bytes 66..73  scales, two a byte, the even run in the low half
//
// Each index names a point of kIq2xsGrid, eight magnitudes; each sign index the signs of
// those eight (even_signs).
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
  Little16 points_and_signs[32];
  uint8_t scales[8];
};
static_assert(sizeof(Block) == 74);
constexpr BlockField kFields[] = {
    {"d", FieldRole::scale, NumberFormat::f16, offsetof(Block, d), 1},
    {"points_and_signs", FieldRole::code, NumberFormat::u16, offsetof(Block, points_and_signs), 32},
    {"scales", FieldRole::subscale, NumberFormat::u8, offsetof(Block, scales), 8},
};

void decode(const Block& block, float* values) {
  const float d = f16_to_f32(block.d);
  for (size_t i = 0; i < superblock::kElements; i += 8) {
    const uint32_t word = block.points_and_signs[i / 8];
    const uint32_t nibble = static_cast<uint32_t>(block.scales[i / 32]) >> 4 * (i / 16 % 2) & 15;
    const float scale = d * (0.5f + static_cast<float>(nibble)) * 0.25f;
    const auto& point = kIq2xsGrid[word & 511];
    const uint32_t signs = even_signs(word >> 9);
    for (size_t j = 0; j < 8; ++j)
      values[i + j] = scale * static_cast<float>(point[j]) * superblock::sign_factor(signs, j);
  }
}

using Cell = SignedCell<512, 8, true>;
constexpr float kShare = 2;
constexpr GridSearchOptions kSearch = {.levels = 16,
                                       .stored_per_scale = 8,
                                       .largest = 43,
                                       .shift_of_run = false,
                                       .trials = 5,
                                       .first_top = 15.5f,
                                       .top_step = 1.25f};

void encode(const SearchBlock& from, Block& to) {
  static const Cell::Split grid(kIq2xsGrid);
  GridSearch<Cell, 2> search(from, grid, kSearch);
  const auto best = search.run();
  if (best.d.value == 0) return;
  to.d = best.d.bits;
  for (size_t run = 0; run < 16; ++run)
    to.scales[run / 2] = static_cast<uint8_t>(to.scales[run / 2] | best.levels[run] << 4 * (run % 2));
  for (size_t i = 0; i < 32; ++i) {
    const CellChoice choice = search.choose(best, i);
    to.points_and_signs[i] = static_cast<uint16_t>(choice.points[0] | (choice.signs & 127) << 9);
  }
}

void quantize(const float* values, const float* importance, std::byte* blocks, uint64_t count) {
  quantize_blocks<Block, encode>(values, importance, blocks, count, kShare);
}

}  // namespace

constinit const Codec codec::iq2_xs = {kFields,
                                       superblock::dequantize<Block, decode>,
                                       quantize,
                                       superblock::validate_scale<offsetof(Block, d)>,
                                       scan_f16<sizeof(Block), offsetof(Block, d)>,
                                       /*searches=*/true};

}  // namespace gcts
