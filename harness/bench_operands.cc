// Draws the operands of a measurement, and judges outputs that repeat what was drawn.

#include "harness/bench_operands.h"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace gcts {
namespace {

constexpr uint64_t kWeightRows = 16, kActivationRows = 4;
// Rows of a warm vec_dot, so many that they overflow L1 and fit L2.
constexpr uint64_t kWarmBytes = 128 * 1024;
constexpr uint64_t kDotsChecked = 64;

uint64_t up_to_multiple(uint64_t v, uint64_t of) { return (v + of - 1) / of * of; }

// Packed rows moved apart.
std::vector<std::byte> spaced(std::span<const std::byte> packed, uint64_t row, uint64_t stride) {
  if (row == stride || row == 0) return {packed.begin(), packed.end()};
  std::vector<std::byte> out(packed.size() / row * stride);
  for (uint64_t r = 0; r < packed.size() / row; ++r) std::memcpy(out.data() + r * stride, packed.data() + r * row, row);
  return out;
}

}  // namespace

bool BenchOperands::draw(const BenchMeasurement& measurement, uint64_t ring_bytes, std::string& why) {
  measurement_ = &measurement;
  const KernelRow& row = *measurement.row;
  const KernelShape& shape = measurement.shape;
  KernelShape drawn{.k = row.dot() ? shape.k : std::min(shape.k, kDrawnElements)};
  if (shape.k % drawn.k != 0) {
    why = fmt::format("{} elements do not repeat {}", shape.k, drawn.k);
    return false;
  }
  if (row.dot()) drawn.n = weight_rows_ = kWeightRows;
  if (row.product()) drawn.m = activation_rows_ = std::min(kActivationRows, shape.m);
  // Keyed by what the bytes depend on, not by the variant: variants share their weights.
  const Generator generator(0, fmt::format("bench/{}/{}/{}", row.type->name, drawn.k, op_name(row.op)));
  KernelRow plain = row;  // of experts, one matrix is drawn
  if (row.op == GCTS_OP_MATMUL_ID) plain.op = GCTS_OP_MATMUL;
  input_ = row.op == GCTS_OP_QUANTIZE ? draw_values(row, drawn.k, false, generator, 0)
                                      : draw_input(plain, drawn, pattern::random_blocks, generator, 0, why);
  if (!input_) return false;

  const uint64_t alignment = std::max<uint64_t>(4, row.description.row.alignment);
  const uint64_t weight_row = row_bytes(*row.type, shape.k);
  worker::BenchOpenRequest& r = request_;
  r.kernel = row.index;
  r.m = shape.m, r.n = shape.n, r.k = shape.k;
  r.team = measurement.team();
  r.threads = row.product() ? measurement.threads : 1;
  r.experts = shape.experts;
  r.prepare = row.description.prepares && row.product();
  r.output_entries = 1;
  if (row.op != GCTS_OP_QUANTIZE) {
    r.weight_stride = up_to_multiple(weight_row, row.description.row.alignment > 1 ? alignment : 1);
    const std::span<const std::byte> packed = input_->operands.weights;
    weights_ = row.op == GCTS_OP_DEQUANTIZE ? std::vector<std::byte>(packed.begin(), packed.end()) : spaced(packed, weight_row, r.weight_stride);
    r.weights.step = r.weight_stride * (row.product() ? shape.n * shape.experts : 1);
    r.expert_stride = r.weight_stride * shape.n;
  }
  if (row.dot()) {
    const uint64_t activation_row = row_bytes(*row.activation_type, shape.k);
    r.activation_stride = up_to_multiple(activation_row, alignment);
    activations_ = spaced(input_->operands.activations, activation_row, r.activation_stride);
    r.activations.step = r.activation_stride * shape.m;
    r.activations.entries = 1;
    r.output_stride = 4 * shape.n;
    r.output_bytes = 4 * shape.m * shape.n;
  } else if (row.op == GCTS_OP_QUANTIZE) {
    const auto bytes = std::as_bytes(std::span(input_->values));
    activations_.assign(bytes.begin(), bytes.end());
    r.activations.step = 4 * shape.k;
    r.activations.entries = 1;
    r.output_bytes = weight_row;
  } else {
    r.output_bytes = 4 * shape.k;
  }
  if (row.op == GCTS_OP_MATMUL_ID) {
    for (uint64_t i = 0; i < shape.m; ++i) {
      const auto id = static_cast<int32_t>(i % shape.experts);
      const auto bytes = std::as_bytes(std::span(&id, 1));
      extra_.insert(extra_.end(), bytes.begin(), bytes.end());
    }
    r.extra.step = extra_.size();
    r.extra.entries = 1;
  }
  if (weights_.empty()) return true;

  const uint64_t per_call = r.weights.step + (row.op == GCTS_OP_DEQUANTIZE ? r.output_bytes : 0);
  r.weights.entries = 1;
  if (measurement.cold) r.weights.entries = std::max<uint64_t>(measurement.device ? 1 : 2, ring_bytes / r.team / per_call + 1);
  else if (row.op == GCTS_OP_VEC_DOT) r.weights.entries = std::max<uint64_t>(1, kWarmBytes / per_call);
  if (!row.product()) r.output_entries = r.weights.entries;
  // Equal bytes in equal rings are the same ring, so that variants do not each fill memory.
  r.weights.key = XXH3_64bits_withSeed(weights_.data(), weights_.size(), (r.weights.step * 131 + r.weights.entries) * 131 + r.team) | 1;
  return true;
}

