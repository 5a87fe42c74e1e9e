// Faults inside a plugin: a signal becomes the last answer of the worker.

#ifndef GCTS_HARNESS_WORKER_FAULT_REPORTER_H_
#define GCTS_HARNESS_WORKER_FAULT_REPORTER_H_

#include <cstdint>

#include "harness/worker/protocol.h"

namespace gcts::worker {

// Installs handlers for SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT and SIGTRAP on a
// stack of their own.  A handler writes a FaultAnswer to kAnswerFd and ends the
// process.
void report_faults();

// The request being answered, and the buffers that the plugin has been handed: at most
// kMostBuffers are kept.
inline constexpr int kMostBuffers = 6;
void set_fault_context(uint32_t request_id);
void add_fault_buffer(Buffer which, const void* data, uint64_t size);
void clear_fault_buffers();

}  // namespace gcts::worker

#endif  // GCTS_HARNESS_WORKER_FAULT_REPORTER_H_
