// The worker's views of the memory that it shares with the main process.

#ifndef GCTS_HARNESS_WORKER_SHARED_MEMORY_H_
#define GCTS_HARNESS_WORKER_SHARED_MEMORY_H_

#include <cstddef>
#include <cstdint>

#include "harness/contents.h"

namespace gcts::worker {

// An input mapped read-only between two unmapped pages.  Its end, which the host
// puts at a multiple of kGuardAlignment, is the start of the guard: reading one byte
// too far is a fault at a known address.
class GuardedInput {
 public:
  GuardedInput(int fd, uint64_t offset, uint64_t size);
  ~GuardedInput();
  GuardedInput(const GuardedInput&) = delete;
  GuardedInput& operator=(const GuardedInput&) = delete;

  bool mapped() const { return data_ != nullptr; }
  const uint8_t* data() const { return data_; }
  uint64_t size() const { return size_; }

 private:
  void* region_ = nullptr;
  size_t region_size_ = 0;
  const uint8_t* data_ = nullptr;
  uint64_t size_ = 0;
};

// The output memory: grows as needed.  Its pages are shared, so that they do not
// count as anonymous memory of the plugin.
class SharedOutput final : public GrowingBytes {
 public:
  explicit SharedOutput(int fd) : fd_(fd) {}
  ~SharedOutput() override;

 private:
  bool grow(uint64_t needed) override;
  int fd_;
};

}  // namespace gcts::worker

#endif  // GCTS_HARNESS_WORKER_SHARED_MEMORY_H_
