// Can this machine tell a slower kernel from itself?
//
// A fixed set of 20 kernels, each measured beside itself and beside a twin that makes every
// tenth call twice, all in one process and in turns.  A comparison of a kernel with itself
// has to be clean, the twin has to be reported as slower; "too noisy" is a miss in both.

#ifndef GCTS_HARNESS_BENCH_TWINS_H_
#define GCTS_HARNESS_BENCH_TWINS_H_

#include <functional>
#include <iosfwd>
#include <vector>

#include "harness/bench_run.h"

namespace gcts {

// Prints a line a kernel; 0 if at least 19 of 20 are clean and 18 of 20 reported, else 1.
int run_bench_twins(const std::vector<BenchMeasurement>& plan, const std::function<BenchWorker&(uint32_t)>& worker_of,
                        uint64_t ring_bytes, std::ostream& out);

}  // namespace gcts

#endif  // GCTS_HARNESS_BENCH_TWINS_H_
