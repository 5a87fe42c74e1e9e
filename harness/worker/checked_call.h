// One call of a kernel, with what it has to leave as it was: the floating-point
// environment and the registers that a called function keeps.

#ifndef GCTS_HARNESS_WORKER_CHECKED_CALL_H_
#define GCTS_HARNESS_WORKER_CHECKED_CALL_H_

#include <cstdint>

#include "gcts/plugin.h"

namespace gcts::worker {

// Calls `run` with five pointer-sized arguments (a kernel takes the first ones).
// `environment`: bits of KernelAnswer::environment that the call changed; the
// environment is put back.
gcts_status checked_call(gcts_fn run, const uint64_t (&arguments)[5], uint32_t& environment);

}  // namespace gcts::worker

#endif  // GCTS_HARNESS_WORKER_CHECKED_CALL_H_
