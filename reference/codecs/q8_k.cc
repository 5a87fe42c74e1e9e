// Q8_K: 256 values in 292 bytes; made from activations during a dot product, never stored by
// a model.
//
//   bytes   0..3    d, f32
//   bytes   4..259  signed 8-bit codes
//   bytes 260..291  sixteen int16: the sum of each run of 16 codes
//
//   y = d * code
//
// The product of an f32 and a code rounds once.
//
// Legal: d is finite.  Strictly, every sum is also that of its codes: kernels take the
// minima of K types from the sums, so a wrong one makes two answers right.
//
// Quantizing: let m be the value of largest magnitude, the first of equals, with its
// sign.  s = -127 / m in f32; a code is s * x in f32, rounded to nearest even, at most
// 127; d = 1 / s in f32.  So m becomes -127.  A block without a value above zero in magnitude
// is all zero bytes.  NaN never becomes m and gets the code 0; with an infinite m, s is a
// zero, d an infinity and the block not legal: such values have no Q8_K form.

#include <cmath>

#include "reference/codecs/superblock.h"

namespace gcts {
namespace {

struct Block {
  Little32 d;
  int8_t codes[256];
  Little16 sums[16];
};
static_assert(sizeof(Block) == 292);
constexpr BlockField kFields[] = {
    {"d", FieldRole::scale, NumberFormat::f32, offsetof(Block, d), 1},
    {"codes", FieldRole::code, NumberFormat::i8, offsetof(Block, codes), 256},
    {"sums", FieldRole::sum, NumberFormat::i16, offsetof(Block, sums), 16},
};

float scale_of(const Block& block) { return std::bit_cast<float>(uint32_t{block.d}); }

int32_t sum_of_run(const Block& block, size_t run) {
  int32_t sum = 0;
  for (size_t j = 0; j < 16; ++j) sum += block.codes[16 * run + j];
  return sum;
}

// The first run whose sum is wrong, or 16.
size_t first_wrong_sum(const Block& block) {
  size_t run = 0;
  while (run < 16 && block.sums[run] == static_cast<uint16_t>(sum_of_run(block, run))) ++run;
  return run;
}

void decode(const Block& block, float* values) {
  const float d = scale_of(block);
  for (size_t i = 0; i < superblock::kElements; ++i) values[i] = d * static_cast<float>(block.codes[i]);
}

void encode(const float* values, Block& block) {
  block = {};
  const float largest = largest_signed(values, superblock::kElements);
  if (largest == 0) return;
  const float scale = -127.0f / largest;
  block.d = std::bit_cast<uint32_t>(1.0f / scale);
  for (size_t i = 0; i < superblock::kElements; ++i)
    block.codes[i] = static_cast<int8_t>(round_even(scale * values[i], -128, 127));
  for (size_t run = 0; run < 16; ++run) block.sums[run] = static_cast<uint16_t>(sum_of_run(block, run));
}

void quantize(const float* values, const float*, std::byte* blocks, uint64_t count) {
  for (uint64_t i = 0; i < count / superblock::kElements; ++i, values += superblock::kElements) {
    Block block;
    encode(values, block);
    store_block(block, blocks, i);
  }
}

BlockFault validate(const std::byte* bytes) {
  const Block block = load_block<Block>(bytes, 0);
  if (std::isnan(scale_of(block))) return {"scale d is NaN"};
  if (std::isinf(scale_of(block))) return {"scale d is infinite"};
  const size_t run = first_wrong_sum(block);
  if (run == 16) return {};
  return {"the sum of a run is not that of its codes", static_cast<uint32_t>(offsetof(Block, sums) + 2 * run),
          true};
}

uint64_t scan(const std::byte* blocks, uint64_t count, bool strict) {
  return first_illegal<sizeof(Block)>(blocks, count, [strict](const std::byte* bytes) {
    if ((load_block<Little32>(bytes, 0) & 0x7f800000) == 0x7f800000) return true;
    return strict && first_wrong_sum(load_block<Block>(bytes, 0)) != 16;
  });
}

}  // namespace

constinit const Codec codec::q8_k = {kFields, superblock::dequantize<Block, decode>, quantize, validate,
                                     scan};

}  // namespace gcts
