// F64: plain numbers, 8 bytes each; a block is one element.
//
//   bytes 0..7   IEEE binary64
//
// Decoding rounds to f32, to nearest, ties to even; what is too large becomes infinity.
// Encoding is exact.
//
// Illegal: NaN, infinity.  Strict only: a finite value that rounds to infinity in f32,
// which implementations that compute in f32 reject.

#include "reference/block.h"

namespace gcts {
namespace {

constexpr uint64_t kInfinity = 0x7ff0000000000000;
// 2^128 - 2^103, the tie between the largest f32 and infinity.
constexpr uint64_t kInfiniteInF32 = 0x47effffff0000000;

uint64_t magnitude_at(const std::byte* bytes) {
  return load_block<Little64>(bytes, 0) & ~(uint64_t{1} << 63);
}

constexpr BlockField kFields[] = {{"value", FieldRole::value, NumberFormat::f64, 0, 1}};

void dequantize(const std::byte* blocks, float* values, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>(std::bit_cast<double>(uint64_t{load_block<Little64>(blocks, i)}));
  }
}

void quantize(const float* values, const float*, std::byte* blocks, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    Little64 number;
    number = std::bit_cast<uint64_t>(static_cast<double>(values[i]));
    store_block(number, blocks, i);
  }
}

BlockFault validate(const std::byte* bytes) {
  const uint64_t magnitude = magnitude_at(bytes);
  if (magnitude > kInfinity) return {"value is NaN", 0, false};
  if (magnitude == kInfinity) return {"value is infinite", 0, false};
  if (magnitude >= kInfiniteInF32) return {"value is beyond the range of f32", 0, true};
  return {};
}

uint64_t scan(const std::byte* blocks, uint64_t count, bool strict) {
  const uint64_t limit = strict ? kInfiniteInF32 : kInfinity;
  return first_illegal<8>(blocks, count, [limit](const std::byte* at) { return magnitude_at(at) >= limit; });
}

}  // namespace

constinit const Codec codec::f64 = {kFields, dequantize, quantize, validate, scan};

}  // namespace gcts
