// Memory that timed work goes over: large pages where the system has them.

#ifndef GCTS_HARNESS_WORKER_ARENA_H_
#define GCTS_HARNESS_WORKER_ARENA_H_

#include <sys/mman.h>

#include <cstdint>

namespace gcts::worker {

class Arena {
 public:
  Arena() = default;
  ~Arena() {
    if (data_) munmap(data_, bytes_);
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Not touched: a page belongs to the memory of the processor that touches it first.
  bool allocate(uint64_t bytes) {
    constexpr uint64_t kSlack = 256;  // loops that fetch ahead stay inside
    void* map = mmap(nullptr, bytes + kSlack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) return false;
    data_ = static_cast<uint8_t*>(map);
    bytes_ = bytes + kSlack;
    madvise(data_, bytes_, MADV_HUGEPAGE);
    return true;
  }
  uint8_t* data() const { return data_; }
  explicit operator bool() const { return data_ != nullptr; }

 private:
  uint8_t* data_ = nullptr;
  uint64_t bytes_ = 0;
};

}  // namespace gcts::worker

#endif  // GCTS_HARNESS_WORKER_ARENA_H_
