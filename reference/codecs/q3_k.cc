// Q3_K: 256 values in 110 bytes, as sixteen runs of 16 with a signed scale each.
//
//   bytes   0..31   third bits of the codes
//   bytes  32..95   low two bits of the codes
//   bytes  96..107  sixteen 6-bit scales
//   bytes 108..109  d, f16
//
// The low bits are planes as in Q2_K: value i has bits 2 * (i % 128 / 32) and up of byte
// 32 * (i / 128) + i % 32.  Its third bit is bit i / 32 of byte i % 32; where it is clear the
// code is 4 less, so codes are -4..3.  Scale k has its low four bits in byte k % 8 (low
// half for k < 8, else high) and its upper two at bit 2 * (k / 4) of byte 8 + k % 4; the
// stored value is 32 more than the scale.
//
//   y = (d * scale) * code
//
// Exact in f32.
//
// Quantizing: scale_search.h with the weights of search_block.h, importance included;
// deterministic, and of our own definition: other quantizers give other bytes with about the
// same error.
//
// Legal: d is finite; all other bytes are free.

#include "reference/codecs/scale_search.h"
#include "reference/codecs/superblock.h"

namespace gcts {
namespace {

struct Block {
  uint8_t high[32];
  uint8_t low[64];
  uint8_t scales[12];
  Little16 d;
};
static_assert(sizeof(Block) == 110);
constexpr BlockField kFields[] = {
    {"high", FieldRole::code, NumberFormat::u8, offsetof(Block, high), 32},
    {"low", FieldRole::code, NumberFormat::u8, offsetof(Block, low), 64},
    {"scales", FieldRole::subscale, NumberFormat::u8, offsetof(Block, scales), 12},
    {"d", FieldRole::scale, NumberFormat::f16, offsetof(Block, d), 1},
};

int scale_of(const uint8_t* bytes, size_t run) {
  const int low = bytes[run % 8] >> 4 * (run / 8) & 15;
  const int high = bytes[8 + run % 4] >> 2 * (run / 4) & 3;
  return (low | high << 4) - 32;
}

void decode(const Block& block, float* values) {
  const float d = f16_to_f32(block.d);
  for (size_t i = 0; i < superblock::kElements; ++i) {
    const int low = block.low[32 * (i / 128) + i % 32] >> 2 * (i % 128 / 32) & 3;
    const int high = block.high[i % 32] >> (i / 32) & 1;
    const float scale = d * static_cast<float>(scale_of(block.scales, i / 16));
    values[i] = scale * static_cast<float>(low + 4 * high - 4);
  }
}

constexpr float kShare = 2;
constexpr ScaleSearchOptions kSearch = {
    .level_low = -32, .level_high = 31, .reach = 2, .trial_step = 0.25f, .trials = 6, .top_levels = 6};

void put_scale(uint8_t* bytes, size_t run, uint32_t stored) {
  uint8_t& low = bytes[run % 8];
  uint8_t& high = bytes[8 + run % 4];
  low = static_cast<uint8_t>(low | (stored & 15) << 4 * (run / 8));
  high = static_cast<uint8_t>(high | (stored >> 4) << 2 * (run / 4));
}

void put_code(Block& block, size_t i, uint32_t code) {
  uint8_t& low = block.low[32 * (i / 128) + i % 32];
  uint8_t& high = block.high[i % 32];
  low = static_cast<uint8_t>(low | (code & 3) << 2 * (i % 128 / 32));
  high = static_cast<uint8_t>(high | (code >> 2) << (i / 32));
}

void encode(const SearchBlock& from, Block& to) {
  ScaleSearch<16, IntegerCodes<-4, 3>> search(from, kSearch);
  const auto best = search.run();
  if (best.d.value == 0) return;
  to.d = best.d.bits;
  for (size_t run = 0; run < 16; ++run) {
    put_scale(to.scales, run, static_cast<uint32_t>(best.levels[run] + 32));
    uint8_t codes[16];
    search.codes(run, best.d.value * static_cast<float>(best.levels[run]), codes);
    for (size_t j = 0; j < 16; ++j) put_code(to, 16 * run + j, codes[j]);
  }
}

void quantize(const float* values, const float* importance, std::byte* blocks, uint64_t count) {
  quantize_blocks<Block, encode>(values, importance, blocks, count, kShare);
}

}  // namespace

constinit const Codec codec::q3_k = {kFields,
                                     superblock::dequantize<Block, decode>,
                                     quantize,
                                     superblock::validate_scale<offsetof(Block, d)>,
                                     scan_f16<sizeof(Block), offsetof(Block, d)>,
                                     /*searches=*/true};

}  // namespace gcts
