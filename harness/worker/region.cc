// Maps the pages, and finds what was written beside an operand.

#include "harness/worker/region.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace gcts::worker {
namespace {

uint64_t page_bytes() {
  static const auto bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}
uint64_t round_up(uint64_t v, uint64_t to) { return (v + to - 1) / to * to; }

}  // namespace

Region::~Region() {
  if (map_) munmap(map_, map_bytes_);
}

bool Region::reserve(uint64_t middle) {
  const uint64_t page = page_bytes();
  map_bytes_ = middle + 2 * page;
  void* map = mmap(nullptr, map_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED) return false;
  map_ = static_cast<uint8_t*>(map);
  first_ = map_ + page;
  middle_bytes_ = middle;
  return true;
}

bool Region::allocate(uint64_t size, uint64_t alignment, Placement placement, uint32_t skew) {
  const uint64_t page = page_bytes();
  alignment = std::max<uint64_t>(alignment, 1);
  if (!reserve(round_up(size + 64 + alignment, page))) return false;
  if (mprotect(first_, middle_bytes_, PROT_READ | PROT_WRITE) != 0) return false;
  size_ = size;
  uint8_t* last = first_ + (middle_bytes_ - size);
  switch (placement) {
    case Placement::end:
      data_ = last - reinterpret_cast<uint64_t>(last) % alignment;
      break;
    case Placement::start:
      data_ = first_;
      break;
    case Placement::skewed: {
      const uint64_t over = (reinterpret_cast<uint64_t>(last) + 64 - skew % 64) % 64;
      data_ = last - over;
      break;
    }
  }
  std::memset(first_, kSlack, static_cast<size_t>(data_ - first_));
  std::memset(data_ + size, kSlack, static_cast<size_t>(first_ + middle_bytes_ - data_ - size));
  return true;
}

bool Region::map_tiles(int fd, uint64_t offset, uint64_t tile_bytes, uint64_t size, bool writable) {
  if (tile_bytes == 0 || tile_bytes % page_bytes() != 0) return false;
  const uint64_t middle = round_up(size, page_bytes());
  if (!reserve(middle)) return false;
  size_ = size;
  const int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
  // The last tile ends where the operand does, so that reading on is a fault.
  for (uint64_t at = 0; at < middle; at += tile_bytes) {
    const uint64_t bytes = std::min(tile_bytes, middle - at);
    if (mmap(first_ + at, bytes, protection, MAP_SHARED | MAP_FIXED, fd, static_cast<off_t>(offset)) == MAP_FAILED)
      return false;
  }
  data_ = first_;
  return true;
}

bool Region::map_file(int fd, uint64_t offset, uint64_t size) {
  const uint64_t page = page_bytes(), first = offset / page * page;
  if (!reserve(round_up(offset + size - first, page))) return false;
  if (mmap(first_, middle_bytes_, PROT_READ, MAP_SHARED | MAP_FIXED, fd, static_cast<off_t>(first)) == MAP_FAILED)
    return false;
  data_ = first_ + (offset - first);
  size_ = size;
  return true;
}

void Region::make_read_only() { mprotect(first_, middle_bytes_, PROT_READ); }

uint64_t Region::damaged_slack() const {
  for (const uint8_t* p = first_; p < data_; ++p)
    if (*p != kSlack) return static_cast<uint64_t>(p - data_);
  for (const uint8_t* p = data_ + size_; p < first_ + middle_bytes_; ++p)
    if (*p != kSlack) return static_cast<uint64_t>(p - data_);
  return UINT64_MAX;
}

}  // namespace gcts::worker
