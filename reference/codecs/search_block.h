// One block of 256 values as the quantizers that search for scales see it.
//
// The quantizers of the K and IQ types choose scales and codes so that the squared error
// is small, measured both plainly and relative to the values: the error of value i
// counts with the weight
//
//   importance_i * (share * mean of squares + x_i^2)
//
// where `share` is chosen for each type.  All search runs on values multiplied by a
// power of two that brings the largest magnitude into [1, 2): no sum overflows and
// none is lost to underflow, whatever the input.
//
// What is not an ordinary number counts as one: a NaN value as 0; a value beyond the
// finite f32 as the largest of them; an importance that is NaN or negative as 0, and
// a run of values without importance as equally important.  A scale beyond f16
// saturates at 65504.  So every input gives a legal block, and every input that fits
// the type's range a finite one close to it.

#ifndef GCTS_REFERENCE_CODECS_SEARCH_BLOCK_H_
#define GCTS_REFERENCE_CODECS_SEARCH_BLOCK_H_

#include <cstddef>
#include <cstdint>

#include "reference/block.h"

namespace gcts {

struct SearchBlock {
  // An f16 as it is stored, and what it is worth on the scale of x.
  struct Scale {
    uint16_t bits;
    float value;
  };

  SearchBlock(const float* values, const float* importance, float share);

  // The f16 nearest to a factor of x, saturated.
  Scale nearest_scale(float factor) const;

  bool is_zero() const { return largest_ == 0; }

  float x[256];
  float w[256];  // above 0 and at most about 1

 private:
  void set_weights(const float* importance, float share);

  float largest_;
  int exponent_;
};

// Codec::quantize from a function that fills a zeroed block from one that has a value
// other than zero; a block of zeros is all zero bytes.
template <class Block, void (*encode)(const SearchBlock& from, Block& to)>
void quantize_blocks(const float* values, const float* importance, std::byte* blocks, uint64_t count,
                     float share) {
  for (uint64_t i = 0; i < count / 256; ++i) {
    const SearchBlock from(values + 256 * i, importance != nullptr ? importance + 256 * i : nullptr, share);
    Block to{};
    if (!from.is_zero()) encode(from, to);
    store_block(to, blocks, i);
  }
}

}  // namespace gcts

#endif  // GCTS_REFERENCE_CODECS_SEARCH_BLOCK_H_
