// The clock by which runs are timed, and what its budgets come to.

#ifndef GCTS_HARNESS_CLOCK_H_
#define GCTS_HARNESS_CLOCK_H_

#include <time.h>

namespace gcts {

// Seconds of a clock that only goes forward.
inline double now_seconds() {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

// Why that is skipped for which a time budget leaves no time.
inline constexpr char kOutOfTime[] = "the time budget is used up";

}  // namespace gcts

#endif  // GCTS_HARNESS_CLOCK_H_
