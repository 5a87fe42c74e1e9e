// The activations that a kernel really multiplies.
//
// A kernel gets its activations in one tensor type and may change them before the dot
// product: quantize them to int8 groups or round them to a shorter float.  Its accuracy class
// says how, and the oracle does the same, so that what is judged is the arithmetic after
// it.  Two rules for rounding x / d are in use (ties away from zero with the inverse scale,
// ties to even with 127 / amax); they agree unless x / d is within about 2^-16 of a tie, and
// drawn data are kept clear of that.

#ifndef GCTS_REFERENCE_ACTIVATIONS_H_
#define GCTS_REFERENCE_ACTIVATIONS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/accuracy.h"
#include "reference/tensor_type.h"

namespace gcts {

// One row of activations as the dot product sees it.
struct ActivationRow {
  std::vector<double> value;   // exact; without the offset
  std::vector<double> offset;  // what is added to it, a term of its own; empty without
  std::vector<double> growth;  // the product of max(1, |factor|), as in RowTerms
  double largest_scale = 1;
  bool finite = true;
  uint32_t factors = 1;          // 2 where a value is scale * code
  uint32_t scale_roundings = 0;  // of a scale that the kernel computes in f32

  // The block sums that multiply the mins of Q4_1 and Q5_1, where they are not those of
  // `value`; empty otherwise.  slack: how far a right kernel's sum may be off.
  static constexpr uint32_t kSumElements = 32;
  std::vector<double> sum;
  std::vector<double> sum_slack;
};

// How many neighbouring activations share a scale in the dot product: that of the
// activation type's blocks, or of the class's quantization; k for one scale a row; 0 if
// activations are not quantized.
uint32_t activation_group(const TensorType& activation_type, const AccuracyClass& accuracy, uint64_t k);

// `blocks`: one row in the activation type.
ActivationRow activation_row(const TensorType& activation_type, const std::byte* blocks, uint64_t k,
                             const AccuracyClass& accuracy);

// Moves the values of one row off the ties of an int8 quantization in groups: afterwards
// no x / d is within 2^-10 of a tie and no amax / 127 within 2^-6 ulp of a tie of f16.
void clear_of_int8_ties(std::span<float> values, uint32_t group);
// The same for groups with an offset, d = (max - min) / 255: no (x - min) / d is near a tie.
void clear_of_offset_ties(std::span<float> values, uint32_t group);
// The same for rounding to f16 or bf16: no value is halfway between two of the format.
void clear_of_float_ties(std::span<float> values, FloatFormat format);
// The same for MXFP4 blocks: no largest magnitude lies in the 32 ulps below a power of two,
// where log2f decides.
void clear_of_power_of_two(std::span<float> values, uint32_t group);

// Makes the redundant fields of a block of activations true: the sums of Q8_1 and Q8_K.
void set_block_sums(const TensorType& type, std::byte* block);

}  // namespace gcts

#endif  // GCTS_REFERENCE_ACTIVATIONS_H_
