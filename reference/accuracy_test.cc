// Error bounds against every way of writing a small dot product.
//
// A dot product of a few leaves is computed in all orders of multiplication, in all
// shapes of the tree of additions and with every choice of fused multiply-adds, in formats
// rounded one operation at a time.  No result may leave the bound, and the worst must come
// near enough to it that the bound says something.
#include "reference/accuracy.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdio>
#include <set>
#include <vector>

#include "reference/generator.h"
#include "reference/oracle.h"
#include "reference/soft_float.h"

using namespace gcts;

namespace {

using Values = std::set<double>;

// Every result of multiplying the factors of `mask` in some order.
std::vector<Values> products(const std::vector<double>& factors, const SoftFloat& arithmetic) {
  std::vector<Values> results(size_t{1} << factors.size());
  for (size_t i = 0; i < factors.size(); ++i) results[size_t{1} << i].insert(factors[i]);
  for (size_t mask = 1; mask < results.size(); ++mask) {
    for (size_t part = (mask - 1) & mask; part != 0; part = (part - 1) & mask) {
      if (part < (mask ^ part)) break;  // each split once
      for (const double a : results[part])
        for (const double b : results[mask ^ part]) results[mask].insert(arithmetic.multiply(a, b));
    }
  }
  return results;
}

// A random choice of a few, always with the least and the greatest.
Values thin(const Values& values, size_t most, Generator& g) {
  if (values.size() <= most) return values;
  Values kept{*values.begin(), *values.rbegin()};
  for (const double x : values) {
    if (kept.size() < most && g.chance(static_cast<uint32_t>(most), static_cast<uint32_t>(values.size())))
      kept.insert(x);
  }
  return kept;
}

struct Leaf {
  std::vector<double> factors;

  double exact() const {  // the factors have few bits: the product is exact in double
    double product = 1;
    for (const double factor : factors) product *= factor;
    return product;
  }
  double growth() const {
    double product = 1;
    for (const double factor : factors) product *= std::max(1.0, std::fabs(factor));
    return product;
  }
};

// The least and greatest result of summing the leaves in any tree, FMA or not.
Values sums(const std::vector<Leaf>& leaves, const SoftFloat& leaf_arithmetic,
            const SoftFloat& sum_arithmetic, bool fuse, Generator& g) {
  const size_t all = size_t{1} << leaves.size();
  std::vector<Values> results(all);
  std::vector<std::vector<Values>> parts;
  for (size_t i = 0; i < leaves.size(); ++i) {
    parts.push_back(products(leaves[i].factors, leaf_arithmetic));
    results[size_t{1} << i] = thin(parts[i].back(), 4, g);
  }
  for (size_t mask = 1; mask < all; ++mask) {
    Values& out = results[mask];
    for (size_t part = (mask - 1) & mask; part != 0; part = (part - 1) & mask) {
      if (part < (mask ^ part)) break;
      for (const double a : results[part])
        for (const double b : results[mask ^ part]) out.insert(sum_arithmetic.add(a, b));
    }
    for (size_t i = 0; i < leaves.size() && fuse; ++i) {
      const size_t bit = size_t{1} << i;
      if ((mask & bit) == 0 || mask == bit) continue;
      const size_t whole = parts[i].size() - 1;
      for (size_t split = 1; split < whole; split += 2) {
        const double a = *parts[i][split].begin(), b = *parts[i][whole ^ split].rbegin();
        for (const double sum : results[mask ^ bit]) out.insert(sum_arithmetic.fma(a, b, sum));
      }
    }
    out = thin(out, 6, g);
  }
  return results.back();
}

enum class Scene { ordinary, cancelling, subnormal, spread };

double random_in(FloatFormat format, Generator& g, int low, int high) {
  return round_to(std::ldexp(1 + double(g.unit()), static_cast<int>(g.between(low, high))), format) *
         (g.chance(1, 2) ? 1 : -1);
}

// scale * code * activation: all in the format, the code a small integer.
std::vector<Leaf> random_leaves(size_t count, FloatFormat format, Scene scene, Generator& g) {
  const FloatTraits& traits = float_traits(format);
  std::vector<Leaf> leaves(count);
  for (size_t i = 0; i < count; ++i) {
    const auto code = static_cast<double>(g.between(1, 15));
    const int spread = scene == Scene::spread ? 6 : 1;
    if (scene == Scene::subnormal) {
      // scale * activation is around the smallest subnormal number, the code above 1.
      const int low = traits.least_exponent / 2;
      leaves[i].factors = {random_in(format, g, low - 2, low + 2), code,
                           random_in(format, g, low - 2, low + 2)};
    } else {
      leaves[i].factors = {random_in(format, g, -spread, 0), code, random_in(format, g, -spread, spread)};
    }
    if (scene == Scene::cancelling && i % 2 == 1) {
      leaves[i].factors = leaves[i - 1].factors;
      leaves[i].factors[0] = -leaves[i].factors[0];
      leaves[i].factors[2] = round_to(leaves[i].factors[2] * (1 + traits.unit * 3), format);
    }
  }
  return leaves;
}

struct Exact {
  double value;
  LeafSummary summary;
};

Exact exact_of(const std::vector<Leaf>& leaves) {
  ExactSum sum;
  LeafSummary summary;
  for (const Leaf& leaf : leaves) {
    sum.add(leaf.exact());
    summary.growth += leaf.growth();
    summary.multiplications = static_cast<uint32_t>(leaf.factors.size() - 1);
    summary.largest_scale = std::max(summary.largest_scale, std::max(1.0, std::fabs(leaf.factors[0])));
  }
  summary.leaves = leaves.size();
  summary.magnitude = sum.magnitude();
  return {sum.value(), summary};
}

struct Worst {
  double share = 0;
  void take(double result, double value, double bound) {
    share = std::max(share, std::fabs(result - value) / bound);
  }
};

// The worst share of the bound over many sets of leaves.
double worst_share(const AccuracyClass& accuracy, FloatFormat operands, const SoftFloat& leaf_arithmetic,
                   const SoftFloat& sum_arithmetic, Scene scene, bool fuse, uint64_t seed) {
  Generator g(seed, "worst share");
  Worst worst;
  for (int trial = 0; trial < 40; ++trial) {
    const auto count = static_cast<size_t>(g.between(2, 5));
    const std::vector<Leaf> leaves = random_leaves(count, operands, scene, g);
    const Exact exact = exact_of(leaves);
    const ErrorBound bound = error_bound(accuracy, exact.summary);
    BOOST_TEST_REQUIRE(bound.usable);
    for (const double result : sums(leaves, leaf_arithmetic, sum_arithmetic, fuse, g)) {
      worst.take(result, exact.value, bound.error);
      // An error of four bounds on top of what a correct kernel gives is always seen.
      DotExpectation expected;
      expected.kind = DotExpectation::Kind::value;
      expected.value = exact.value;
      expected.error = bound.error;
      BOOST_TEST(judge(expected, result).pass);
      BOOST_TEST(!judge(expected, result + 4 * bound.error).pass);
      BOOST_TEST(!judge(expected, result - 4 * bound.error).pass);
    }
  }
  return worst.share;
}

constexpr FloatFormat kFormats[] = {FloatFormat::f32, FloatFormat::f16, FloatFormat::bf16};
constexpr Scene kScenes[] = {Scene::ordinary, Scene::cancelling, Scene::subnormal, Scene::spread};

}  // namespace

