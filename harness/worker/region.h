// Memory for one operand of a kernel, between two unmapped pages.

#ifndef GCTS_HARNESS_WORKER_REGION_H_
#define GCTS_HARNESS_WORKER_REGION_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "harness/worker/protocol.h"

namespace gcts::worker {

// What lies between an operand and the guard pages, where alignment leaves room.
inline constexpr uint8_t kSlack = 0xa5;

class Region {
 public:
  Region() = default;
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  ~Region();

  // `size` bytes, placed so that the address is a multiple of `alignment` (a power of
  // two).  False if there is no memory.
  bool allocate(uint64_t size, uint64_t alignment, Placement placement, uint32_t skew);
  // `size` bytes of address space that repeat `tile_bytes` (a multiple of a page) of a file.
  bool map_tiles(int fd, uint64_t offset, uint64_t tile_bytes, uint64_t size, bool writable);
  // `size` bytes at `offset` of a file, read-only, at the address modulo a page that the
  // offset has; the rest of their first and last page is what the file holds there.
  bool map_file(int fd, uint64_t offset, uint64_t size);
  void make_read_only();

  uint8_t* data() const { return data_; }
  uint64_t size() const { return size_; }
  // The operand with the slack around it: all that lies between the unmapped pages.
  std::span<uint8_t> whole() const { return {first_, middle_bytes_}; }
  // The first byte of the slack that changed, as an offset from data(), wrapping below 0;
  // UINT64_MAX if none did.
  uint64_t damaged_slack() const;

 private:
  bool reserve(uint64_t pages_bytes);

  uint8_t* map_ = nullptr;
  uint64_t map_bytes_ = 0;
  uint8_t* first_ = nullptr;  // of the mapped middle
  uint64_t middle_bytes_ = 0;
  uint8_t* data_ = nullptr;
  uint64_t size_ = 0;
};

}  // namespace gcts::worker

#endif  // GCTS_HARNESS_WORKER_REGION_H_
