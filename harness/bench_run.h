// Measures kernels in groups that take turns.
//
// Each round times every member of a group once, in one order and then in the other.
// Rounds go on until every median is known well enough or the group's time is up.  A sample
// while something else works in the same core (worker/pace.h) is taken again, a round that has
// one all the same does not count, and the group gets more time instead.  Before and after, outputs are judged as the kernel suite judges them: a kernel that computes
// something else has no speed.

#ifndef GCTS_HARNESS_BENCH_RUN_H_
#define GCTS_HARNESS_BENCH_RUN_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/bench_ceilings.h"
#include "harness/bench_plan.h"
#include "harness/bench_worker.h"
#include "reports/report.h"

namespace gcts {

struct BenchTerms {
  double seconds_each = 0.2;      // of timing, for each measurement; a group's are pooled
  double sample_seconds = 1e-3;   // at least this long is one sample
  double wanted_spread = 0.01;    // half an interval by its median: known well enough
  double most_spread = 0.05;      // beyond: too noisy to be used
  uint64_t least_rounds = 7, most_rounds = 400;
  double most_disturbed = 2;      // times seconds_each, for samples that do not count
  double most_call_seconds = 2;   // a kernel slower than this is not timed
};

// What the fixed piece of work of worker/pace.h took so far, for each number of threads.
class Paces {
 public:
  void take(uint32_t threads, uint64_t ns) { taken_[threads].push_back(ns); }
  // The longest of an undisturbed round; to be asked anew now and then.
  uint64_t most(uint32_t threads) const;

 private:
  std::map<uint32_t, std::vector<uint64_t>> taken_;
};

// A member of a group; `extra_permille` as in BenchSampleRequest.
struct BenchMember {
  const BenchMeasurement* measurement = nullptr;
  uint64_t extra_permille = 0;
};

// One Result a member, in order; `worker_of` gives the worker of a subject.  `ring_bytes`:
// of a ring that no cache holds.
std::vector<Result> run_bench_group(const std::vector<BenchMember>& members,
                                    const std::function<BenchWorker&(uint32_t subject)>& worker_of,
                                    uint64_t ring_bytes, const BenchTerms& terms, Paces& paces);

// What share of its ceiling a timed kernel reaches; one above kMostShare is INVALID.  To be
// called once the ceilings are final: a quieter moment may raise them.
inline constexpr double kMostShare = 1.05;
void tell_share(const Bound& bound, const Bound& outer, Result& result);

}  // namespace gcts

#endif  // GCTS_HARNESS_BENCH_RUN_H_
