// Resource cases: one family of files at growing sizes, each read alone in a fresh
// worker, judged by time and memory.

#ifndef GCTS_HARNESS_RESOURCE_CASE_H_
#define GCTS_HARNESS_RESOURCE_CASE_H_

#include "harness/judge.h"

namespace gcts {

// Sizes n, 2n and 4n.  Superlinear is CPU(4n) / CPU(n) > 8 where CPU(n) is 20 ms or
// more, best of three.  Where CPU(n) is less than that but the ratio is already above 5,
// n grows by 4, twice at most.
// Memory: what is held beyond the file stays below kMemoryPerByte times its size.
inline constexpr double kSuperlinearRatio = 8;
inline constexpr double kMeasurableSeconds = 0.020;
inline constexpr uint64_t kMemoryPerByte = 32;
inline constexpr uint64_t kMemoryAllowance = 16u << 20;

// Fills times and memory of `result`.
Judgement run_resource_case(Implementation& implementation, const Case& c, Result& result);

}  // namespace gcts

#endif  // GCTS_HARNESS_RESOURCE_CASE_H_
