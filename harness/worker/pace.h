// Tells whether something else works in the same core at the moment.

#ifndef GCTS_HARNESS_WORKER_PACE_H_
#define GCTS_HARNESS_WORKER_PACE_H_

#include <cstdint>

namespace gcts::worker {

// Nanoseconds of a fixed piece of work, 10 to 50 microseconds of today's cores: chains of integer
// and of float operations that together ask for four operations a cycle and for no memory.
// A neighbour in the other half of the core, another process, or the hypervisor makes it
// longer, the caches and the memory do not.
uint64_t pace_ns();

}  // namespace gcts::worker

#endif  // GCTS_HARNESS_WORKER_PACE_H_
