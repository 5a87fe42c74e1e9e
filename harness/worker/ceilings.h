// The loops behind ceilings.inc.

#ifndef GCTS_HARNESS_WORKER_CEILINGS_H_
#define GCTS_HARNESS_WORKER_CEILINGS_H_

#include <cstdint>

namespace gcts::worker {

#define CLOCK(quantity, variant) void quantity##_##variant(uint64_t steps);
#define PEAK(quantity, variant, features, operations) void peak_##quantity##_##variant(uint64_t steps);
#define TRAFFIC(quantity, variant, features) \
  void traffic_##quantity##_##variant(uint8_t* to, const uint8_t* from, uint64_t bytes);
#include "harness/worker/ceilings.inc"
#undef CLOCK
#undef PEAK
#undef TRAFFIC

// Instructions of one step of a CLOCK row.
inline constexpr uint64_t kClockSteps = 64;

}  // namespace gcts::worker

#endif  // GCTS_HARNESS_WORKER_CEILINGS_H_
