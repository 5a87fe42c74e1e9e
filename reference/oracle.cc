// Computes what a dot product must be, exactly or within its bound.
#include "reference/oracle.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "reference/exact.h"

namespace gcts {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A sum in double with the members of ExactSum that the bound needs.  Of n terms it is off by
// at most n units of roundoff of its magnitude.
class QuickSum {
 public:
  void add_product(double a, double b) {
    const double product = a * b;
    sum_ += product;
    magnitude_ += std::fabs(product);
    ++terms_;
  }
  // The products of elements [begin, end); how many are not zero, and the sum of their growth.
  std::pair<uint64_t, double> add_products(size_t begin, size_t end, const std::vector<double>& a,
                                           const std::vector<double>& b, const std::vector<double>& growth_a,
                                           const std::vector<double>& growth_b) {
    double sum[4] = {}, magnitude[4] = {}, growth[4] = {};
    uint64_t leaves[4] = {};
    const auto one = [&](size_t lane, size_t i) {
      const double product = a[i] * b[i];
      sum[lane] += product;
      magnitude[lane] += std::fabs(product);
      const bool counts = product != 0;
      growth[lane] += counts ? growth_a[i] * growth_b[i] : 0.0;
      leaves[lane] += counts;
    };
    size_t i = begin;
    for (; i + 4 <= end; i += 4)
      for (size_t lane = 0; lane < 4; ++lane) one(lane, i + lane);
    for (; i < end; ++i) one(0, i);
    sum_ += sum[0] + sum[1] + (sum[2] + sum[3]);
    magnitude_ += magnitude[0] + magnitude[1] + (magnitude[2] + magnitude[3]);
    terms_ += end - begin;
    return {leaves[0] + leaves[1] + leaves[2] + leaves[3], growth[0] + growth[1] + (growth[2] + growth[3])};
  }
  double value() const { return sum_; }
  double magnitude() const { return magnitude_ + uncertainty(); }
  double uncertainty() const { return static_cast<double>(terms_ + 1) * 0x1p-52 * magnitude_; }
  bool finite() const { return std::isfinite(magnitude_); }

 private:
  double sum_ = 0, magnitude_ = 0;
  uint64_t terms_ = 0;
};

// What a sum in double leaves open, as a share of the error that is allowed.
constexpr double kSettled = 0x1p-10;

// Collects the leaves of one dot product: their sum, and what the bound needs.
template <typename Sum>
class Leaves {
 public:
  Leaves(LeafSummary kind, uint32_t group) : summary_(kind), group_(std::max(group, 1u)) {}

  // A leaf a * b of element i.  In integer groups, the products of a group are one leaf.
  void add(size_t i, double a, double b, double growth) {
    if (a == 0 || b == 0) {
      if (!std::isfinite(a) || !std::isfinite(b)) sum_.add_product(a, b);  // NaN
      return;
    }
    sum_.add_product(a, b);
    summary_.growth += growth;
    const size_t group = i / group_;
    summary_.leaves += group != last_group_;
    last_group_ = group;
  }
  // The leaves a[i] * b[i] of every element.
  void add_all(const std::vector<double>& a, const std::vector<double>& b, const std::vector<double>& growth_a,
               const std::vector<double>& growth_b) {
    if constexpr (std::is_same_v<Sum, QuickSum>) {
      const size_t step = group_ == 1 ? a.size() : group_;
      for (size_t begin = 0; begin < a.size(); begin += step) {
        const size_t end = std::min(begin + step, a.size());
        const auto [leaves, growth] = sum_.add_products(begin, end, a, b, growth_a, growth_b);
        summary_.leaves += group_ == 1 ? leaves : std::min<uint64_t>(leaves, 1);
        summary_.growth += growth;
      }
    } else {
      for (size_t i = 0; i < a.size(); ++i) add(i, a[i], b[i], growth_a[i] * growth_b[i]);
    }
  }
  // Magnitude without a value: what regrouping a zero point adds.
  void add_magnitude(double magnitude, double growth) {
    extra_ += magnitude;
    summary_.growth += growth;
  }
  // The next leaves are of another kind and share no group with the ones before.
  void next_kind() { last_group_ = SIZE_MAX; }
  void double_leaves() { summary_.leaves *= 2; }