BOOST_AUTO_TEST_SUITE(accuracy)

BOOST_AUTO_TEST_CASE(no_order_or_fusion_exceeds_the_bound) {
  double worst = 0;
  for (const FloatFormat format : kFormats) {
    AccuracyClass accuracy;
    accuracy.accumulate = accuracy.result = format;
    const SoftFloat arithmetic(format);
    for (const Scene scene : kScenes)
      for (const bool fuse : {false, true})
        worst = std::max(worst, worst_share(accuracy, format, arithmetic, arithmetic, scene, fuse, 1));
  }
  std::printf("worst error of any order, as a share of the bound: %.2f\n", worst);
  BOOST_TEST(worst <= 1);
  BOOST_TEST(worst > 0.15);  // the bound is not an empty one
}

BOOST_AUTO_TEST_CASE(truncation_needs_its_class_and_keeps_its_bound) {
  double beyond_nearest = 0;
  for (const FloatFormat format : kFormats) {
    for (const Rounding rounding : {Rounding::toward_zero, Rounding::to_odd}) {
      AccuracyClass accuracy;
      accuracy.accumulate = accuracy.result = format;
      const SoftFloat arithmetic(format, rounding);
      accuracy.truncating = true;
      for (const Scene scene : kScenes)
        BOOST_TEST(worst_share(accuracy, format, arithmetic, arithmetic, scene, true, 2) <= 1);
      beyond_nearest = std::max(
          beyond_nearest, worst_share(accuracy, format, arithmetic, arithmetic, Scene::ordinary, true, 2));
    }
  }
  BOOST_TEST(beyond_nearest > 0.15);
}

