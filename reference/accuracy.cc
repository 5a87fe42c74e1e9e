// Computes error bounds from accuracy classes.
#include "reference/accuracy.h"

#include <algorithm>
#include <cmath>

namespace gcts {
namespace {

// The bound is computed in double: this covers its own roundings many times over.
constexpr double kRoundUp = 1 + 0x1p-40;

bool has_inner(const AccuracyClass& accuracy) { return accuracy.inner_group > 1; }

// What the products and conversions of a leaf meet: f32, or whichever format of a sum is
// coarser in each respect.
FloatTraits leaf_traits(const AccuracyClass& accuracy) {
  FloatTraits leaf = float_traits(FloatFormat::f32);
  const auto coarsen = [&](FloatFormat format) {
    const FloatTraits& other = float_traits(format);
    leaf.unit = std::max(leaf.unit, other.unit);
    leaf.subnormal = std::max(leaf.subnormal, other.subnormal);
    leaf.normal = std::max(leaf.normal, other.normal);
    leaf.largest = std::min(leaf.largest, other.largest);
  };
  coarsen(accuracy.accumulate);
  if (has_inner(accuracy)) coarsen(accuracy.inner_accumulate);
  return leaf;
}

struct Stage {
  double roundings;
  double unit;
};

double relative_error(std::initializer_list<Stage> stages) {
  double logarithm = 0;
  for (const Stage& stage : stages) logarithm += stage.roundings * std::log1p(stage.unit);
  return std::expm1(logarithm) * kRoundUp;
}

// The longest chains of additions, inner and outer.
struct Chains {
  double inner, outer;
};
Chains chains(const AccuracyClass& accuracy, uint64_t leaves) {
  if (leaves <= 1) return {0, 0};
  // Any leaves may share a group, so that there may be as many inner groups as leaves.
  const auto all = static_cast<double>(leaves - 1);
  const double inner = has_inner(accuracy) ? std::min(all, static_cast<double>(accuracy.inner_group) - 1) : 0;
  return {inner, accuracy.chain == 0 ? all : std::min(all, static_cast<double>(accuracy.chain))};
}

double underflow(const AccuracyClass& accuracy, const LeafSummary& leaves, const Chains& chain) {
  const FloatTraits leaf = leaf_traits(accuracy);
  const FloatTraits& sum = float_traits(accuracy.accumulate);
  const FloatTraits& result = float_traits(accuracy.result);
  const double twice = accuracy.truncating ? 2 : 1;
  if (!accuracy.flushes_subnormals) {
    const double product = leaf.subnormal / 2 * twice;
    const double operations = leaves.multiplications + accuracy.extra_roundings;
    return operations * product * leaves.growth + result.subnormal / 2 * twice;
  }
  // Factors (one more than products), products and additions may each be flushed; what an
  // addition loses, later scales multiply.
  const double operations = 2.0 * leaves.multiplications + 1 + accuracy.extra_roundings;
  const double additions = static_cast<double>(leaves.leaves) + chain.inner + chain.outer;
  return operations * leaf.normal * leaves.growth +
         additions * std::max(leaf.normal, sum.normal) * leaves.largest_scale + result.normal;
}

}  // namespace

double unit_roundoff(const AccuracyClass& accuracy, FloatFormat format) {
  return float_traits(format).unit * (accuracy.truncating ? 2 : 1);
}

ErrorBound error_bound(const AccuracyClass& accuracy, const LeafSummary& leaves) {
  const FloatTraits leaf = leaf_traits(accuracy);
  // A declared extra rounding is in the coarsest format that the class names.
  const double weights = accuracy.weights == FloatFormat::exact ? 0 : float_traits(accuracy.weights).unit;
  const double twice = accuracy.truncating ? 2 : 1;
  const bool narrows = float_traits(accuracy.result).precision < float_traits(accuracy.accumulate).precision;
  const Chains chain = chains(accuracy, leaves.leaves);
  const auto unit = [&](FloatFormat format) { return unit_roundoff(accuracy, format); };

  ErrorBound bound;
  bound.factor = relative_error({{double(leaves.multiplications) + leaves.other_roundings, leaf.unit * twice},
                                 {double(accuracy.extra_roundings), std::max(leaf.unit, weights) * twice},
                                 {chain.inner, unit(accuracy.inner_accumulate)},
                                 {chain.outer, unit(accuracy.accumulate)},
                                 {narrows ? 1.0 : 0.0, unit(accuracy.result)}});
  bound.underflow = leaves.leaves == 0 ? 0 : underflow(accuracy, leaves, chain) * kRoundUp;
  bound.error = (bound.factor * leaves.magnitude + bound.underflow) * kRoundUp;

  double largest = std::min(float_traits(accuracy.accumulate).largest, float_traits(accuracy.result).largest);
  if (has_inner(accuracy)) largest = std::min(largest, float_traits(accuracy.inner_accumulate).largest);
  const double reach = leaves.magnitude + bound.error;
  if (!(bound.factor <= 0.25)) {
    bound.why_not = "the bound exceeds a quarter of the sum of magnitudes: too many roundings for the format";
  } else if (!(reach <= largest)) {
    bound.why_not = "a partial sum may overflow the format of the sum";
  } else if (!(leaves.largest_scale <= leaf.largest)) {
    bound.why_not = "a product of scales may overflow";
  }
  bound.usable = bound.why_not == nullptr;
  return bound;
}

double exact_limit(const AccuracyClass& accuracy) {
  int precision =
      std::min({24, float_traits(accuracy.accumulate).precision, float_traits(accuracy.result).precision});
  if (has_inner(accuracy)) precision = std::min(precision, float_traits(accuracy.inner_accumulate).precision);
  return std::ldexp(1.0, precision);
}

std::vector<FinerClass> finer_classes(const AccuracyClass& accuracy) {
  std::vector<FinerClass> finer;
  const auto add = [&](std::string_view claim, auto change) {
    AccuracyClass changed = accuracy;
    change(changed);
    if (!(changed == accuracy)) finer.push_back({claim, changed});
  };
  const auto coarse = [](FloatFormat format) {
    return format == FloatFormat::f16 || format == FloatFormat::bf16;
  };
  if (coarse(accuracy.accumulate)) add("f32 sums", [](AccuracyClass& c) { c.accumulate = FloatFormat::f32; });
  if (accuracy.accumulate == FloatFormat::bf16)
    add("f16 sums", [](AccuracyClass& c) { c.accumulate = FloatFormat::f16; });
  if (coarse(accuracy.inner_accumulate) || has_inner(accuracy))
    add("no inner sums", [](AccuracyClass& c) { c.inner_group = 0, c.inner_accumulate = FloatFormat::f32; });
  if (coarse(accuracy.result)) add("an f32 result", [](AccuracyClass& c) { c.result = FloatFormat::f32; });
  add("round to nearest", [](AccuracyClass& c) { c.truncating = false; });
  add("subnormals kept", [](AccuracyClass& c) { c.flushes_subnormals = false; });
  add("no extra roundings", [](AccuracyClass& c) { c.extra_roundings = 0; });
  add("weights not rounded", [](AccuracyClass& c) { c.weights = FloatFormat::exact; });
  add("the zero point inside the integers", [](AccuracyClass& c) { c.zero_point_leaf = false; });
  if (accuracy.leaf_group <= 1) add("integer groups of 32", [](AccuracyClass& c) { c.leaf_group = 32; });
  if (accuracy.block_sum != BlockSum::exact)
    add("exact block sums", [](AccuracyClass& c) { c.block_sum = BlockSum::exact; });
  return finer;
}

const char* class_fault(const AccuracyClass& accuracy) {
  if (accuracy.accumulate == FloatFormat::exact || accuracy.result == FloatFormat::exact ||
      (has_inner(accuracy) && accuracy.inner_accumulate == FloatFormat::exact))
    return "sums and results need a format that rounds";
  if (accuracy.activation == Activation::group && accuracy.activation_group == 0)
    return "activations are quantized in groups, but the group has no size";
  if (accuracy.activation_offset && accuracy.activation != Activation::group &&
      accuracy.activation != Activation::row)
    return "only activations quantized in groups or rows have an offset";
  if (accuracy.leaf_group > 1 && accuracy.weights != FloatFormat::exact &&
      accuracy.weights != FloatFormat::f32)
    return "integer groups contradict weights rounded to a float format";
  return nullptr;
}

}  // namespace gcts
