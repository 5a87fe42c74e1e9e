// The state of a worker: its plugin, its shared memory, and the answer being made.

#ifndef GCTS_HARNESS_WORKER_SESSION_H_
#define GCTS_HARNESS_WORKER_SESSION_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gcts/plugin.h"
#include "harness/worker/protocol.h"
#include "harness/worker/shared_memory.h"
#include "harness/worker/wire.h"

namespace gcts::worker {

// The plugin's tables, in full size: what a smaller struct_size leaves out is zero.
struct Plugin {
  gcts_plugin table{};
  gcts_reader reader{};  // read is null without a reader
  gcts_writer writer{};
  gcts_device device{};  // open is null without a device
  std::string no_device; // not empty: why kernels on the device cannot run
  std::string error;     // not empty: the plugin cannot be used

  gcts_kernel kernel(uint64_t index) const;
  gcts_api_check api_check(uint64_t index) const;
  gcts_device_ceiling device_ceiling(uint64_t index) const;
  // The device of an open one whose kernel this is, else null.
  const gcts_device* device_of(const gcts_kernel& kernel) const {
    return (kernel.flags & GCTS_KERNEL_ON_DEVICE) && no_device.empty() ? &device : nullptr;
  }
  // Opens the device if a kernel works on it; sets no_device.
  void open_device();
};

Plugin open_plugin(const char* path);
// The tables that a plugin's entry returned, checked.
Plugin take_plugin(const gcts_plugin* table);

struct Bench;  // bench.cc

struct Session {
  Plugin plugin;
  SharedOutput output{kOutputFd};
  WireWriter answer;
  std::vector<uint32_t> processors;  // that timed threads take, in this order; empty: any
  std::shared_ptr<Bench> bench;  // null until something is timed
};

// One function a row of requests.inc: takes the request's payload, fills
// session.answer.  False: the payload makes no sense.
using AnswerFn = bool (*)(Session& session, std::span<const uint8_t> payload);
#define REQUEST(number, name) bool answer_##name(Session& session, std::span<const uint8_t> payload);
#include "harness/worker/requests.inc"
#undef REQUEST

}  // namespace gcts::worker

#endif  // GCTS_HARNESS_WORKER_SESSION_H_
