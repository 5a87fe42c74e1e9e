// Asks a device for its error in words, and waits until it has done what it was given.

#include "harness/worker/device.h"

#include <cstdio>
#include <cstdlib>

namespace gcts::worker {

std::string device_error(const gcts_device& device) {
  const char* text = device.last_error ? device.last_error(device.context) : nullptr;
  return text ? text : "";
}

void wait_for(const gcts_device& device) {
  if (device.synchronize(device.context) == GCTS_OK) return;
  std::fprintf(stderr, "the device is lost: %s\n", device_error(device).c_str());
  std::abort();
}

}  // namespace gcts::worker
