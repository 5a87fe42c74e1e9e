// Compares kernels with themselves and with twins that do a tenth more.

#include "harness/bench_twins.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "reports/escape.h"
#include "reports/statistics.h"

namespace gcts {
namespace {

constexpr size_t kKernels = 20;
constexpr size_t kClean = 19, kReported = 18;
constexpr uint64_t kSlower = 100;  // in a thousand
constexpr double kThreshold = 0.05;

// The first of each operation in turn, on one thread, until there are enough.
std::vector<const BenchMeasurement*> fixed_set(const std::vector<BenchMeasurement>& plan) {
  std::vector<const BenchMeasurement*> out;
  std::vector<std::vector<const BenchMeasurement*>> by_op(GCTS_OP_MATMUL_ID + 1);
  for (const BenchMeasurement& m : plan)
    if (m.threads == 1 && !m.cold && !m.device && m.missing.empty()) by_op[m.row->op].push_back(&m);
  for (size_t i = 0; out.size() < kKernels; ++i) {
    const size_t before = out.size();
    for (const auto& list : by_op)
      if (i < list.size() && out.size() < kKernels) out.push_back(list[i]);
    if (out.size() == before) break;
  }
  return out;
}

}  // namespace

int run_bench_twins(const std::vector<BenchMeasurement>& plan, const std::function<BenchWorker&(uint32_t)>& worker_of,
                        uint64_t ring_bytes, std::ostream& out) {
  const std::vector<const BenchMeasurement*> set = fixed_set(plan);
  const BenchTerms terms{.seconds_each = 0.5, .sample_seconds = 1e-3, .wanted_spread = 0, .least_rounds = 40};
  size_t clean = 0, reported = 0;
  Paces paces;
  for (const BenchMeasurement* m : set) {
    const std::vector<Result> results = run_bench_group({{m, 0}, {m, 0}, {m, kSlower}}, worker_of, ring_bytes, terms, paces);
    const Estimate self = ratio_of_pairs(results[0].samples, results[1].samples);
    const Estimate twin = ratio_of_pairs(results[0].samples, results[2].samples);
    const SpeedVerdict same = verdict(self, kThreshold), slower = verdict(twin, kThreshold);
    clean += same == SpeedVerdict::same;
    reported += slower == SpeedVerdict::slower;
    out << fmt::format("{:<60} itself {:.3f} [{:.3f}, {:.3f}] {:<10} twin {:.3f} [{:.3f}, {:.3f}] {}\n", escape_terminal(m->id),
                       self.value, self.low, self.high, verdict_name(same), twin.value, twin.low, twin.high, verdict_name(slower));
  }
  out << fmt::format("clean {} of {}, at least {} wanted; slower by 10 % reported {} of {}, at least {} wanted\n", clean, set.size(),
                     kClean, reported, set.size(), kReported);
  return set.size() == kKernels && clean >= kClean && reported >= kReported ? 0 : 1;
}

}  // namespace gcts
