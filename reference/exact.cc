// The wide fixed-point register behind exact sums, and the integer dot product.
#include "reference/exact.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

namespace gcts {
namespace {

constexpr int kLowestExponent = -1074;  // of bit 0 of a register
constexpr int kDigitBits = 32;
constexpr uint64_t kDigitMask = 0xffffffff;

constexpr FloatTraits traits(int precision, int least_exponent, double largest) {
  double unit = 1, subnormal = 1;
  for (int i = 0; i < precision; ++i) unit /= 2;
  for (int i = 0; i > least_exponent; --i) subnormal /= 2;
  double normal = subnormal;
  for (int i = 1; i < precision; ++i) normal *= 2;
  return {precision, least_exponent, largest, unit, subnormal, normal};
}

constexpr FloatTraits kTraits[] = {
    traits(24, -149, 0x1.fffffep127),
    traits(11, -24, 65504),
    traits(8, -133, 0x1.fep127),
    traits(53, -1074, std::numeric_limits<double>::max()),
};

}  // namespace

const FloatTraits& float_traits(FloatFormat format) {
  assert(format != FloatFormat::exact);
  return kTraits[static_cast<size_t>(format)];
}

double round_to(double x, FloatFormat format) {
  if (format == FloatFormat::exact || format == FloatFormat::f64 || x == 0 || !std::isfinite(x)) return x;
  const FloatTraits& to = float_traits(format);
  int exponent;
  std::frexp(x, &exponent);  // |x| in [2^(exponent - 1), 2^exponent)
  const int last_bit = std::max(exponent - to.precision, to.least_exponent);
  // Within 53 bits, so that only nearbyint rounds, in the default direction.
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(x, -last_bit)), last_bit);
  return std::fabs(rounded) > to.largest ? std::copysign(HUGE_VAL, x) : rounded;
}

// Adds or subtracts a finite number that is not negative.
void ExactSum::deposit(Register& digits, double magnitude, bool subtract) {
  const auto bits = std::bit_cast<uint64_t>(magnitude);
  const uint64_t biased = bits >> 52;
  const uint64_t fraction = bits & 0xfffffffffffff;
  const uint64_t significand = biased == 0 ? fraction : fraction | uint64_t{1} << 52;
  const uint64_t position = biased == 0 ? 0 : biased - 1;  // of the last bit
  const uint64_t shift = position % kDigitBits;
  int64_t* digit = &digits[position / kDigitBits];
  const uint64_t low = (significand & kDigitMask) << shift;
  const uint64_t high = (significand >> kDigitBits) << shift;
  const auto part0 = static_cast<int64_t>(low & kDigitMask);
  const auto part1 = static_cast<int64_t>((low >> kDigitBits) + (high & kDigitMask));
  const auto part2 = static_cast<int64_t>(high >> kDigitBits);
  digit[0] += subtract ? -part0 : part0;
  digit[1] += subtract ? -part1 : part1;
  digit[2] += subtract ? -part2 : part2;
  if (++deposits_ == 1u << 30) {
    carry(sides_[0]);
    carry(sides_[1]);
    deposits_ = 0;
  }
}

void ExactSum::add_to(bool negative, double magnitude) {
  if (magnitude == 0) return;
  ++terms_;
  if (std::isfinite(magnitude)) {
    deposit(sides_[negative], magnitude, false);
  } else if (std::isnan(magnitude)) {
    nan_ = true;
  } else {
    infinite_[negative] = true;
  }
}

void ExactSum::add_product(double a, double b) {
  const double product = a * b;
  const bool negative = product < 0;
  add_to(negative, std::fabs(product));
  if (!std::isfinite(product) || product == 0) return;
  // What the product lost, with the sign that it has next to a positive product.
  const double lost = std::fma(std::fabs(a), std::fabs(b), -std::fabs(product));
  if (lost != 0) deposit(sides_[negative], std::fabs(lost), lost < 0);
}

void ExactSum::add(const ExactSum& other) {
  for (int side = 0; side < 2; ++side) {
    Register theirs = other.sides_[side];
    carry(theirs);
    carry(sides_[side]);
    for (size_t i = 0; i < kDigits; ++i) sides_[side][i] += theirs[i];
    infinite_[side] |= other.infinite_[side];
  }
  deposits_ = 1;
  terms_ += other.terms_;
  nan_ |= other.nan_;
}

// Leaves every digit but the last in [0, 2^32); the last keeps the sign.
void ExactSum::carry(Register& digits) {
  int64_t carried = 0;
  for (size_t i = 0; i + 1 < kDigits; ++i) {
    const int64_t sum = digits[i] + carried;
    digits[i] = static_cast<int64_t>(static_cast<uint64_t>(sum) & kDigitMask);
    carried = sum >> kDigitBits;  // toward minus infinity
  }
  digits[kDigits - 1] += carried;
}

