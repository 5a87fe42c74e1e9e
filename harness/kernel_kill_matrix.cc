// Runs every broken kernel under the checks, and counts what classic thresholds would have caught.

#include "harness/kernel_kill_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <map>
#include <thread>

#include "harness/fault_table.h"
#include "harness/kernel_operands.h"
#include "harness/kernel_suite.h"
#include "reference/codec.h"
#include "reference/exact.h"
#include "reference/thresholds.h"

namespace gcts {
namespace {

constexpr std::string_view kTarget = "kernel";
constexpr std::array<std::string_view, 5> kControls = {"reads_one_byte_past", "reads_one_byte_before", "writes_one_float_past",
                                                       "last_element_unwritten", "rounding_mode_left"};
constexpr std::string_view kQuantizeFns = "ggml test-quantize-fns", kNmse = "NMSE 5e-4";

SuiteSubject subject(const SelfTestOptions& options, std::string setting) {
  SuiteSubject s;
  s.launch.locator = options.library;
  s.launch.environment = {std::move(setting)};
  return s;
}

// "kernel/vec_dot/q4_0/faulty" of "kernel/vec_dot/q4_0/faulty/exact/*".
std::string row_of(std::string_view check) {
  size_t end = 0;
  for (int part = 0; part < 4; ++part) end = check.find('/', end + 1);
  return std::string(check.substr(0, end));
}

// What the criteria of others say of a kernel's outputs on the data that they use.
class OtherCriteria {
 public:
  OtherCriteria(Implementation& implementation, const KernelRow& row) : implementation_(implementation), row_(row) {}

  // The criteria that the kernel meets.
  std::vector<std::string> met() {
    std::vector<std::string> out;
    if (row_.op == GCTS_OP_DEQUANTIZE || row_.op == GCTS_OP_QUANTIZE) codec(out);
    else products(out);
    return out;
  }

 private:
  static constexpr uint64_t kCount = thresholds::kCosineCount;
  static constexpr uint64_t kRows = 16;

  // The output of a call, or nothing if it crashed.  A fault at a guard page is none
  // elsewhere: without the page the call returns, and its output counts as right.
  bool call(const KernelTask& task, std::vector<uint8_t>& out) {
    Task t;
    t.kernel = &task;
    implementation_.run({&t, 1}, [&](const Task&, const Answer& answer) {
      out.assign(answer.output.begin(), answer.output.end());
      crashed_ = answer.kind != AnswerKind::verdict;
      at_guard_ = crashed_ && answer.message.starts_with("SIGSEGV");
      return true;
    });
    return !crashed_;
  }

  void both(std::vector<std::string>& out) const {
    if (at_guard_) out = {std::string(kQuantizeFns), std::string(kNmse)};
  }

  void codec(std::vector<std::string>& out) {
    const std::vector<float> values = thresholds::cosine(kCount, 0);
    std::vector<std::byte> blocks(row_bytes(*row_.type, kCount));
    if (!row_.type->codec->quantize) return;
    row_.type->codec->quantize(values.data(), nullptr, blocks.data(), kCount);
    std::vector<float> expected(kCount), got(kCount);
    row_.type->codec->dequantize(blocks.data(), expected.data(), kCount);
    KernelTask task;
    task.kernel = row_.index;
    task.k = kCount;
    task.calls = 1;
    const bool quantizes = row_.op == GCTS_OP_QUANTIZE;
    (quantizes ? task.activations.bytes : task.weights.bytes) =
        quantizes ? std::as_bytes(std::span(values)) : std::span<const std::byte>(blocks);
    task.output_row_bytes = task.output_stride = quantizes ? blocks.size() : 4 * kCount;
    std::vector<uint8_t> output;
    if (!call(task, output)) return both(out);
    if (output.size() != task.output_row_bytes) return;
    if (quantizes) row_.type->codec->dequantize(reinterpret_cast<const std::byte*>(output.data()), got.data(), kCount);
    else std::memcpy(got.data(), output.data(), output.size());
    if (thresholds::distance(values, got) < thresholds::limits(*row_.type).absolute &&
        thresholds::distance(expected, got) < thresholds::kReferenceLimit)
      out.emplace_back(kQuantizeFns);
    const std::vector<double> e(expected.begin(), expected.end()), g(got.begin(), got.end());
    if (thresholds::nmse_passes(e, g)) out.emplace_back(kNmse);
  }

