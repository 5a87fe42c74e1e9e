// Maps host memory with unmapped pages on both sides.

#include "guarded_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace gpu {

GuardedMemory::GuardedMemory(uint64_t size, bool mapped) : page_(static_cast<uint64_t>(sysconf(_SC_PAGESIZE))), mapped_(mapped) {
  const uint64_t middle = (size + page_ - 1) / page_ * page_;
  map_bytes_ = middle + 2 * page_;
  void* map = mmap(nullptr, map_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED) return;
  map_ = static_cast<uint8_t*>(map);
  if (mapped && mprotect(map_ + page_, middle, PROT_READ | PROT_WRITE) != 0) return;
  data_ = map_ + page_ + (middle - size);
  if (mapped) std::memset(map_ + page_, kMark, middle - size);
}

GuardedMemory::~GuardedMemory() {
  if (map_) munmap(map_, map_bytes_);
}

bool GuardedMemory::intact() const {
  return !mapped_ || std::all_of(map_ + page_, data_, [](uint8_t b) { return b == kMark; });
}

}  // namespace gpu
