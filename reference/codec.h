// What the bytes of a block mean.
//
// A codec is the reference for one tensor type: it decodes blocks to f32 bits that
// every implementation must give, encodes where a reference quantizer is defined,
// and says which bytes are not legal.  Each stands in codecs/<type>.cc under a
// head comment with its layout and formula.

#ifndef GCTS_REFERENCE_CODEC_H_
#define GCTS_REFERENCE_CODEC_H_

#include <cstddef>
#include <cstdint>

namespace gcts {

// Why a block is not legal.  Null: the block is legal.
struct BlockFault {
  const char* what = nullptr;   // "scale is NaN"
  uint32_t byte = 0;            // offset of the byte in the block
  bool strict_only = false;     // implementations disagree: counted only under --strict
};

struct Codec {
  // blocks -> count values.  count is a multiple of block_elements.
  void (*dequantize)(const std::byte* blocks, float* values, uint64_t count);
  // values -> blocks, null where no reference quantizer is defined.  importance: one
  // weight an element, or null for all ones.
  void (*quantize)(const float* values, const float* importance, std::byte* blocks, uint64_t count);
  // The first fault of one block.
  BlockFault (*validate)(const std::byte* block);
};

}  // namespace gcts

#endif  // GCTS_REFERENCE_CODEC_H_
