// What the codecs with blocks of 256 values share.

#ifndef GCTS_REFERENCE_CODECS_SUPERBLOCK_H_
#define GCTS_REFERENCE_CODECS_SUPERBLOCK_H_

#include <cstddef>
#include <cstdint>

#include "reference/block.h"

namespace gcts::superblock {

inline constexpr size_t kElements = 256;

// Codec::dequantize from a function of one block.
template <class Block, void (*decode)(const Block& block, float* values)>
void dequantize(const std::byte* blocks, float* values, uint64_t count) {
  for (uint64_t i = 0; i < count / kElements; ++i, values += kElements)
    decode(load_block<Block>(blocks, i), values);
}

// Codec::validate of a block whose only demand is that the f16 at kByte is finite.
template <size_t kByte>
BlockFault validate_scale(const std::byte* block) {
  return f16_scale_fault(load_block<Little16>(block + kByte, 0), kByte);
}

// The same of a block with a second f16, for the minima.
template <size_t kScaleByte, size_t kMinByte>
BlockFault validate_scale_and_min(const std::byte* block) {
  const BlockFault fault = validate_scale<kScaleByte>(block);
  if (fault.what != nullptr) return fault;
  return f16_fault(load_block<Little16>(block + kMinByte, 0), kMinByte, "scale dmin is NaN",
                   "scale dmin is infinite");
}

// -1 where bit j is set, else 1.
inline float sign_factor(uint32_t signs, size_t j) { return (signs >> j & 1) != 0 ? -1.0f : 1.0f; }

}  // namespace gcts::superblock

#endif  // GCTS_REFERENCE_CODECS_SUPERBLOCK_H_