BOOST_AUTO_TEST_CASE(flushing_needs_its_class_and_keeps_its_bound) {
  for (const FloatFormat format : kFormats) {
    AccuracyClass accuracy;
    accuracy.accumulate = accuracy.result = format;
    accuracy.flushes_subnormals = true;
    const SoftFloat arithmetic(format, Rounding::nearest, true);
    for (const Scene scene : kScenes)
      BOOST_TEST(worst_share(accuracy, format, arithmetic, arithmetic, scene, true, 3) <= 1);
    // Without the claim the same arithmetic is caught.
    Generator g(4, "flush");
    accuracy.flushes_subnormals = false;
    bool caught = false;
    for (int trial = 0; trial < 20; ++trial) {
      // Normal factors whose product is subnormal.
      const int half = (float_traits(format).least_exponent + 3) / 2;
      std::vector<Leaf> leaves(2);
      for (Leaf& leaf : leaves)
        leaf.factors = {std::ldexp(1 + double(g.unit()), half), 1, std::ldexp(1.0, half)};
      for (Leaf& leaf : leaves) leaf.factors[0] = round_to(leaf.factors[0], format);
      const Exact exact = exact_of(leaves);
      const ErrorBound bound = error_bound(accuracy, exact.summary);
      for (const double result : sums(leaves, arithmetic, arithmetic, false, g))
        caught |= std::fabs(result - exact.value) > bound.error;
    }
    BOOST_TEST(caught);
  }
}

BOOST_AUTO_TEST_CASE(mixed_stages_keep_their_bound) {
  for (const FloatFormat inner : {FloatFormat::f16, FloatFormat::bf16}) {
    AccuracyClass accuracy;
    accuracy.inner_group = 3;
    accuracy.inner_accumulate = inner;
    const SoftFloat inner_arithmetic(inner), outer(FloatFormat::f32);
    Generator g(5, "mixed");
    double worst = 0;
    for (int trial = 0; trial < 60; ++trial) {
      const std::vector<Leaf> leaves =
          random_leaves(9, inner, trial % 2 == 0 ? Scene::ordinary : Scene::cancelling, g);
      const Exact exact = exact_of(leaves);
      const ErrorBound bound = error_bound(accuracy, exact.summary);
      BOOST_TEST_REQUIRE(bound.usable);
      double total = 0;
      for (size_t begin = 0; begin < leaves.size(); begin += 3) {
        const std::vector<Leaf> group(leaves.begin() + static_cast<ptrdiff_t>(begin),
                                      leaves.begin() + static_cast<ptrdiff_t>(begin) + 3);
        const Values values = sums(group, inner_arithmetic, inner_arithmetic, true, g);
        total = outer.add(total, g.chance(1, 2) ? *values.begin() : *values.rbegin());
      }
      worst = std::max(worst, std::fabs(total - exact.value) / bound.error);
    }
    BOOST_TEST(worst <= 1);
    BOOST_TEST(worst > 0.05);
  }
  // Products and an f64 sum, then an f32 result.
  AccuracyClass wide;
  wide.accumulate = FloatFormat::f64;
  const SoftFloat f32(FloatFormat::f32), f64(FloatFormat::f64);
  Generator g(6, "wide");
  for (int trial = 0; trial < 40; ++trial) {
    const std::vector<Leaf> leaves = random_leaves(5, FloatFormat::f32, kScenes[trial % 4], g);
    const Exact exact = exact_of(leaves);
    const ErrorBound bound = error_bound(wide, exact.summary);
    for (const double result : sums(leaves, f32, f64, true, g))
      BOOST_TEST(std::fabs(f32.convert(result) - exact.value) <= bound.error);
  }
}

BOOST_AUTO_TEST_CASE(vector_widths_and_long_sums) {
  Generator g(7, "lanes");
  for (const FloatFormat format : kFormats) {
    const SoftFloat arithmetic(format);
    AccuracyClass accuracy;
    accuracy.accumulate = accuracy.result = format;
    const size_t count = format == FloatFormat::bf16 ? 24 : 64;
    for (const size_t width : {1, 2, 4, 8, 16}) {
      const std::vector<Leaf> leaves = random_leaves(count, format, Scene::ordinary, g);
      const Exact exact = exact_of(leaves);
      const ErrorBound bound = error_bound(accuracy, exact.summary);
      BOOST_TEST_REQUIRE(bound.usable);
      std::vector<double> lanes(width, 0.0);
      for (size_t i = 0; i < count; ++i) {
        const std::vector<double>& f = leaves[i].factors;
        lanes[i % width] = arithmetic.fma(arithmetic.multiply(f[0], f[1]), f[2], lanes[i % width]);
      }
      for (size_t stride = width / 2; stride > 0; stride /= 2)
        for (size_t i = 0; i < stride; ++i) lanes[i] = arithmetic.add(lanes[i], lanes[i + stride]);
      BOOST_TEST(std::fabs(lanes[0] - exact.value) <= bound.error);
    }
  }
}

