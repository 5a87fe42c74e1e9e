// Conversions from f32 to the small formats: rounding on the bits.

#include "reference/float_formats.h"

#include <cmath>
#include <limits>

namespace gcts {
namespace {

// value >> shift, rounded to nearest, ties to even; 0 < shift < 32.
uint32_t shift_right_rounded(uint32_t value, uint32_t shift) {
  const uint32_t kept = value >> shift;
  const uint32_t rest = value & ((1u << shift) - 1);
  const uint32_t half = 1u << (shift - 1);
  return kept + (rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0);
}

}  // namespace

uint16_t f32_to_f16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16 & 0x8000;
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return static_cast<uint16_t>(sign | 0x7e00);
  const uint32_t exponent = magnitude >> 23;
  if (exponent >= 113) {
    // A normal f16, or beyond: re-bias and round; a carry runs into the exponent.
    const uint32_t rounded = shift_right_rounded(magnitude - (112u << 23), 13);
    return static_cast<uint16_t>(sign | (rounded < 0x7c00 ? rounded : 0x7c00));
  }
  // A multiple of 2^-24: the significand, shifted to that place.  Below 2^-25, 0.
  if (exponent < 102) return static_cast<uint16_t>(sign);
  const uint32_t significand = (magnitude & 0x7fffff) | 0x800000;
  return static_cast<uint16_t>(sign | shift_right_rounded(significand, 126 - exponent));
}

uint16_t f32_to_bf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>(shift_right_rounded(bits, 16));
}

float ue4m3_half(uint8_t bits) {
  if (bits == 0x7f) return 0;
  const uint32_t exponent = (bits >> 3) & 15u;
  const uint32_t mantissa = bits & 7u;
  if (exponent == 0) return static_cast<float>(mantissa) * 0x1p-10f;
  // (1 + mantissa/8) * 2^(exponent - 7) / 2: f32's exponent is biased by 127.
  return std::bit_cast<float>((exponent + 119) << 23 | mantissa << 20);
}

uint8_t f32_to_ue4m3(float value) {
  constexpr uint8_t kLargest = 0x7e;
  if (!(value > 0)) return 0;
  if (value >= 256) return kLargest;
  if (value < 0x1p-6f) {
    const int subnormal = static_cast<int>(value * 512 + 0.5f);
    return static_cast<uint8_t>(subnormal < 7 ? subnormal : 7);
  }
  // Keep three mantissa bits and add the next one: ties round up, carries included.
  const uint32_t bits = std::bit_cast<uint32_t>(value) - (120u << 23);
  const uint32_t rounded = (bits >> 20) + (bits >> 19 & 1);
  return static_cast<uint8_t>(rounded < 0x78 ? rounded : kLargest);
}

uint8_t nearest_e2m1(float value, float half_scale) {
  uint8_t nearest = 0;
  float least = std::numeric_limits<float>::infinity();
  for (uint8_t code = 0; code < 16; ++code) {
    const float distance = std::fabs(static_cast<float>(kE2m1Doubled[code]) * half_scale - value);
    if (distance < least) {
      least = distance;
      nearest = code;
    }
  }
  return nearest;
}

}  // namespace gcts
