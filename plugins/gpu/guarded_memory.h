// Host memory between two unmapped pages, for devices that work on it directly.

#ifndef GCTS_PLUGINS_GPU_GUARDED_MEMORY_H_
#define GCTS_PLUGINS_GPU_GUARDED_MEMORY_H_

#include <cstdint>

namespace gpu {

// `size` bytes that end where the upper page begins.  What alignment to a page leaves in
// front of them is filled with kMark.
class GuardedMemory {
 public:
  static constexpr uint8_t kMark = 0x3c;

  // `mapped` false: addresses alone, none of which can be read.
  explicit GuardedMemory(uint64_t size, bool mapped);
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  uint8_t* data() const { return data_; }  // null: there is no memory
  bool intact() const;                     // the bytes in front

 private:
  uint8_t* map_ = nullptr;
  uint64_t map_bytes_ = 0, page_ = 0;
  uint8_t* data_ = nullptr;
  bool mapped_;
};

}  // namespace gpu

#endif  // GCTS_PLUGINS_GPU_GUARDED_MEMORY_H_
