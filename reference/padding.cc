// Finds padding and looks for bytes in it that are not zero.

#include "reference/padding.h"

#include <algorithm>

namespace gcts {

std::vector<uint64_t> by_offset(std::span<const Extent> tensors) {
  std::vector<uint64_t> order;
  order.reserve(tensors.size());
  bool sorted = true;
  uint64_t last = 0;
  for (uint64_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i].sized()) continue;
    order.push_back(i);
    sorted = sorted && (tensors[i].offset > last || order.size() == 1);
    last = tensors[i].offset;
  }
  // Files in order, which is all but a few, cost one pass.
  if (sorted) return order;
  const auto before = [&](uint64_t a, uint64_t b) {
    if (tensors[a].offset != tensors[b].offset) return tensors[a].offset < tensors[b].offset;
    const bool empty_a = tensors[a].size == 0, empty_b = tensors[b].size == 0;
    return empty_a != empty_b ? empty_a : a < b;
  };
  if (!std::is_sorted(order.begin(), order.end(), before)) std::sort(order.begin(), order.end(), before);
  return order;
}

std::vector<Padding> find_padding(const Reading& reading, std::span<const Extent> extents) {
  constexpr size_t kUsual = 8;  // of a small file
  std::vector<Padding> padding;
  padding.reserve(std::min(kUsual, extents.size() + 1));
  if (reading.metadata_end < reading.data_start)
    padding.push_back({DirtyPadding::kBeforeData, reading.metadata_end, reading.data_start});
  uint64_t data_end = reading.data_start;  // of the tensors so far
  uint64_t last = DirtyPadding::kBeforeData;
  const auto close = [&](uint64_t next_start) {
    if (last == DirtyPadding::kBeforeData || data_end > UINT64_MAX - reading.alignment) return;
    const uint64_t over = past_alignment(data_end - reading.data_start, reading.alignment);
    const uint64_t end = over == 0 ? data_end : std::min(data_end + (reading.alignment - over), next_start);
    if (data_end < end) padding.push_back({last, data_end, end});
  };
  for (const uint64_t i : by_offset(extents)) {
    const Extent& t = extents[i];
    if (t.offset > UINT64_MAX - reading.data_start || t.size > UINT64_MAX - reading.data_start - t.offset) continue;
    const uint64_t start = reading.data_start + t.offset;
    if (start >= data_end) close(start);
    if (start + t.size <= data_end) continue;
    data_end = start + t.size;
    last = i;
  }
  close(UINT64_MAX);
  return padding;
}

void PaddingScan::see(uint64_t offset, std::span<const std::byte> bytes) {
  const uint64_t end = offset + bytes.size();
  while (next_ < padding_.size() && padding_[next_].begin < end) {
    const Padding& p = padding_[next_];
    if (!found_ && p.end > offset) {
      const uint64_t from = std::max(p.begin, offset);
      const auto part = bytes.subspan(from - offset, std::min(p.end, end) - from);
      const auto dirty = std::find_if(part.begin(), part.end(), [](std::byte b) { return b != std::byte{0}; });
      found_ = dirty != part.end();
      if (found_) dirty_.push_back({p.tensor, p.begin, from + static_cast<uint64_t>(dirty - part.begin())});
    }
    if (p.end > end) return;
    ++next_;
    found_ = false;
  }
}

}  // namespace gcts
