// Operands and the oracle, tried on kernels that are right and on kernels that are wrong.
//
// A small kernel is written over the factors of the terms, so that it serves every type, in
// several honest ways (orders, lanes, integer groups, dequantizing first) and with one of many
// bugs.  No honest way may fail on any pattern; every bug must be caught on every type
// that it changes.
#include "reference/operands.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "reference/codec.h"
#include "reference/draws.h"
#include "reference/float_formats.h"
#include "reference/honest_kernels.h"
#include "reference/oracle.h"
#include "reference/terms.h"

using namespace gcts;
using namespace gcts::honest;

namespace {

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
      for (size_t begin = 0; begin < f.code.size(); begin += block_of(shape))
        std::swap(f.code[begin + a], f.code[begin + b]);
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
         for (size_t i = 7; i < f.code.size(); i += block_of(shape))
           f.code[i] -= f.code[i] == wrong ? 1.0f : 0.0f;
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
      {"f16 sum",
       {},
       [](const Factors& f) {
         float sum = 0;
         for (size_t i = 0; i < f.step.size(); ++i)
           sum = f16_to_f32(f32_to_f16(sum + weight(f, i) * activation(f, i)));
         return sum;
       }},
      {"f16 result", {}, [](const Factors& f) { return f16_to_f32(f32_to_f16(forward(f))); }},
      {"bf16 weights",
       {},
       [](const Factors& f) {
         float sum = 0;
         for (size_t i = 0; i < f.step.size(); ++i)
           sum += bf16_to_f32(f32_to_bf16(weight(f, i))) * activation(f, i);
         return sum;
       }},
      {"sums of two products saturate at int16",
       [](const DotShape& shape, Factors&) { return shape.weight_type->id == tensor::q8_0; },
       [](const Factors& f) {
         float sum = 0;
         for (size_t i = 0; i + 1 < f.step.size(); i += 2) {
           // Codes made unsigned by adding 128, which one instruction of x86 multiplies by signed
           // bytes and adds in pairs; then 128 times the activations are taken off.
           const float pair =
               (f.code[i] + 128) * f.activation[i] + (f.code[i + 1] + 128) * f.activation[i + 1];
           const float integer =
               std::clamp(pair, -32768.0f, 32767.0f) - 128 * (f.activation[i] + f.activation[i + 1]);
           sum += integer * (f.step[i] * f.scale[i]);
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
    {pattern::exact, 8},          {pattern::probe, 8},
    {pattern::random_blocks, 2},  {pattern::wide_scales, 1},
    {pattern::normal, 1},         {pattern::heavy_tailed, 1},
    {pattern::extreme_codes, 12}, {pattern::sparse, 1},
    {pattern::cancelling, 2},     {pattern::subnormal_scales, 1},
    {pattern::huge_scales, 1},
};

struct Outcome {
  uint64_t judged = 0, failed = 0;
  double worst = 0;
  std::string where;
};

using Computes = std::function<float(const Factors&)>;

void judge_all(const DotExpectation& expected, const Factors& factors, const std::string& where,
               const std::vector<Computes>& kernels, std::vector<Outcome>& outcomes) {
  for (size_t i = 0; i < kernels.size(); ++i) {
    Outcome& outcome = outcomes[i];
    const DotJudgement verdict = judge(expected, kernels[i](factors));
    ++outcome.judged;
    outcome.worst = std::max(outcome.worst, verdict.share);
    if (verdict.pass) continue;
    ++outcome.failed;
    if (outcome.where.empty()) outcome.where = where;
  }
}

// Runs kernels on every pattern of one mode, or of all modes but that one.
std::vector<Outcome> run_all(const DotShape& shape, uint64_t seed, const std::vector<Computes>& kernels,
                             PatternMode mode, bool only) {
  std::vector<Outcome> outcomes(kernels.size());
  const Generator generator(seed, shape.weight_type->name);
  Operands operands;
  for (const Run& run : kRuns) {
    if ((patterns()[run.index].mode == mode) != only) continue;
    for (uint64_t draw = 0; draw < run.draws; ++draw) {
      BOOST_TEST_REQUIRE(draw_operands(shape, run.index, generator, draw, operands) == nullptr);
      DotOracle oracle(shape, run.index, operands);
      const DotExpectation expected = oracle.expect(0, 0);
      if (expected.kind == DotExpectation::Kind::unusable) continue;
      const std::string where = std::string(patterns()[run.index].name) + " draw " + std::to_string(draw);
      judge_all(expected, factors_of(shape, operands), where, kernels, outcomes);
    }
  }
  return outcomes;
}

// Factors of the shape, to ask whether a bug changes anything for it.
Factors factors_of_first_draw(const DotShape& shape) {
  Operands operands;
  BOOST_TEST_REQUIRE(draw_operands(shape, pattern::normal, Generator(1, "first"), 0, operands) == nullptr);
  return factors_of(shape, operands);
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
        BOOST_TEST_REQUIRE(draw_operands(shape, pattern::exact, Generator(2, "exact"), draw, operands) ==
                           nullptr);
        DotOracle oracle(shape, pattern::exact, operands);
        DotOracle bound(shape, pattern::normal, operands);
        uint64_t zeros = 0;
        for (uint64_t row = 0; row < shape.n; ++row) {
          for (uint64_t column = 0; column < shape.m; ++column) {
            const DotExpectation expected = oracle.expect(row, column);
            BOOST_TEST_CONTEXT(shape.weight_type->name << " k=" << k << " draw " << draw << " output " << row
                                                       << "," << column) {
              BOOST_TEST((expected.kind == DotExpectation::Kind::value));
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
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      const auto check = [&](const std::vector<Computes>& kernels) {
        for (const bool exact : {true, false}) {
          for (const Outcome& outcome : run_all(shape, seed, kernels, PatternMode::exact, exact)) {
            BOOST_TEST_CONTEXT(shape.weight_type->name << " seed " << seed << ": " << outcome.where
                                                       << " share " << outcome.worst)
            BOOST_TEST(outcome.failed == 0u);
            BOOST_TEST(outcome.judged >= 8u);
            worst = std::max(worst, outcome.worst);
            judged += outcome.judged;
          }
        }
      };
      shape.accuracy = {};
      check({std::begin(kElementWise), std::end(kElementWise)});
      if (!has_scales(*shape.activation_type)) continue;
      shape.accuracy.leaf_group = std::min(32u, run_elements(*shape.weight_type));
      check({integer_runs});
      if (shape.activation_type->id != tensor::q8_1) continue;
      shape.accuracy.block_sum = BlockSum::f16_codes;
      check({stored_sums});
    }
  }
  std::printf("honest kernels: %llu results, worst share of a bound %.3f\n",
              static_cast<unsigned long long>(judged), worst);
}

// Weights of at most eight bits are bf16 numbers.
bool same_in_bf16(const TensorType& type) {
  return type.id == tensor::bf16 || type.id == tensor::mxfp4 || type.id == tensor::nvfp4;
}

BOOST_AUTO_TEST_CASE(every_bug_is_caught_on_every_type) {
  uint64_t broken = 0, by_exact = 0, by_bound = 0;
  for (const Pair& pair : kPairs) {
    const DotShape shape = shape_of(pair, 2048);
    std::vector<const char*> names;
    std::vector<Computes> kernels;
    const std::vector<Bug> all = bugs();
    for (const Bug& bug : all) {
      Factors any = factors_of_first_draw(shape);
      if (bug.before && !bug.before(shape, any)) continue;
      if (bug.name == std::string("bf16 weights") && same_in_bf16(*shape.weight_type)) continue;
      names.push_back(bug.name);
      kernels.push_back([&bug, &shape](const Factors& given) {
        Factors f = given;
        if (bug.before) bug.before(shape, f);
        return bug.run ? bug.run(f) : forward(f);
      });
    }
    const std::vector<Outcome> exact = run_all(shape, 1, kernels, PatternMode::exact, true);
    const std::vector<Outcome> bound = run_all(shape, 1, kernels, PatternMode::exact, false);
    for (size_t i = 0; i < kernels.size(); ++i) {
      ++broken;
      by_exact += exact[i].failed != 0;
      by_bound += bound[i].failed != 0;
      BOOST_TEST_CONTEXT(shape.weight_type->name << ": " << names[i] << ", worst share " << bound[i].worst)
      BOOST_TEST((exact[i].failed != 0 || bound[i].failed != 0));
    }
  }
  std::printf("broken kernels: %llu, all caught; by exact operands %llu, by bounds %llu\n",
              static_cast<unsigned long long>(broken), static_cast<unsigned long long>(by_exact),
              static_cast<unsigned long long>(by_bound));
}

BOOST_AUTO_TEST_SUITE_END()
