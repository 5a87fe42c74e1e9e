// The accuracy class of a kernel, and the largest error that it allows.
//
// A kernel says which arithmetic it uses; from that and from the operands follows a bound
// that no correct kernel of the class can exceed, and that a wrong one does.
//
// The derivation
//
// A dot product is an expression tree.  Its leaves t_1 ... t_n are numbers that are exact
// by construction: a product of a weight and an activation written with all its factors
// (scale, sub-scale, code, activation), or the integer sum of one group of such products
// times its scales, or the term of a minimum or of a zero point.  Their sum is the exact
// result y.  Between a leaf and the root lie roundings: of the products that make the leaf,
// and of the additions.  A rounding to a format with unit roundoff u multiplies its
// operand by 1 + d, |d| <= u, and where the result is subnormal it adds e, |e| <= omega / 2
// instead, with omega the smallest subnormal number (additions are exact there: sums of
// multiples of omega below the normal range are representable).  Unfolding the tree,
//
//     computed = sum t_i * prod (1 + d_ik) + (what underflow added)
//
// where the product runs over the roundings on the path of leaf i.  With r_s roundings of
// unit u_s on the longest path,
//
//     |computed - y| <= F * sum |t_i| + eta,   F = prod (1 + u_s)^(r_s) - 1
//
// (the standard model of floating-point arithmetic and the running product of its error
// factors: Higham, Accuracy and Stability of Numerical Algorithms, chapters 2 to 4.)
// Nothing was said about the shape of the tree: every order of summation, every vector
// width and every blocking is covered, and a fused multiply-add has one rounding where the
// model counts two.
//
// Roundings of a leaf.  Each multiplication may round: one for every factor beyond the
// first.  (d * sub-scale * code is exact in f32 in any order, but a kernel may well
// multiply by the activation first.)  The addition or subtraction of a minimum while a
// weight is dequantized is one more, the conversion of a group's integer sum, which may
// exceed 2^24, is one, and a scale that the kernel itself computes in f32 from the
// activations has two (127 / x and 1 / x, or x * (1 / 127)).  These take place in f32, or in
// the format of the sum if that is coarser.
//
// Additions.  The first operand of a sum meets one addition for every other operand, so
// the chain is at most leaves - 1, and shorter if the author says so.  A leaf that is
// exactly zero is added without a rounding and does not count: sparse operands make
// the bound sharp.  If sums of up to inner_group leaves run in a format of their own, they
// are a stage with inner_group - 1 roundings and the outer chain counts their results.
//
// Magnitudes.  sum |t_i| is taken element by element, |d q a| + |m a|, and with a zero point
// as a term of its own |d (q + z) a| + |d z a|: by the triangle inequality never less
// than any grouping of them.
//
// Underflow.  A product that underflows loses up to omega / 2, which the factors that are
// applied later multiply; the product of max(1, |factor|) over all factors of the leaf
// bounds that.  eta is the sum over leaves of omega / 2 * (multiplications) * that product.
// If subnormals are flushed, the smallest normal number takes the place of omega / 2, and
// the factors, which may be flushed themselves, and the additions count like products.
//
// Truncation.  Rounding toward zero or to odd has at most twice the error: u and omega
// double.
//
// Usable.  The model assumes that nothing overflows and is informative while F is small: a
// case counts where F <= 1/4 and no product of scales and no partial sum (each at most
// (1 + F) sum |t_i| + eta) can exceed the largest finite number of its format.  Chains of
// 2,048 additions in f16 or of 256 in bf16 are judged by exact operands alone.

#ifndef GCTS_REFERENCE_ACCURACY_H_
#define GCTS_REFERENCE_ACCURACY_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "reference/exact.h"

namespace gcts {

// How a kernel changes f32 activations before it multiplies them.
enum class Activation : uint8_t { as_given, q8_0, q8_1, q8_k, group, row, f16, bf16 };

// The sum of a block's activations that multiplies the minimum of Q4_1 and Q5_1.
enum class BlockSum : uint8_t {
  exact,       // the sum of the codes, times the scale
  f16_codes,   // the same, rounded to f16
  f16_values,  // the sum of the values before quantization, rounded to f16
};

// The values of the enumerations and the meaning of the fields are those of the plugin
// ABI's gcts_accuracy.  A value-initialized class is the strictest that every f32 kernel
// meets: element-wise products and sums in f32, in any order.
struct AccuracyClass {
  uint32_t leaf_group = 0;       // 0 or 1: each product is a float; g: integers within g elements
  uint32_t chain = 0;            // longest chain of additions; 0: unknown, leaves - 1
  uint32_t extra_roundings = 0;  // of a leaf, beyond those counted above
  FloatFormat accumulate = FloatFormat::f32;
  FloatFormat result = FloatFormat::f32;
  bool truncating = false;
  bool flushes_subnormals = false;
  FloatFormat weights = FloatFormat::exact;  // f16, bf16: weights are rounded to it first
  bool zero_point_leaf = false;              // the zero point is a float term of its own
  Activation activation = Activation::as_given;
  uint32_t activation_group = 0;  // elements, for Activation::group
  BlockSum block_sum = BlockSum::exact;
  bool code_min_unsupported = false;  // the int8 activation code -128 gives wrong results
  bool activation_offset = false;     // group, row: codes 0..255 above the group's least value
  uint32_t inner_group = 0;           // leaves that are summed in a format of their own; 0: none
  FloatFormat inner_accumulate = FloatFormat::f32;

  bool operator==(const AccuracyClass&) const = default;
};

// What the bound needs to know of the operands of one dot product.
struct LeafSummary {
  uint64_t leaves = 0;           // that are not zero
  uint32_t multiplications = 0;  // of one leaf, at most
  uint32_t other_roundings = 0;  // of one leaf: conversion, minimum, scales computed in f32
  double magnitude = 0;          // sum |t_i|
  double growth = 0;             // sum over leaves of prod max(1, |factor|)
  double largest_scale = 1;      // of prod max(1, |factor|) over the scales of one leaf
};

struct ErrorBound {
  double factor = 0;     // F
  double underflow = 0;  // eta
  double error = 0;      // F * magnitude + eta
  bool usable = false;
  const char* why_not = nullptr;  // where it is not usable
};

ErrorBound error_bound(const AccuracyClass& accuracy, const LeafSummary& leaves);

// Below this sum of magnitudes, counted in the unit of which every leaf is a multiple,
// no partial sum of the class rounds: 2^24 for f32, 2^11 for f16, 2^8 for bf16.
double exact_limit(const AccuracyClass& accuracy);

// The unit roundoff and the underflow of one operation under the class.
double unit_roundoff(const AccuracyClass& accuracy, FloatFormat format);

// A class that promises more than another in one respect, for the note that a kernel may
// claim more than it does.
struct FinerClass {
  std::string_view claim;  // "f32 sums"
  AccuracyClass accuracy;
};
std::vector<FinerClass> finer_classes(const AccuracyClass& accuracy);

// What is contradictory about a class, or null.
const char* class_fault(const AccuracyClass& accuracy);

}  // namespace gcts

#endif  // GCTS_REFERENCE_ACCURACY_H_
