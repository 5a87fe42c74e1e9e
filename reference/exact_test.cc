// Exact sums against big integers, and against published dot products.
#include "reference/exact.h"

#include <bit>
#include <boost/multiprecision/cpp_int.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

#include "reference/float_formats.h"
#include "reference/generator.h"

using namespace gcts;
using boost::multiprecision::cpp_int;

namespace {

// A double as an integer number of 2^-2148, the unit of products of two doubles.
cpp_int big(double x) {
  int exponent;
  const double significand = std::frexp(x, &exponent);
  cpp_int integer = static_cast<int64_t>(std::ldexp(significand, 53));
  const int shift = exponent - 53 + 2148;
  if (shift >= 0) return integer << shift;
  return integer >> -shift;  // exact: doubles have no bits below 2^-1074
}

// value * 2^-2148 rounded to the nearest double, ties to even, by comparing remainders.
double nearest(const cpp_int& value, int precision, int least_exponent) {
  if (value == 0) return 0;
  const cpp_int magnitude = abs(value);
  const int top = static_cast<int>(msb(magnitude));
  const int last = std::max(top - precision + 1, least_exponent + 2148);
  cpp_int quotient = last > 0 ? cpp_int(magnitude >> last) : magnitude;
  const cpp_int remainder = magnitude - (quotient << last);
  const cpp_int half = cpp_int(1) << (last - 1);
  if (remainder > half || (remainder == half && bit_test(quotient, 0))) ++quotient;
  const double rounded = std::ldexp(static_cast<double>(quotient), last - 2148);
  return value < 0 ? -rounded : rounded;
}

double random_double(Generator& g, int low, int high) {
  const double x =
      std::ldexp(static_cast<double>(g.next() >> 11), static_cast<int>(g.between(low, high)) - 53);
  return g.chance(1, 2) ? x : -x;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(exact)

BOOST_AUTO_TEST_CASE(sums_equal_big_integers) {
  Generator g(1, "exact sums");
  for (int trial = 0; trial < 400; ++trial) {
    const int spread = trial % 4 == 0 ? 1000 : 60;
    ExactSum sum;
    cpp_int expected = 0, magnitude = 0;
    const auto count = g.below(40);
    double last = 0;
    for (uint64_t i = 0; i < count; ++i) {
      // Some terms cancel the one before up to its last bits.
      const double x = g.chance(1, 3) ? -std::nextafter(last, 1) : random_double(g, -spread, spread);
      last = x;
      sum.add(x);
      const cpp_int term = big(x);
      expected += term;
      magnitude += abs(term);
    }
    // big() counts in 2^-2148, nearest() divides by the same.
    BOOST_TEST(sum.value() == nearest(expected, 53, -1074));
    BOOST_TEST(sum.magnitude() == nearest(magnitude, 53, -1074));
    if (spread == 60) {
      BOOST_TEST(sum.value(FloatFormat::f32) == nearest(expected, 24, -149));
      BOOST_TEST(sum.value(FloatFormat::bf16) == nearest(expected, 8, -133));
    }
  }
}

BOOST_AUTO_TEST_CASE(products_equal_big_integers) {
  Generator g(2, "exact products");
  for (int trial = 0; trial < 200; ++trial) {
    ExactSum sum;
    cpp_int expected = 0, magnitude = 0;  // in 2^-4296
    for (uint64_t i = g.below(30); i-- > 0;) {
      // 53-bit factors: the product has 106 bits.
      const double a = random_double(g, -100, 100), b = random_double(g, -100, 100);
      sum.add_product(a, b);
      expected += big(a) * big(b);
      magnitude += abs(cpp_int(big(a) * big(b)));
    }
    const cpp_int down = cpp_int(1) << 2148;
    BOOST_TEST((expected % down == 0 && magnitude % down == 0));  // nothing below 2^-2148
    BOOST_TEST(sum.value() == nearest(expected / down, 53, -1074));
    BOOST_TEST(sum.magnitude() == nearest(magnitude / down, 53, -1074));
  }
}

BOOST_AUTO_TEST_CASE(ties_and_subnormals_round_to_even) {
  const auto sum_of = [](std::initializer_list<double> terms) {
    ExactSum sum;
    for (const double x : terms) sum.add(x);
    return sum;
  };
  BOOST_TEST(sum_of({1, 0x1p-53}).value() == 1);
  BOOST_TEST(sum_of({1, 0x1p-52, 0x1p-53}).value() == 1 + 0x1p-51);
  BOOST_TEST(sum_of({1, 0x1p-53, 0x1p-1074}).value() == 1 + 0x1p-52);
  BOOST_TEST(sum_of({-1, -0x1p-53, 0x1p-1074}).value() == -1);
  BOOST_TEST(sum_of({0x1p1023, 0x1p1023, -0x1p1023}).value() == 0x1p1023);
  BOOST_TEST(sum_of({0x1p1023, 0x1p1023}).value() == HUGE_VAL);
  BOOST_TEST(sum_of({0x1p-1074, 0x1p-1074}).value() == 0x1p-1073);
  BOOST_TEST(sum_of({0x1p-150}).value(FloatFormat::f32) == 0);
  BOOST_TEST(sum_of({0x1p-150, 0x1p-300}).value(FloatFormat::f32) == 0x1p-149);
  BOOST_TEST(sum_of({0x1.8p-149}).value(FloatFormat::f32) == 0x1p-148);
  BOOST_TEST(sum_of({65519.9}).value(FloatFormat::f16) == 65504);
  BOOST_TEST(sum_of({65520}).value(FloatFormat::f16) == HUGE_VAL);
  BOOST_TEST(sum_of({1, -1, 0.0}).value() == 0);
  BOOST_TEST(!std::signbit(sum_of({1, -1}).value()));
  BOOST_TEST(sum_of({1, -1, 0.0}).terms() == 2u);
}

BOOST_AUTO_TEST_CASE(non_finite_terms_decide) {
  const double infinity = HUGE_VAL, nan = std::numeric_limits<double>::quiet_NaN();
  ExactSum sum;
  sum.add(5);
  sum.add_product(-infinity, 2);
  BOOST_TEST(sum.value() == -infinity);
  BOOST_TEST(sum.magnitude() == infinity);
  BOOST_TEST(!sum.finite());
  sum.add(infinity);
  BOOST_TEST(std::isnan(sum.value()));
  ExactSum other;
  other.add(nan);
  BOOST_TEST(std::isnan(other.value()));
  other.clear();
  other.add_product(infinity, 0);
  BOOST_TEST(std::isnan(other.value()));
}

BOOST_AUTO_TEST_CASE(parts_of_a_sum_join) {
  Generator g(4, "join");
  ExactSum whole, parts[3];
  for (int i = 0; i < 300; ++i) {
    const double x = random_double(g, -200, 200);
    whole.add(x);
    parts[i % 3].add(x);
  }
  parts[0].add(parts[1]);
  parts[0].add(parts[2]);
  BOOST_TEST(parts[0].value() == whole.value());
  BOOST_TEST(parts[0].magnitude() == whole.magnitude());
  BOOST_TEST(parts[0].terms() == whole.terms());
}

BOOST_AUTO_TEST_CASE(carries_move_in_time) {
  // The same digit takes its largest part again and again.
  ExactSum sum;
  const double x = std::nextafter(0x1p53, 0);
  for (int i = 0; i < 1 << 20; ++i) sum.add(x);
  for (int i = 0; i < 11; ++i) sum.add(ExactSum(sum));  // doubles it
  BOOST_TEST(sum.value() == std::ldexp(x, 31));
}

BOOST_AUTO_TEST_CASE(rounding_to_a_format_agrees_with_its_conversion) {
  Generator g(6, "formats");
  for (int i = 0; i < 20000; ++i) {
    const float x = std::bit_cast<float>(static_cast<uint32_t>(g.next()));
    if (!std::isfinite(x)) continue;
    BOOST_TEST(round_to(x, FloatFormat::f32) == x);
    BOOST_TEST(round_to(x, FloatFormat::f16) == f16_to_f32(f32_to_f16(x)));
    const float near_one = std::ldexp(x, std::min(0, 20 - std::ilogb(x == 0 ? 1 : x)));
    BOOST_TEST(round_to(near_one, FloatFormat::f16) == f16_to_f32(f32_to_f16(near_one)));
    BOOST_TEST(round_to(x, FloatFormat::bf16) == bf16_to_f32(f32_to_bf16(x)));
    const double wide = double{x} * (1 + std::ldexp(double(g.unit()), -20));
    BOOST_TEST(round_to(wide, FloatFormat::f32) == double{static_cast<float>(wide)});
  }
}

BOOST_AUTO_TEST_CASE(the_integer_oracle_is_the_exact_one) {
  Generator g(8, "integers");
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<double> a(97), b(97);
    for (double& x : a) x = std::ldexp(static_cast<double>(g.between(-2000, 2000)), -5);
    for (double& x : b) x = std::ldexp(static_cast<double>(g.between(-127, 127)), 3);
    const int unit_a = common_exponent(a), unit_b = common_exponent(b);
    BOOST_TEST((unit_a >= -5 && unit_b >= 3));
    std::vector<int32_t> units_a(a.size()), units_b(b.size());
    BOOST_REQUIRE(to_units(a, unit_a, units_a));
    BOOST_REQUIRE(to_units(b, unit_b, units_b));
    const auto integer = static_cast<double>(integer_dot(units_a, units_b));
    BOOST_TEST(std::ldexp(integer, unit_a + unit_b) == exact_dot(a, b).value);
    BOOST_TEST(!to_units(a, unit_a + 12, units_a));
  }
}

BOOST_AUTO_TEST_CASE(a_long_row_takes_well_under_a_millisecond) {
  Generator g(9, "speed");
  std::vector<double> weights(28672), activations(28672);
  for (double& x : weights) x = g.normal();
  for (double& x : activations) x = g.normal();
  double best = 1;
  DotProduct result{};
  for (int i = 0; i < 5; ++i) {
    const auto start = std::chrono::steady_clock::now();
    result = exact_dot(weights, activations);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::printf("exact dot product, K = 28672: %.0f us\n", best * 1e6);
  BOOST_TEST(result.magnitude > std::fabs(result.value));
  // The build may be unoptimised or sanitized: only an accident is caught here.
  BOOST_TEST(best < 0.05);
}

BOOST_AUTO_TEST_SUITE_END()