  // One call on given rows; m and n are 1 for vec_dot.
  bool product(const std::vector<std::byte>& weights, const std::vector<std::byte>& activations, uint64_t n, float* results) {
    KernelTask task;
    task.kernel = row_.index;
    task.k = kCount;
    task.n = n;
    task.calls = 1;
    task.weights.bytes = weights;
    task.weight_stride = row_bytes(*row_.type, kCount);
    task.activations.bytes = activations;
    task.activation_stride = activations.size();
    task.output_row_bytes = task.output_stride = 4 * n;
    const int32_t id = 0;
    if (row_.op == GCTS_OP_MATMUL_ID) {
      task.expert_stride = weights.size();
      task.extra.bytes = std::as_bytes(std::span(&id, 1));
    }
    std::vector<uint8_t> output;
    if (!call(task, output) || output.size() != 4 * n) return false;
    std::memcpy(results, output.data(), output.size());
    return true;
  }

  void products(std::vector<std::string>& out) {
    const uint64_t weight_row = row_bytes(*row_.type, kCount);
    std::vector<std::byte> weights(kRows * weight_row), activations(row_bytes(*row_.activation_type, kCount));
    if (!row_.type->codec->quantize) return;
    // test-quantize-fns: one dot product of two cosines.
    const std::vector<float> a = thresholds::cosine(kCount, 0), b = thresholds::cosine(kCount, 1);
    row_.activation_type->codec->quantize(b.data(), nullptr, activations.data(), kCount);
    for (uint64_t r = 0; r < kRows; ++r) row_.type->codec->quantize(a.data(), nullptr, weights.data() + r * weight_row, kCount);
    std::array<float, kRows> got{};
    const bool many = row_.product();
    const std::vector<std::byte> one(weights.begin(), weights.begin() + static_cast<ptrdiff_t>(weight_row));
    if (!product(many ? weights : one, activations, many ? kRows : 1, got.data())) return both(out);
    double reference = 0;
    for (uint64_t i = 0; i < kCount; ++i) reference += static_cast<double>(a[i] * b[i]);
    if (thresholds::dot_passes(*row_.type, got[0], reference, kCount)) out.emplace_back(kQuantizeFns);
    nmse(weights, activations, out);
  }

  // test-backend-ops: a column of outputs from uniform data, against a float reference.
  void nmse(std::vector<std::byte>& weights, std::vector<std::byte>& activations, std::vector<std::string>& out) {
    Generator random(1, "nmse");
    const uint64_t weight_row = row_bytes(*row_.type, kCount);
    std::vector<float> x(kCount), w(kCount);
    for (float& v : x) v = random.uniform(-1, 1);
    row_.activation_type->codec->quantize(x.data(), nullptr, activations.data(), kCount);
    std::vector<double> expected;
    for (uint64_t r = 0; r < kRows; ++r) {
      for (float& v : w) v = random.uniform(-1, 1);
      std::byte* row = weights.data() + r * weight_row;
      row_.type->codec->quantize(w.data(), nullptr, row, kCount);
      row_.type->codec->dequantize(row, w.data(), kCount);
      double sum = 0;
      for (uint64_t i = 0; i < kCount; ++i) sum += static_cast<double>(w[i]) * static_cast<double>(x[i]);
      expected.push_back(sum);
    }
    std::array<float, kRows> got{};
    if (row_.product()) {
      if (!product(weights, activations, kRows, got.data())) return;
    } else {
      for (uint64_t r = 0; r < kRows; ++r) {
        const auto at = weights.begin() + static_cast<ptrdiff_t>(r * weight_row);
        const std::vector<std::byte> one(at, at + static_cast<ptrdiff_t>(weight_row));
        if (!product(one, activations, 1, &got[r])) return;
      }
    }
    const std::vector<double> actual(got.begin(), got.end());
    if (thresholds::nmse_passes(expected, actual)) out.emplace_back(kNmse);
  }

  Implementation& implementation_;
  const KernelRow& row_;
  bool crashed_ = false, at_guard_ = false;
};

class KernelSelfTest {
 public:
  KernelSelfTest(const SelfTestOptions& options, std::vector<const FaultRow*> faults, bool whole_rows)
      : options_(options), faults_(std::move(faults)), whole_rows_(whole_rows), results_(faults_.size()) {}

  bool run(std::string& error) {
    if (!run_twin(error)) return false;
    std::vector<std::jthread> threads;
    for (uint64_t i = 1; i < std::min<uint64_t>(options_.jobs, faults_.size()); ++i) threads.emplace_back([this] { work(); });
    work();
    return true;
  }
  const std::vector<FaultResult>& results() const { return results_; }

