// The small float formats, exhaustively, against their definitions in double.

#include "reference/float_formats.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

namespace gcts {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The value of sign, exponent and mantissa fields by the rules of IEEE 754.
double defined_value(uint32_t bits, int exponent_bits, int mantissa_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const uint32_t exponent = bits >> mantissa_bits & ((1u << exponent_bits) - 1);
  const double fraction = bits & ((1u << mantissa_bits) - 1);
  const double sign = (bits >> (exponent_bits + mantissa_bits) & 1) != 0 ? -1 : 1;
  if (exponent == (1u << exponent_bits) - 1) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - mantissa_bits);
  return sign * std::ldexp(std::ldexp(1, mantissa_bits) + fraction,
                           static_cast<int>(exponent) - bias - mantissa_bits);
}

bool same(float value, double defined) {
  if (std::isnan(defined)) return std::isnan(value);
  return static_cast<double>(value) == defined && std::signbit(value) == std::signbit(defined);
}

using Encode = uint16_t (*)(float);

// For each pair of neighbours from `first` to `last`: the midpoint goes to the even one,
// and the next float on either side of it to the nearer one; negated, the same.
void check_rounding(Encode encode, float (*decode)(uint16_t), uint16_t first, uint16_t last, uint16_t sign) {
  for (uint32_t low = first; low < last; ++low) {
    const auto lower = static_cast<uint16_t>(low);
    const auto upper = static_cast<uint16_t>(low + 1);
    const auto even = low % 2 == 0 ? lower : upper;
    const auto middle = static_cast<float>((static_cast<double>(decode(lower)) + decode(upper)) / 2);
    const bool right = encode(middle) == even && encode(std::nextafter(middle, 0.0f)) == lower &&
                       encode(std::nextafter(middle, kInfinity)) == upper &&
                       encode(-middle) == (even | sign) && encode(decode(lower)) == lower &&
                       encode(-decode(upper)) == (upper | sign);
    if (!right) BOOST_ERROR("between codes " << lower << " and " << upper);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(float_formats)

BOOST_AUTO_TEST_CASE(every_f16_decodes_by_definition) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const auto f16 = static_cast<uint16_t>(bits);
    if (!same(f16_to_f32(f16), defined_value(bits, 5, 10))) BOOST_ERROR("f16 " << bits);
    if (f16_is_finite(f16) != std::isfinite(f16_to_f32(f16))) BOOST_ERROR("finite " << bits);
  }
}

BOOST_AUTO_TEST_CASE(an_f16_nan_keeps_sign_and_payload_and_becomes_quiet) {
  BOOST_TEST(std::bit_cast<uint32_t>(f16_to_f32(0x7c01)) == 0x7fc02000u);
  BOOST_TEST(std::bit_cast<uint32_t>(f16_to_f32(0xfe55)) == 0xffcaa000u);
}

BOOST_AUTO_TEST_CASE(f16_rounds_to_nearest_even_between_all_neighbours) {
  check_rounding(f32_to_f16, f16_to_f32, 0, 0x7bff, 0x8000);
}

BOOST_AUTO_TEST_CASE(f16_overflow_underflow_and_nan) {
  BOOST_TEST(f32_to_f16(65519.996f) == 0x7bff);
  BOOST_TEST(f32_to_f16(65520.0f) == 0x7c00);
  BOOST_TEST(f32_to_f16(-3e38f) == 0xfc00);
  BOOST_TEST(f32_to_f16(kInfinity) == 0x7c00);
  BOOST_TEST(f32_to_f16(0x1p-25f) == 0);
  BOOST_TEST(f32_to_f16(-0x1p-25f) == 0x8000);
  BOOST_TEST(f32_to_f16(std::nextafter(0x1p-25f, 1.0f)) == 1);
  BOOST_TEST(f32_to_f16(0x1p-149f) == 0);
  BOOST_TEST(f32_to_f16(-0.0f) == 0x8000);
  BOOST_TEST(f32_to_f16(std::bit_cast<float>(0x7fa12345u)) == 0x7e00);
  BOOST_TEST(f32_to_f16(std::bit_cast<float>(0xffc00001u)) == 0xfe00);
}

BOOST_AUTO_TEST_CASE(every_bf16_decodes_by_definition) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const auto bf16 = static_cast<uint16_t>(bits);
    if (!same(bf16_to_f32(bf16), defined_value(bits, 8, 7))) BOOST_ERROR("bf16 " << bits);
    if (bf16_is_finite(bf16) != std::isfinite(bf16_to_f32(bf16))) BOOST_ERROR("finite " << bits);
  }
}

BOOST_AUTO_TEST_CASE(bf16_rounds_to_nearest_even_between_all_neighbours) {
  check_rounding(f32_to_bf16, bf16_to_f32, 0, 0x7f7f, 0x8000);
}

