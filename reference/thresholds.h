// The criteria of ggml's own tests, evaluated for comparison.
//
// test-quantize-fns quantizes 4,096 values of a cosine and demands that three averages stay
// below a limit of the type; test-backend-ops demands that the normalised mean square error
// of a whole tensor stays below a limit of the operation.  Both average over all outputs, so
// that one wrong row, or a small error everywhere, passes: reports print them beside the
// verdicts of this suite so that a reader sees the difference.  Nothing is judged by them.
//
// Source: tests/test-quantize-fns.cpp and tests/test-backend-ops.cpp of ggml, commit
// d99724f2, as formulas and numbers.

#ifndef GCTS_REFERENCE_THRESHOLDS_H_
#define GCTS_REFERENCE_THRESHOLDS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/tensor_type.h"

namespace gcts::thresholds {

// What test-quantize-fns puts into a row: 0.1 + 2 cos(i + offset), offset 0 for weights and 1
// for activations; it uses 4,096 of them.
std::vector<float> cosine(size_t count, float offset);
inline constexpr size_t kCosineCount = 4096;

// Root of the sum of squared differences, divided by the count.  (A root mean square error
// would divide by its root.)
double distance(std::span<const float> a, std::span<const float> b);

struct Limits {
  double absolute;  // distance(values, dequantized)
  double dot;       // |dot product of quantized rows - that of the values| / count
};
Limits limits(const TensorType& type);

// distance(dequantized by one quantizer, by the reference's), every type.
inline constexpr double kReferenceLimit = 0.0001;

// |result - reference| / count < the type's limit.
bool dot_passes(const TensorType& type, double result, double reference, size_t count);

// Sum of squared differences over the sum of squares of the expected values.  0 / 0 is NaN,
// which no limit is below, so that a test of `error > limit` lets it pass.
double nmse(std::span<const double> expected, std::span<const double> actual);

// The limit for matrix products of every weight type.
inline constexpr double kMatmulLimit = 5e-4;

// The verdict of test-backend-ops: NaN on either side fails, infinities agree in place and
// sign, and the error is not above the limit.
bool nmse_passes(std::span<const double> expected, std::span<const double> actual,
                 double limit = kMatmulLimit);

}  // namespace gcts::thresholds

#endif  // GCTS_REFERENCE_THRESHOLDS_H_
