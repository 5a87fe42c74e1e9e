// How fast readers read, and what they hold while they do.

#ifndef GCTS_HARNESS_BENCH_READERS_H_
#define GCTS_HARNESS_BENCH_READERS_H_

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "harness/bench_run.h"
#include "harness/bench_worker.h"
#include "harness/implementation.h"
#include "harness/selection.h"
#include "reports/report.h"

namespace gcts {

struct BenchReader {
  uint32_t subject = 0;
  uint32_t capabilities = 0;  // GCTS_READS_*
};

// bench/read/metadata/vocabulary: a file with the vocabulary of a published model's size and
// a few hundred tensors, read up to its data.  Readers take turns, as kernels do.
inline constexpr const char* kBenchReadId = "bench/read/metadata/vocabulary";
std::vector<Result> run_bench_readers(const std::vector<BenchReader>& readers,
                                      const std::function<BenchWorker&(uint32_t subject)>& worker_of,
                                      const BenchTerms& terms);

}  // namespace gcts

#endif  // GCTS_HARNESS_BENCH_READERS_H_
