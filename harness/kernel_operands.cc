// Lays out operands for a call, and judges outputs by the oracle.

#include "harness/kernel_operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "reference/codec.h"
#include "reference/activations.h"

namespace gcts {
namespace {

// At most this many outputs of one call are judged by the exact sum, which costs about
// 10 ns an element; exact operands are judged all.
constexpr uint64_t kMostSampled = 24;

// Of a search, in the reference's: beyond, it is no search of that type.
constexpr double kMostSearchError = 2;
constexpr uint32_t kFewExperts = 3;

// More rows of weights than kMostDrawn are kRepeated rows over and over: a prime, so that no
// row stands in for another that is a tile away.
constexpr uint64_t kMostDrawn = 512, kRepeated = 127;

void repeat_rows(std::vector<std::byte>& rows, uint64_t size) {
  const size_t period = rows.size();
  rows.resize(size);
  for (size_t at = period; at < size; at += period)
    std::memcpy(rows.data() + at, rows.data(), std::min(period, size - at));
}

float float_at(std::span<const uint8_t> bytes, uint64_t index) {
  float f;
  std::memcpy(&f, bytes.data() + 4 * index, 4);
  return f;
}

std::string bits_text(float f) { return fmt::format("{:.9g} (0x{:08x})", f, std::bit_cast<uint32_t>(f)); }

// The positions of [0, size) that are judged: all if there are few; the ends and a
// spread of others if not.
std::vector<uint64_t> sample(uint64_t size, uint64_t most) {
  std::vector<uint64_t> out;
  if (size <= most) {
    for (uint64_t i = 0; i < size; ++i) out.push_back(i);
    return out;
  }
  for (uint64_t i = 0; i < most; ++i) out.push_back(i * (size - 1) / (most - 1));
  return out;
}

Problem judge_values(const KernelInput& input, const Answer& answer, KernelScore& score) {
  const auto* expected = reinterpret_cast<const uint8_t*>(input.expected.data());
  const uint64_t count = input.shape.k;
  if (answer.output.size() != 4 * count) return {Outcome::protocol, "the output has the wrong size"};
  score.judged += count;
  for (uint64_t i = 0; i < count; ++i) {
    const float want = float_at({expected, 4 * count}, i), got = float_at(answer.output, i);
    if (std::memcmp(&want, &got, 4) == 0 || (std::isnan(want) && std::isnan(got))) continue;
    return {Outcome::fail, fmt::format("element {} of {}: {} instead of {}", i, count, bits_text(got), bits_text(want))};
  }
  return {};
}

// The squared errors that blocks make of values: plain, and each weighted by the value squared.
struct SquaredErrors {
  double plain = 0, weighted = 0;
};
SquaredErrors squared_errors(const TensorType& type, const std::byte* blocks, std::span<const float> values) {
  std::vector<float> decoded(values.size());
  type.codec->dequantize(blocks, decoded.data(), decoded.size());
  SquaredErrors errors;
  for (size_t i = 0; i < values.size(); ++i) {
    const double x = values[i], error = decoded[i] - x;
    errors.plain += error * error;
    errors.weighted += x * x * error * error;
  }
  return errors;
}

// A search may find other blocks than the reference's: they are legal, and their squared error is
// at most so many times as large.
Problem judge_search(const KernelRow& row, const KernelInput& input, const Answer& answer, double most) {
  const TensorType& type = *row.type;
  const auto* blocks = reinterpret_cast<const std::byte*>(answer.output.data());
  for (size_t at = 0; at < answer.output.size(); at += type.block_bytes) {
    const BlockFault fault = type.codec->validate(blocks + at);
    if (fault.what && !fault.strict_only)
      return {Outcome::fail, fmt::format("block {} is not legal: {}", at / type.block_bytes, fault.what)};
  }
  const SquaredErrors got = squared_errors(type, blocks, input.values);
  const SquaredErrors want = squared_errors(type, input.expected.data(), input.values);
  const auto worse = [&](std::string_view which, double error, double reference) -> Problem {
    return {Outcome::fail, fmt::format("the {} squared error is {:.6g}, more than {} times the reference's {:.6g}", which,
                                       error, most, reference)};
  };
  if (!(got.plain <= most * want.plain)) return worse("unweighted", got.plain, want.plain);
  if (!(got.weighted <= most * want.weighted)) return worse("x^2-weighted", got.weighted, want.weighted);
  return {};
}

Problem judge_blocks(const KernelRow& row, const KernelInput& input, const Answer& answer, KernelScore& score) {
  const auto* expected = reinterpret_cast<const uint8_t*>(input.expected.data());
  if (answer.output.size() != input.expected.size()) return {Outcome::protocol, "the output has the wrong size"};
  ++score.judged;
  // In total 1 % worse; a single block may rightly come out worse, but not twice as bad.
  const bool many = answer.output.size() >= 16 * row.type->block_bytes;
  if (row.type->codec->searches) return judge_search(row, input, answer, many ? 1.01 : kMostSearchError);
  const auto [got, want] =
      std::mismatch(answer.output.begin(), answer.output.end(), expected, expected + input.expected.size());
  if (got == answer.output.end()) return {};
  const auto at = static_cast<uint64_t>(got - answer.output.begin());
  return {Outcome::fail, fmt::format("block {}, byte {}: {:#04x} instead of {:#04x}", at / row.type->block_bytes,
                                     at % row.type->block_bytes, *got, *want)};
}

std::string expectation_text(const DotExpectation& e) {
  switch (e.kind) {
    case DotExpectation::Kind::nan: return "NaN";
    case DotExpectation::Kind::infinite: return fmt::format("{}", e.value);
    case DotExpectation::Kind::not_finite: return "NaN or an infinity";
    default: break;
  }
  if (e.error == 0) return fmt::format("exactly {:.9g}", e.value);
  return fmt::format("{:.9g} within {:.3g}", e.value, e.error);
}

// One output and the row of weights that it comes from.
struct Output {
  uint64_t row, m, n;
};

// The outputs that are judged, those of one row of weights together.
std::vector<Output> judged_outputs(const KernelInput& input, uint64_t most) {
  std::vector<Output> out;
  for (const uint64_t n : sample(input.shape.n, most))
    for (const uint64_t m : sample(input.shape.m, most)) out.push_back({input.weight_row(m, n), m, n});
  std::stable_sort(out.begin(), out.end(), [](const Output& a, const Output& b) {
    return a.row != b.row ? a.row < b.row : a.m < b.m;
  });
  return out;
}

Problem judge_dot(const KernelRow& row, const KernelInput& input, const Answer& answer, KernelScore& score) {
  const KernelShape& s = input.shape;
  if (answer.output.size() != 4 * s.m * s.n) return {Outcome::protocol, "the output has the wrong size"};
  DotOracle oracle(input.dot, input.pattern, input.operands);
  const bool all = patterns()[input.pattern].mode == PatternMode::exact;
  DotExpectation expected;
  const Output* before = nullptr;
  const std::vector<Output> outputs = judged_outputs(input, all ? UINT64_MAX : kMostSampled);
  for (const Output& o : outputs) {
    const float got = float_at(answer.output, o.m * s.n + o.n);
    if (!before || o.row != before->row || o.m != before->m) {
      expected = oracle.expect(o.row, o.m, got);
      before = &o;
    }
    if (expected.kind == DotExpectation::Kind::unusable) {
      score.unusable = expected.why_not ? expected.why_not : "nothing can be said about the result";
      continue;
    }
    const DotJudgement verdict = judge(expected, got);
    ++score.judged;
    if (std::isfinite(verdict.share)) score.worst_share = std::max(score.worst_share, verdict.share);
    // Under an offset a zero activation is a difference of two terms: such draws are dense,
    // and dense draws do not gate.
    if (input.pattern == pattern::probe && !row.accuracy.activation_offset) {
      const Sensitivity sharp = oracle.sensitivity(o.row, o.m, expected);
      score.probed += sharp.places;
      score.sharp += sharp.sharp;
    }
    if (verdict.pass) continue;
    const std::string where = row.product() ? fmt::format("output[{}][{}]", o.m, o.n) : "the sum";
    std::string off;
    if (expected.error != 0 && std::isfinite(verdict.share))
      off = fmt::format(", {:.3g} times the bound", verdict.share);
    return {Outcome::fail, fmt::format("{} on {}: {} instead of {}{}", where, patterns()[input.pattern].name,
                                       bits_text(got), expectation_text(expected), off)};
  }
  return {};
}

}  // namespace

std::string shape_text(const KernelRow& row, const KernelShape& s) {
  if (!row.product()) return fmt::format("k={}", s.k);
  const std::string experts = s.experts > kFewExperts ? fmt::format(",experts={}", s.experts) : "";
  return fmt::format("m={},n={},k={}{}", s.m, s.n, s.k, experts);
}

uint64_t KernelInput::weight_row(uint64_t m, uint64_t n) const {
  return ((ids.empty() ? 0 : static_cast<uint64_t>(ids[m]) * shape.n) + n) % dot.n;
}

KernelInputs draw_input(const KernelRow& row, const KernelShape& shape, pattern::Index index, const Generator& generator,
                        uint64_t draw, std::string& why) {
  auto input = std::make_shared<KernelInput>();
  input->shape = shape;
  input->pattern = index;
  input->dot.weight_type = row.type;
  input->dot.activation_type = row.dot() ? row.activation_type : find_tensor_type(tensor::f32);
  input->dot.accuracy = row.dot() ? row.accuracy : AccuracyClass{};
  input->dot.k = shape.k;
  input->dot.m = row.dot() ? shape.m : 0;
  const bool repeats = shape.n > kMostDrawn && shape.experts == 1;
  input->dot.n = repeats ? kRepeated : shape.n * shape.experts;
  if (const char* reason = draw_operands(input->dot, index, generator, draw, input->operands)) {
    why = reason;
    return nullptr;
  }
  if (repeats) repeat_rows(input->operands.weights, shape.n * row_bytes(*row.type, shape.k));
  if (row.op == GCTS_OP_MATMUL_ID) {
    Generator ids = generator.stream("ids").stream(draw);
    for (uint64_t m = 0; m < shape.m; ++m) input->ids.push_back(static_cast<int32_t>(ids.below(shape.experts)));
    if (shape.m > 1) input->ids.back() = static_cast<int32_t>(shape.experts - 1);
  }
  if (row.op == GCTS_OP_DEQUANTIZE) {
    input->expected.resize(4 * shape.k);
    row.type->codec->dequantize(input->operands.weights.data(), reinterpret_cast<float*>(input->expected.data()), shape.k);
  }
  return input;
}

// The types that activations are quantized to, whatever their magnitude.
static bool is_activation_type(const TensorType& type) {
  return type.id == tensor::q8_0 || type.id == tensor::q8_1 || type.id == tensor::q8_k;
}

KernelInputs draw_values(const KernelRow& row, uint64_t k, bool near_ties, const Generator& generator, uint64_t draw) {
  auto input = std::make_shared<KernelInput>();
  input->shape.k = k;
  Generator g = generator.stream("values").stream(draw);
  input->values.resize(k);
  // Every fourth block is zero but for one draw in two, so that a zero block is met.
  const uint64_t block = row.type->block_elements;
  for (uint64_t i = 0; i < k; ++i) {
    const bool zero = draw % 2 == 1 && i / block % 4 == 1;
    input->values[i] = zero ? 0.0f : draw % 3 == 2 ? g.heavy_tailed() : g.normal();
    if (draw % 6 >= 4 && is_activation_type(*row.type)) input->values[i] *= draw % 6 == 4 ? 0x1p-60f : 0x1p15f;
  }
  if (!near_ties && row.type->block_elements > 1) clear_of_int8_ties(input->values, row.type->block_elements);
  if (row.type->id == tensor::mxfp4) clear_of_power_of_two(input->values, row.type->block_elements);
  input->expected.resize(row_bytes(*row.type, k));
  row.type->codec->quantize(input->values.data(), nullptr, input->expected.data(), k);
  return input;
}

KernelInputs draw_usual(const KernelRow& row, const KernelShape& shape, const Generator& generator, uint64_t draw,
                        std::string& why) {
  if (row.op == GCTS_OP_QUANTIZE) return draw_values(row, shape.k, false, generator, draw);
  if (row.op == GCTS_OP_DEQUANTIZE) return draw_input(row, shape, pattern::random_blocks, generator, draw, why);
  if (KernelInputs exact = draw_input(row, shape, pattern::exact, generator, draw, why)) return exact;
  return draw_input(row, shape, pattern::random_blocks, generator, draw, why);
}

KernelTask packed_task(const KernelRow& row, const KernelInput& input) {
  KernelTask task;
  task.kernel = row.index;
  task.k = input.shape.k;
  task.m = input.shape.m;
  task.n = input.shape.n;
  task.calls = 1;
  task.prepare = row.description.prepares;
  if (row.op == GCTS_OP_QUANTIZE) {
    task.activations.bytes = std::as_bytes(std::span(input.values));
    task.output_row_bytes = input.expected.size();
    task.output_stride = task.output_row_bytes;
    return task;
  }
  task.weights.bytes = input.operands.weights;
  task.weight_stride = row_bytes(*row.type, input.shape.k);
  if (row.op == GCTS_OP_DEQUANTIZE) {
    task.output_row_bytes = task.output_stride = 4 * input.shape.k;
    return task;
  }
  task.activations.bytes = input.operands.activations;
  task.activation_stride = row_bytes(*row.activation_type, input.shape.k);
  task.output_rows = input.shape.m;
  task.output_row_bytes = task.output_stride = 4 * input.shape.n;
  if (row.op == GCTS_OP_MATMUL_ID) {
    task.experts = input.shape.experts;
    task.expert_stride = input.shape.n * task.weight_stride;
    task.extra.bytes = std::as_bytes(std::span(input.ids));
  }
  return task;
}

Problem judge_call(const Answer& answer) {
  switch (answer.kind) {
    case AnswerKind::crash: return {Outcome::crash, answer.message};
    case AnswerKind::timeout: return {Outcome::timeout, answer.message};
    case AnswerKind::memory: return {Outcome::memory, answer.message};
    case AnswerKind::protocol: return {Outcome::protocol, answer.message};
    case AnswerKind::unusable: return {Outcome::crash, answer.message};
    case AnswerKind::verdict: break;
  }
  if (answer.kernel.prepared_damaged) return {Outcome::fail, "prepare writes outside the memory that it asked for"};
  if (answer.status == GCTS_OK) return {answer.misuse.empty() ? Outcome::pass : Outcome::fail, answer.misuse};
  static constexpr std::string_view kNames[] = {"GCTS_OK", "GCTS_REJECTED", "GCTS_UNSUPPORTED", "GCTS_FAILED"};
  const auto status = static_cast<size_t>(answer.status);
  const std::string name = status < std::size(kNames) ? std::string(kNames[status]) : fmt::format("status {}", answer.status);
  return {Outcome::fail, fmt::format("returns {}{}{}", name, answer.misuse.empty() ? "" : ": ", answer.misuse)};
}

Problem judge_output(const KernelRow& row, const KernelInput& input, const Answer& answer, KernelScore& score) {
  if (row.op == GCTS_OP_DEQUANTIZE) return judge_values(input, answer, score);
  if (row.op == GCTS_OP_QUANTIZE) return judge_blocks(row, input, answer, score);
  return judge_dot(row, input, answer, score);
}

Problem judge_timed_output(const KernelRow& row, const KernelInput& input, const Answer& answer, KernelScore& score) {
  const bool search = row.op == GCTS_OP_QUANTIZE && row.type->codec->searches && answer.output.size() == input.expected.size();
  return search ? judge_search(row, input, answer, kMostSearchError) : judge_output(row, input, answer, score);
}

KernelJob usual_job(const KernelRow& row, KernelInputs input) {
  KernelJob job;
  job.task = packed_task(row, *input);
  job.judge = [&row, input = input.get()](const Answer& answer, KernelScore& score) {
    return judge_output(row, *input, answer, score);
  };
  job.keep = std::move(input);
  return job;
}

std::vector<uint64_t> lengths(const KernelRow& row, Tier tier) {
  const uint64_t unit = row.unit();
  std::vector<uint64_t> out;
  const auto add = [&](uint64_t k) {
    if (k != 0 && k % unit == 0) out.push_back(k);
  };
  if (tier == Tier::smoke) {
    for (uint64_t units : {1, 2, 3, 7, 17}) add(units * unit);
    if (unit < 128) add(4096 / unit * unit + unit);  // beyond any unrolled loop, and a tail
  } else {
    for (uint64_t units = 1; units <= 17; ++units) add(units * unit);
    for (uint64_t power = 32; power <= 128; power *= 2)
      for (uint64_t units : {power - 1, power, power + 1}) add(units * unit);
    // Rows of published models: head, hidden and feed-forward sizes.
    for (uint64_t k : {896, 2048, 4096, 5120, 11008, 14336}) add(k);
  }
  if (tier == Tier::exhaustive) add(65536 / unit * unit + unit);  // an index of 16 bits
  if (tier == Tier::exhaustive)
    for (uint64_t k : {64, 80, 96, 128, 576, 960, 1152, 1536, 2304, 2560, 2880, 3072, 3584, 6144, 6400, 6912, 7168, 8192,
                       8960, 9216, 12288, 13824, 16384, 17920, 18944, 21504, 22016, 25600, 27648, 28672, 29568, 53248})
      add(static_cast<uint64_t>(k));
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<KernelShape> shapes(const KernelRow& row, Tier tier) {
  std::vector<KernelShape> out;
  if (!row.product()) {
    for (uint64_t k : lengths(row, tier)) out.push_back({.k = k});
    return out;
  }
  const uint64_t unit = row.unit(), step = std::max<uint64_t>(1, row.description.row.row_multiple);
  const uint32_t experts = row.op == GCTS_OP_MATMUL_ID ? kFewExperts : 1;
  const auto add = [&](uint64_t m, uint64_t n, uint64_t units) {
    if (n % step == 0) out.push_back({.k = units * unit, .n = n, .m = m, .experts = experts});
  };
  // 4,099 rows: one wrong row in 4,096 is among them, and so is a tail.
  add(1, step, 1);
  add(2, 5 * step, 2);
  add(3, 7 * step, 3);
  add(33, 17 * step, 1);
  // Batches have a path of their own in most kernels: tiles of rows and columns, panels of K.
  add(9, 67 * step, std::max<uint64_t>(3, 544 / unit));
  if (row.op == GCTS_OP_MATMUL_ID) {  // ids beyond a byte
    add(5, step, 1);
    out.back().experts = 300;
  }
  add(1, (4099 + step - 1) / step * step, 1);
  out.back().experts = 1;  // rows enough
  if (tier == Tier::smoke) return out;
  for (uint64_t m = 1; m <= 33; ++m) add(m, (m % 9 + 1) * step, 1 + m % 4);
  for (uint64_t n = 1; n <= 33; n += 2) add(1 + n % 5, n * step, 5);
  for (uint64_t units : {15, 16, 17, 31, 33}) add(4, 9 * step, units);
  add(65, 33 * step, 3);
  add(130, 9 * step, 2);
  add(12, 521 * step, 2);
  // Rows and columns of small published models.
  add(2, 896 / step * step, std::max<uint64_t>(1, 896 / unit));
  add(5, 576 / step * step, std::max<uint64_t>(1, 1536 / unit));
  if (tier == Tier::exhaustive) {
    add(7, 4096 / step * step, std::max<uint64_t>(1, 4096 / unit));
    add(2, 11008 / step * step, std::max<uint64_t>(1, 4096 / unit));
    add(2, 4096 / step * step, std::max<uint64_t>(1, 11008 / unit));
    add(1, 32000 / step * step, std::max<uint64_t>(1, 4096 / unit));
    add(1, 151936 / step * step, 1);
  }
  return out;
}

KernelShape small_shape(const KernelRow& row) {
  const uint64_t unit = row.unit();
  KernelShape shape{.k = unit >= 32 ? 5 * unit : 5 * 32 * unit};
  if (row.product()) {
    const uint64_t step = std::max<uint64_t>(1, row.description.row.row_multiple);
    shape.m = 3;
    shape.n = 7 * step;
    shape.k = unit >= 32 ? 2 * unit : 64 * unit;
    if (row.op == GCTS_OP_MATMUL_ID) shape.experts = 3;
  }
  return shape;
}

}  // namespace gcts
