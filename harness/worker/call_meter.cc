// Meters that cost microseconds: none of them walks /proc for a small case.

#include "harness/worker/call_meter.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

namespace gcts::worker {

uint64_t cpu_ns() {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1000000000u + static_cast<uint64_t>(t.tv_nsec);
}

Holdings Holdings::now() {
  Holdings h;
  const struct mallinfo2 heap = mallinfo2();
  h.heap_bytes = static_cast<int64_t>(heap.uordblks + heap.hblkhd);
  h.lowest_fd = fcntl(0, F_DUPFD, 0);
  if (h.lowest_fd >= 0) ::close(h.lowest_fd);
  struct stat tasks;  // a directory has two links of its own and one a thread
  if (::stat("/proc/self/task", &tasks) == 0) h.threads = static_cast<int32_t>(tasks.st_nlink) - 2;
  return h;
}

Holdings Holdings::grown(const Holdings& later) const {
  return {std::max<int64_t>(0, later.heap_bytes - heap_bytes),
          std::max(0, later.lowest_fd - lowest_fd), std::max(0, later.threads - threads)};
}

Holdings Holdings::common(const Holdings& other) const {
  return {std::min(heap_bytes, other.heap_bytes), std::min(lowest_fd, other.lowest_fd),
          std::min(threads, other.threads)};
}

}  // namespace gcts::worker
