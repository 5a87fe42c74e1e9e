// The oracle under accuracy classes: each legitimate way of computing passes with its class and,
// where it matters, fails without it; special values; sensitivity and coverage.
#include "reference/oracle.h"

#include <algorithm>
#include <bit>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <set>
#include <vector>

#include "reference/activations.h"
#include "reference/codec.h"
#include "reference/exact.h"
#include "reference/float_formats.h"
#include "reference/honest_kernels.h"

using namespace gcts;
using namespace gcts::honest;

namespace {

std::vector<float> decode(const TensorType& type, const std::vector<std::byte>& blocks, uint64_t count) {
  std::vector<float> values(count);
  type.codec->dequantize(blocks.data(), values.data(), count);
  return values;
}

float round_f16(float x) { return f16_to_f32(f32_to_f16(x)); }
float round_bf16(float x) { return bf16_to_f32(f32_to_bf16(x)); }

// A kernel on rows of f32: weights as dequantized, activations as given.
using RowKernel =
    std::function<float(const std::vector<float>& weights, const std::vector<float>& activations)>;

// Symmetric int8 groups, in either of the two ways in use.
std::vector<float> quantize_groups(const std::vector<float>& values, size_t group, bool ties_to_even) {
  std::vector<float> result(values.size());
  for (size_t begin = 0; begin < values.size(); begin += group) {
    float amax = 0;
    for (size_t i = begin; i < begin + group; ++i) amax = std::max(amax, std::fabs(values[i]));
    const float d = amax / 127.0f;
    const float inverse = amax == 0 ? 0 : ties_to_even ? 127.0f / amax : 1.0f / d;
    for (size_t i = begin; i < begin + group; ++i)
      result[i] = (ties_to_even ? std::nearbyint(values[i] * inverse) : std::round(values[i] * inverse)) * d;
  }
  return result;
}

// The sum of weights * activations, each rounded by `change` first.
template <class Weight, class Act>
RowKernel rounded(Weight weight_change, Act activation_change) {
  return [=](const std::vector<float>& weights, const std::vector<float>& activations) {
    float sum = 0;
    for (size_t i = weights.size(); i-- > 0;)
      sum += weight_change(weights[i]) * activation_change(activations[i]);
    return sum;
  };
}
float same(float x) { return x; }

struct Tally {
  uint64_t judged = 0, failed = 0;
  double worst = 0;
};

constexpr pattern::Index kBounds[] = {pattern::probe,        pattern::random_blocks, pattern::normal,
                                      pattern::heavy_tailed, pattern::sparse,        pattern::extreme_codes,
                                      pattern::cancelling,   pattern::exact};

Tally tally(const DotShape& shape, const RowKernel& kernel) {
  Tally result;
  for (const pattern::Index index : kBounds) {
    for (uint64_t draw = 0; draw < 4; ++draw) {
      Operands operands;
      if (draw_operands(shape, index, Generator(3, shape.weight_type->name), draw, operands) != nullptr)
        continue;
      const std::vector<float> weights = decode(*shape.weight_type, operands.weights, shape.k);
      const std::vector<float> activations = decode(*shape.activation_type, operands.activations, shape.k);
      DotOracle oracle(shape, index, operands);
      const DotExpectation expected = oracle.expect(0, 0);
      if (expected.kind == DotExpectation::Kind::unusable) continue;
      const DotJudgement verdict = judge(expected, kernel(weights, activations));
      ++result.judged;
      result.failed += !verdict.pass;
      result.worst = std::max(result.worst, verdict.share);
    }
  }
  return result;
}

// Passes with the class, and fails with the plain one.
void needs_class(const char* what, tensor::Id weights, uint64_t k, const AccuracyClass& accuracy,
                 const RowKernel& kernel) {
  DotShape shape = shape_of({weights, tensor::f32}, k);
  shape.accuracy = accuracy;
  const Tally with = tally(shape, kernel);
  shape.accuracy = {};
  const Tally without = tally(shape, kernel);
  BOOST_TEST_CONTEXT(what << " on " << shape.weight_type->name << ", worst share " << with.worst) {
    BOOST_TEST(with.judged >= 8u);
    BOOST_TEST(with.failed == 0u);
    BOOST_TEST(without.failed > 0u);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(oracle)

BOOST_AUTO_TEST_CASE(weights_rounded_first) {
  for (const tensor::Id type : {tensor::q4_k, tensor::q6_k, tensor::q8_0, tensor::iq3_s, tensor::f32}) {
    AccuracyClass accuracy;
    accuracy.weights = FloatFormat::f16;
    needs_class("f16 weights", type, 512, accuracy, rounded(round_f16, same));
    accuracy.weights = FloatFormat::bf16;
    needs_class("bf16 weights", type, 512, accuracy, rounded(round_bf16, same));
  }
}

BOOST_AUTO_TEST_CASE(activations_rounded_first) {
  for (const tensor::Id type : {tensor::q4_0, tensor::q5_k, tensor::f16, tensor::f32}) {
    AccuracyClass accuracy;
    accuracy.activation = Activation::f16;
    needs_class("f16 activations", type, 512, accuracy, rounded(same, round_f16));
    accuracy.activation = Activation::bf16;
    needs_class("bf16 activations", type, 512, accuracy, rounded(same, round_bf16));
  }
}

BOOST_AUTO_TEST_CASE(activations_quantized_in_the_kernel) {
  struct Way {
    Activation activation;
    uint32_t group;
  };
  for (const Way& way : {Way{Activation::group, 32},
                         {Activation::group, 64},
                         {Activation::group, 128},
                         {Activation::group, 256},
                         {Activation::row, 1024}}) {
    for (const bool ties_to_even : {false, true}) {
      AccuracyClass accuracy;
      accuracy.activation = way.activation;
      accuracy.activation_group = way.activation == Activation::group ? way.group : 0;
      for (const tensor::Id type : {tensor::q4_0, tensor::q4_k}) {
        needs_class("int8 groups", type, 1024, accuracy,
                    [&](const std::vector<float>& w, const std::vector<float>& a) {
                      return rounded(same, same)(w, quantize_groups(a, way.group, ties_to_even));
                    });
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(activations_quantized_with_an_offset) {
  for (const Activation activation : {Activation::group, Activation::row}) {
    AccuracyClass accuracy;
    accuracy.activation = activation;
    accuracy.activation_group = activation == Activation::group ? 64 : 0;
    accuracy.activation_offset = true;
    const size_t group = activation == Activation::group ? 64 : 512;
    for (const tensor::Id type : {tensor::q4_0, tensor::q4_1, tensor::q8_0, tensor::f16}) {
      needs_class("offset groups", type, 512, accuracy,
                  [&](const std::vector<float>& w, const std::vector<float>& a) {
                    float sum = 0;
                    for (size_t begin = 0; begin < a.size(); begin += group) {
                      const auto [least, greatest] =
                          std::minmax_element(a.begin() + static_cast<ptrdiff_t>(begin),
                                              a.begin() + static_cast<ptrdiff_t>(begin + group));
                      const float low = *least, d = (*greatest - low) / 255.0f, inverse = d == 0 ? 0 : 1 / d;
                      float codes = 0, weights = 0;
                      for (size_t i = begin; i < begin + group; ++i) {
                        codes += w[i] * std::round((a[i] - low) * inverse);
                        weights += w[i];
                      }
                      sum += d * codes + low * weights;
                    }
                    return sum;
                  });
    }
  }
}

BOOST_AUTO_TEST_CASE(activations_quantized_to_blocks_in_the_kernel) {
  for (const auto& [activation, type] : {std::pair{Activation::q8_0, tensor::q8_0},
                                         {Activation::q8_1, tensor::q8_1},
                                         {Activation::q8_k, tensor::q8_k}}) {
    AccuracyClass accuracy;
    accuracy.activation = activation;
    const TensorType& blocks = *find_tensor_type(type);
    for (const tensor::Id weights : {tensor::q5_1, tensor::q6_k, tensor::iq2_s}) {
      needs_class("blocks", weights, 512, accuracy,
                  [&](const std::vector<float>& w, const std::vector<float>& a) {
                    std::vector<std::byte> quantized(row_bytes(blocks, a.size()));
                    blocks.codec->quantize(a.data(), nullptr, quantized.data(), a.size());
                    return rounded(same, same)(w, decode(blocks, quantized, a.size()));
                  });
    }
  }
}

BOOST_AUTO_TEST_CASE(both_rules_of_rounding_give_the_same_codes) {
  uint64_t differ_plain = 0, blocks = 0;
  for (uint64_t draw = 0; draw < 40; ++draw) {
    DotShape shape = shape_of({tensor::q4_0, tensor::f32}, 4096);
    for (const bool shielded : {true, false}) {
      shape.accuracy.activation = shielded ? Activation::q8_0 : Activation::as_given;
      Operands operands;
      draw_operands(shape, pattern::normal, Generator(4, "ties"), draw, operands);
      std::vector<float> values = decode(*shape.activation_type, operands.activations, shape.k);
      // A grid of half units is full of ties.
      if (draw % 2 == 1) {
        for (float& x : values) x = std::clamp(std::round(x * 16) * 0.5f, -127.0f, 127.0f);
        values[0] = 127;
        if (shielded) clear_of_int8_ties(values, 32);
      }
      const std::vector<float> away = quantize_groups(values, 32, false),
                               even = quantize_groups(values, 32, true);
      for (size_t i = 0; i < values.size(); ++i) {
        if (shielded)
          BOOST_TEST(away[i] == even[i]);
        else
          differ_plain += away[i] != even[i];
      }
      blocks += values.size() / 32;
    }
  }
  BOOST_TEST(differ_plain > 0u);  // the shield does something
}

BOOST_AUTO_TEST_CASE(block_sums_as_the_class_says) {
  for (const tensor::Id weights : {tensor::q4_1, tensor::q5_1}) {
    const TensorType& q8_1 = *find_tensor_type(tensor::q8_1);
    DotShape shape = shape_of({weights, tensor::f32}, 32);
    const auto kernel = [&](BlockSum kind, const Operands& operands) {
      const std::vector<float> a = decode(*shape.activation_type, operands.activations, shape.k);
      Operands quantized = operands;
      quantized.activations.resize(row_bytes(q8_1, shape.k));
      q8_1.codec->quantize(a.data(), nullptr, quantized.activations.data(), shape.k);
      Factors f = factors_of({shape.weight_type, &q8_1, {}, shape.k, 1, 1}, quantized);
      if (kind == BlockSum::exact) return integer_runs(f);
      for (size_t block = 0; block < f.sum.size() && kind == BlockSum::f16_values; ++block) {
        float sum = 0;
        for (size_t i = 0; i < 32; ++i) sum += a[32 * block + i];
        f.sum[block] = round_f16(sum);
      }
      return stored_sums(f);
    };
    for (const BlockSum claimed : {BlockSum::exact, BlockSum::f16_codes, BlockSum::f16_values}) {
      shape.accuracy = {};
      shape.accuracy.activation = Activation::q8_1;
      shape.accuracy.leaf_group = 32;
      shape.accuracy.block_sum = claimed;
      for (const BlockSum real : {BlockSum::exact, BlockSum::f16_codes, BlockSum::f16_values}) {
        uint64_t failed = 0;
        for (uint64_t draw = 0; draw < 40; ++draw) {
          Operands operands;
          BOOST_TEST_REQUIRE(
              draw_operands(shape, pattern::random_blocks, Generator(5, "sums"), draw, operands) == nullptr);
          DotOracle oracle(shape, pattern::random_blocks, operands);
          failed += !judge(oracle.expect(0, 0), kernel(real, operands)).pass;
        }
        BOOST_TEST_CONTEXT(shape.weight_type->name << " claimed " << int(claimed) << " real " << int(real))
        BOOST_TEST((failed == 0) == (claimed == real));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_zero_point_of_its_own) {
  for (const tensor::Id weights :
       {tensor::q4_0, tensor::q5_0, tensor::q6_k, tensor::q3_k, tensor::tq2_0, tensor::q1_0}) {
    const DotShape plain = shape_of({weights, tensor::f32}, 2048);
    const auto zero = static_cast<float>(zero_point(*plain.weight_type));
    const auto kernel = [&](const Factors& f) {
      // Unsigned codes, and the zero point times the sum of activations, run by run.
      float sum = 0;
      for (size_t begin = 0; begin < f.step.size(); begin += f.run) {
        float codes = 0, total = 0;
        for (size_t i = begin; i < begin + f.run; ++i) {
          codes += (f.code[i] + zero) * f.activation[i];
          total += f.activation[i];
        }
        sum += f.step[begin] * codes;
        sum -= f.step[begin] * zero * total;
      }
      return sum;
    };
    uint64_t failed = 0;
    double worst_with = 0, worst_without = 0;
    for (const pattern::Index index : {pattern::exact, pattern::normal, pattern::random_blocks,
                                       pattern::cancelling, pattern::extreme_codes}) {
      for (uint64_t draw = 0; draw < 6; ++draw) {
        DotShape shape = plain;
        shape.accuracy.zero_point_leaf = true;
        Operands operands;
        BOOST_TEST_REQUIRE(draw_operands(shape, index, Generator(6, "zero"), draw, operands) == nullptr);
        const float result = kernel(factors_of(shape, operands));
        const DotExpectation with = DotOracle(shape, index, operands).expect(0, 0);
        failed += !judge(with, result).pass;
        if (with.error == 0) continue;
        worst_with = std::max(worst_with, judge(with, result).share);
        worst_without =
            std::max(worst_without, judge(DotOracle(plain, index, operands).expect(0, 0), result).share);
      }
    }
    BOOST_TEST_CONTEXT(plain.weight_type->name << ", worst share " << worst_with << ", without the class "
                                               << worst_without) {
      BOOST_TEST(failed == 0u);
      BOOST_TEST(worst_without > worst_with);
    }
  }
}

BOOST_AUTO_TEST_CASE(short_sums) {
  struct Format {
    FloatFormat format;
    float (*round)(float);
    uint64_t k;
  };
  for (const Format& format :
       {Format{FloatFormat::f16, round_f16, 256}, Format{FloatFormat::bf16, round_bf16, 32}}) {
    AccuracyClass accuracy;
    accuracy.accumulate = accuracy.result = format.format;
    const RowKernel kernel = [&](const std::vector<float>& w, const std::vector<float>& a) {
      float sum = 0;
      for (size_t i = 0; i < w.size(); ++i)
        sum = format.round(sum + format.round(format.round(w[i]) * format.round(a[i])));
      return sum;
    };
    // Weights and activations are rounded on the way, too.
    accuracy.weights = format.format;
    accuracy.activation = format.format == FloatFormat::f16 ? Activation::f16 : Activation::bf16;
    needs_class("a short sum", tensor::q4_0, format.k, accuracy, kernel);
    needs_class("a short sum", tensor::f16, format.k, accuracy, kernel);
  }
}

// The sum of exact operands in a short format is what the oracle expects, in any pair of
// types; so it is where the kernel quantizes, if the weights leave room for 127 units.
BOOST_AUTO_TEST_CASE(short_sums_of_quantized_activations) {
  struct Format {
    FloatFormat format;
    float (*round)(float);
  };
  const std::set<uint32_t> roomy = {tensor::q4_0, tensor::q5_0, tensor::q8_0, tensor::mxfp4,
                                    tensor::q3_k, tensor::q6_k, tensor::tq2_0};
  for (const Format& format : {Format{FloatFormat::f16, round_f16}, Format{FloatFormat::bf16, round_bf16}})
    for (const Pair& pair : kPairs)
      for (const bool quantizes : {false, true}) {
        const TensorType& blocks = *find_tensor_type(pair.activations);
        if (quantizes && !has_scales(blocks)) continue;
        DotShape shape = shape_of(pair, 1024);
        shape.accuracy.accumulate = format.format;
        if (quantizes) {
          shape.activation_type = find_tensor_type(tensor::f32);
          shape.accuracy.activation = blocks.id == tensor::q8_k   ? Activation::q8_k
                                      : blocks.id == tensor::q8_1 ? Activation::q8_1
                                                                  : Activation::q8_0;
        }
        const bool must = !quantizes || format.format == FloatFormat::f16 || roomy.contains(pair.weights);
        for (uint64_t draw = 0; draw < 4; ++draw)
          BOOST_TEST_CONTEXT(shape.weight_type->name << (quantizes ? ", quantizing" : "") << ", draw " << draw) {
            Operands operands;
            const char* why = draw_operands(shape, pattern::exact, Generator(1, ""), draw, operands);
            BOOST_TEST((why == nullptr || !must));
            if (why != nullptr) continue;
            DotOracle oracle(shape, pattern::exact, operands);
            const ActivationRow a =
                activation_row(*shape.activation_type, operands.activations.data(), shape.k, shape.accuracy);
            const RowTerms w = row_terms(*shape.weight_type, operands.weights.data(), shape.k);
            float sum = 0;
            for (size_t i = 0; i < shape.k; ++i) {
              sum = format.round(sum + format.round(static_cast<float>(w.product[i] * a.value[i])));
              if (!w.offset.empty()) sum = format.round(sum + format.round(static_cast<float>(w.offset[i] * a.value[i])));
            }
            BOOST_TEST(sum == oracle.expect(0, 0).value);
          }
      }
}

BOOST_AUTO_TEST_CASE(flushed_subnormals) {
  const auto flush = [](float x) { return std::fabs(x) < 0x1p-126f ? 0.0f : x; };
  for (const tensor::Id type : {tensor::f32, tensor::bf16, tensor::mxfp4}) {
    DotShape shape = shape_of({type, tensor::f32}, 256);
    uint64_t failed_with = 0, failed_without = 0;
    for (uint64_t draw = 0; draw < 8; ++draw) {
      Operands operands;
      BOOST_TEST_REQUIRE(
          draw_operands(shape, pattern::subnormal_scales, Generator(7, "flush"), draw, operands) == nullptr);
      const std::vector<float> w = decode(*shape.weight_type, operands.weights, shape.k);
      const std::vector<float> a = decode(*shape.activation_type, operands.activations, shape.k);
      float sum = 0;
      for (size_t i = 0; i < w.size(); ++i) sum = flush(sum + flush(flush(w[i]) * a[i]));
      shape.accuracy.flushes_subnormals = true;
      failed_with += !judge(DotOracle(shape, pattern::subnormal_scales, operands).expect(0, 0), sum).pass;
      shape.accuracy.flushes_subnormals = false;
      failed_without += !judge(DotOracle(shape, pattern::subnormal_scales, operands).expect(0, 0), sum).pass;
    }
    BOOST_TEST_CONTEXT(shape.weight_type->name) {
      BOOST_TEST(failed_with == 0u);
      BOOST_TEST(failed_without > 0u);
    }
  }
}

BOOST_AUTO_TEST_CASE(special_values) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  uint64_t nans = 0, not_finite = 0, infinite = 0, zeros = 0;
  for (const Pair& pair : kPairs) {
    for (const tensor::Id activations : {pair.activations, tensor::f32}) {
      const DotShape shape = shape_of({pair.weights, activations}, 512);
      for (const pattern::Index index :
           {pattern::nan_scale, pattern::infinite_scale, pattern::nan_activation, pattern::negative_zero}) {
        for (uint64_t draw = 0; draw < 4; ++draw) {
          Operands operands;
          if (draw_operands(shape, index, Generator(8, "special"), draw, operands) != nullptr) continue;
          const DotExpectation expected = DotOracle(shape, index, operands).expect(0, 0);
          const std::vector<float> w = decode(*shape.weight_type, operands.weights, shape.k);
          const std::vector<float> a = decode(*shape.activation_type, operands.activations, shape.k);
          const float honest = rounded(same, same)(w, a);
          BOOST_TEST_CONTEXT(shape.weight_type->name << " " << patterns()[index].name << " draw " << draw
                                                     << ": " << honest) {
            BOOST_TEST(judge(expected, honest).pass);
            // A maximum that swallows NaN, and whatever is finite, fail where something is due.
            if (index != pattern::negative_zero)
              BOOST_TEST(!judge(expected, 1.0).pass);
            else
              BOOST_TEST(!judge(expected, nan).pass);
          }
          nans += expected.kind == DotExpectation::Kind::nan;
          not_finite += expected.kind == DotExpectation::Kind::not_finite;
          infinite += expected.kind == DotExpectation::Kind::infinite;
          zeros += expected.kind == DotExpectation::Kind::value && expected.value == 0;
        }
      }
    }
  }
  BOOST_TEST(nans > 100u);
  BOOST_TEST(not_finite > 50u);
  BOOST_TEST(zeros > 100u);
  // All products of one sign: one infinity alone is right.
  const DotShape shape = shape_of({tensor::f16, tensor::f32}, 2);
  Operands operands;
  draw_operands(shape, pattern::normal, Generator(1, ""), 0, operands);
  const float activations[] = {3, 5};
  std::copy_n(reinterpret_cast<const std::byte*>(activations), sizeof(activations),
              operands.activations.begin());
  operands.weights = {std::byte{0}, std::byte{0xfc}, std::byte{0}, std::byte{0x3c}};  // -infinity, 1
  const DotExpectation expected = DotOracle(shape, pattern::infinite_scale, operands).expect(0, 0);
  BOOST_TEST((expected.kind == DotExpectation::Kind::infinite));
  BOOST_TEST(judge(expected, -HUGE_VAL).pass);
  BOOST_TEST(!judge(expected, HUGE_VAL).pass);
  BOOST_TEST(!judge(expected, nan).pass);
}

BOOST_AUTO_TEST_CASE(probes_are_sharp_at_any_length) {
  double least = 1;
  for (const Pair& pair : kPairs) {
    if (pair.weights == tensor::f32) continue;  // has no codes
    for (const uint64_t k : {512u, 4096u, 28672u}) {
      DotShape shape = shape_of(pair, k);
      Operands operands;
      uint64_t places = 0, sharp = 0;
      for (uint64_t draw = 0; draw < 3; ++draw) {
        BOOST_TEST_REQUIRE(draw_operands(shape, pattern::probe, Generator(9, "probes"), draw, operands) ==
                           nullptr);
        const Sensitivity found = DotOracle(shape, pattern::probe, operands).sensitivity(0, 0);
        BOOST_TEST(found.places <= 64u);
        places += found.places;
        sharp += found.sharp;
      }
      const double share = static_cast<double>(sharp) / static_cast<double>(places);
      least = std::min(least, share);
      BOOST_TEST_CONTEXT(shape.weight_type->name << " k=" << k) BOOST_TEST(share >= kSharpShare);
    }
  }
  std::printf("least share of sharp probes: %.3f\n", least);
}

BOOST_AUTO_TEST_CASE(probes_visit_every_place) {
  const DotShape shape = shape_of({tensor::q4_0, tensor::f32}, 4128);
  std::vector<bool> visited(shape.k);
  for (uint64_t draw = 0; draw < probe_draws(shape); ++draw) {
    Operands operands;
    draw_operands(shape, pattern::probe, Generator(10, "visits"), draw, operands);
    const std::vector<float> a = decode(*shape.activation_type, operands.activations, shape.k);
    for (size_t i = 0; i < a.size(); ++i) visited[i] = visited[i] || a[i] != 0;
  }
  BOOST_TEST(std::count(visited.begin(), visited.end(), false) == 0);
}

BOOST_AUTO_TEST_CASE(exact_draws_reach_every_code_at_every_place) {
  for (const Pair& pair : kPairs) {
    const DotShape shape = shape_of(pair, 4096, 4, 2);
    Coverage coverage(*shape.weight_type);
    if (!has_scales(*shape.weight_type)) {
      BOOST_TEST(coverage.pairs() == 0u);
      continue;
    }
    const uint64_t draws = draws_to_coverage(shape, Generator(11, "coverage"), 64);
    std::printf("%s %llu, ", std::string(shape.weight_type->name).c_str(),
                static_cast<unsigned long long>(draws));
    BOOST_TEST_CONTEXT(shape.weight_type->name) BOOST_TEST(draws > 0u);
  }
  std::printf("draws of 4 rows of 4096 to full coverage\n");
  BOOST_TEST(Coverage(*find_tensor_type("q8_0")).pairs() == 256u * 32);
  BOOST_TEST(Coverage(*find_tensor_type("q5_k")).pairs() == 32u * 256);
  BOOST_TEST(Coverage(*find_tensor_type("mxfp4")).pairs() == 15u * 32);  // two codes for zero
  BOOST_TEST(Coverage(*find_tensor_type("iq3_xxs")).pairs() == 16u * 256);
  BOOST_TEST(Coverage(*find_tensor_type("tq1_0")).pairs() == 3u * 256);
}

BOOST_AUTO_TEST_SUITE_END()
