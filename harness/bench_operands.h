// The operands of a measurement and the check of what it computes.
//
// A few rows are drawn and repeated over rings and matrices, so that every output of
// millions is known from a few exact sums.

#ifndef GCTS_HARNESS_BENCH_OPERANDS_H_
#define GCTS_HARNESS_BENCH_OPERANDS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/bench_plan.h"
#include "harness/bench_worker.h"
#include "reference/oracle.h"

namespace gcts {

class BenchOperands {
 public:
  // `ring_bytes`: of a cold ring, all threads together.  False and a reason if there are no
  // operands for the measurement.
  bool draw(const BenchMeasurement& measurement, uint64_t ring_bytes, std::string& why);

  // The slot to open; its spans refer to this object.
  BenchSlot slot(uint32_t number) const;
  // How many calls of a thread leave outputs that are worth a look.
  uint64_t outputs_to_check() const;
  // Judges outputs of that many calls; the oldest had the weights of ring entry `first`.
  Problem judge(uint64_t first, const std::vector<uint8_t>& outputs);

 private:
  Problem judge_repeated(const std::vector<uint8_t>& outputs) const;
  Problem judge_dots(uint64_t first, const std::vector<uint8_t>& outputs);
  const DotExpectation& expected(uint64_t weight_row, uint64_t activation_row);

  const BenchMeasurement* measurement_ = nullptr;
  KernelInputs input_;
  std::vector<std::byte> weights_, activations_, extra_;  // periods
  worker::BenchOpenRequest request_{};
  uint64_t weight_rows_ = 1, activation_rows_ = 1;        // of the periods
  std::vector<DotExpectation> expected_;
};

}  // namespace gcts

#endif  // GCTS_HARNESS_BENCH_OPERANDS_H_
