// What the values of a tensor look like, gathered while its blocks stream by.
//
// A summary is built from any number of runs of blocks, in order, and two summaries of
// consecutive runs add up, so that a large tensor can be read in parts by several
// threads.  Memory does not grow with the tensor.

#ifndef GCTS_REFERENCE_SUMMARY_H_
#define GCTS_REFERENCE_SUMMARY_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "reference/tensor_type.h"

namespace gcts {

class TensorSummary {
 public:
  // The tensor's type, current, outlives the summary.
  explicit TensorSummary(const TensorType& type) : type_(&type) {}

  // The next `block_count` blocks.
  void add(const std::byte* blocks, uint64_t block_count);
  // Appends the summary of what follows directly: same type.  Whether the first unit
  // after the seam repeats the last one before it is not known and not counted.
  void add(const TensorSummary& next);

  uint64_t elements() const { return finite_ + infinite_ + nan_; }
  uint64_t finite() const { return finite_; }
  uint64_t infinite() const { return infinite_; }
  uint64_t nan() const { return nan_; }
  uint64_t zeros() const { return magnitudes_[0]; }

  // Of the finite elements; 0 if there is none.
  float min() const { return min_; }
  float max() const { return max_; }
  double mean() const { return mean_; }
  double deviation() const;  // from the mean, of the whole population
  double root_mean_square() const;

  // Elements whose magnitude is at least outlier_threshold(): the first power of two
  // that is not below eight times the root mean square (of a normal distribution about
  // 10^-15 lies there).
  uint64_t outliers() const;
  double outlier_threshold() const;

  // Units of consecutive bytes that equal the unit before: a unit is a block, or 32
  // elements of a type whose block is one element.
  uint64_t repeated_units() const { return repeated_; }
  uint64_t units() const { return units_; }
  uint32_t unit_blocks() const { return type_->block_elements == 1 ? 32 : 1; }

 private:
  void add_values(const float* values, size_t count);
  void add_moments(uint64_t count, double mean, double squares);
  void count_repeated(const std::byte* blocks, uint64_t block_count);

  const TensorType* type_;
  uint64_t finite_ = 0;
  uint64_t infinite_ = 0;
  uint64_t nan_ = 0;
  float min_ = 0;
  float max_ = 0;
  double mean_ = 0;
  double squares_ = 0;  // sum of the squared distances from the mean
  // Finite elements by magnitude: [0] zeros, [1] subnormals, [e + 1] those from
  // 2^(e - 127) to below 2^(e - 126).
  std::array<uint64_t, 256> magnitudes_{};
  uint64_t units_ = 0;
  uint64_t repeated_ = 0;
};

}  // namespace gcts

#endif  // GCTS_REFERENCE_SUMMARY_H_
