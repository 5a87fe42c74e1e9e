// Dot products, each summed and rounded in a way of its own.

#include <float.h>
#include <math.h>

#include "plugins/honest/kernels.h"

namespace honest {
namespace {

using namespace cpu::generic;

float float_at(const void* row, uint64_t i) {
  return cpu::bits_to_float(cpu::load32(static_cast<const uint8_t*>(row) + 4 * i));
}

// Element-wise f32, front to back.
float sum_of(const Row& w, const Row& a) {
  float sum = 0;
  for (uint64_t i = 0; i < w.code.size(); ++i) sum += w.value(i) * a.value(i);
  return sum;
}

float flush(float x) { return fabsf(x) < FLT_MIN ? copysignf(0, x) : x; }

// The f32 next to x toward zero.  A double holds products of f32 exactly and sums
// nearly so.
float truncate(double x) {
  const auto nearest = static_cast<float>(x);
  if (!isfinite(x) || fabs(static_cast<double>(nearest)) <= fabs(x)) return nearest;
  return nextafterf(nearest, 0);
}

}  // namespace

// Unsigned codes in the integers; 8 times the sum of the activations as a float term.
gcts_status zero_point_leaf(void*, const void* weights, const void* activations, float* result, uint64_t count) {
  const Row w = unpack<q4_0>(weights, count), a = unpack<q8_0>(activations, count);
  float sum = 0, zero = 0;
  for (uint64_t i = 0; i < count; i += 32) {
    float products = 0, total = 0;  // integers below 2^24
    for (uint64_t j = i; j < i + 32; ++j) {
      products += (w.code[j] + 8) * a.code[j];
      total += a.code[j];
    }
    const float scale = w.scale[i] * a.scale[i];
    sum += products * scale;
    zero += 8 * total * scale;
  }
  *result = sum - zero;
  return GCTS_OK;
}

gcts_status f16_weights(void*, const void* weights, const void* activations, float* result, uint64_t count) {
  const Row w = unpack<q6_k>(weights, count), a = unpack<q8_k>(activations, count);
  float sum = 0;
  for (uint64_t i = 0; i < count; ++i) sum += to_f16(w.value(i)) * a.value(i);
  *result = sum;
  return GCTS_OK;
}

gcts_status bf16_weights(void*, const void* weights, const void* activations, float* result, uint64_t count) {
  const Row w = unpack<q5_0>(weights, count), a = unpack<q8_0>(activations, count);
  float sum = 0;
  for (uint64_t i = 0; i < count; ++i) sum += to_bf16(w.value(i)) * a.value(i);
  *result = sum;
  return GCTS_OK;
}

gcts_status reversed_elements(void*, const void* weights, const void* activations, float* result, uint64_t count) {
  const Row w = unpack<q4_k>(weights, count), a = unpack<q8_k>(activations, count);
  float sum = 0;
  for (uint64_t i = count; i-- > 0;) sum += w.value(i) * a.value(i);
  *result = sum;
  return GCTS_OK;
}

gcts_status flushed_subnormals(void*, const void* weights, const void* activations, float* result, uint64_t count) {
  const Row w = unpack<mxfp4>(weights, count), a = unpack<q8_0>(activations, count);
  float sum = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const float weight = flush(flush(w.scale[i]) * w.code[i]);
    const float activation = flush(flush(a.scale[i]) * a.code[i]);
    sum = flush(sum + flush(weight * activation));
  }
  *result = sum;
  return GCTS_OK;
}

// Halves of halves: no element meets more than log2(K) additions, rounded up.
gcts_status pairwise(void*, const void* weights, const void* activations, float* result, uint64_t count) {
  std::vector<float> sums(count);
  for (uint64_t i = 0; i < count; ++i) sums[i] = float_at(weights, i) * float_at(activations, i);
  for (uint64_t size = count; size > 1; size = (size + 1) / 2) {
    for (uint64_t i = 0; i < size / 2; ++i) sums[i] = sums[2 * i] + sums[2 * i + 1];
    if (size % 2 == 1) sums[size / 2] = sums[size - 1];
  }
  *result = count == 0 ? 0 : sums[0];
  return GCTS_OK;
}

gcts_status f16_block_sums(void*, const void* weights, const void* activations, float* result, uint64_t count) {
  const Row w = unpack<q5_0>(weights, count), a = unpack<q8_0>(activations, count);
  float sum = 0;
  for (uint64_t i = 0; i < count; i += 32) {
    float block = 0;
    for (uint64_t j = i; j < i + 32; ++j) block = to_f16(block + to_f16(w.value(j) * a.value(j)));
    sum += block;
  }
  *result = sum;
  return GCTS_OK;
}

gcts_status f16_sums(void*, const void* weights, const void* activations, float* result, uint64_t count) {
  const Row w = unpack<q4_0>(weights, count), a = unpack<q8_0>(activations, count);
  float sum = 0;
  for (uint64_t i = 0; i < count; ++i) sum = to_f16(sum + to_f16(w.value(i) * a.value(i)));
  *result = sum;
  return GCTS_OK;
}

gcts_status bf16_sums(void*, const void* weights, const void* activations, float* result, uint64_t count) {
  const Row w = unpack<q8_0>(weights, count), a = unpack<q8_0>(activations, count);
  float sum = 0;
  for (uint64_t i = count; i-- > 0;) sum = to_bf16(sum + to_bf16(w.value(i) * a.value(i)));
  *result = sum;
  return GCTS_OK;
}

gcts_status f64_sums(void*, const void* weights, const void* activations, float* result, uint64_t count) {
  const Row w = unpack<q3_k>(weights, count), a = unpack<q8_k>(activations, count);
  double sum = 0;
  for (uint64_t i = 0; i < count; ++i)
    sum += static_cast<double>(w.value(i)) * static_cast<double>(a.scale[i]) * static_cast<double>(a.code[i]);
  *result = static_cast<float>(sum);
  return GCTS_OK;
}

gcts_status f16_result(void*, const void* weights, const void* activations, float* result, uint64_t count) {
  *result = to_f16(sum_of(unpack<q8_0>(weights, count), unpack<q8_0>(activations, count)));
  return GCTS_OK;
}

gcts_status bf16_result(void*, const void* weights, const void* activations, float* result, uint64_t count) {
  *result = to_bf16(sum_of(unpack<q2_k>(weights, count), unpack<q8_k>(activations, count)));
  return GCTS_OK;
}

gcts_status truncating(void*, const void* weights, const void* activations, float* result, uint64_t count) {
  float sum = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const float product = truncate(static_cast<double>(float_at(weights, i)) * static_cast<double>(float_at(activations, i)));
    sum = truncate(static_cast<double>(sum) + static_cast<double>(product));
  }
  *result = sum;
  return GCTS_OK;
}

}  // namespace honest
