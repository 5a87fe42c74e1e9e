// Operands of dot products: what a kernel is run on.
//
// A case is a shape (types, accuracy class, sizes), a pattern, a generator keyed by (seed,
// case id), and the number of the draw.  The same four give the same bytes everywhere.
//
//     const DotShape shape{weight_type, activation_type, accuracy, k, n, m};
//     Operands operands;
//     if (const char* why = draw_operands(shape, pattern::exact, Generator(seed, id), draw, operands))
//     skip(why); run the kernel on operands.weights and operands.activations DotOracle oracle(shape,
//     pattern::exact, operands);                       // oracle.h for each output: judge(oracle.expect(row,
//     column), output)
//
// Exact operands.  If every term (minimums and zero points included) is an integer multiple
// of 2^e and the sum of magnitudes is below 2^24 * 2^e (2^11 for an f16 sum, 2^8 for bf16),
// every partial sum of every order is representable: all correct kernels give the same bits.
// So block scales are 1 or 2, following the Thue-Morse sequence, which has no period, so that a
// scale taken from a wrong block shows; sub-scales and codes are random over their
// whole range; and activations are integers, as many and as large as the sum's limit
// leaves room for.  Where activations are quantized, each group holds 127 * 2^e, so that the
// scale is 2^e and no code is rounded.
//
// Activations that a kernel quantizes are clear of rounding ties (activations.h).

#ifndef GCTS_REFERENCE_OPERANDS_H_
#define GCTS_REFERENCE_OPERANDS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "reference/accuracy.h"
#include "reference/generator.h"
#include "reference/tensor_type.h"

namespace gcts {

// n rows of weights and m rows of activations, k elements each: n * m dot products.
struct DotShape {
  const TensorType* weight_type = nullptr;
  const TensorType* activation_type = nullptr;
  AccuracyClass accuracy;
  uint64_t k = 0;
  uint64_t n = 1;
  uint64_t m = 1;
};

enum class PatternMode : uint8_t { exact, probe, bound, special };

struct Pattern {
  std::string_view name;
  PatternMode mode;
  std::string_view what;
};

namespace pattern {
enum Index : uint32_t {
#define PATTERN(name, mode, what) name,
#include "reference/patterns.inc"
#undef PATTERN
};
}  // namespace pattern

// In the order of patterns.inc; pattern::exact and so on are the indices.
std::span<const Pattern> patterns();

// Rows are packed: row r begins at r * row_bytes(type, k).
struct Operands {
  std::vector<std::byte> weights;      // n rows of the weight type
  std::vector<std::byte> activations;  // m rows of the activation type
};

inline uint64_t row_bytes(const TensorType& type, uint64_t k) {
  return k / type.block_elements * type.block_bytes;
}

// Null, or why the pattern has no operands for this shape: a reason for a skip.
const char* draw_operands(const DotShape& shape, pattern::Index index, const Generator& generator,
                          uint64_t draw, Operands& operands);

// The number of draws after which pattern::probe has been at every place of a row; draws
// beyond it begin again.
uint64_t probe_draws(const DotShape& shape);

// Which (code, position in the block) pairs of a weight type have met an activation that is
// not zero.  A wrong nibble order, shift or sign shows only at codes and places that were
// met.  Codes are counted by the value that they stand for; plain types have none.
class Coverage {
 public:
  explicit Coverage(const TensorType& type);

  void add(const DotShape& shape, const Operands& operands);
  uint64_t met() const { return met_; }
  uint64_t pairs() const { return codes_.size() * positions_; }
  bool complete() const { return met_ == pairs(); }

 private:
  const TensorType* type_;
  std::vector<float> codes_;  // ascending
  uint64_t positions_;
  uint64_t met_ = 0;
  std::vector<bool> seen_;  // [code][position]
};

// The number of draws of pattern::exact after which coverage is complete, or 0 if it is
// not within `limit` draws or the shape has no exact operands.
uint64_t draws_to_coverage(const DotShape& shape, const Generator& generator, uint64_t limit);

}  // namespace gcts

#endif  // GCTS_REFERENCE_OPERANDS_H_
