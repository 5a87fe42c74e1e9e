// Dot products written in several honest ways over the factors of the terms, so that one
// function serves every type: what tests run to see that no correct kernel is blamed.

#ifndef GCTS_REFERENCE_HONEST_KERNELS_H_
#define GCTS_REFERENCE_HONEST_KERNELS_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "reference/activations.h"
#include "reference/operands.h"
#include "reference/terms.h"

namespace gcts::honest {

// The kernel rows of ggml: each weight type with the type that its dot product takes.
struct Pair {
  tensor::Id weights, activations;
};
inline constexpr Pair kPairs[] = {
    {tensor::f32, tensor::f32},     {tensor::f16, tensor::f16},     {tensor::bf16, tensor::bf16},
    {tensor::q4_0, tensor::q8_0},   {tensor::q4_1, tensor::q8_1},   {tensor::q5_0, tensor::q8_0},
    {tensor::q5_1, tensor::q8_1},   {tensor::q8_0, tensor::q8_0},   {tensor::iq4_nl, tensor::q8_0},
    {tensor::mxfp4, tensor::q8_0},  {tensor::nvfp4, tensor::q8_0},  {tensor::q1_0, tensor::q8_0},
    {tensor::q2_0, tensor::q8_0},   {tensor::q2_k, tensor::q8_k},   {tensor::q3_k, tensor::q8_k},
    {tensor::q4_k, tensor::q8_k},   {tensor::q5_k, tensor::q8_k},   {tensor::q6_k, tensor::q8_k},
    {tensor::iq1_s, tensor::q8_k},  {tensor::iq1_m, tensor::q8_k},  {tensor::iq2_xxs, tensor::q8_k},
    {tensor::iq2_xs, tensor::q8_k}, {tensor::iq2_s, tensor::q8_k},  {tensor::iq3_xxs, tensor::q8_k},
    {tensor::iq3_s, tensor::q8_k},  {tensor::iq4_xs, tensor::q8_k}, {tensor::tq1_0, tensor::q8_k},
    {tensor::tq2_0, tensor::q8_k},
};

inline DotShape shape_of(const Pair& pair, uint64_t k, uint64_t n = 1, uint64_t m = 1) {
  return {find_tensor_type(pair.weights), find_tensor_type(pair.activations), {}, k, n, m};
}

// What a kernel works with: factors in f32, as they stand in the blocks.
struct Factors {
  uint32_t run = 0;               // elements that share a step
  std::vector<float> step, code;  // weights: step * code + offset
  std::vector<float> offset;
  std::vector<float> scale, activation;  // activations: scale * activation
  std::vector<float> sum;                // Q8_1's
};

inline Factors factors_of(const DotShape& shape, const Operands& operands, uint64_t row = 0,
                          uint64_t column = 0) {
  const RowTerms weights = row_terms(
      *shape.weight_type, operands.weights.data() + row * row_bytes(*shape.weight_type, shape.k), shape.k);
  const std::byte* blocks = operands.activations.data() + column * row_bytes(*shape.activation_type, shape.k);
  const RowTerms activations = row_terms(*shape.activation_type, blocks, shape.k);
  Factors f;
  f.run = std::min(32u, run_elements(*shape.weight_type));
  const bool plain = !has_scales(*shape.weight_type);
  const bool plain_activations = !has_scales(*shape.activation_type);
  for (uint64_t i = 0; i < shape.k; ++i) {
    f.step.push_back(plain ? 1.0f : static_cast<float>(weights.step[i]));
    f.code.push_back(weights.code[i]);
    if (!weights.offset.empty()) f.offset.push_back(static_cast<float>(weights.offset[i]));
    f.scale.push_back(plain_activations ? 1.0f : static_cast<float>(activations.step[i]));
    f.activation.push_back(activations.code[i]);
  }
  if (shape.activation_type->id == tensor::q8_1) {
    AccuracyClass sums;
    sums.block_sum = BlockSum::f16_codes;
    for (const double sum : activation_row(*shape.activation_type, blocks, shape.k, sums).sum)
      f.sum.push_back(static_cast<float>(sum));
  }
  return f;
}

inline float weight(const Factors& f, size_t i) {
  const float product = f.step[i] * f.code[i];
  return f.offset.empty() ? product : product + f.offset[i];
}
inline float activation(const Factors& f, size_t i) { return f.scale[i] * f.activation[i]; }

inline float forward(const Factors& f) {
  float sum = 0;
  for (size_t i = 0; i < f.step.size(); ++i) sum += weight(f, i) * activation(f, i);
  return sum;
}
inline float backward_fused(const Factors& f) {
  float sum = 0;
  for (size_t i = f.step.size(); i-- > 0;) sum = std::fma(weight(f, i), activation(f, i), sum);
  return sum;
}
inline float pairwise(const Factors& f) {
  std::vector<float> sums;
  for (size_t i = 0; i < f.step.size(); ++i) sums.push_back(weight(f, i) * activation(f, i));
  while (sums.size() > 1) {
    for (size_t i = 0; i < sums.size() / 2; ++i) sums[i] = sums[2 * i] + sums[2 * i + 1];
    if (sums.size() % 2 == 1) sums[sums.size() / 2] = sums.back();
    sums.resize((sums.size() + 1) / 2);
  }
  return sums[0];
}
inline float sixteen_lanes(const Factors& f) {
  float lanes[16] = {};
  for (size_t i = 0; i < f.step.size(); ++i)
    lanes[i % 16] = std::fma(weight(f, i), activation(f, i), lanes[i % 16]);
  float sum = 0;
  for (const float lane : lanes) sum += lane;
  return sum;
}
// The activation first, then every scale; the offset as a sum of its own.
inline float scales_last(const Factors& f) {
  float sum = 0, offsets = 0;
  for (size_t i = 0; i < f.step.size(); ++i) {
    sum += f.activation[i] * f.code[i] * f.scale[i] * f.step[i];
    if (!f.offset.empty()) offsets += f.activation[i] * f.offset[i] * f.scale[i];
  }
  return sum + offsets;
}
// Integers within a run, then scales: what kernels on quantized activations do.
inline float integer_runs(const Factors& f) {
  float sum = 0;
  const size_t run = std::max(1u, f.run);
  for (size_t begin = 0; begin < f.step.size(); begin += run) {
    const size_t end = std::min(begin + run, f.step.size());
    double integer = 0, offset = 0;  // exact: far below 2^53
    for (size_t i = begin; i < end; ++i)
      integer += double{f.code[i]} * f.activation[i], offset += f.activation[i];
    sum += static_cast<float>(integer) * (f.step[begin] * f.scale[begin]);
    if (!f.offset.empty()) sum += (f.offset[begin] * f.scale[begin]) * static_cast<float>(offset);
  }
  return sum;
}
// With the block's stored sum.
inline float stored_sums(const Factors& f) {
  Factors products = f;
  products.offset.clear();
  float sum = integer_runs(products);
  for (size_t block = 0; block < f.sum.size(); ++block) sum += f.offset[block * 32] * f.sum[block];
  return sum;
}

using Kernel = float (*)(const Factors&);
inline constexpr Kernel kElementWise[] = {forward, backward_fused, pairwise, sixteen_lanes, scales_last};

}  // namespace gcts::honest

#endif  // GCTS_REFERENCE_HONEST_KERNELS_H_