  const Sum& sum() const { return sum_; }
  LeafSummary summary() const {
    LeafSummary summary = summary_;
    summary.magnitude = sum_.magnitude() + extra_ * (1 + 0x1p-30);  // covers the rounding of extra_
    return summary;
  }

 private:
  LeafSummary summary_;
  Sum sum_;
  double extra_ = 0;
  uint32_t group_;
  size_t last_group_ = SIZE_MAX;
};

double total(const ActivationRow& activations, size_t i) {
  return activations.value[i] + (activations.offset.empty() ? 0 : activations.offset[i]);
}

// The terms of the mins, element by element or block sum by block sum.
template <typename Sum>
void add_offsets(Leaves<Sum>& leaves, const RowTerms& terms, const ActivationRow& activations) {
  leaves.next_kind();
  if (activations.sum.empty()) {
    for (size_t i = 0; i < terms.offset.size(); ++i)
      leaves.add(i, terms.offset[i], activations.value[i], terms.growth[i] * activations.growth[i]);
    return;
  }
  constexpr uint32_t kBlock = ActivationRow::kSumElements;
  for (size_t block = 0; block < activations.sum.size(); ++block) {
    const size_t begin = block * kBlock;
    const double offset = terms.offset[begin], sum = activations.sum[block];
    double growth = 0, magnitude = 0;
    for (size_t i = begin; i < begin + kBlock; ++i) {
      growth += terms.growth[i] * activations.growth[i];
      magnitude += std::fabs(offset * activations.value[i]);
    }
    leaves.next_kind();
    leaves.add(begin, offset, sum, growth);
    leaves.add_magnitude(std::max(0.0, magnitude - std::fabs(offset * sum)), 0);
  }
}

// Every weight times the offset of its activation.
template <typename Sum>
void add_activation_offsets(Leaves<Sum>& leaves, const RowTerms& terms, const ActivationRow& activations) {
  for (const std::vector<double>* part : {&terms.product, &terms.offset}) {
    leaves.next_kind();
    for (size_t i = 0; i < part->size(); ++i)
      leaves.add(i, (*part)[i], activations.offset[i], terms.growth[i] * activations.growth[i]);
  }
}

double sum_slack(const RowTerms& terms, const ActivationRow& activations) {
  double slack = 0;
  for (size_t block = 0; block < activations.sum_slack.size() && !terms.offset.empty(); ++block)
    slack += std::fabs(terms.offset[block * ActivationRow::kSumElements]) * activations.sum_slack[block];
  return slack;
}

double row_total(const RowTerms& terms, size_t i) {
  return terms.product[i] + (terms.offset.empty() ? 0 : terms.offset[i]);
}

}  // namespace

DotJudgement judge(const DotExpectation& expected, double result) {
  using Kind = DotExpectation::Kind;
  const auto verdict = [](bool pass) {
    return DotJudgement{pass, pass ? 0 : kInfinity, pass ? 0 : kInfinity};
  };
  switch (expected.kind) {
    case Kind::nan:
      return verdict(std::isnan(result));
    case Kind::infinite:
      return verdict(result == expected.value);
    case Kind::not_finite:
      return verdict(!std::isfinite(result));
    case Kind::unusable:
      return verdict(true);
    case Kind::value:
      break;
  }
  if (!std::isfinite(result)) return verdict(false);
  DotJudgement judgement;
  judgement.error = std::fabs(result - expected.value);
  judgement.pass = judgement.error <= expected.error;
  if (judgement.error > 0)
    judgement.share = expected.error > 0 ? judgement.error / expected.error : kInfinity;
  return judgement;
}

DotOracle::DotOracle(const DotShape& shape, pattern::Index index, const Operands& operands)
    : shape_(shape), mode_(patterns()[index].mode), operands_(operands) {
  for (uint64_t column = 0; column < shape_.m; ++column) {
    const std::byte* blocks =
        operands_.activations.data() + column * row_bytes(*shape_.activation_type, shape_.k);
    activations_.push_back(activation_row(*shape_.activation_type, blocks, shape_.k, shape_.accuracy));
    if (mode_ != PatternMode::exact) continue;
    std::vector<double> values(shape_.k);
    for (uint64_t i = 0; i < shape_.k; ++i) values[i] = total(activations_.back(), i);
    activation_exponents_.push_back(common_exponent(values));
    activation_units_.emplace_back(shape_.k);
    integers_ &= to_units(values, activation_exponents_.back(), activation_units_.back());
  }
}

