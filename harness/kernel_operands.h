// Operands of a kernel call, and the judgement of its output.

#ifndef GCTS_HARNESS_KERNEL_OPERANDS_H_
#define GCTS_HARNESS_KERNEL_OPERANDS_H_

#include <memory>
#include <string>
#include <vector>

#include "harness/kernel_case.h"
#include "reference/oracle.h"

namespace gcts {

// A shape of a call.  For dequantize, quantize and vec_dot m and n are 1.
struct KernelShape {
  uint64_t k = 0, n = 1, m = 1;
  uint32_t experts = 1;  // matmul_id
};
std::string shape_text(const KernelRow& row, const KernelShape& shape);  // "m=3,n=5,k=256"

// Everything that one call works on.
struct KernelInput {
  KernelShape shape;
  pattern::Index pattern = pattern::exact;
  DotShape dot;             // n counts the rows of all experts
  Operands operands;
  std::vector<int32_t> ids; // matmul_id
  std::vector<float> values;      // quantize
  std::vector<std::byte> expected;// dequantize: f32; quantize: blocks

  // The row of weights that output (m, n) comes from, as the oracle counts them.
  uint64_t weight_row(uint64_t m, uint64_t n) const;
};
using KernelInputs = std::shared_ptr<const KernelInput>;

// Draws operands for a dot or decode kernel.  Null and a reason if the pattern has none.
KernelInputs draw_input(const KernelRow& row, const KernelShape& shape, pattern::Index pattern,
                        const Generator& generator, uint64_t draw, std::string& why);
// Values for a quantizer; clear of ties unless `near_ties`.
KernelInputs draw_values(const KernelRow& row, uint64_t k, bool near_ties, const Generator& generator, uint64_t draw);
// What a row of any op is usually tried on: exact operands, random blocks, or values.
KernelInputs draw_usual(const KernelRow& row, const KernelShape& shape, const Generator& generator, uint64_t draw,
                        std::string& why);

// The call on packed operands.
KernelTask packed_task(const KernelRow& row, const KernelInput& input);

// Judges the packed output against the oracle of the input's pattern.
Problem judge_output(const KernelRow& row, const KernelInput& input, const Answer& answer, KernelScore& score);
// The same of an output that was timed.  A quantizer that searches may trade error for speed: its
// blocks are legal, and their squared error is at most twice the reference's.
Problem judge_timed_output(const KernelRow& row, const KernelInput& input, const Answer& answer, KernelScore& score);
// What is no output at all: a crash, a timeout, a status other than GCTS_OK.
Problem judge_call(const Answer& answer);

// A job that is judged by judge_output.
KernelJob usual_job(const KernelRow& row, KernelInputs input);

// K for a tier, smallest first; shapes of matrix products.
std::vector<uint64_t> lengths(const KernelRow& row, Tier tier);
std::vector<KernelShape> shapes(const KernelRow& row, Tier tier);
// A small shape with more than one block, row and column where the op has them.
KernelShape small_shape(const KernelRow& row);

}  // namespace gcts

#endif  // GCTS_HARNESS_KERNEL_OPERANDS_H_
