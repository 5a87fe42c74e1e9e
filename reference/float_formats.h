// The small floating-point formats that tensor types are made of, to and from f32.
//
//   f16     binary16: sign, 5 exponent bits (bias 15), 10 mantissa bits
//   bf16    the upper half of an f32
//   e8m0    one byte: a power of two, 2^(e - 127)
//   ue4m3   one byte: 4 exponent bits (bias 7), 3 mantissa bits; bit 7 is not used
//   e2m1    four bits: sign, 2 exponent bits (bias 1), 1 mantissa bit
//
// Every conversion to f32 is exact.  Conversions from f32 round to nearest, ties to
// even, unless they say otherwise.

#ifndef GCTS_REFERENCE_FLOAT_FORMATS_H_
#define GCTS_REFERENCE_FLOAT_FORMATS_H_

#include <bit>
#include <cstdint>

namespace gcts {

constexpr bool f16_is_finite(uint16_t bits) { return (bits & 0x7c00) != 0x7c00; }
constexpr bool bf16_is_finite(uint16_t bits) { return (bits & 0x7f80) != 0x7f80; }

// NaN keeps its sign; its payload moves to the top of the mantissa and is made quiet.
constexpr float f16_to_f32(uint16_t bits) {
  const uint32_t sign = (bits & 0x8000u) << 16;
  const uint32_t exponent = (bits >> 10) & 31u;
  const uint32_t mantissa = bits & 0x3ffu;
  if (exponent == 31) {
    const uint32_t quiet = mantissa != 0 ? 0x00400000u : 0u;
    return std::bit_cast<float>(sign | 0x7f800000u | quiet | mantissa << 13);
  }
  if (exponent == 0) {
    const uint32_t magnitude = std::bit_cast<uint32_t>(static_cast<float>(mantissa) * 0x1p-24f);
    return std::bit_cast<float>(sign | magnitude);
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

// Magnitudes of 65520 and more give infinity; every NaN gives 0x7e00 with its sign.
uint16_t f32_to_f16(float value);

constexpr float bf16_to_f32(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

// NaN keeps its upper half and is made quiet.
uint16_t f32_to_bf16(float value);

// Half of the power of two that an e8m0 byte stands for, 2^(e - 128): FP4 code books
// hold doubled values.  255 is a power of two like any other, and e < 2 is subnormal.
constexpr float e8m0_half(uint8_t e) {
  return std::bit_cast<float>(e < 2 ? 0x00200000u << e : (e - 1u) << 23);
}

// Half of the value of a ue4m3 byte, for the same reason.  Bit 7 is ignored, except
// that only 0x7f, which other decoders read as NaN, is 0 while 0xff is 240.
float ue4m3_half(uint8_t bits);

// The ue4m3 byte for a scale; ties round up (below 2^-6 by adding 1/2 in f32).  0 for NaN and for values of at most 0;
// 0x7e (448) for values of 248 and more, so that 0x78 to 0x7d are never given.
uint8_t f32_to_ue4m3(float value);

// Twice the e2m1 value of a code, as an integer.  Code 8, minus zero, is plain 0.
inline constexpr int8_t kE2m1Doubled[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

// The first e2m1 code whose doubled value times `half_scale` is nearest to value:
// ties go to the smaller code, zero is always code 0.  Distances are f32: a value so
// large that all of them round to the same gives code 0, as do infinity and NaN.
uint8_t nearest_e2m1(float value, float half_scale);

}  // namespace gcts

#endif  // GCTS_REFERENCE_FLOAT_FORMATS_H_