BOOST_AUTO_TEST_CASE(bf16_overflow_and_nan) {
  BOOST_TEST(f32_to_bf16(std::bit_cast<float>(0x7f7f8000u)) == 0x7f80);
  BOOST_TEST(f32_to_bf16(std::bit_cast<float>(0x7f7f7fffu)) == 0x7f7f);
  BOOST_TEST(f32_to_bf16(std::bit_cast<float>(0x7f800001u)) == 0x7fc0);
  BOOST_TEST(f32_to_bf16(std::bit_cast<float>(0xffffffffu)) == 0xffff);
}

BOOST_AUTO_TEST_CASE(every_e8m0_is_a_power_of_two) {
  for (int e = 0; e < 256; ++e)
    BOOST_TEST(same(e8m0_half(static_cast<uint8_t>(e)), std::ldexp(1.0, e - 128)));
}

BOOST_AUTO_TEST_CASE(every_ue4m3_decodes_by_definition) {
  for (uint32_t bits = 0; bits < 256; ++bits) {
    const uint32_t exponent = bits >> 3 & 15;
    const double mantissa = bits & 7;
    double value =
        exponent == 0 ? mantissa / 512 : std::ldexp(1 + mantissa / 8, static_cast<int>(exponent) - 7);
    if (bits == 0x7f) value = 0;
    BOOST_TEST(same(ue4m3_half(static_cast<uint8_t>(bits)), value / 2));
  }
}

BOOST_AUTO_TEST_CASE(ue4m3_rounds_half_up_between_all_neighbours) {
  for (uint8_t low = 0; low < 0x77; ++low) {
    const auto upper = static_cast<uint8_t>(low + 1);
    const float middle = ue4m3_half(low) + ue4m3_half(upper);
    BOOST_TEST(f32_to_ue4m3(2 * ue4m3_half(low)) == low);
    // Subnormal codes stop at 7: what lies between 7.5 and 8 units stays below the
    // smallest normal value.
    BOOST_TEST(f32_to_ue4m3(middle) == (low == 7 ? low : upper));
    // Adding 1/2 to the float below 1/2 unit rounds to 1.
    BOOST_TEST(f32_to_ue4m3(std::nextafter(middle, 0.0f)) == (low == 0 ? 1 : low));
    BOOST_TEST(f32_to_ue4m3(std::nextafter(2 * ue4m3_half(upper), 0.0f)) == (low == 7 ? low : upper));
  }
}

BOOST_AUTO_TEST_CASE(ue4m3_ends) {
  BOOST_TEST(f32_to_ue4m3(0.0f) == 0);
  BOOST_TEST(f32_to_ue4m3(-1.0f) == 0);
  BOOST_TEST(f32_to_ue4m3(std::nanf("")) == 0);
  BOOST_TEST(f32_to_ue4m3(0x1p-140f) == 0);
  BOOST_TEST(f32_to_ue4m3(std::nextafter(248.0f, 0.0f)) == 0x77);
  for (const float large : {248.0f, 255.9f, 256.0f, 448.0f, 1e30f, kInfinity})
    BOOST_TEST(f32_to_ue4m3(large) == 0x7e);
}

BOOST_AUTO_TEST_CASE(nearest_e2m1_prefers_the_smaller_code) {
  // Halves of the doubled values, so that the scale 0.5 stands for 1.
  for (uint8_t code = 0; code < 16; ++code) {
    BOOST_TEST(nearest_e2m1(kE2m1Doubled[code] * 0.5f, 0.5f) == (code == 8 ? 0 : code));
  }
  for (uint8_t code = 0; code < 7; ++code) {
    const float middle = static_cast<float>(kE2m1Doubled[code] + kE2m1Doubled[code + 1]) / 4;
    BOOST_TEST(nearest_e2m1(middle, 0.5f) == code);
    BOOST_TEST(nearest_e2m1(std::nextafter(middle, 9.0f), 0.5f) == code + 1);
    BOOST_TEST(nearest_e2m1(-middle, 0.5f) == (code == 0 ? 0 : code + 8));
    BOOST_TEST(nearest_e2m1(std::nextafter(-middle, -9.0f), 0.5f) == code + 9);
  }
  BOOST_TEST(nearest_e2m1(1e4f, 0.5f) == 7);
  BOOST_TEST(nearest_e2m1(-1e4f, 0.5f) == 15);
  // So far away that every distance rounds to the same float.
  BOOST_TEST(nearest_e2m1(1e30f, 0.5f) == 0);
  BOOST_TEST(nearest_e2m1(kInfinity, 0.5f) == 0);
  BOOST_TEST(nearest_e2m1(std::nanf(""), 0.5f) == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace gcts
