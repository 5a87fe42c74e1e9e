// One operand of a kernel: its bytes between unmapped pages, and, where the kernel works
// on a device, their copy there.

#ifndef GCTS_HARNESS_WORKER_OPERAND_H_
#define GCTS_HARNESS_WORKER_OPERAND_H_

#include <cstdint>
#include <vector>

#include "gcts/plugin.h"
#include "harness/worker/region.h"

namespace gcts::worker {

// On a device the whole region is copied, slack included, into one allocation of its
// size: an operand that ends at the region's end ends at the allocation's, and what is
// read beyond lies in the device's guard; what is written beside it shows in the slack.
class Operand {
 public:
  Operand() = default;
  Operand(const Operand&) = delete;
  Operand& operator=(const Operand&) = delete;
  ~Operand();

  struct Part {
    uint64_t offset, size;
  };

  Region host;
  // What of the region is copied, where the kernel has no business with the rest; empty: all.
  std::vector<Part> parts;

  // Memory for the copy, with the region's bytes.  `device`: outlives the operand; null:
  // the kernel works on the region itself, and all below does nothing.
  bool copy_to(const gcts_device* device);
  bool upload();
  bool download();  // into the region
  // The first byte of the copy that differs from the region, as an offset from the operand;
  // `none` if none does.  Inputs have to stay as they were.
  static constexpr int64_t none = INT64_MAX;
  int64_t changed() const;

  // What the kernel gets; null for an operand that is absent.
  const void* address() const;

 private:
  std::vector<Part> copied() const;

  const gcts_device* device_ = nullptr;
  uint8_t* copy_ = nullptr;
};

}  // namespace gcts::worker

#endif  // GCTS_HARNESS_WORKER_OPERAND_H_
