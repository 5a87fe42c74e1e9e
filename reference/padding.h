// Where the padding of a file lies, and whether it is zero.

#ifndef GCTS_REFERENCE_PADDING_H_
#define GCTS_REFERENCE_PADDING_H_

#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "reference/reader.h"

namespace gcts {

// value modulo an alignment.  Most are powers of two, for which a mask does what a
// division would take many times as long for.
inline uint64_t past_alignment(uint64_t value, uint32_t alignment) {
  return std::has_single_bit(alignment) ? value & (alignment - 1) : value % alignment;
}

// A stretch of padding: before the data, or behind a tensor up to the alignment or
// the next tensor, whichever comes first.
struct Padding {
  uint64_t tensor = DirtyPadding::kBeforeData;
  uint64_t begin = 0;
  uint64_t end = 0;
};

// In file order, without overlap.  Tensors of unknown size have none.
std::vector<Padding> find_padding(const Reading& reading);

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

// The indices of the tensors with a size, by the offset of their data; of equal
// offsets empty ones first, then in file order.
std::vector<uint64_t> tensors_by_offset(const Reading& reading);

}  // namespace gcts

#endif  // GCTS_REFERENCE_PADDING_H_
