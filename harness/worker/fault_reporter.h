// Faults inside a plugin: a signal becomes the last answer of the worker.

#ifndef GCTS_HARNESS_WORKER_FAULT_REPORTER_H_
#define GCTS_HARNESS_WORKER_FAULT_REPORTER_H_

#include <cstdint>

namespace gcts::worker {

// Installs handlers for SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT and SIGTRAP on a
// stack of their own.  A handler writes a FaultAnswer to kAnswerFd and ends the
// process.
void report_faults();

// The request being answered, and the input that it works on (null: none).
void set_fault_context(uint32_t request_id);
void set_fault_input(const void* input, uint64_t size);

}  // namespace gcts::worker

#endif  // GCTS_HARNESS_WORKER_FAULT_REPORTER_H_
