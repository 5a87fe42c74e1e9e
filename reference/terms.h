// The terms that a row of blocks is made of, without any rounding.
//
// An element of a block is  scale * sub-scale * code + min * sub-min, where not every type
// has every part.  Codecs give it rounded to f32; the exact oracle and the error bounds need
// the two terms apart and the factors of each.  They come from the codec itself: with the
// scales of a block set to 1 and its mins to 0 it decodes to sub-scale * code, with the
// scales 0 and the mins 1 to the sub-min, both small numbers that f32 holds exactly.  So a
// type needs no row here; only the size of one code step within a block that has sub-scales
// stands in terms.cc.

#ifndef GCTS_REFERENCE_TERMS_H_
#define GCTS_REFERENCE_TERMS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/codec.h"
#include "reference/tensor_type.h"

namespace gcts {

// The scales of a block (FieldRole::scale; for IQ1_M the f16 that is spread over its four
// words): how many there are, and how to set one to the number that the low bits of `bits`
// write in the field's own format.  Plain types have none.
uint32_t scale_count(const TensorType& type);
void set_scale(const TensorType& type, std::byte* block, uint32_t index, uint32_t bits);
// The same for the min, an f16.
bool has_mins(const TensorType& type);
void set_min(const TensorType& type, std::byte* block, uint32_t bits);

// The bits that write 2^exponent * (1 + fraction / 2^16) in the format of a type's scales,
// cut to the bits that the format has.  fraction < 2^16.
uint32_t scale_bits(const TensorType& type, int exponent, uint32_t fraction = 0);
NumberFormat scale_format(const TensorType& type);  // of a type with scales

inline bool has_scales(const TensorType& type) { return scale_count(type) != 0; }
bool has_subscales(const TensorType& type);

// The elements that share a sub-scale or, without sub-scales, a scale.
uint32_t run_elements(const TensorType& type);

// The zero point that unsigned codes of the type are relative to, in code steps; 0: none.
uint32_t zero_point(const TensorType& type);

// `count` elements of a row, one entry an element.
struct RowTerms {
  std::vector<double> product;  // scale * sub-scale * code; for plain types the value
  std::vector<double> offset;   // min * sub-min; empty for types without mins
  std::vector<double> step;     // scale * sub-scale: what one code step is worth
  std::vector<float> code;      // 0 where the sub-scale is 0
  std::vector<double> growth;   // the product of max(1, |factor|) of each term, the larger one
  double largest_scale = 1;     // the largest product of max(1, |factor|) of scales or mins
  bool finite = true;
  bool has_nan = false;  // a scale, a min or a plain value is NaN; infinity times 0 does not count
};

RowTerms row_terms(const TensorType& type, const std::byte* blocks, uint64_t count);
// The same into `row`, whose memory is used again.
void row_terms(const TensorType& type, const std::byte* blocks, uint64_t count, RowTerms& row);

// Whether a step of some run of the block is zero, so that its codes do not show.
bool has_zero_step(const TensorType& type, const std::byte* block);

}  // namespace gcts

#endif  // GCTS_REFERENCE_TERMS_H_
