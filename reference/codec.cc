// Walks the fields of blocks by their description.

#include "reference/codec.h"

#include <algorithm>

namespace gcts {

uint32_t number_bytes(NumberFormat format) {
  static constexpr uint8_t kBytes[] = {1, 1, 2, 2, 4, 4, 8, 2, 2, 4, 8, 1, 1};
  return kBytes[static_cast<size_t>(format)];
}

void swap_fields(const Codec& codec, std::byte* blocks, uint64_t block_count) {
  const BlockField& last = codec.fields.back();
  const uint64_t block_bytes = last.offset + uint64_t{last.count} * number_bytes(last.format);
  for (const BlockField& field : codec.fields) {
    const uint32_t width = number_bytes(field.format);
    if (width == 1) continue;
    for (uint64_t block = 0; block < block_count; ++block) {
      std::byte* number = blocks + block * block_bytes + field.offset;
      for (uint32_t i = 0; i < field.count; ++i, number += width) std::reverse(number, number + width);
    }
  }
}

}  // namespace gcts