BenchSlot BenchOperands::slot(uint32_t number) const {
  BenchSlot out{request_, weights_, activations_, extra_};
  out.request.slot = number;
  return out;
}

uint64_t BenchOperands::outputs_to_check() const {
  return measurement_->row->op == GCTS_OP_VEC_DOT ? std::min(kDotsChecked, request_.output_entries) : 1;
}

const DotExpectation& BenchOperands::expected(uint64_t weight_row, uint64_t activation_row) {
  if (expected_.empty()) {
    DotOracle oracle(input_->dot, input_->pattern, input_->operands);
    for (uint64_t w = 0; w < weight_rows_; ++w)
      for (uint64_t a = 0; a < activation_rows_; ++a) expected_.push_back(oracle.expect(w, a));
  }
  return expected_[weight_row * activation_rows_ + activation_row];
}

Problem BenchOperands::judge(uint64_t first, const std::vector<uint8_t>& outputs) {
  return measurement_->row->dot() ? judge_dots(first, outputs) : judge_repeated(outputs);
}

// One entry is the drawn operand itself, or repeats it: then so does the output.
Problem BenchOperands::judge_repeated(const std::vector<uint8_t>& outputs) const {
  const uint64_t repeats = measurement_->shape.k / input_->shape.k, period = request_.output_bytes / repeats;
  Answer answer;
  answer.output = std::span(outputs).first(std::min<size_t>(period, outputs.size()));
  KernelScore score;
  const Problem problem = judge_timed_output(*measurement_->row, *input_, answer, score);
  if (problem.outcome != Outcome::pass) return problem;
  uint64_t done = 0;
  for (const worker::OutputPiece& piece : worker::output_pieces(request_.output_bytes))
    for (uint64_t i = 0; i < piece.bytes; ++i, ++done)
      if (outputs[done] != outputs[(piece.offset + i) % period])
        return {Outcome::fail, fmt::format("the same blocks give other bits at byte {} of the output", piece.offset + i)};
  return {};
}

Problem BenchOperands::judge_dots(uint64_t first, const std::vector<uint8_t>& outputs) {
  const KernelShape& shape = measurement_->shape;
  const bool product = measurement_->row->product();
  const uint8_t* at = outputs.data();
  for (const worker::OutputPiece& piece : worker::output_pieces(product ? request_.output_bytes : outputs.size()))
    for (uint64_t i = piece.offset / 4; i < (piece.offset + piece.bytes) / 4; ++i, at += 4) {
      const uint64_t weight_row = product ? i % shape.n : (first + i) % std::max<uint64_t>(1, request_.weights.entries);
      const uint64_t activation_row = product ? i / shape.n : 0;
      const DotExpectation& e = expected(weight_row % weight_rows_, activation_row % activation_rows_);
      if (e.kind == DotExpectation::Kind::unusable) continue;
      float got;
      std::memcpy(&got, at, 4);
      const DotJudgement verdict = gcts::judge(e, got);
      if (verdict.pass) continue;
      const std::string where = product ? fmt::format("output[{}][{}]", activation_row, weight_row) : fmt::format("sum {}", weight_row);
      return {Outcome::fail, fmt::format("{}: {:.9g} instead of {:.9g} within {:.3g}", where, got, e.value, e.error)};
    }
  return {};
}

}  // namespace gcts