// A truncating kernel rounds a weight to either neighbour: it is judged by the unrounded
// weight and one more rounding.
bool DotOracle::rounds_weights() const {
  const FloatFormat format = shape_.accuracy.weights;
  return (format == FloatFormat::f16 || format == FloatFormat::bf16) && !shape_.accuracy.truncating;
}

void DotOracle::load_row(uint64_t row) {
  if (row == row_) return;
  assert(row < shape_.n);
  row_ = row;
  const TensorType& type = *shape_.weight_type;
  row_terms(type, operands_.weights.data() + row * row_bytes(type, shape_.k), shape_.k, terms_);
  row_is_nan_ = terms_.has_nan;
  if (rounds_weights()) {
    for (uint64_t i = 0; i < shape_.k; ++i) {
      const double value = round_to(static_cast<float>(row_total(terms_, i)), shape_.accuracy.weights);
      terms_.product[i] = value;
      terms_.growth[i] = std::max(1.0, std::fabs(value));
    }
    terms_.offset.clear();
  }
  if (mode_ != PatternMode::exact) return;
  totals_.resize(shape_.k);
  for (uint64_t i = 0; i < shape_.k; ++i) totals_[i] = row_total(terms_, i);
  row_exponent_ = common_exponent(totals_);
  row_units_.resize(shape_.k);
  integers_ &= to_units(totals_, row_exponent_, row_units_);
}

DotExpectation DotOracle::expect(uint64_t row, uint64_t column) {
  assert(column < shape_.m);
  load_row(row);
  switch (mode_) {
    case PatternMode::exact:
      return expect_exact(column);
    case PatternMode::special:
      return expect_special(column);
    default:
      return expect_bound<ExactSum>(column);
  }
}

DotExpectation DotOracle::expect(uint64_t row, uint64_t column, double result) {
  load_row(row);
  const bool bounded = mode_ == PatternMode::bound || mode_ == PatternMode::probe;
  if (bounded && std::isfinite(result)) {
    const DotExpectation quick = expect_bound<QuickSum>(column);
    const bool decides = quick.kind == DotExpectation::Kind::value &&
                         std::fabs(result - quick.value) <= (1 - kSettled) * quick.error;
    if (decides || quick.why_not != nullptr) return quick;
  }
  return expect(row, column);
}

DotExpectation DotOracle::expect_exact(uint64_t column) {
  DotExpectation expected;
  if (!integers_) {
    expected.why_not = "the operands are not integers of one unit";
    return expected;
  }
  const int64_t sum = integer_dot(row_units_, activation_units_[column]);
  expected.kind = DotExpectation::Kind::value;
  expected.value = std::ldexp(static_cast<double>(sum), row_exponent_ + activation_exponents_[column]);
  return expected;
}

// How many roundings a leaf meets: see accuracy.h.
LeafSummary DotOracle::leaf_kind(const ActivationRow& activations) const {
  const TensorType& type = *shape_.weight_type;
  const AccuracyClass& accuracy = shape_.accuracy;
  LeafSummary kind;
  uint32_t factors = activations.factors;
  factors += !has_scales(type) || rounds_weights() ? 1 : 2 + has_subscales(type);
  kind.multiplications = factors - 1;
  kind.other_roundings = activations.scale_roundings;
  if (accuracy.leaf_group > 1) ++kind.other_roundings;              // conversion of the integer sum
  if (has_mins(type) && !rounds_weights()) ++kind.other_roundings;  // d q + m while dequantizing
  kind.largest_scale = terms_.largest_scale * activations.largest_scale;
  if (accuracy.truncating) {
    // Rounded weights and activations that the oracle could not round for the kernel; units
    // of the format's roundoff, in f32 roundoffs.
    const auto roundings = [](FloatFormat format) {
      return static_cast<uint32_t>(
          std::ceil(float_traits(format).unit / float_traits(FloatFormat::f32).unit));
    };
    if (accuracy.weights == FloatFormat::f16 || accuracy.weights == FloatFormat::bf16)
      kind.other_roundings += roundings(accuracy.weights);
    if (accuracy.activation == Activation::f16) kind.other_roundings += roundings(FloatFormat::f16);
    if (accuracy.activation == Activation::bf16) kind.other_roundings += roundings(FloatFormat::bf16);
  }
  return kind;
}

