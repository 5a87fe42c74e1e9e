// Mapping of inputs between guard pages, and of the growing output.

#include "harness/worker/shared_memory.h"

#include <sys/mman.h>
#include <unistd.h>

namespace gcts::worker {

GuardedInput::GuardedInput(int fd, uint64_t offset, uint64_t size) : size_(size) {
  const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t first = offset / page * page;
  const uint64_t mapped = offset + size - first;  // ends at a page, as the host places it
  region_size_ = page + mapped + page;
  region_ = mmap(nullptr, region_size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (region_ == MAP_FAILED) {
    region_ = nullptr;
    return;
  }
  auto* middle = static_cast<uint8_t*>(region_) + page;
  if (mapped > 0 && mmap(middle, mapped, PROT_READ, MAP_SHARED | MAP_FIXED, fd,
                         static_cast<off_t>(first)) == MAP_FAILED) {
    return;
  }
  data_ = middle + (offset - first);
}

GuardedInput::~GuardedInput() {
  if (region_) munmap(region_, region_size_);
}

bool SharedOutput::grow(uint64_t needed) {
  uint64_t capacity = capacity_ ? capacity_ : 1u << 20;
  while (capacity < needed) {
    if (capacity > UINT64_MAX / 4) return false;
    capacity *= 2;
  }
  if (ftruncate(fd_, static_cast<off_t>(capacity)) != 0) return false;
  void* map = mmap(nullptr, capacity, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  if (map == MAP_FAILED) return false;
  if (data_) munmap(data_, capacity_);
  data_ = static_cast<uint8_t*>(map);
  capacity_ = capacity;
  return true;
}

SharedOutput::~SharedOutput() {
  if (data_) munmap(data_, capacity_);
}

}  // namespace gcts::worker
