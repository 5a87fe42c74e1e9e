// What a device is asked beside a kernel's operands.

#ifndef GCTS_HARNESS_WORKER_DEVICE_H_
#define GCTS_HARNESS_WORKER_DEVICE_H_

#include <string>

#include "gcts/plugin.h"

namespace gcts::worker {

// What made its last call fail, in its words; "" if it has none.
std::string device_error(const gcts_device& device);

// Waits until everything is done.  A device whose kernel faulted is of no use to anyone:
// the process ends as it would after a fault on the host.
void wait_for(const gcts_device& device);

}  // namespace gcts::worker

#endif  // GCTS_HARNESS_WORKER_DEVICE_H_
