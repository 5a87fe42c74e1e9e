// Where the padding of a file lies, and whether it is zero.

#ifndef GCTS_REFERENCE_PADDING_H_
#define GCTS_REFERENCE_PADDING_H_

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "reference/reader.h"

namespace gcts {

// value modulo an alignment.  Most are powers of two, for which a mask does what a
// division would take many times as long for.
inline uint64_t past_alignment(uint64_t value, uint32_t alignment) {
  return (alignment & (alignment - 1)) == 0 ? value & (alignment - 1) : value % alignment;
}

// A tensor's place relative to the data start.  What looks at all tensors together
// works on these: a quarter of the memory of the views, or less.
struct Extent {
  static constexpr uint64_t kUnknown = UINT64_MAX;  // no tensor is that large: see measure()
  uint64_t offset = 0;
  uint64_t size = kUnknown;
  bool sized() const { return size != kUnknown; }
};

// A stretch of padding: before the data, or behind a tensor up to the alignment or
// the next tensor, whichever comes first.
struct Padding {
  uint64_t tensor = DirtyPadding::kBeforeData;
  uint64_t begin = 0;
  uint64_t end = 0;
};

// In file order, without overlap.  Tensors of unknown size have none.
std::vector<Padding> find_padding(const Reading& reading, std::span<const Extent> extents);

// Looks for bytes that are not zero in padding, while the file passes by in order.
class PaddingScan {
 public:
  explicit PaddingScan(std::vector<Padding> padding) : padding_(std::move(padding)) {}
  std::span<const Padding> padding() const { return padding_; }
  // Is shown the bytes of the file from `offset` on; later calls show later bytes.
  void see(uint64_t offset, std::span<const std::byte> bytes);
  std::vector<DirtyPadding> take() { return std::move(dirty_); }

 private:
  std::vector<Padding> padding_;
  std::vector<DirtyPadding> dirty_;
  size_t next_ = 0;      // the first stretch that is not wholly seen
  bool found_ = false;   // whether that one is known to be dirty
};

// The indices of the extents with a size, by offset; of equal offsets empty ones
// first, then in file order.
std::vector<uint64_t> by_offset(std::span<const Extent> extents);

}  // namespace gcts

#endif  // GCTS_REFERENCE_PADDING_H_
