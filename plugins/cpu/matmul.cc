// Matrix products: activations are quantized once, rows of weights are shared out to
// threads, and each output is one dot product, so row i never depends on M.

#include "matmul.h"

#include <stdint.h>
#include <stdlib.h>

#include <algorithm>
#include <system_error>
#include <thread>
#include <vector>

namespace cpu {
namespace {

struct Job {
  const MatmulPlan* plan;
  const gcts_matmul* args;
  const uint8_t* activations;  // quantized, packed rows
  uint64_t row_bytes;
};

// Output columns [first, last): weights stay in cache while every row of the
// activations passes over them.
void columns(const Job& job, uint64_t first, uint64_t last) {
  const gcts_matmul& a = *job.args;
  for (uint64_t n = first; n < last; ++n)
    for (uint64_t m = 0; m < a.m; ++m) {
      const uint8_t* weights = static_cast<const uint8_t*>(a.weights) + n * a.weight_stride;
      if (a.ids) weights += static_cast<uint64_t>(a.ids[m]) * a.expert_stride;
      float* out = reinterpret_cast<float*>(reinterpret_cast<uint8_t*>(a.output) + m * a.output_stride) + n;
      job.plan->dot(nullptr, weights, job.activations + m * job.row_bytes, out, a.k);
    }
}

}  // namespace

gcts_status matmul(void* context, const gcts_matmul* args) {
  const MatmulPlan& plan = *static_cast<const MatmulPlan*>(context);
  const uint64_t row_bytes = args->k / plan.activation_elements * plan.activation_bytes;
  uint8_t* scratch = static_cast<uint8_t*>(malloc(args->m * row_bytes + 64));
  if (!scratch) return GCTS_FAILED;
  for (uint64_t m = 0; m < args->m; ++m) {
    const uint8_t* row = static_cast<const uint8_t*>(args->activations) + m * args->activation_stride;
    plan.quantize(nullptr, reinterpret_cast<const float*>(row), nullptr, scratch + m * row_bytes, args->k);
  }
  const Job job{&plan, args, scratch, row_bytes};
  const uint64_t threads = std::max<uint64_t>(1, std::min<uint64_t>(args->threads, args->n));
  std::vector<std::thread> others;
  uint64_t started = 1;
  for (; started < threads; ++started) {
    try {
      others.emplace_back(columns, std::cref(job), args->n * started / threads, args->n * (started + 1) / threads);
    } catch (const std::system_error&) {
      break;  // the columns that found no thread are done here
    }
  }
  columns(job, 0, args->n / threads);
  if (started < threads) columns(job, args->n * started / threads, args->n);
  for (std::thread& t : others) t.join();
  free(scratch);
  return GCTS_OK;
}

}  // namespace cpu
