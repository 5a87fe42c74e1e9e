// What the machine can do, as measured in the run itself, and what follows for a kernel.

#ifndef GCTS_HARNESS_BENCH_CEILINGS_H_
#define GCTS_HARNESS_BENCH_CEILINGS_H_

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/bench_plan.h"
#include "harness/bench_worker.h"
#include "harness/machine.h"
#include "reports/report.h"

namespace gcts {

enum class MemoryLevel : uint8_t { l1, l2, l3, memory };
inline constexpr size_t kLevels = 4;
std::string_view level_name(MemoryLevel level);

// The least time that a call can take, and what says so.
struct Bound {
  double ns = 0;        // 0: nothing is known
  std::string ceiling;  // "memory read", "int8"
};

// Which arithmetic may bound a kernel, as quantities; `any`: whatever a machine may have for it.
std::vector<std::string> arithmetic_kinds(const KernelRow& row, bool any);

// The best that was ever seen of a quantity, and by which way.
struct BestRate {
  double rate = 0;
  double first = 0, last = 0;  // at the first and the last measuring
  std::string variant;

  void take(double measured, const std::string& by);
};

// What memory gives for as long as kernels are timed, bytes a nanosecond: the median of samples
// one after the other.  Where other machines share it that is not what it gave a minute ago,
// and after a rest it may give twice as much for some milliseconds.
struct MemoryNow {
  double read = 0, write = 0;  // 0: not looked at
};

class Ceilings {
 public:
  explicit Ceilings(const Topology& topology) : topology_(topology) {}

  // Measures every way of every quantity that this machine has, for each thread count, or
  // measures again: the best ever seen counts.  `quick`: fewer and shorter samples.
  // False and why if the worker knows none.
  bool measure(BenchWorker& worker, const std::vector<uint32_t>& threads, bool quick, std::string& error);

  // Looks again at memory alone, by the ways that were best, for what a kernel does with it.
  MemoryNow memory_now(BenchWorker& worker, const BenchMeasurement& measurement, bool quick);

  // Bytes or operations a nanosecond; 0 where it was not measured.
  double traffic(std::string_view quantity, MemoryLevel level, uint32_t threads) const;
  double compute(std::string_view quantity, uint32_t threads) const;

  // The level where operands of that many bytes a thread lie.  Between two caches the
  // faster one counts, so that nothing looks faster than its ceiling for a part that
  // stays nearer.
  MemoryLevel level_of(uint64_t bytes, uint32_t threads) const;
  // `now`: memory counts as it was then.
  Bound bound(const BenchMeasurement& measurement, const MemoryNow& now) const;
  // The same under the fastest arithmetic of any kind and the fastest memory of any moment:
  // what nothing can exceed.
  Bound outer_bound(const BenchMeasurement& measurement) const;

  // Bytes of a ring that no cache holds.
  uint64_t ring_bytes() const;
  // How the first measuring and the last differ, in words: a machine that was busy at one of
  // them, or changed its clock.
  std::string drift() const;
  // "ceiling/read/l2/t=1" and so on, with the way that was best.
  std::vector<Result> results(uint32_t subject) const;

 private:
  using Key = std::pair<std::string, uint32_t>;  // "read/l2", threads

  uint64_t level_bytes(MemoryLevel level, uint32_t threads) const;
  double arithmetic(const BenchMeasurement& measurement, bool any, std::string& name) const;
  Bound bound(const BenchMeasurement& measurement, bool any, const MemoryNow& now) const;

  Topology topology_;
  std::vector<CeilingWay> ways_;
  std::map<Key, BestRate> best_;
};

}  // namespace gcts

#endif  // GCTS_HARNESS_BENCH_CEILINGS_H_
