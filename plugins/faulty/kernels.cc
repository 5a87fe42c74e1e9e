// The healthy kernels of the faulty plugin whose arithmetic is the plain one.

#include <cmath>
#include <cstring>
#include <vector>

#include "plugins/faulty/kernel_parts.h"

namespace gcts {
namespace {

using namespace parts;

float dot_f16(const uint8_t* weights, const uint8_t* activations, uint64_t count) {
  const KernelHooks& hooks = kernel_hooks();
  const uint64_t span = hooks.span ? hooks.span(count) : count;
  float sum = 0;
  for (uint64_t i = 0; i < span; ++i) {
    float term = cpu::load_half(weights + 2 * i) * cpu::load_half(activations + 2 * i);
    if (hooks.term) term = hooks.term(term);
    sum = hooks.add ? hooks.add(sum, term) : sum + term;
  }
  return hooks.finish ? hooks.finish(sum, count) : sum;
}

template <typename T>
gcts_status dequantize(void*, const void* blocks, float* values, uint64_t count) {
  return between({blocks, nullptr, values, count}, [&] {
    const KernelHooks& hooks = kernel_hooks();
    const uint64_t span = hooks.span ? hooks.span(count) : count;
    for (uint64_t i = 0; i < span; i += 32) {
      const WeightGroup w = unpack<T>(bytes(blocks), i, count);
      for (uint64_t j = 0; j < 32; ++j) {
        float v = static_cast<float>(w.code[j]) * w.scale[j / 16];
        if constexpr (T::kMinimum) v += w.minimum[j / 16];
        values[i + j] = hooks.value ? hooks.value(v, i + j) : v;
      }
    }
  });
}

gcts_status dequantize_bf16(void*, const void* blocks, float* values, uint64_t count) {
  return between({blocks, nullptr, values, count}, [&] {
    const KernelHooks& hooks = kernel_hooks();
    for (uint64_t i = 0; i < count; ++i) {
      const float v = cpu::bf16_to_float(cpu::load16(bytes(blocks) + 2 * i));
      values[i] = hooks.value ? hooks.value(v, i) : v;
    }
  });
}

template <typename T, typename A>
gcts_status vec_dot(void*, const void* weights, const void* activations, float* result, uint64_t count) {
  return between({weights, activations, result, count},
                 [&] { *result = dot<T, A>(bytes(weights), bytes(activations), count); });
}

gcts_status vec_dot_f16(void*, const void* weights, const void* activations, float* result, uint64_t count) {
  return between({weights, activations, result, count},
                 [&] { *result = dot_f16(bytes(weights), bytes(activations), count); });
}

template <typename A>
gcts_status quantize(void*, const float* values, const float*, void* blocks, uint64_t count) {
  return between({nullptr, values, blocks, count}, [&] {
    const KernelHooks& hooks = kernel_hooks();
    quantize_row<A>(values, static_cast<uint8_t*>(blocks), hooks.span ? hooks.span(count) : count);
  });
}

// ------------------------------- Matrix products ------------------------------

template <typename T, typename A>
gcts_status matmul(void*, const gcts_matmul* given) {
  return product_between(*given, [](const gcts_matmul& args) {
    const std::vector<uint8_t> rows = quantized_rows<A>(args);
    const uint64_t row = args.k / A::kElements * A::kBytes;
    each_output(args, [&](uint64_t m, uint64_t n) {
      return dot<T, A>(weights_of(args, m, n), rows.data() + m * row, args.k);
    });
  });
}

// ----------------------------------- Table ------------------------------------

constexpr gcts_accuracy grouped(uint32_t group, uint32_t block_sum, uint32_t activation) {
  gcts_accuracy a{};
  a.leaf_group = group;
  a.block_sum = block_sum;
  a.activation = activation;
  return a;
}

#define DEQUANTIZE(type, id) with(row(GCTS_OP_DEQUANTIZE, id, 0), dequantize<cpu::generic::type>)
#define VEC_DOT(type, id, act, act_id, group, sum) \
  with(row(GCTS_OP_VEC_DOT, id, act_id, grouped(group, sum, 0)), vec_dot<cpu::generic::type, act_##act>)
#define MATMUL(op, type, id, act, group, activation) \
  with(row(op, id, 0, grouped(group, 0, activation)), matmul<cpu::generic::type, act_##act>)
#define QUANTIZE(act, id) with(row(GCTS_OP_QUANTIZE, id, 0), quantize<act_##act>)

constexpr gcts_kernel thread_safe(gcts_kernel k) {
  k.flags |= GCTS_KERNEL_THREAD_SAFE;
  return k;
}

std::vector<gcts_kernel> table() {
  return {
      DEQUANTIZE(q4_0, 2),
      DEQUANTIZE(q4_1, 3),
      DEQUANTIZE(q5_0, 6),
      DEQUANTIZE(q5_1, 7),
      DEQUANTIZE(q8_0, 8),
      DEQUANTIZE(q2_k, 10),
      DEQUANTIZE(q3_k, 11),
      DEQUANTIZE(q4_k, 12),
      DEQUANTIZE(q5_k, 13),
      DEQUANTIZE(q6_k, 14),
      DEQUANTIZE(iq2_xxs, 16),
      DEQUANTIZE(iq3_s, 21),
      DEQUANTIZE(iq1_m, 29),
      DEQUANTIZE(iq4_nl, 20),
      DEQUANTIZE(iq4_xs, 23),
      DEQUANTIZE(tq1_0, 34),
      DEQUANTIZE(tq2_0, 35),
      DEQUANTIZE(mxfp4, 39),
      DEQUANTIZE(nvfp4, 40),
      DEQUANTIZE(q1_0, 41),
      DEQUANTIZE(q2_0, 42),
      VEC_DOT(q4_0, 2, q8_0, 8, 32, 0),
      VEC_DOT(q4_1, 3, q8_1, 9, 32, GCTS_SUM_F16_CODES),
      VEC_DOT(q5_0, 6, q8_0, 8, 32, 0),
      VEC_DOT(q5_1, 7, q8_1, 9, 32, GCTS_SUM_F16_CODES),
      VEC_DOT(q8_0, 8, q8_0, 8, 32, 0),
      VEC_DOT(q2_k, 10, q8_k, 15, 16, 0),
      VEC_DOT(q3_k, 11, q8_k, 15, 16, 0),
      VEC_DOT(q4_k, 12, q8_k, 15, 32, 0),
      VEC_DOT(q5_k, 13, q8_k, 15, 32, 0),
      VEC_DOT(q6_k, 14, q8_k, 15, 16, 0),
      VEC_DOT(iq4_xs, 23, q8_k, 15, 32, 0),
      VEC_DOT(iq2_xxs, 16, q8_k, 15, 32, 0),
      VEC_DOT(iq1_m, 29, q8_k, 15, 16, 0),
      VEC_DOT(tq2_0, 35, q8_k, 15, 32, 0),
      VEC_DOT(mxfp4, 39, q8_0, 8, 32, 0),
      VEC_DOT(nvfp4, 40, q8_0, 8, 16, 0),
      with(row(GCTS_OP_VEC_DOT, 1, 1), vec_dot_f16),
      QUANTIZE(q8_0, 8),
      QUANTIZE(q8_1, 9),
      QUANTIZE(q8_k, 15),
      MATMUL(GCTS_OP_MATMUL, q4_0, 2, q8_0, 32, GCTS_ACTIVATION_Q8_0),
      MATMUL(GCTS_OP_MATMUL, q8_0, 8, q8_0, 32, GCTS_ACTIVATION_Q8_0),
      thread_safe(MATMUL(GCTS_OP_MATMUL, q4_k, 12, q8_k, 32, GCTS_ACTIVATION_Q8_K)),
      MATMUL(GCTS_OP_MATMUL_ID, q8_0, 8, q8_0, 32, GCTS_ACTIVATION_Q8_0),
      MATMUL(GCTS_OP_MATMUL_ID, q4_k, 12, q8_k, 32, GCTS_ACTIVATION_Q8_K),
      with(row(GCTS_OP_DEQUANTIZE, 30, 0), dequantize_bf16),
  };
}

// With the classes' rows behind the plain ones.
std::vector<gcts_kernel>& all_rows() {
  static std::vector<gcts_kernel> rows = [] {
    std::vector<gcts_kernel> all = table();
    for (const gcts_kernel& k : class_kernels()) all.push_back(k);
    return all;
  }();
  return rows;
}

}  // namespace

KernelHooks& kernel_hooks() {
  static KernelHooks hooks;
  return hooks;
}

KernelTable all_kernels() { return {all_rows().data(), all_rows().size()}; }

KernelTable one_kernel(gcts_op op, uint32_t type, std::string_view variant) {
  for (gcts_kernel& k : all_rows())
    if (k.op == static_cast<uint32_t>(op) && k.tensor_type == type && k.variant == variant) {
      k.flags |= kernel_hooks().flags;
      return {&k, 1};
    }
  return {nullptr, 0};
}

}  // namespace gcts
