// IQ1_M: 256 values in 56 bytes, as sixteen runs of 16 with a 3-bit scale each; every eight
// values have a shift of their own.
//
//   bytes  0..31  one byte for each eight values: the low eight bits of a point index
//   bytes 32..47  one byte a run, four bits for each of its two points: the upper three bits of the
//                 index and, in the fourth, whether the shift is negative
//   bytes 48..55  four u16, each with four 3-bit scales from bit 0 up and, in its top four
//                 bits, four bits of d
//
// d is an f16 put together from those four bits of each word, the lowest from the first
// word.  Each index names a point of kIq1sGrid, eight values of -1, 0 or 1; the shift is
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
  uint8_t points_low[32];
  uint8_t points_high[16];
  Little16 scales[4];
};
static_assert(sizeof(Block) == 56);
constexpr BlockField kFields[] = {
    {"points_low", FieldRole::code, NumberFormat::u8, offsetof(Block, points_low), 32},
    {"points_high", FieldRole::code, NumberFormat::u8, offsetof(Block, points_high), 16},
    {"scales", FieldRole::scale, NumberFormat::u16, offsetof(Block, scales), 4},
};

uint16_t scale_bits(const Block& block) {
  uint32_t bits = 0;
  for (size_t word = 0; word < 4; ++word) bits |= static_cast<uint32_t>(block.scales[word] >> 12) << 4 * word;
  return static_cast<uint16_t>(bits);
}

void decode(const Block& block, float* values) {
  const float d = f16_to_f32(scale_bits(block));
  for (size_t i = 0; i < superblock::kElements; i += 8) {
    const size_t run = i / 16;
    const uint32_t nibble = static_cast<uint32_t>(block.points_high[run]) >> 4 * (i / 8 % 2) & 15;
    const int step = block.scales[run / 4] >> 3 * (run % 4) & 7;
    const float scale = d * static_cast<float>(2 * step + 1);
    const float shift = (nibble & 8) != 0 ? -kIq1Delta : kIq1Delta;
    const auto& point = kIq1sGrid[block.points_low[i / 8] | (nibble & 7) << 8];
    for (size_t j = 0; j < 8; ++j) values[i + j] = scale * (static_cast<float>(point[j]) + shift);
  }
}

// The fault is told at the last word, which holds the sign and most of the exponent.
BlockFault validate(const std::byte* bytes) {
  return f16_scale_fault(scale_bits(load_block<Block>(bytes, 0)), offsetof(Block, scales) + 6);
}

uint64_t scan(const std::byte* blocks, uint64_t count, bool) {
  return first_illegal<sizeof(Block)>(blocks, count, [](const std::byte* block) {
    // All five exponent bits: the low three of the last word's four, and the upper two of
    // the third word's.
    const uint8_t last = static_cast<uint8_t>(block[offsetof(Block, scales) + 7]);
    const uint8_t third = static_cast<uint8_t>(block[offsetof(Block, scales) + 5]);
    return ((last & 0x70) == 0x70) & ((third & 0xc0) == 0xc0);
  });
}

using Cell = ShiftedCell<2048>;
constexpr float kShare = 2;
constexpr GridSearchOptions kSearch = {.levels = 8,
                                       .stored_per_scale = 1,
                                       .largest = 1.125f,
                                       .shift_of_run = false,
                                       .trials = 5,
                                       .first_top = 7.5f,
                                       .top_step = 0.75f};

void encode(const SearchBlock& from, Block& to) {
  static const Cell::Split grid(kIq1sGrid);
  GridSearch<Cell, 2> search(from, grid, kSearch);
  const auto best = search.run();
  if (best.d.value == 0) return;
  for (size_t word = 0; word < 4; ++word) {
    uint32_t bits = static_cast<uint32_t>(best.d.bits >> 4 * word & 15) << 12;
    for (size_t n = 0; n < 4; ++n) bits |= static_cast<uint32_t>(best.levels[4 * word + n]) << 3 * n;
    to.scales[word] = static_cast<uint16_t>(bits);
  }
  for (size_t i = 0; i < 32; ++i) {
    const CellChoice choice = search.choose(best, i);
    to.points_low[i] = static_cast<uint8_t>(choice.points[0] & 255);
    const int nibble = choice.points[0] >> 8 | choice.shift << 3;
    to.points_high[i / 2] = static_cast<uint8_t>(to.points_high[i / 2] | nibble << 4 * (i % 2));
  }
}

void quantize(const float* values, const float* importance, std::byte* blocks, uint64_t count) {
  quantize_blocks<Block, encode>(values, importance, blocks, count, kShare);
}

}  // namespace

constinit const Codec codec::iq1_m = {
    kFields, superblock::dequantize<Block, decode>, quantize, validate, scan, /*searches=*/true};

}  // namespace gcts
