// MXFP4: 32 e2m1 codes with one power-of-two scale, 17 bytes.
//
//   byte   0      e, e8m0: the scale 2^(e - 127)
//   bytes  1..16  qs: byte j holds the codes of elements j (low nibble) and
//                 j + 16 (high nibble)
//
//   value = doubled e2m1 value * 2^(e - 128)                  exact in f32
//
// Doubled values are 0, 1, 2, 3, 4, 6, 8, 12 and their negatives; code 8 is +0.  For
// e < 2 the half scale is subnormal, and so may be the values; from e = 253 on large
// codes overflow to infinity.
//
// Quantizing: e = floor(log2(largest magnitude)) - 2 + 127 within 0 to 254, 0 for a
// block of zeros and for an infinite element.  The logarithm is rounded to f32 before
// floor() is taken, so that just below a power of two (by at most 44 ulps) e is one
// larger than the exponent says; otherwise the scale is never rounded up, and the
// largest element may saturate at 6.  Each element takes the code with the nearest
// value, of two the smaller code number: code 8 is never given.
//
// Illegal: nothing for everyone.  Strict only: e = 255, which is NaN in the OCP
// definition and 2^128 here.

#include "reference/block.h"

namespace gcts {
namespace {

struct Block {
  uint8_t e;
  uint8_t qs[16];
};
static_assert(sizeof(Block) == 17);
constexpr uint32_t kElements = 32;
constexpr BlockField kFields[] = {
    {"e", FieldRole::scale, NumberFormat::e8m0, offsetof(Block, e), 1},
    {"qs", FieldRole::code, NumberFormat::u8, offsetof(Block, qs), 16},
};
constexpr uint8_t kNan = 255;

// floor of log2(value) rounded to f32, for a normal value, without a logarithm.  Let
// 2^k be the next power of two and value = 2^k (1 - n 2^-24).  The rounded logarithm is
// k if n 2^-24 / ln 2 is at most half the distance from k to the f32 below it, which is
// 2^(b - 23) with 2^b <= |k| < 2^(b + 1) (for a positive k just below itself): if
// n <= 2^b ln 2.  No n comes near equality, so the product needs no more digits.
int32_t floor_log2_rounded(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const int32_t k = static_cast<int32_t>(bits >> 23) - 126;
  const uint32_t n = (1u << 23) - (bits & 0x7fffff);
  const uint32_t below = static_cast<uint32_t>(k > 0 ? k - 1 : -k);
  if (below == 0) return k - 1;
  return n <= static_cast<double>(std::bit_floor(below)) * 0.6931471805599453 ? k : k - 1;
}

uint8_t scale_for(float largest) {
  if (largest < 0x1p-126f || std::isinf(largest)) return 0;
  const int32_t e = floor_log2_rounded(largest) - 2 + 127;
  return static_cast<uint8_t>(e < 0 ? 0 : e);
}

void dequantize(const std::byte* blocks, float* values, uint64_t count) {
  for (uint64_t i = 0; i < count / kElements; ++i, values += kElements) {
    const Block block = load_block<Block>(blocks, i);
    const float half = e8m0_half(block.e);
    for (uint32_t j = 0; j < 16; ++j) {
      values[j] = static_cast<float>(kE2m1Doubled[block.qs[j] & 15]) * half;
      values[j + 16] = static_cast<float>(kE2m1Doubled[block.qs[j] >> 4]) * half;
    }
  }
}

void quantize(const float* values, const float*, std::byte* blocks, uint64_t count) {
  for (uint64_t i = 0; i < count / kElements; ++i, values += kElements) {
    Block block;
    block.e = scale_for(largest_magnitude(values, kElements));
    const float half = e8m0_half(block.e);
    for (uint32_t j = 0; j < 16; ++j) {
      block.qs[j] =
          static_cast<uint8_t>(nearest_e2m1(values[j], half) | nearest_e2m1(values[j + 16], half) << 4);
    }
    store_block(block, blocks, i);
  }
}

BlockFault validate(const std::byte* bytes) {
  if (load_block<Block>(bytes, 0).e == kNan) return {"scale byte is 255, NaN in the OCP definition", 0, true};
  return {};
}

uint64_t scan(const std::byte* blocks, uint64_t count, bool strict) {
  if (!strict) return count;
  return first_illegal<sizeof(Block)>(
      blocks, count, [](const std::byte* block) { return static_cast<uint8_t>(*block) == kNan; });
}

}  // namespace

constinit const Codec codec::mxfp4 = {kFields, dequantize, quantize, validate, scan};

}  // namespace gcts
