// Exact sums: the oracle that every dot product is judged against.
//
// Every value of every tensor type is a dyadic rational, and so is every product of a
// weight and an activation.  ExactSum adds such numbers without any error in a wide
// fixed-point register and rounds once, at the end, to the format that is asked for.
// Where all terms are small multiples of one power of two, integer_dot gives the same
// answer for a fraction of the cost.

#ifndef GCTS_REFERENCE_EXACT_H_
#define GCTS_REFERENCE_EXACT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gcts {

// The formats in which an implementation may do its arithmetic.
enum class FloatFormat : uint8_t { f32, f16, bf16, f64, exact };

struct FloatTraits {
  int precision;       // significant bits, the hidden one included
  int least_exponent;  // the smallest subnormal is 2^least_exponent
  double largest;      // the largest finite value
  double unit;         // unit roundoff of round to nearest, 2^-precision
  double subnormal;    // the smallest subnormal number
  double normal;       // the smallest normal number
};

// Not for FloatFormat::exact, which has no limits.
const FloatTraits& float_traits(FloatFormat format);

// x rounded to a format, to nearest, ties to even; beyond the range: infinity.
double round_to(double x, FloatFormat format);

// A sum of doubles and of products of doubles, without error.
//
// Positive and negative terms stand in registers of their own, in units of 2^-1074, so
// that the sum and the sum of magnitudes come from one pass.  A register is an array of
// 32-bit digits kept in 64-bit counters; up to 2^30 terms enter before carries are
// moved.  Terms that are not finite are remembered: the value is then NaN or infinite
// as IEEE arithmetic would give it in any order of summation without overflow.
class ExactSum {
 public:
  void add(double x) { add_to(x < 0, x < 0 ? -x : x); }

  // Adds a * b.  Exact where the product neither overflows nor has bits below 2^-1074:
  // always so for factors that come from f32 numbers times codes and scales.
  void add_product(double a, double b);

  void add(const ExactSum& other);
  void clear() { *this = ExactSum(); }

  // The sum, rounded once.  An exact zero is +0.
  double value(FloatFormat format = FloatFormat::f64) const;
  // The sum of magnitudes, rounded once.
  double magnitude(FloatFormat format = FloatFormat::f64) const;

  // How many terms were not zero.
  uint64_t terms() const { return terms_; }
  bool finite() const { return !nan_ && !infinite_[0] && !infinite_[1]; }

 private:
  // 2^-1074 to beyond 2^1024 times 2^64 terms.
  static constexpr size_t kDigits = 70;
  using Register = std::array<int64_t, kDigits>;

  void add_to(bool negative, double magnitude);
  void deposit(Register& digits, double magnitude, bool subtract);
  static void carry(Register& digits);
  static double rounded(Register digits, FloatFormat format);

  Register sides_[2] = {};  // positive, negative
  uint64_t terms_ = 0;
  uint32_t deposits_ = 0;  // since carries were moved
  bool infinite_[2] = {};
  bool nan_ = false;
};

struct DotProduct {
  double value;      // sum of weights[i] * activations[i], rounded once to double
  double magnitude;  // sum of |weights[i] * activations[i]|, rounded once
};

DotProduct exact_dot(std::span<const double> weights, std::span<const double> activations);

// The largest m for which every number is a multiple of 2^m; 0 if all are zero.  The
// numbers are finite.
int common_exponent(std::span<const double> numbers);

// numbers[i] * 2^-exponent as integers.  False if one is not an integer or does not
// fit in 32 bits.
bool to_units(std::span<const double> numbers, int exponent, std::span<int32_t> units);

// The integer oracle: exact as long as the sum of magnitudes stays below 2^63.
int64_t integer_dot(std::span<const int32_t> a, std::span<const int32_t> b);

}  // namespace gcts

#endif  // GCTS_REFERENCE_EXACT_H_