double ExactSum::rounded(Register digits, FloatFormat format) {
  carry(digits);
  const bool negative = digits[kDigits - 1] < 0;
  if (negative) {
    for (int64_t& digit : digits) digit = -digit;
    carry(digits);
  }
  const auto bit = [&](int position) {
    return position >= 0 &&
           (digits[static_cast<size_t>(position / kDigitBits)] >> position % kDigitBits & 1) != 0;
  };
  int top = static_cast<int>(kDigits) - 1;
  while (top >= 0 && digits[static_cast<size_t>(top)] == 0) --top;
  if (top < 0) return 0;
  const auto leading = static_cast<uint64_t>(digits[static_cast<size_t>(top)]);
  top = top * kDigitBits + 63 - std::countl_zero(leading);

  const FloatTraits& to = float_traits(format == FloatFormat::exact ? FloatFormat::f64 : format);
  const int last = std::max(top - to.precision + 1, to.least_exponent - kLowestExponent);
  uint64_t significand = 0;
  for (int position = top; position >= last; --position) significand = significand << 1 | bit(position);
  if (bit(last - 1)) {  // half or more is cut off: up unless it is a tie and even
    bool more = (significand & 1) != 0;
    for (int position = 0; position < last - 1 && !more; ++position) more = bit(position);
    significand += more;
  }
  const double magnitude = std::ldexp(static_cast<double>(significand), last + kLowestExponent);
  const double kept = magnitude > to.largest ? HUGE_VAL : magnitude;
  return negative ? -kept : kept;
}

double ExactSum::value(FloatFormat format) const {
  if (nan_ || (infinite_[0] && infinite_[1])) return std::numeric_limits<double>::quiet_NaN();
  if (infinite_[0] || infinite_[1]) return infinite_[0] ? HUGE_VAL : -HUGE_VAL;
  Register difference = sides_[0];
  Register other = sides_[1];
  carry(difference);
  carry(other);
  for (size_t i = 0; i < kDigits; ++i) difference[i] -= other[i];
  return rounded(difference, format);
}

double ExactSum::magnitude(FloatFormat format) const {
  if (nan_) return std::numeric_limits<double>::quiet_NaN();
  if (infinite_[0] || infinite_[1]) return HUGE_VAL;
  Register total = sides_[0];
  Register other = sides_[1];
  carry(total);
  carry(other);
  for (size_t i = 0; i < kDigits; ++i) total[i] += other[i];
  return rounded(total, format);
}

DotProduct exact_dot(std::span<const double> weights, std::span<const double> activations) {
  assert(weights.size() == activations.size());
  ExactSum sum;
  for (size_t i = 0; i < weights.size(); ++i) sum.add_product(weights[i], activations[i]);
  return {sum.value(), sum.magnitude()};
}

int common_exponent(std::span<const double> numbers) {
  int lowest = std::numeric_limits<int>::max();
  for (const double x : numbers) {
    if (x == 0) continue;
    // The exponent of the lowest set bit; subnormals have no hidden bit.
    const auto bits = std::bit_cast<uint64_t>(x);
    const auto field = static_cast<int>(bits >> 52 & 0x7ff);
    const uint64_t significand = (bits & 0xfffffffffffff) | (field == 0 ? 0 : uint64_t{1} << 52);
    lowest = std::min(lowest, std::max(field, 1) - 1075 + std::countr_zero(significand));
  }
  return lowest == std::numeric_limits<int>::max() ? 0 : lowest;
}

bool to_units(std::span<const double> numbers, int exponent, std::span<int32_t> units) {
  assert(numbers.size() == units.size());
  // Two factors, as 2^-exponent alone may be out of range.
  const double half = std::ldexp(1.0, -exponent / 2), rest = std::ldexp(1.0, -exponent - -exponent / 2);
  bool exact = true;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const double scaled = numbers[i] * half * rest;
    const bool lost = scaled == 0 && numbers[i] != 0;
    const bool fits = !lost && std::fabs(scaled) <= 0x7fffffff && scaled == std::trunc(scaled);
    units[i] = fits ? static_cast<int32_t>(scaled) : 0;
    exact &= fits;
  }
  return exact;
}

int64_t integer_dot(std::span<const int32_t> a, std::span<const int32_t> b) {
  assert(a.size() == b.size());
  int64_t sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += int64_t{a[i]} * b[i];
  return sum;
}

}  // namespace gcts
