// Operands and the oracle, tried on kernels that are right and on kernels that are wrong.
//
// A small kernel is written over the factors of the terms, so that it serves every type, in
// several honest ways (orders, lanes, integer groups, dequantizing first) and with one of many
// bugs.  No honest way may fail on any pattern; every bug must be caught on every type
// that it changes.
#include "reference/operands.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "reference/activations.h"
#include "reference/codec.h"
#include "reference/draws.h"
#include "reference/float_formats.h"
#include "reference/oracle.h"
#include "reference/terms.h"
#include "reference/thresholds.h"

using namespace gcts;

namespace {

// The kernel rows of ggml: each weight type with the type that its dot product takes.
struct Pair {
  tensor::Id weights, activations;
};
constexpr Pair kPairs[] = {
    {tensor::f32, tensor::f32},      {tensor::f16, tensor::f16},      {tensor::bf16, tensor::bf16},
    {tensor::q4_0, tensor::q8_0},    {tensor::q4_1, tensor::q8_1},    {tensor::q5_0, tensor::q8_0},
    {tensor::q5_1, tensor::q8_1},    {tensor::q8_0, tensor::q8_0},    {tensor::iq4_nl, tensor::q8_0},
    {tensor::mxfp4, tensor::q8_0},   {tensor::nvfp4, tensor::q8_0},   {tensor::q1_0, tensor::q8_0},
    {tensor::q2_0, tensor::q8_0},    {tensor::q2_k, tensor::q8_k},    {tensor::q3_k, tensor::q8_k},
    {tensor::q4_k, tensor::q8_k},    {tensor::q5_k, tensor::q8_k},    {tensor::q6_k, tensor::q8_k},
    {tensor::iq1_s, tensor::q8_k},   {tensor::iq1_m, tensor::q8_k},   {tensor::iq2_xxs, tensor::q8_k},
    {tensor::iq2_xs, tensor::q8_k},  {tensor::iq2_s, tensor::q8_k},   {tensor::iq3_xxs, tensor::q8_k},
    {tensor::iq3_s, tensor::q8_k},   {tensor::iq4_xs, tensor::q8_k},  {tensor::tq1_0, tensor::q8_k},
    {tensor::tq2_0, tensor::q8_k},
};

DotShape shape_of(const Pair& pair, uint64_t k, uint64_t n = 1, uint64_t m = 1) {
  return {find_tensor_type(pair.weights), find_tensor_type(pair.activations), {}, k, n, m};
}

// What a kernel works with: factors in f32, as they stand in the blocks.
struct Factors {
  uint32_t run = 0;               // elements that share a step
  std::vector<float> step, code;  // weights: step * code + offset
  std::vector<float> offset;
  std::vector<float> scale, activation;  // activations: scale * activation
  std::vector<float> sum;                // Q8_1's
};

Factors factors_of(const DotShape& shape, const Operands& operands, uint64_t row = 0, uint64_t column = 0) {
  const RowTerms weights = row_terms(*shape.weight_type, operands.weights.data() + row * row_bytes(*shape.weight_type, shape.k), shape.k);
  const std::byte* blocks = operands.activations.data() + column * row_bytes(*shape.activation_type, shape.k);
  const RowTerms activations = row_terms(*shape.activation_type, blocks, shape.k);
  Factors f;
  f.run = std::min(32u, run_elements(*shape.weight_type));
  const bool plain = !has_scales(*shape.weight_type);
  const bool plain_activations = !has_scales(*shape.activation_type);
  for (uint64_t i = 0; i < shape.k; ++i) {
    f.step.push_back(plain ? 1.0f : static_cast<float>(weights.step[i]));
    f.code.push_back(weights.code[i]);
    if (!weights.offset.empty()) f.offset.push_back(static_cast<float>(weights.offset[i]));
    f.scale.push_back(plain_activations ? 1.0f : static_cast<float>(activations.step[i]));
    f.activation.push_back(activations.code[i]);
  }
  if (shape.activation_type->id == tensor::q8_1) {
    AccuracyClass sums;
    sums.block_sum = BlockSum::f16_codes;
    for (const double sum : activation_row(*shape.activation_type, blocks, shape.k, sums).sum) f.sum.push_back(static_cast<float>(sum));
  }
  return f;
}

float weight(const Factors& f, size_t i) {
  const float product = f.step[i] * f.code[i];
  return f.offset.empty() ? product : product + f.offset[i];
}
float activation(const Factors& f, size_t i) { return f.scale[i] * f.activation[i]; }

// ------------------------------- honest kernels --------------------------------

float forward(const Factors& f) {
  float sum = 0;
  for (size_t i = 0; i < f.step.size(); ++i) sum += weight(f, i) * activation(f, i);
  return sum;
}
float backward_fused(const Factors& f) {
  float sum = 0;
  for (size_t i = f.step.size(); i-- > 0;) sum = std::fma(weight(f, i), activation(f, i), sum);
  return sum;
}
float pairwise(const Factors& f) {
  std::vector<float> sums;
  for (size_t i = 0; i < f.step.size(); ++i) sums.push_back(weight(f, i) * activation(f, i));
  while (sums.size() > 1) {
    for (size_t i = 0; i < sums.size() / 2; ++i) sums[i] = sums[2 * i] + sums[2 * i + 1];
    if (sums.size() % 2 == 1) sums[sums.size() / 2] = sums.back();
    sums.resize((sums.size() + 1) / 2);
  }
  return sums[0];
}
float sixteen_lanes(const Factors& f) {
  float lanes[16] = {};
  for (size_t i = 0; i < f.step.size(); ++i) lanes[i % 16] = std::fma(weight(f, i), activation(f, i), lanes[i % 16]);
  float sum = 0;
  for (const float lane : lanes) sum += lane;
  return sum;
}
// The activation first, then every scale; the offset as a sum of its own.
float scales_last(const Factors& f) {
  float sum = 0, offsets = 0;
  for (size_t i = 0; i < f.step.size(); ++i) {
    sum += f.activation[i] * f.code[i] * f.scale[i] * f.step[i];
    if (!f.offset.empty()) offsets += f.activation[i] * f.offset[i] * f.scale[i];
  }
  return sum + offsets;
}
// Integers within a run, then scales: what kernels on quantized activations do.
float integer_runs(const Factors& f) {
  float sum = 0;
  const size_t run = std::max(1u, f.run);
  for (size_t begin = 0; begin < f.step.size(); begin += run) {
    const size_t end = std::min(begin + run, f.step.size());
    double integer = 0, offset = 0;  // exact: far below 2^53
    for (size_t i = begin; i < end; ++i) integer += double{f.code[i]} * f.activation[i], offset += f.activation[i];
    sum += static_cast<float>(integer) * (f.step[begin] * f.scale[begin]);
    if (!f.offset.empty()) sum += (f.offset[begin] * f.scale[begin]) * static_cast<float>(offset);
  }
  return sum;
}
// With the block's stored sum.
float stored_sums(const Factors& f) {
  Factors products = f;
  products.offset.clear();
  float sum = integer_runs(products);
  for (size_t block = 0; block < f.sum.size(); ++block) sum += f.offset[block * 32] * f.sum[block];
  return sum;
}

using Kernel = float (*)(const Factors&);
constexpr Kernel kElementWise[] = {forward, backward_fused, pairwise, sixteen_lanes, scales_last};

// ------------------------------- broken kernels --------------------------------

size_t block_of(const DotShape& shape) { return std::max<size_t>(32, shape.weight_type->block_elements); }

// A bug changes the factors before an honest kernel runs, or the result after it.  False: it
// changes nothing for this type.
struct Bug {
  const char* name;
  std::function<bool(const DotShape&, Factors&)> before;
  std::function<float(const Factors&)> run;
};

std::vector<Bug> bugs() {
  const auto swap_places = [](size_t a, size_t b) {
    return [a, b](const DotShape& shape, Factors& f) {
      if (!has_scales(*shape.weight_type)) return false;
      for (size_t begin = 0; begin < f.code.size(); begin += block_of(shape)) std::swap(f.code[begin + a], f.code[begin + b]);
      return true;
    };
  };
  const auto scale_by = [](float factor) {
    return [factor](const DotShape&, Factors& f) {
      for (float& step : f.step) step *= factor;
      return true;
    };
  };
  return {
      {"two neighbours exchanged", swap_places(4, 5), {}},
      {"low and high nibble exchanged at one place", swap_places(3, 19), {}},
      {"one code read as its neighbour at one place",
       [](const DotShape& shape, Factors& f) {
         if (!has_scales(*shape.weight_type)) return false;
         const float wrong = *std::max_element(f.code.begin(), f.code.end());
         for (size_t i = 7; i < f.code.size(); i += block_of(shape)) f.code[i] -= f.code[i] == wrong ? 1.0f : 0.0f;
         return true;
       },
       {}},
      {"sign of the largest code lost",
       [](const DotShape& shape, Factors& f) {
         if (!has_scales(*shape.weight_type)) return false;
         const float least = *std::min_element(f.code.begin(), f.code.end());
         if (least >= 0) return false;
         for (float& code : f.code) code = code == least ? -least : code;
         return true;
       },
       {}},
      {"scale of the next run",
       [](const DotShape& shape, Factors& f) {
         const size_t run = std::max(1u, f.run);
         if (!has_scales(*shape.weight_type) || f.step.size() <= run) return false;
         std::rotate(f.step.begin(), f.step.begin() + static_cast<ptrdiff_t>(run), f.step.end());
         return true;
       },
       {}},
      {"activation scale of the next block",
       [](const DotShape& shape, Factors& f) {
         const size_t block = shape.activation_type->block_elements;
         if (block == 1 || f.scale.size() <= block) return false;
         std::rotate(f.scale.begin(), f.scale.begin() + static_cast<ptrdiff_t>(block), f.scale.end());
         return true;
       },
       {}},
      {"scale off by a thousandth", scale_by(1.001f), {}},
      {"scale off by a hundredth", scale_by(1.01f), {}},
      {"last element dropped",
       [](const DotShape&, Factors& f) {
         f.code.back() = 0;
         if (!f.offset.empty()) f.offset.back() = 0;
         return true;
       },
       {}},
      {"last eight elements dropped",
       [](const DotShape&, Factors& f) {
         std::fill(f.code.end() - 8, f.code.end(), 0.0f);
         if (!f.offset.empty()) std::fill(f.offset.end() - 8, f.offset.end(), 0.0f);
         return true;
       },
       {}},
      {"min left out",
       [](const DotShape&, Factors& f) {
         const bool has = !f.offset.empty();
         f.offset.clear();
         return has;
       },
       {}},
      {"min of the wrong sign",
       [](const DotShape&, Factors& f) {
         for (float& offset : f.offset) offset = -offset;
         return !f.offset.empty();
       },
       {}},
      {"f16 sum", {}, [](const Factors& f) {
         float sum = 0;
         for (size_t i = 0; i < f.step.size(); ++i) sum = f16_to_f32(f32_to_f16(sum + weight(f, i) * activation(f, i)));
         return sum;
       }},
      {"f16 result", {}, [](const Factors& f) { return f16_to_f32(f32_to_f16(forward(f))); }},
      {"bf16 weights", {}, [](const Factors& f) {
         float sum = 0;
         for (size_t i = 0; i < f.step.size(); ++i) sum += bf16_to_f32(f32_to_bf16(weight(f, i))) * activation(f, i);
         return sum;
       }},
      {"pairs of products saturate at int16",
       [](const DotShape& shape, Factors&) { return has_scales(*shape.activation_type) && shape.weight_type->id == tensor::q8_0; },
       [](const Factors& f) {
         float sum = 0;
         for (size_t i = 0; i + 1 < f.step.size(); i += 2) {
           // Unsigned times signed bytes, as one instruction of x86 has it.
           const float first = std::fabs(f.code[i]) * (f.code[i] < 0 ? -f.activation[i] : f.activation[i]);
           const float second = std::fabs(f.code[i + 1]) * (f.code[i + 1] < 0 ? -f.activation[i + 1] : f.activation[i + 1]);
           sum += std::clamp(first + second, -32512.0f, 32000.0f) * (f.step[i] * f.scale[i]);
         }
         return sum;
       }},
      {"wrong for the activation -128",
       [](const DotShape& shape, Factors& f) {
         for (float& a : f.activation) a = a == -128 ? 128.0f : a;
         return has_scales(*shape.activation_type);
       },
       {}},
  };
}

// ------------------------------- running them ----------------------------------

// The patterns that a kernel suite runs, with draws of each.
struct Run {
  pattern::Index index;
  uint64_t draws;
};
constexpr Run kRuns[] = {
    {pattern::exact, 8},         {pattern::probe, 8},     {pattern::random_blocks, 2}, {pattern::wide_scales, 1},
    {pattern::normal, 1},        {pattern::heavy_tailed, 1}, {pattern::extreme_codes, 12}, {pattern::sparse, 1},
    {pattern::cancelling, 2},    {pattern::subnormal_scales, 1}, {pattern::huge_scales, 1},
};

struct Outcome {
  uint64_t judged = 0, failed = 0, unusable = 0;
  double worst = 0;
  std::string where;
};

using Computes = std::function<float(const Factors&)>;

void run_pattern(const DotShape& shape, const Run& run, uint64_t seed, const Computes& kernel, Outcome& outcome) {
  const Generator generator(seed, shape.weight_type->name);
  Operands operands;
  for (uint64_t draw = 0; draw < run.draws; ++draw) {
    const char* why = draw_operands(shape, run.index, generator, draw, operands);
    BOOST_TEST_REQUIRE(why == nullptr);
    DotOracle oracle(shape, run.index, operands);
    const Expectation expected = oracle.expect(0, 0);
    if (expected.kind == Expectation::Kind::unusable) {
      ++outcome.unusable;
      continue;
    }
    const Judgement verdict = judge(expected, kernel(factors_of(shape, operands)));
    ++outcome.judged;
    outcome.worst = std::max(outcome.worst, verdict.share);
    if (verdict.pass) continue;
    ++outcome.failed;
    if (outcome.where.empty()) outcome.where = std::string(patterns()[run.index].name) + " draw " + std::to_string(draw);
  }
}

Outcome run_all(const DotShape& shape, uint64_t seed, const Computes& kernel) {
  Outcome outcome;
  for (const Run& run : kRuns) run_pattern(shape, run, seed, kernel, outcome);
  return outcome;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(operands)

BOOST_AUTO_TEST_CASE(terms_are_what_the_codec_decodes) {
  for (const TensorType& type : tensor_types()) {
    if (type.codec == nullptr || !has_scales(type)) continue;
    Generator g(1, type.name);
    for (int trial = 0; trial < 50; ++trial) {
      std::vector<std::byte> block(type.block_bytes);
      draws::random_block(type, block.data(), g, {-7, 4});
      const RowTerms terms = row_terms(type, block.data(), type.block_elements);
      std::vector<float> values(type.block_elements);
      type.codec->dequantize(block.data(), values.data(), type.block_elements);
      for (size_t i = 0; i < values.size(); ++i) {
        const double offset = terms.offset.empty() ? 0 : terms.offset[i];
        BOOST_TEST(static_cast<float>(terms.product[i] + offset) == values[i]);
        BOOST_TEST(terms.step[i] * terms.code[i] == terms.product[i]);
        BOOST_TEST(terms.code[i] == std::nearbyint(terms.code[i]));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(the_same_case_gives_the_same_bytes) {
  const DotShape shape = shape_of({tensor::q4_k, tensor::q8_k}, 1024, 3, 2);
  for (uint32_t index = 0; index < patterns().size(); ++index) {
    Operands first, second, other;
    const auto at = static_cast<pattern::Index>(index);
    if (draw_operands(shape, at, Generator(1, "case"), 3, first) != nullptr) continue;
    draw_operands(shape, at, Generator(1, "case"), 2, other);
    draw_operands(shape, at, Generator(1, "case"), 3, second);
    BOOST_TEST((first.weights == second.weights && first.activations == second.activations));
    BOOST_TEST((first.weights != other.weights || first.activations != other.activations));
  }
}

BOOST_AUTO_TEST_CASE(exact_operands_leave_nothing_to_round) {
  for (const Pair& pair : kPairs) {
    for (const uint64_t k : {256u, 1024u, 4096u}) {
      const DotShape shape = shape_of(pair, k, 2, 4);
      Operands operands;
      for (uint64_t draw = 0; draw < 4; ++draw) {
        BOOST_TEST_REQUIRE(draw_operands(shape, pattern::exact, Generator(2, "exact"), draw, operands) == nullptr);
        DotOracle oracle(shape, pattern::exact, operands);
        DotOracle bound(shape, pattern::normal, operands);
        uint64_t zeros = 0;
        for (uint64_t row = 0; row < shape.n; ++row) {
          for (uint64_t column = 0; column < shape.m; ++column) {
            const Expectation expected = oracle.expect(row, column);
            BOOST_TEST_CONTEXT(shape.weight_type->name << " k=" << k << " draw " << draw << " output " << row << "," << column) {
              BOOST_TEST((expected.kind == Expectation::Kind::value));
              BOOST_TEST(expected.error == 0);
              BOOST_TEST(expected.value == bound.expect(row, column).value);  // the wide register agrees
              const Factors f = factors_of(shape, operands, row, column);
              for (const Kernel kernel : kElementWise) BOOST_TEST(kernel(f) == expected.value);
              if (has_scales(*shape.activation_type)) BOOST_TEST(integer_runs(f) == expected.value);
              if (!f.sum.empty()) BOOST_TEST(stored_sums(f) == expected.value);
              zeros += expected.value == 0;
            }
          }
        }
        BOOST_TEST(zeros < shape.n * shape.m);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(honest_kernels_keep_every_bound) {
  double worst = 0;
  uint64_t judged = 0;
  for (const Pair& pair : kPairs) {
    DotShape shape = shape_of(pair, 512);
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      const auto check = [&](const Computes& kernel) {
        const Outcome outcome = run_all(shape, seed, kernel);
        BOOST_TEST_CONTEXT(shape.weight_type->name << " seed " << seed << ": " << outcome.where << " share " << outcome.worst)
        BOOST_TEST(outcome.failed == 0u);
        BOOST_TEST(outcome.judged >= 24u);
        worst = std::max(worst, outcome.worst);
        judged += outcome.judged;
      };
      shape.accuracy = {};
      for (const Kernel kernel : kElementWise) check(kernel);
      if (!has_scales(*shape.activation_type)) continue;
      shape.accuracy.leaf_group = std::min(32u, run_elements(*shape.weight_type));
      check(integer_runs);
      if (shape.activation_type->id != tensor::q8_1) continue;
      shape.accuracy.block_sum = BlockSum::f16_codes;
      check(stored_sums);
    }
  }
  std::printf("honest kernels: %llu results, worst share of a bound %.3f\n", static_cast<unsigned long long>(judged), worst);
}

BOOST_AUTO_TEST_CASE(every_bug_is_caught_on_every_type) {
  // How many of the broken kernels each criterion catches.
  std::map<std::string, uint64_t> caught;
  uint64_t broken = 0;
  for (const Pair& pair : kPairs) {
    const DotShape shape = shape_of(pair, 2048);
    for (const Bug& bug : bugs()) {
      if (bug.name == std::string("bf16 weights") && pair.weights == tensor::bf16) continue;
      bool applies = true;
      const Computes kernel = [&](const Factors& given) {
        Factors f = given;
        if (bug.before && !bug.before(shape, f)) applies = false;
        return bug.run ? bug.run(f) : forward(f);
      };
      Outcome exact, bound;
      for (const Run& run : kRuns) {
        Outcome& outcome = patterns()[run.index].mode == PatternMode::exact ? exact : bound;
        run_pattern(shape, run, 1, kernel, outcome);
      }
      if (!applies) continue;
      ++broken;
      caught["exact"] += exact.failed != 0;
      caught["bound"] += bound.failed != 0;
      const bool both = exact.failed != 0 || bound.failed != 0;
      caught["both"] += both;
      BOOST_TEST_CONTEXT(shape.weight_type->name << ": " << bug.name << ", worst share " << bound.worst) BOOST_TEST(both);
    }
  }
  std::printf("broken kernels: %llu; caught by exact %llu, bound %llu, both %llu\n", static_cast<unsigned long long>(broken),
              static_cast<unsigned long long>(caught["exact"]), static_cast<unsigned long long>(caught["bound"]),
              static_cast<unsigned long long>(caught["both"]));
}

BOOST_AUTO_TEST_SUITE_END()
