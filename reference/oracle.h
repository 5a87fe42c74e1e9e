// The oracle of dot products: what a result must be, and how far it may be off.
//
//     DotOracle oracle(shape, pattern::normal, operands);
//     const DotExpectation expected = oracle.expect(row, column);
//     const DotJudgement verdict = judge(expected, output[column][row]);
//
// Exact patterns expect one value, from a 64-bit integer dot product that is cheap enough for
// every output.  All other patterns expect the exact sum (exact.h) within the error
// bound of the accuracy class (accuracy.h); at about 10 ns an element that is for chosen
// outputs: the first, the last, the edges of tiles, a sample.  Most results are so far inside
// or outside of their bound that a sum in double is enough to say so.
//
// The operands of the exact sum are what the class says that the kernel multiplies: weights
// after its rounding, activations after its quantization.
//
// Walk rows in the outer loop: the weights of one row are kept between calls.  An oracle
// belongs to one thread.

#ifndef GCTS_REFERENCE_ORACLE_H_
#define GCTS_REFERENCE_ORACLE_H_

#include <cstdint>
#include <vector>

#include "reference/accuracy.h"
#include "reference/activations.h"
#include "reference/operands.h"
#include "reference/terms.h"

namespace gcts {

struct DotExpectation {
  enum class Kind : uint8_t {
    value,       // within `error` of `value`
    nan,         // NaN
    infinite,    // the infinity `value`
    not_finite,  // NaN or an infinity: which one depends on the order of operations
    unusable,    // nothing can be said: why_not
  };
  Kind kind = Kind::unusable;
  double value = 0;
  double error = 0;  // 0: to the bit, but for the sign of a zero
  ErrorBound bound;  // where error is not 0
  const char* why_not = nullptr;
};

struct DotJudgement {
  bool pass = false;
  double error = 0;  // |result - value|; infinite for a wrong kind of number
  double share = 0;  // error / allowed error; 0 for no error, infinite for any beyond an exact value
};

DotJudgement judge(const DotExpectation& expected, double result);

// Of the activations that are not zero, and that meet a code which the class's formats tell
// from its neighbours: for how many an error of one code step would show beyond twice the bound.
struct Sensitivity {
  uint64_t places = 0;
  uint64_t sharp = 0;
  double share() const { return places == 0 ? 0 : static_cast<double>(sharp) / static_cast<double>(places); }
};

// The share that the probes of a kernel and shape must reach, or its results are untrusted.
inline constexpr double kSharpShare = 0.9;

class DotOracle {
 public:
  // `operands` must outlive the oracle.
  DotOracle(const DotShape& shape, pattern::Index index, const Operands& operands);

  // row < n, column < m: output[column][row] of a matmul.
  DotExpectation expect(uint64_t row, uint64_t column);
  // The same as far as it takes to judge `result`: where a sum in double decides, the value is
  // that sum, off by less than a thousandth of the error.
  DotExpectation expect(uint64_t row, uint64_t column, double result);
  Sensitivity sensitivity(uint64_t row, uint64_t column) { return sensitivity(row, column, expect(row, column)); }
  // `expected`: what expect(row, column) gave.
  Sensitivity sensitivity(uint64_t row, uint64_t column, const DotExpectation& expected);

 private:
  void load_row(uint64_t row);
  DotExpectation expect_exact(uint64_t column);
  template <typename Sum>
  DotExpectation expect_bound(uint64_t column);
  DotExpectation expect_special(uint64_t column);
  LeafSummary leaf_kind(const ActivationRow& activations) const;
  double code_reach(const ActivationRow& activations) const;
  bool rounds_weights() const;

  DotShape shape_;
  PatternMode mode_;
  const Operands& operands_;
  std::vector<ActivationRow> activations_;

  uint64_t row_ = UINT64_MAX;
  RowTerms terms_;
  bool row_is_nan_ = false;  // a scale, min or plain value of the row is NaN
  std::vector<double> totals_;
  std::vector<int32_t> row_units_;
  int row_exponent_ = 0;
  std::vector<std::vector<int32_t>> activation_units_;
  std::vector<int> activation_exponents_;
  bool integers_ = true;
};

}  // namespace gcts

#endif  // GCTS_REFERENCE_ORACLE_H_