 private:
  KernelSelection selection_for(std::span<const FaultRow* const> faults) const {
    KernelSelection selection;
    for (const FaultRow* fault : faults) {
      selection.selection.run.emplace_back(fault->check);
      if (whole_rows_) selection.selection.run.push_back(row_of(fault->check) + "/*");
    }
    return selection;
  }

  bool run_twin(std::string& error) {
    SuiteSubject twin = subject(options_, healthy_setting(kTarget));
    if (!launch(twin.launch)->describe(twin.description, error)) return false;
    SuiteOptions suite;
    suite.jobs = options_.jobs;
    const std::vector<SuiteSubject> subjects{std::move(twin)};
    for (Result& r : run_kernel_suite(subjects, selection_for(faults_), suite)) twin_[r.case_id] = std::move(r);
    return true;
  }

  void work() {
    for (;;) {
      const size_t next = next_++;
      if (next >= faults_.size()) return;
      results_[next] = one(*faults_[next]);
      if (options_.progress) options_.progress(std::min(++done_, faults_.size()), faults_.size());
    }
  }

  FaultResult one(const FaultRow& fault) const {
    FaultResult result;
    result.fault = fault.name;
    result.named_check = fault.check;
    result.modelled_on = fault.modelled_on;
    SuiteSubject faulty = subject(options_, fault_setting(fault));
    const std::unique_ptr<Implementation> implementation = launch(faulty.launch);
    if (!implementation->describe(faulty.description, result.message)) return result;
    const FaultRow* const row = &fault;
    const std::vector<SuiteSubject> subjects{faulty};
    std::map<std::string, size_t> checks;
    size_t named = 0, failed = 0;
    std::string twin_failure;
    for (const Result& r : run_kernel_suite(subjects, selection_for({&row, 1}), SuiteOptions())) {
      const auto twin = twin_.find(r.case_id);
      const bool twin_passes = twin != twin_.end() && !is_bad(twin->second.raw);
      const bool bad = is_bad(r.raw) && r.raw != Outcome::untrusted;
      if (bad && twin_passes) ++checks[r.rule];
      if (!selects(fault.check, r.case_id)) continue;
      ++named;
      failed += bad && twin_passes;
      if (!twin_passes && twin_failure.empty()) twin_failure = "the healthy twin does not pass " + r.case_id;
    }
    for (const auto& [check, count] : checks) result.caught_by.push_back(check);
    result.caught = failed > 0 && twin_failure.empty();
    if (named == 0) result.message = "the check selects no case";
    else if (!twin_failure.empty()) result.message = twin_failure;
    else if (failed == 0) result.message = fmt::format("all {} cases of the check pass with the fault", named);
    else result.message = fmt::format("{} of {} cases of the check fail", failed, named);
    if (whole_rows_ && !faulty.description.kernels.empty()) {
      const KernelRow kernel = kernel_row(faulty.description.kernels.front(), 0);
      result.passes_elsewhere = OtherCriteria(*implementation, kernel).met();
    }
    return result;
  }

  const SelfTestOptions& options_;
  const std::vector<const FaultRow*> faults_;
  const bool whole_rows_;  // all checks of the fault's row, not the named one alone
  std::map<std::string, Result> twin_;
  std::vector<FaultResult> results_;
  std::atomic<size_t> next_ = 0, done_ = 0;
};

}  // namespace

bool run_kernel_self_test(const SelfTestOptions& options, std::vector<FaultResult>& out, std::string& error) {
  std::vector<const FaultRow*> faults;
  for (const FaultRow& fault : fault_rows())
    if (fault.target == kTarget && options.faults.contains("fault/" + std::string(fault.name))) faults.push_back(&fault);
  KernelSelfTest test(options, std::move(faults), true);
  if (!test.run(error)) return false;
  out.insert(out.end(), test.results().begin(), test.results().end());
  return true;
}

std::string run_kernel_controls(const std::string& library) {
  std::vector<const FaultRow*> faults;
  for (std::string_view name : kControls)
    if (const FaultRow* fault = find_fault(name)) faults.push_back(fault);
  if (faults.size() != kControls.size()) return "a positive control has no row in the table of faults";
  SelfTestOptions options;
  options.library = library;
  KernelSelfTest test(options, std::move(faults), false);
  std::string error;
  if (!test.run(error)) return "the positive controls cannot run: " + error;
  for (const FaultResult& result : test.results())
    if (!result.caught)
      return fmt::format("a positive control was missed: {} by {}: {}", result.fault, result.named_check, result.message);
  return "";
}

}  // namespace gcts