// The largest code next to which one step more shows in the formats of the class: beyond it
// the roundings of its own product hide a step, and exact operands alone judge it.
double DotOracle::code_reach(const ActivationRow& activations) const {
  const AccuracyClass& accuracy = shape_.accuracy;
  const LeafSummary kind = leaf_kind(activations);
  const double unit = std::max(unit_roundoff(accuracy, accuracy.accumulate), unit_roundoff(accuracy, accuracy.result));
  return 0.9 / (2 * (kind.multiplications + kind.other_roundings + 1) * unit);
}

template <typename Sum>
DotExpectation DotOracle::expect_bound(uint64_t column) {
  const ActivationRow& activations = activations_[column];
  const AccuracyClass& accuracy = shape_.accuracy;
  Leaves<Sum> leaves(leaf_kind(activations), accuracy.leaf_group);
  leaves.add_all(terms_.product, activations.value, terms_.growth, activations.growth);
  const bool own_zero = accuracy.zero_point_leaf && zero_point(*shape_.weight_type) != 0 && !rounds_weights();
  if (own_zero) {
    // |d (q + z) a| + |d z a| is at most |d q a| + 2 |d z a|; each element is two leaves.
    for (uint64_t i = 0; i < shape_.k; ++i) {
      const double activation = std::fabs(activations.value[i]) +
                                (activations.offset.empty() ? 0 : std::fabs(activations.offset[i]));
      const double zero = std::fabs(zero_point(*shape_.weight_type) * terms_.step[i]) * activation;
      if (zero != 0)
        leaves.add_magnitude(2 * zero,
                             terms_.growth[i] * activations.growth[i] * zero_point(*shape_.weight_type));
    }
  }
  if (!terms_.offset.empty()) add_offsets(leaves, terms_, activations);
  if (!activations.offset.empty()) add_activation_offsets(leaves, terms_, activations);
  if (own_zero) leaves.double_leaves();

  DotExpectation expected;
  if (!leaves.sum().finite()) {
    expected.why_not = "an operand is not finite";
    return expected;
  }
  expected.value = leaves.sum().value();
  expected.bound = error_bound(accuracy, leaves.summary());
  // The last term: the exact sum was rounded to double.
  expected.error =
      expected.bound.error + sum_slack(terms_, activations) + std::fabs(expected.value) * 0x1p-53;
  expected.why_not = expected.bound.why_not;
  if constexpr (std::is_same_v<Sum, QuickSum>) {
    if (!(leaves.sum().uncertainty() <= kSettled / 2 * expected.error)) return expected;  // unusable as such
  }
  expected.kind = expected.bound.usable ? DotExpectation::Kind::value : DotExpectation::Kind::unusable;
  return expected;
}

DotExpectation DotOracle::expect_special(uint64_t column) {
  const ActivationRow& activations = activations_[column];
  if (terms_.finite && activations.finite) return expect_bound<ExactSum>(column);
  using Kind = DotExpectation::Kind;
  DotExpectation expected;
  bool nan = row_is_nan_;
  ExactSum sum;
  for (uint64_t i = 0; i < shape_.k; ++i) {
    nan |= std::isnan(activations.value[i]);
    sum.add_product(row_total(terms_, i), total(activations, i));
  }
  const double value = sum.value();
  // An infinite scale is NaN times a code of 0, and an infinity times the sum of a group.
  // A zero point as a term of its own subtracts one infinity from another, and so may a min
  // where the activation is infinite.
  const bool min_apart = !terms_.offset.empty() && !activations.finite;
  const bool one_sign = std::isinf(value) && !shape_.accuracy.zero_point_leaf && !min_apart;
  expected.kind = nan ? Kind::nan : one_sign ? Kind::infinite : Kind::not_finite;
  expected.value = value;
  return expected;
}

Sensitivity DotOracle::sensitivity(uint64_t row, uint64_t column, const DotExpectation& expected) {
  load_row(row);
  Sensitivity found;
  const ActivationRow& activations = activations_[column];
  const double reach = code_reach(activations);
  for (uint64_t i = 0; i < shape_.k; ++i) {
    const double activation = total(activations, i);
    if (activation == 0 || std::fabs(terms_.code[i]) > reach) continue;
    ++found.places;
    found.sharp += expected.kind == DotExpectation::Kind::value &&
                   std::fabs(terms_.step[i] * activation) > 2 * expected.error;
  }
  return found;
}

}  // namespace gcts
