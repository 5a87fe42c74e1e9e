// Arithmetic in any of the formats that a kernel may use, one rounding an operation: what
// tests compute with to try every way in which a kernel may be written.

#ifndef GCTS_REFERENCE_SOFT_FLOAT_H_
#define GCTS_REFERENCE_SOFT_FLOAT_H_

#include <cmath>

#include "reference/exact.h"

namespace gcts {

enum class Rounding : uint8_t { nearest, toward_zero, to_odd };

class SoftFloat {
 public:
  explicit SoftFloat(FloatFormat format, Rounding rounding = Rounding::nearest, bool flushes = false)
      : format_(format), rounding_(rounding), flushes_(flushes) {}

  double add(double a, double b) const {
    ExactSum sum;
    sum.add(input(a));
    sum.add(input(b));
    return round(sum);
  }
  double multiply(double a, double b) const { return fma(a, b, 0); }
  double fma(double a, double b, double c) const {
    ExactSum sum;
    sum.add_product(input(a), input(b));
    sum.add(input(c));
    return round(sum);
  }
  double convert(double x) const {
    ExactSum sum;
    sum.add(x);
    return round(sum);
  }

 private:
  double flush(double x) const { return flushes_ && std::fabs(x) < float_traits(format_).normal ? 0 : x; }
  double input(double x) const { return flush(x); }

  double round(const ExactSum& exact) const {
    const double nearest = exact.value(format_);
    if (rounding_ == Rounding::nearest || !std::isfinite(nearest)) return flush(nearest);
    // What is left tells on which side of the exact value the nearest one lies.
    ExactSum rest = exact;
    rest.add(-nearest);
    const double left = rest.value();
    if (left == 0) return flush(nearest);
    const bool away = (left < 0) == (nearest > 0) && nearest != 0;
    const double toward_zero = away ? step(nearest, -1) : nearest;
    if (rounding_ == Rounding::toward_zero) return flush(toward_zero);
    // To odd: the neighbour whose last bit is set.
    const double sign = exact.value() < 0 ? -1 : 1;
    return flush(is_odd(toward_zero) ? toward_zero : sign * step(std::fabs(toward_zero), 1));
  }

  double ulp(double x) const {
    const FloatTraits& traits = float_traits(format_);
    const int last = x == 0 ? traits.least_exponent : std::ilogb(x) - traits.precision + 1;
    return std::ldexp(1.0, last < traits.least_exponent ? traits.least_exponent : last);
  }
  bool is_odd(double x) const { return std::fmod(std::fabs(x) / ulp(x), 2) == 1; }
  // The neighbour of x further from (1) or nearer to zero (-1).
  double step(double x, int direction) const {
    const double size = std::fabs(x);
    double next = size + direction * ulp(size);
    // Below a power of two the numbers are twice as dense.
    if (direction < 0 && std::fabs(round_to(size - ulp(size) / 2, format_)) < size)
      next = size - ulp(size) / 2;
    return std::copysign(next, x);
  }

  FloatFormat format_;
  Rounding rounding_;
  bool flushes_;
};

}  // namespace gcts

#endif  // GCTS_REFERENCE_SOFT_FLOAT_H_