BOOST_AUTO_TEST_CASE(usable_means_few_roundings_and_no_overflow) {
  LeafSummary leaves;
  leaves.leaves = 2048;
  leaves.magnitude = 1;
  leaves.growth = 2048;
  leaves.multiplications = 2;
  AccuracyClass accuracy;
  BOOST_TEST(error_bound(accuracy, leaves).usable);
  accuracy.accumulate = FloatFormat::f16;
  BOOST_TEST(!error_bound(accuracy, leaves).usable);  // 2,048 additions in f16
  accuracy.chain = 64;
  BOOST_TEST(error_bound(accuracy, leaves).usable);
  accuracy.chain = 0;
  accuracy.accumulate = FloatFormat::bf16;
  leaves.leaves = 256;
  BOOST_TEST(!error_bound(accuracy, leaves).usable);
  accuracy.accumulate = FloatFormat::f16;
  leaves.leaves = 8;
  BOOST_TEST(error_bound(accuracy, leaves).usable);
  leaves.magnitude = 65500;
  BOOST_TEST(!error_bound(accuracy, leaves).usable);
  leaves.magnitude = 1;
  leaves.largest_scale = 70000;
  BOOST_TEST(!error_bound(accuracy, leaves).usable);
}

BOOST_AUTO_TEST_CASE(the_bound_is_the_one_of_the_derivation) {
  LeafSummary leaves;
  leaves.leaves = 100;
  leaves.multiplications = 2;
  leaves.other_roundings = 1;
  leaves.magnitude = 7;
  leaves.growth = 100;
  const double u = 0x1p-24;
  const ErrorBound bound = error_bound({}, leaves);
  BOOST_TEST(bound.factor >= std::pow(1 + u, 102) - 1);
  BOOST_TEST(bound.factor <= 102 * u / (1 - 102 * u) * (1 + 1e-9));
  BOOST_TEST(bound.underflow >= 2 * 100 * 0x1p-150);
  BOOST_TEST(bound.error >= 7 * bound.factor);
  // Each promise that is dropped widens the bound.
  const auto error_with = [&](auto change) {
    AccuracyClass accuracy;
    change(accuracy);
    return error_bound(accuracy, leaves).error;
  };
  BOOST_TEST(error_with([](AccuracyClass& c) { c.truncating = true; }) > 1.9 * bound.error);
  AccuracyClass flushing;
  flushing.flushes_subnormals = true;
  BOOST_TEST(error_bound(flushing, leaves).underflow >= 100 * 0x1p-126);
  BOOST_TEST(error_with([](AccuracyClass& c) { c.extra_roundings = 3; }) > bound.error);
  BOOST_TEST(error_with([](AccuracyClass& c) { c.result = FloatFormat::f16; }) > 10 * bound.error);
  BOOST_TEST(error_with([](AccuracyClass& c) { c.accumulate = FloatFormat::f16; }) > 1000 * bound.error);
  BOOST_TEST(error_with([](AccuracyClass& c) { c.chain = 10; }) < bound.error);
  BOOST_TEST(error_with([](AccuracyClass& c) { c.chain = 1000; }) == bound.error);
  BOOST_TEST(error_with([](AccuracyClass& c) { c.inner_group = 8, c.inner_accumulate = FloatFormat::f16; }) >
             100 * bound.error);
}

BOOST_AUTO_TEST_CASE(finer_classes_promise_more) {
  AccuracyClass coarse;
  coarse.accumulate = FloatFormat::f16;
  coarse.result = FloatFormat::f16;
  coarse.truncating = coarse.flushes_subnormals = true;
  coarse.extra_roundings = 2;
  LeafSummary leaves;
  leaves.leaves = 10;
  leaves.multiplications = 2;
  leaves.magnitude = 1;
  leaves.growth = 10;
  size_t smaller = 0;
  for (const FinerClass& finer : finer_classes(coarse)) {
    BOOST_TEST(class_fault(finer.accuracy) == nullptr);
    BOOST_TEST(error_bound(finer.accuracy, leaves).error <= error_bound(coarse, leaves).error);
    smaller += error_bound(finer.accuracy, leaves).error < error_bound(coarse, leaves).error;
  }
  BOOST_TEST(smaller >= 4u);
  // Nothing is left to promise beyond the finest.
  AccuracyClass finest;
  finest.leaf_group = 32;
  BOOST_TEST(finer_classes(finest).empty());
}

BOOST_AUTO_TEST_SUITE_END()
