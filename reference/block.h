// What codecs share: fields as they lie in a block, and the walk over blocks.

#ifndef GCTS_REFERENCE_BLOCK_H_
#define GCTS_REFERENCE_BLOCK_H_

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "reference/codec.h"
#include "reference/float_formats.h"

namespace gcts {

// An unsigned little-endian field.  It has alignment 1, so that structs of such
// fields and bytes have no padding and may lie at any address.
template <class T>
struct Little {
  uint8_t bytes[sizeof(T)];

  Little& operator=(T value) {
    value = in_file_order(value);
    std::memcpy(bytes, &value, sizeof(T));
    return *this;
  }
  operator T() const {
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return in_file_order(value);
  }

 private:
  static T in_file_order(T value) {
    if constexpr (std::endian::native == std::endian::big) {
      T swapped = 0;
      for (size_t i = 0; i < sizeof(T); ++i)
        swapped = static_cast<T>(swapped << 8 | (value >> (8 * i) & 0xff));
      return swapped;
    }
    return value;
  }
};
using Little16 = Little<uint16_t>;
using Little32 = Little<uint32_t>;
using Little64 = Little<uint64_t>;

template <class Block>
Block load_block(const std::byte* blocks, uint64_t index) {
  Block block;
  std::memcpy(&block, blocks + index * sizeof(Block), sizeof(Block));
  return block;
}

template <class Block>
void store_block(const Block& block, std::byte* blocks, uint64_t index) {
  std::memcpy(blocks + index * sizeof(Block), &block, sizeof(Block));
}

// The integer that `value` truncates to, or the nearer end of [low, high]; NaN gives
// the integer nearest to 0 in that range.
inline int32_t truncate(float value, int32_t low, int32_t high) {
  if (std::isnan(value)) return low > 0 ? low : high < 0 ? high : 0;
  if (value <= static_cast<float>(low)) return low;
  if (value >= static_cast<float>(high)) return high;
  return static_cast<int32_t>(value);
}

// The nearest integer, ties away from zero, within [low, high]; NaN as in truncate().
inline int32_t round_away(float value, int32_t low, int32_t high) {
  return truncate(std::round(value), low, high);
}

// The nearest integer, ties to even, within [low, high], for |low|, |high| < 2^22; NaN
// as in truncate().
inline int32_t round_even(float value, int32_t low, int32_t high) {
  const int32_t away = round_away(value, low, high);
  if (static_cast<float>(away) - value == 0.5f && away > low && away % 2 != 0) return away - 1;
  if (static_cast<float>(away) - value == -0.5f && away < high && away % 2 != 0) return away + 1;
  return away;
}

// The bits of the magnitude of x, which order as magnitudes do; 0 for NaN.
inline uint32_t magnitude_bits(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x) & 0x7fffffffu;
  return bits > 0x7f800000u ? 0 : bits;
}

inline float largest_magnitude(const float* values, uint32_t count) {
  uint32_t largest = 0;
  for (uint32_t i = 0; i < count; ++i) largest = std::max(largest, magnitude_bits(values[i]));
  return std::bit_cast<float>(largest);
}

// The first element of largest magnitude, with its sign; 0 if every element is 0 or NaN.
// The magnitude is found first and the element after it: Clang 19 at -O3 with AVX2
// compiles the one loop that keeps the element with the greater std::fabs wrongly.
inline float largest_signed(const float* values, uint32_t count) {
  const uint32_t largest = std::bit_cast<uint32_t>(largest_magnitude(values, count));
  uint32_t i = 0;
  while (largest != 0 && magnitude_bits(values[i]) != largest) ++i;
  return largest != 0 ? values[i] : 0.0f;
}

// The smallest and largest element; {0, 0} if every element is NaN.
struct Range {
  float low = 0;
  float high = 0;
};
inline Range range_of(const float* values, uint32_t count) {
  Range range;
  bool found = false;
  for (uint32_t i = 0; i < count; ++i) {
    if (std::isnan(values[i])) continue;
    if (!found || values[i] < range.low) range.low = values[i];
    if (!found || values[i] > range.high) range.high = values[i];
    found = true;
  }
  return range;
}

// 1 / value, and 0 for 0: what a zero block multiplies its elements by.
inline float inverse_or_zero(float value) { return value != 0 ? 1.0f / value : 0.0f; }

// The fault of an f16 field that must be finite.
inline BlockFault f16_fault(uint16_t bits, uint32_t byte, const char* nan, const char* infinite) {
  if (f16_is_finite(bits)) return {};
  return {(bits & 0x3ff) != 0 ? nan : infinite, byte, false};
}
inline BlockFault f16_scale_fault(uint16_t bits, uint32_t byte) {
  return f16_fault(bits, byte, "scale d is NaN", "scale d is infinite");
}

inline BlockFault f16_min_fault(uint16_t bits, uint32_t byte) {
  return f16_fault(bits, byte, "offset m is NaN", "offset m is infinite");
}

// The index of the first block for which `illegal(block)` is true (not 0), or count.  Runs
// of blocks are tested without a branch each, so that memory is the limit.
template <size_t kBlockBytes, class Accumulator = uint32_t, class Illegal>
uint64_t first_illegal(const std::byte* blocks, uint64_t count, Illegal illegal) {
  constexpr uint64_t kRun = 64;
  uint64_t i = 0;
  for (; i + kRun <= count; i += kRun) {
    Accumulator any = 0;
    for (uint64_t j = 0; j < kRun; ++j)
      any |= static_cast<Accumulator>(illegal(blocks + (i + j) * kBlockBytes));
    if (any != 0) break;
  }
  for (; i < count; ++i) {
    if (illegal(blocks + i * kBlockBytes)) return i;
  }
  return count;
}

// first_illegal() for blocks whose only demand is that the f16 fields at these bytes
// are finite.
template <size_t kBlockBytes, size_t... kFieldBytes>
uint64_t scan_f16(const std::byte* blocks, uint64_t count, bool) {
  return first_illegal<kBlockBytes>(blocks, count, [](const std::byte* block) {
    return (... | !f16_is_finite(load_block<Little16>(block + kFieldBytes, 0)));
  });
}

// The index of the first of `count` plain numbers of type T (Little16, 32 or 64) whose
// exponent bits, `exponent`, are all ones: NaN or infinite.  Adding the lowest exponent
// bit then carries into the sign bit, for all numbers of a 64-bit word at once.
template <class Number, uint64_t kExponent>
uint64_t scan_plain(const std::byte* values, uint64_t count, bool) {
  constexpr uint64_t kWidth = 8 * sizeof(Number);
  constexpr uint64_t kEach = ~uint64_t{0} / (~uint64_t{0} >> (64 - kWidth));  // 1 in each number
  constexpr uint64_t kMask = kExponent * kEach;
  constexpr uint64_t kLowest = (kExponent & -kExponent) * kEach;
  constexpr uint64_t kSigns = kEach << (kWidth - 1);
  constexpr uint64_t kNumbers = 64 / kWidth;
  constexpr uint64_t kWordBytes = 8;
  const uint64_t word = first_illegal<kWordBytes, uint64_t>(
      values, count / kNumbers,
      [](const std::byte* at) { return ((load_block<Little64>(at, 0) & kMask) + kLowest) & kSigns; });
  for (uint64_t i = word * kNumbers; i < count; ++i) {
    const uint64_t bits = load_block<Number>(values, i);
    if ((bits & kExponent) == kExponent) return i;
  }
  return count;
}

}  // namespace gcts

#endif  // GCTS_REFERENCE_BLOCK_H_
