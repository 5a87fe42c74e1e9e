// Matrix products: activations are quantized once, rows of weights are shared out to
// threads, and each output is one dot product, so row i never depends on M.  Where a
// variant takes several rows at a time, the last one stands in for those that are missing.

#include "matmul.h"

#include <stdint.h>
#include <stdlib.h>

#include <algorithm>

#include "team.h"

namespace cpu {
namespace {

struct Job {
  const MatmulPlan* plan;
  const gcts_matmul* args;
  const uint8_t* activations;  // quantized, packed rows
  uint64_t row_bytes;
};

const uint8_t* weights_of(const Job& job, uint64_t m, uint64_t n) {
  const gcts_matmul& a = *job.args;
  const uint8_t* weights = static_cast<const uint8_t*>(a.weights) + n * a.weight_stride;
  return a.ids ? weights + static_cast<uint64_t>(a.ids[m]) * a.expert_stride : weights;
}
float* output_of(const Job& job, uint64_t m, uint64_t n) {
  return reinterpret_cast<float*>(reinterpret_cast<uint8_t*>(job.args->output) +
                                  m * job.args->output_stride) +
         n;
}

void tiled_columns(const Job& job, uint64_t first, uint64_t last) {
  const gcts_matmul& a = *job.args;
  const uint64_t step = a.ids ? 1 : 2;  // two rows may go to two experts
  for (uint64_t n = first; n < last; n += 2)
    for (uint64_t m = 0; m < a.m; m += step) {
      const uint64_t ns[2] = {n, std::min(n + 1, last - 1)}, ms[2] = {m, std::min(m + step, a.m) - 1};
      const uint8_t* const weights[2] = {weights_of(job, m, ns[0]), weights_of(job, m, ns[1])};
      const uint8_t* const rows[2] = {job.activations + ms[0] * job.row_bytes,
                                      job.activations + ms[1] * job.row_bytes};
      float results[4];
      job.plan->tile(weights, rows, results, a.k);
      for (int i = 0; i < 4; ++i) *output_of(job, ms[i & 1], ns[i >> 1]) = results[i];
    }
}

// Rows that are read side by side lie a quarter of all apart: memory gives more to four who read on.
void columns_together(const Job& job, uint64_t first, uint64_t last) {
  const gcts_matmul& a = *job.args;
  const uint64_t apart = job.plan->side_by_side ? std::max<uint64_t>(1, (last - first) / kRowsTogether) : 1;
  for (uint64_t begin = first; begin < last; begin += kRowsTogether * apart)
    for (uint64_t n = begin; n < std::min(begin + apart, last); ++n)
      for (uint64_t m = 0; m < a.m; ++m) {
        uint64_t each[kRowsTogether];
        const uint8_t* weights[kRowsTogether];
        for (uint64_t i = 0; i < kRowsTogether; ++i) {
          each[i] = std::min(n + i * apart, last - 1);
          weights[i] = weights_of(job, m, each[i]);
        }
        float results[kRowsTogether];
        job.plan->rows(weights, job.activations + m * job.row_bytes, results, a.k);
        for (uint64_t i = 0; i < kRowsTogether; ++i) *output_of(job, m, each[i]) = results[i];
      }
}

// Output columns [first, last): weights stay in cache while every row of the
// activations passes over them.
void columns(const Job& job, uint64_t first, uint64_t last) {
  if (job.plan->tile) return tiled_columns(job, first, last);
  if (job.plan->rows) return columns_together(job, first, last);
  const gcts_matmul& a = *job.args;
  for (uint64_t n = first; n < last; ++n)
    for (uint64_t m = 0; m < a.m; ++m)
      job.plan->dot(nullptr, weights_of(job, m, n), job.activations + m * job.row_bytes, output_of(job, m, n),
                    a.k);
}

// So many rows at least for whoever takes some: a start costs what memory takes to answer.
constexpr uint64_t kLeast = 32;

}  // namespace

gcts_status matmul(void* context, const gcts_matmul* args) {
  const MatmulPlan& plan = *static_cast<const MatmulPlan*>(context);
  const uint64_t row_bytes = (args->k + plan.activation_elements - 1) / plan.activation_elements * plan.activation_bytes;
  uint8_t* scratch = static_cast<uint8_t*>(aligned_alloc(64, (args->m * row_bytes + 127) / 64 * 64));
  if (!scratch) return GCTS_FAILED;
  share_out(args->threads, args->m, [&](uint64_t m) {
    const uint8_t* row = static_cast<const uint8_t*>(args->activations) + m * args->activation_stride;
    plan.quantize(nullptr, reinterpret_cast<const float*>(row), nullptr, scratch + m * row_bytes, args->k);
  });
  const Job job{&plan, args, scratch, row_bytes};
  const uint64_t groups = (args->n + kRowsTogether - 1) / kRowsTogether;
  share_out_ranges(args->threads, groups, kLeast / kRowsTogether, UINT64_MAX, [&](uint64_t, uint64_t first, uint64_t last) {
    columns(job, first * kRowsTogether, std::min(args->n, last * kRowsTogether));
  });
  free(scratch);
  return GCTS_OK;
}

}  // namespace cpu
