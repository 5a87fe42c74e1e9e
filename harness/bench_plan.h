// What is measured of each kernel: shapes, where the operands lie, how many threads.
//
// A measurement's id is bench/<op>/<type>/<variant>/<where>/<detail>:
//
//   bench/dequantize/q4_0/avx2/warm/k=32768,t=1
//   bench/matmul/q8_0/avx512/cold/m=1,n=4096,k=4096,t=2
//
// warm: every call finds its operands where the last one left them, in a cache if they fit.
// cold: the operands that a call reads most of form a ring larger than the last cache, so
// that they come from memory.  The same ids are measured on every machine.
//
// On a device (bench/dequantize/q4_0/cuda/device/k=2147483648) tensors are so large that
// starting a kernel counts for nothing, and threads are the device's own.
//
// Measurements that differ in the implementation and the variant alone are a group: they
// take turns, so that whatever the machine does meets all of them.

#ifndef GCTS_HARNESS_BENCH_PLAN_H_
#define GCTS_HARNESS_BENCH_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "harness/kernel_case.h"
#include "harness/kernel_operands.h"
#include "harness/selection.h"

namespace gcts {

struct BenchWork {  // of one call
  uint64_t elements = 0;       // that are decoded or encoded, or of weights that are multiplied
  uint64_t weight_bytes = 0;
  uint64_t read_bytes = 0;     // at least, from where the operands lie
  uint64_t written_bytes = 0;
  uint64_t operations = 0;     // a multiplication and an addition are two
};

struct BenchMeasurement {
  uint32_t subject = 0;
  const KernelRow* row = nullptr;
  std::string id;
  std::string group;      // the id without the variant
  KernelShape shape;
  bool cold = false;
  bool device = false;
  uint32_t threads = 1;
  BenchWork work;
  std::string missing;    // why it cannot be measured on this machine; "" if it can

  // A matrix product makes its own threads; of all else each thread makes its own calls.
  uint32_t team() const { return row->product() ? 1 : threads; }
};

// Everything that a tier measures of a row; thread counts are 1 and `processors`, at
// exhaustive the powers of two between.
std::vector<BenchMeasurement> bench_measurements(const KernelRow& row, uint32_t subject, Tier tier, uint32_t processors);
std::vector<uint32_t> bench_thread_counts(Tier tier, uint32_t processors);

// Elements that are drawn for a call that decodes or encodes; longer ones repeat them.
inline constexpr uint64_t kDrawnElements = 32768;

// The operands of one call: rows of weights, of activations, outputs.
BenchWork bench_work(const KernelRow& row, const KernelShape& shape);

}  // namespace gcts

#endif  // GCTS_HARNESS_BENCH_PLAN_H_
