// Checks of what a kernel computes: exact, bound, extremes, special, scale, permute,
// large, codes, ties.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "harness/kernel_operands.h"
#include "reference/codec.h"

namespace gcts {
namespace {

// One job for each draw of a pattern; what a pattern cannot do for the row is left out.
std::string add_draws(const KernelRow& row, const KernelShape& shape, pattern::Index pattern, uint64_t draws,
                      const Generator& generator, std::vector<KernelJob>& jobs, uint64_t first = 0) {
  std::string why;
  for (uint64_t draw = first; draw < first + draws; ++draw) {
    KernelInputs input = draw_input(row, shape, pattern, generator.stream(patterns()[pattern].name), draw, why);
    if (!input) return why;
    jobs.push_back(usual_job(row, std::move(input)));
  }
  return "";
}

struct Drawn {
  pattern::Index pattern;
  uint64_t draws;
};
// Several patterns on one shape; skipped only if none of them can be drawn.
void add_patterns(KernelCaseList& cases, const KernelRow& row, std::string_view check, const KernelShape& shape,
                  std::vector<Drawn> wanted, uint64_t first = 0) {
  cases.add(check, shape_text(row, shape), [&row, shape, wanted, first](const Generator& g, std::vector<KernelJob>& jobs) {
    std::string why;
    for (const Drawn& d : wanted) {
      const std::string reason = add_draws(row, shape, d.pattern, d.draws, g, jobs, first);
      if (why.empty()) why = reason;
    }
    return jobs.empty() ? why : std::string();
  });
}

// Shapes that stay cheap under the exact sum.
std::vector<KernelShape> few_shapes(const KernelRow& row, Tier tier) {
  std::vector<KernelShape> out = shapes(row, tier);
  if (tier != Tier::smoke) return out;
  std::erase_if(out, [](const KernelShape& s) { return s.n > 1000; });
  return out;
}

// Six bytes at the ends of codes and sub-scales make six draws.
const std::vector<Drawn> kEnds = {{pattern::wide_scales, 2},       {pattern::extreme_codes, 6},     {pattern::cancelling, 2},
                                  {pattern::subnormal_scales, 2},  {pattern::huge_scales, 2},       {pattern::small_scales, 2},
                                  {pattern::small_activations, 2}, {pattern::large_activations, 2}};
// Two signs, and a scale or a min.
const std::vector<Drawn> kSpecials = {{pattern::nan_scale, 4},
                                      {pattern::infinite_scale, 4},
                                      {pattern::nan_activation, 2},
                                      {pattern::infinite_activation, 2},
                                      {pattern::negative_zero, 2}};
// What a dequantizer meets of them: it has no activations.
std::vector<Drawn> for_op(const KernelRow& row, std::vector<Drawn> drawn) {
  if (row.op == GCTS_OP_DEQUANTIZE)
    std::erase_if(drawn, [](const Drawn& d) {
      return d.pattern == pattern::small_activations || d.pattern == pattern::large_activations ||
             d.pattern == pattern::nan_activation || d.pattern == pattern::infinite_activation;
    });
  return drawn;
}

// Each pattern on each shape.  The many shapes of a matrix product take turns: one draw of
// each pattern a shape, another one on the next.
void add_turns(KernelCaseList& cases, const KernelRow& row, std::string_view check, const std::vector<KernelShape>& some,
               const std::vector<Drawn>& drawn) {
  std::vector<Drawn> wanted = for_op(row, drawn);
  const bool turns = row.product() && some.size() > 16;
  if (turns)
    for (Drawn& d : wanted) d.draws = 1;
  for (size_t i = 0; i < some.size(); ++i) add_patterns(cases, row, check, some[i], wanted, turns ? i : 0);
}

// Sums or results in a short format leave room for few operands at a time: more and smaller
// draws, which need not meet every code.
bool short_sums(const KernelRow& row) { return exact_limit(row.accuracy) < 0x1p24; }

// Draws until every (code, position) pair has met an activation that is not zero.
std::string cover(const KernelRow& row, const Generator& generator, std::vector<KernelJob>& jobs) {
  KernelShape shape = small_shape(row);
  if (row.product()) shape.m = 1, shape.n = std::max<uint64_t>(1, row.description.row.row_multiple);
  shape.k = std::max<uint64_t>(shape.k, 1024 / row.unit() * row.unit());
  const uint64_t most_draws = short_sums(row) ? 64 : 1024;
  auto coverage = std::make_shared<Coverage>(*row.type);
  std::string why;
  for (uint64_t draw = 0; draw < most_draws && !coverage->complete(); ++draw) {
    KernelInputs input = draw_input(row, shape, pattern::exact, generator, draw, why);
    if (!input) return why;
    coverage->add(input->dot, input->operands);
    jobs.push_back(usual_job(row, std::move(input)));
  }
  if (!jobs.empty() && !short_sums(row)) {
    auto judge = jobs.back().judge;
    jobs.back().judge = [judge, coverage](const Answer& answer, KernelScore& score) {
      score.codes_met = coverage->met();
      score.codes = coverage->pairs();
      return judge(answer, score);
    };
  }
  return "";
}

}  // namespace

void add_exact(const KernelRow& row, KernelCaseList& cases) {
  if (row.op == GCTS_OP_DEQUANTIZE) {
    for (const KernelShape& shape : shapes(row, cases.tier()))
      add_patterns(cases, row, "exact", shape, {{pattern::random_blocks, 2}, {pattern::normal, 2}});
    return;
  }
  for (const KernelShape& shape : shapes(row, cases.tier())) add_patterns(cases, row, "exact", shape, {{pattern::exact, 2}});
  cases.add("exact", "codes", [&row](const Generator& g, std::vector<KernelJob>& jobs) { return cover(row, g, jobs); });
}

void add_bound(const KernelRow& row, KernelCaseList& cases) {
  for (const KernelShape& shape : few_shapes(row, cases.tier()))
    add_patterns(cases, row, "bound", shape,
                 {{pattern::random_blocks, 1}, {pattern::normal, 1}, {pattern::heavy_tailed, 1}, {pattern::sparse, 1}});
  for (const KernelShape& shape : few_shapes(row, cases.tier())) {
    cases.add("bound", "probe," + shape_text(row, shape), [&row, shape, smoke = cases.smoke()](const Generator& g, std::vector<KernelJob>& jobs) {
      DotShape dot{row.type, row.activation_type, row.accuracy, shape.k, 1, 1};
      const uint64_t draws = std::min<uint64_t>(probe_draws(dot), (smoke ? 4 : 32) * (short_sums(row) ? 8 : 1));
      return add_draws(row, shape, pattern::probe, draws, g, jobs);
    });
  }
}

void add_extremes(const KernelRow& row, KernelCaseList& cases) {
  std::vector<KernelShape> some = few_shapes(row, cases.tier());
  if (cases.smoke()) some = {some[std::min<size_t>(2, some.size() - 1)]};
  add_turns(cases, row, "extremes", some, kEnds);
}

void add_special(const KernelRow& row, KernelCaseList& cases) {
  std::vector<KernelShape> some = few_shapes(row, cases.tier());
  if (cases.smoke()) some = {some[std::min<size_t>(1, some.size() - 1)]};
  add_turns(cases, row, "special", some, kSpecials);
}

namespace {

// Doubles what the activations stand for: values, or the scales of blocks.  False if an
// exponent has no room.
bool double_activations(const TensorType& type, std::span<std::byte> blocks) {
  const auto field = std::find_if(type.codec->fields.begin(), type.codec->fields.end(), [](const BlockField& f) {
    return f.role == FieldRole::scale || f.role == FieldRole::value;
  });
  if (field == type.codec->fields.end()) return false;
  for (size_t at = 0; at + type.block_bytes <= blocks.size(); at += type.block_bytes)
    for (const BlockField& f : type.codec->fields) {
      const bool scaled_sum = f.role == FieldRole::sum && f.format == NumberFormat::f16;
      if (f.role != FieldRole::scale && f.role != FieldRole::value && !scaled_sum) continue;
      for (uint32_t i = 0; i < f.count; ++i) {
        std::byte* p = blocks.data() + at + f.offset + i * number_bytes(f.format);
        if (f.format == NumberFormat::f32) {
          float v;
          std::memcpy(&v, p, 4);
          v *= 2;
          std::memcpy(p, &v, 4);
        } else if (f.format == NumberFormat::f16 || f.format == NumberFormat::bf16) {
          uint16_t v;
          std::memcpy(&v, p, 2);
          const int mantissa = f.format == NumberFormat::f16 ? 10 : 7;
          const uint32_t exponent = (v & 0x7fffu) >> mantissa;
          if ((v & 0x7fff) == 0) continue;
          if (exponent == 0 || exponent + 2 >= (0x8000u >> mantissa)) return false;
          v = static_cast<uint16_t>(v + (1u << mantissa));
          std::memcpy(p, &v, 2);
        } else {
          return false;
        }
      }
    }
  return true;
}

}  // namespace

void add_scale(const KernelRow& row, KernelCaseList& cases) {
  cases.add("scale", "", [&row](const Generator& g, std::vector<KernelJob>& jobs) -> std::string {
    std::string why;
    KernelInputs input = draw_input(row, small_shape(row), pattern::normal, g, 0, why);
    if (!input) return why;
    auto doubled = std::make_shared<KernelInput>(*input);
    if (!double_activations(*row.activation_type, doubled->operands.activations)) return "an activation has no room to double";
    auto first = std::make_shared<std::vector<uint8_t>>();
    KernelJob plain = usual_job(row, input);
    plain.judge = [first](const Answer& answer, KernelScore&) {
      first->assign(answer.output.begin(), answer.output.end());
      return Problem{};
    };
    jobs.push_back(std::move(plain));
    KernelJob twice = usual_job(row, doubled);
    twice.judge = [first](const Answer& answer, KernelScore& score) -> Problem {
      for (size_t i = 0; i + 4 <= answer.output.size() && i + 4 <= first->size(); i += 4, ++score.judged) {
        float before, after;
        std::memcpy(&before, first->data() + i, 4);
        std::memcpy(&after, answer.output.data() + i, 4);
        if (2 * before != after && !(std::isnan(before) && std::isnan(after)))
          return {Outcome::fail, fmt::format("output {}: activations twice as large give {:.9g}, not twice {:.9g}", i / 4, after, before)};
      }
      return {};
    };
    jobs.push_back(std::move(twice));
    return "";
  });
}

void add_permute(const KernelRow& row, KernelCaseList& cases) {
  cases.add("permute", "", [&row](const Generator& g, std::vector<KernelJob>& jobs) -> std::string {
    std::string why;
    KernelShape shape = small_shape(row);
    shape.m = shape.n = shape.experts = 1;
    if (row.description.row.row_multiple > 1) shape.n = row.description.row.row_multiple;
    KernelInputs input = draw_input(row, shape, pattern::exact, g, 0, why);
    if (!input) return why;
    // Units of K are moved, so that blocks of both operands stay whole.
    auto moved = std::make_shared<KernelInput>(*input);
    const uint64_t units = shape.k / row.unit();
    const uint64_t weight = row_bytes(*row.type, row.unit()), activation = row_bytes(*row.activation_type, row.unit());
    for (uint64_t u = 0; u < units; ++u) {
      const uint64_t from = units - 1 - u;
      for (uint64_t n = 0; n < shape.n; ++n)
        std::memcpy(moved->operands.weights.data() + (n * units + u) * weight,
                    input->operands.weights.data() + (n * units + from) * weight, weight);
      std::memcpy(moved->operands.activations.data() + u * activation,
                  input->operands.activations.data() + from * activation, activation);
    }
    jobs.push_back(usual_job(row, input));
    jobs.push_back(usual_job(row, moved));
    return "";
  });
}

void add_large(const KernelRow& row, KernelCaseList& cases) {
  // One type of each block size stands for the others; a faulty one is asked by name.
  static constexpr std::array<uint32_t, 7> kTypes = {tensor::f16, tensor::q4_0, tensor::nvfp4, tensor::q1_0,
                                                     tensor::q6_k, tensor::tq2_0, tensor::bf16};
  if (cases.tier() != Tier::exhaustive) return;
  if (std::find(kTypes.begin(), kTypes.end(), row.type->id) == kTypes.end()) return;
  KernelCase& c = cases.add("large", "", [&row](const Generator& g, std::vector<KernelJob>& jobs) -> std::string {
    // A tile whose weights and floats both fill whole pages, over and over.
    constexpr uint64_t kPage = 65536;
    const uint64_t blocks = std::lcm(kPage, uint64_t{row.type->block_bytes}) / row.type->block_bytes;
    uint64_t elements = blocks * row.type->block_elements;
    while (elements * 4 % kPage != 0 || elements < (1u << 22)) elements *= 2;  // not more maps than a process may have
    std::string why;
    KernelInputs tile = draw_input(row, {.k = elements}, pattern::random_blocks, g, 0, why);
    if (!tile) return why;
    // Half a tile beyond 2^31: a count cut to 31 bits fills half of it.
    const uint64_t count = ((uint64_t{1} << 31) + elements / 2) / row.unit() * row.unit();
    if (row.description.largest_operand < 4 * count)
      return fmt::format("the device allocates at most {} MiB at once", row.description.largest_operand >> 20);
    KernelJob job = usual_job(row, tile);
    job.task.k = count;
    job.task.weights.tiled_size = row_bytes(*row.type, count);
    job.task.output_row_bytes = job.task.output_stride = 4 * count;
    job.task.output_tile_bytes = 4 * elements;
    jobs.push_back(std::move(job));
    return "";
  });
  c.slow = true;
}

void add_codes(const KernelRow& row, KernelCaseList& cases) {
  for (uint64_t k : lengths(row, cases.tier()))
    cases.add("codes", fmt::format("k={}", k), [&row, k](const Generator& g, std::vector<KernelJob>& jobs) {
      for (uint64_t draw = 0; draw < 6; ++draw) jobs.push_back(usual_job(row, draw_values(row, k, false, g, draw)));
      return std::string();
    });
}

void add_ties(const KernelRow& row, KernelCaseList& cases) {
  // Only the int8 activation types have the freedom.
  if (row.type->id != tensor::q8_0 && row.type->id != tensor::q8_1 && row.type->id != tensor::q8_k) return;
  cases.add("ties", "", [&row](const Generator& g, std::vector<KernelJob>& jobs) {
    const uint64_t k = 16 * row.type->block_elements;
    auto input = std::make_shared<KernelInput>(*draw_values(row, k, true, g, 0));
    // amax 127 in every block, all other values on or between integers.
    Generator random = g.stream("ties");
    for (uint64_t i = 0; i < k; ++i)
      input->values[i] = i % row.type->block_elements == 0 ? 127.0f : static_cast<float>(random.between(-252, 252)) / 2;
    row.type->codec->quantize(input->values.data(), nullptr, input->expected.data(), k);
    KernelJob job = usual_job(row, input);
    job.judge = [&row, in = input.get()](const Answer& answer, KernelScore& score) -> Problem {
      if (answer.output.size() != in->expected.size()) return {Outcome::protocol, "the output has the wrong size"};
      const uint32_t codes = row.type->id == tensor::q8_0 ? 2 : 4;
      const uint32_t block = row.type->block_bytes, elements = row.type->block_elements;
      for (uint64_t i = 0; i < in->shape.k; ++i, ++score.judged) {
        const auto got = static_cast<int8_t>(answer.output[i / elements * block + codes + i % elements]);
        const float sign = row.type->id == tensor::q8_k ? -1.0f : 1.0f;  // Q8_K's largest becomes -127
        const float want = sign * in->values[i];
        if (std::fabs(static_cast<float>(got) - want) > 0.5f)
          return {Outcome::fail, fmt::format("element {}: code {} for {} steps", i, got, want)};
      }
      return {};
    };
    jobs.push_back(std::move(job));
    return std::string();
  });
}

}  // namespace gcts
