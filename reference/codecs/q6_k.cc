// Q6_K: 256 values in 210 bytes, as sixteen runs of 16 with a signed scale each.
//
//   bytes   0..127  low four bits of the codes
//   bytes 128..191  upper two bits of the codes
//   bytes 192..207  sixteen signed bytes: the scales
//   bytes 208..209  d, f16
//
// Each half of 128 values has 64 bytes of low bits, whose low halves are its first 64
// values and whose high halves are the last 64; and 32 bytes of upper bits, four planes
// of two bits as in Q2_K.  The stored code is 32 more than the code, -32..31.
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
  uint8_t low[128];
  uint8_t high[64];
  int8_t scales[16];
  Little16 d;
};
static_assert(sizeof(Block) == 210);
constexpr BlockField kFields[] = {
    {"low", FieldRole::code, NumberFormat::u8, offsetof(Block, low), 128},
    {"high", FieldRole::code, NumberFormat::u8, offsetof(Block, high), 64},
    {"scales", FieldRole::subscale, NumberFormat::i8, offsetof(Block, scales), 16},
    {"d", FieldRole::scale, NumberFormat::f16, offsetof(Block, d), 1},
};

void decode(const Block& block, float* values) {
  const float d = f16_to_f32(block.d);
  for (size_t i = 0; i < superblock::kElements; ++i) {
    const size_t half = i / 128;
    const size_t in_half = i % 128;
    const int low = block.low[64 * half + in_half % 64] >> 4 * (in_half / 64) & 15;
    const int high = block.high[32 * half + i % 32] >> 2 * (in_half / 32) & 3;
    values[i] = d * static_cast<float>(block.scales[i / 16]) * static_cast<float>((low | high << 4) - 32);
  }
}

constexpr float kShare = 1;
constexpr ScaleSearchOptions kSearch = {
    .level_low = -128, .level_high = 127, .reach = 3, .trial_step = 0.25f, .trials = 3, .top_levels = 4};

void put_code(Block& block, size_t i, uint32_t code) {
  const size_t half = i / 128;
  const size_t in_half = i % 128;
  uint8_t& low = block.low[64 * half + in_half % 64];
  uint8_t& high = block.high[32 * half + i % 32];
  low = static_cast<uint8_t>(low | (code & 15) << 4 * (in_half / 64));
  high = static_cast<uint8_t>(high | (code >> 4) << 2 * (in_half / 32));
}

void encode(const SearchBlock& from, Block& to) {
  ScaleSearch<16, IntegerCodes<-32, 31>> search(from, kSearch);
  const auto best = search.run();
  if (best.d.value == 0) return;
  to.d = best.d.bits;
  for (size_t run = 0; run < 16; ++run) {
    to.scales[run] = static_cast<int8_t>(best.levels[run]);
    uint8_t codes[16];
    search.codes(run, best.d.value * static_cast<float>(best.levels[run]), codes);
    for (size_t j = 0; j < 16; ++j) put_code(to, 16 * run + j, codes[j]);
  }
}

void quantize(const float* values, const float* importance, std::byte* blocks, uint64_t count) {
  quantize_blocks<Block, encode>(values, importance, blocks, count, kShare);
}

}  // namespace

constinit const Codec codec::q6_k = {kFields,
                                     superblock::dequantize<Block, decode>,
                                     quantize,
                                     superblock::validate_scale<offsetof(Block, d)>,
                                     scan_f16<sizeof(Block), offsetof(Block, d)>,
                                     /*searches=*/true};

}  // namespace gcts
