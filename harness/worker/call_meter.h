// What a call into the plugin costs and keeps: CPU time, heap, descriptors, threads.

#ifndef GCTS_HARNESS_WORKER_CALL_METER_H_
#define GCTS_HARNESS_WORKER_CALL_METER_H_

#include <cstdint>

namespace gcts::worker {

// Of the whole process, all threads.
uint64_t cpu_ns();

// What the process holds at one moment.
struct Holdings {
  int64_t heap_bytes = 0;  // allocated from the C library's heap
  int32_t lowest_fd = 0;   // the lowest free descriptor: rises when one is kept
  int32_t threads = 0;

  static Holdings now();
  // What `later` has more; never negative.
  Holdings grown(const Holdings& later) const;
  bool any() const { return heap_bytes > 0 || lowest_fd > 0 || threads > 0; }
  // Only what both have.
  Holdings common(const Holdings& other) const;
};

}  // namespace gcts::worker

#endif  // GCTS_HARNESS_WORKER_CALL_METER_H_
