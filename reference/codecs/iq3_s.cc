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

using Cell = SignedCell<512, 4, false>;
constexpr float kShare = 1;
constexpr GridSearchOptions kSearch = {.levels = 16,
                                       .stored_per_scale = 1,
                                       .largest = 15,
                                       .shift_of_run = false,
                                       .trials = 5,
                                       .first_top = 15.5f,
                                       .top_step = 1.25f};

void encode(const SearchBlock& from, Block& to) {
  static const Cell::Split grid(kIq3sGrid);
  GridSearch<Cell, 4> search(from, grid, kSearch);
  const auto best = search.run();
  if (best.d.value == 0) return;
  to.d = best.d.bits;
  for (size_t g = 0; g < 8; ++g)
    to.scales[g / 2] = static_cast<uint8_t>(to.scales[g / 2] | best.levels[g] << 4 * (g % 2));
  for (size_t i = 0; i < 32; ++i) {
    const CellChoice choice = search.choose(best, i);
    to.signs[i] = choice.signs;
    for (size_t p = 0; p < 2; ++p) {
      to.points_low[2 * i + p] = static_cast<uint8_t>(choice.points[p] & 255);
      uint8_t& high = to.points_high[i / 4];
      high = static_cast<uint8_t>(high | choice.points[p] >> 8 << (2 * i + p) % 8);
    }
  }
}

void quantize(const float* values, const float* importance, std::byte* blocks, uint64_t count) {
  quantize_blocks<Block, encode>(values, importance, blocks, count, kShare);
}

}  // namespace

constinit const Codec codec::iq3_s = {kFields,
                                      superblock::dequantize<Block, decode>,
                                      quantize,
                                      superblock::validate_scale<offsetof(Block, d)>,
                                      scan_f16<sizeof(Block), offsetof(Block, d)>,
                                      /*searches=*/true};

}  // namespace gcts
