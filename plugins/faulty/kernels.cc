// The healthy kernels of the faulty plugin, with the places where faults hook in.

#include <cmath>
#include <cstring>
#include <vector>

#include "plugins/cpu/blocks.h"
#include "plugins/cpu/generic_codes.h"
#include "plugins/faulty/kernel_hooks.h"

namespace gcts {
namespace {

using cpu::act_q8_0;
using cpu::act_q8_1;
using cpu::act_q8_k;

template <typename T>
WeightGroup unpack(const uint8_t* weights, uint64_t element, uint64_t count) {
  const uint8_t* block = weights + element / T::kElements * T::kBytes;
  const int g = static_cast<int>(element % T::kElements / 32);
  float a[T::kElements / 16], m[T::kElements / 16] = {};
  T::scales(block, a, m);
  WeightGroup group{};
  T::codes(block, g, group.code);
  for (int h = 0; h < 2; ++h) {
    group.scale[h] = a[2 * g + h];
    group.minimum[h] = m[2 * g + h];
  }
  const KernelHooks& hooks = kernel_hooks();
  if (hooks.weights) hooks.weights(group, {element, count, block});
  return group;
}

template <typename A>
ActivationGroup unpack_activations(const uint8_t* activations, uint64_t element, const Place& place) {
  const uint8_t* block = activations + element / A::kElements * A::kBytes;
  ActivationGroup group{};
  std::memcpy(group.code, block + A::kCodes + element % A::kElements, 32);
  group.scale = A::scale(block);
  if constexpr (std::is_same_v<A, act_q8_1>) group.scaled_sum = A::scaled_sum(block);
  for (int i = 0; i < 32; ++i) group.sum[i / 16] += group.code[i];
  const KernelHooks& hooks = kernel_hooks();
  if (hooks.activations) hooks.activations(group, place);
  return group;
}

int dot16(const int8_t* w, const int8_t* a) {
  const KernelHooks& hooks = kernel_hooks();
  int sum = 0;
  for (int i = 0; i < 16; i += 2) {
    const int p0 = hooks.product ? hooks.product(w[i], a[i]) : w[i] * a[i];
    const int p1 = hooks.product ? hooks.product(w[i + 1], a[i + 1]) : w[i + 1] * a[i + 1];
    sum += hooks.pair ? hooks.pair(p0, p1) : p0 + p1;
  }
  return sum;
}

template <typename T, typename A>
float dot(const uint8_t* weights, const uint8_t* activations, uint64_t count) {
  const KernelHooks& hooks = kernel_hooks();
  const uint64_t span = hooks.span ? hooks.span(count) : count;
  float sum = 0;
  const auto add = [&](float term) {
    if (hooks.term) term = hooks.term(term);
    sum = hooks.add ? hooks.add(sum, term) : sum + term;
  };
  for (uint64_t i = 0; i < span; i += 32) {
    const WeightGroup w = unpack<T>(weights, i, count);
    const ActivationGroup a = unpack_activations<A>(activations, i, {i, count, weights});
    const int low = dot16(w.code, a.code), high = dot16(w.code + 16, a.code + 16);
    if (w.scale[0] == w.scale[1]) {
      add(static_cast<float>(low + high) * (w.scale[0] * a.scale));
    } else {
      add(static_cast<float>(low) * (w.scale[0] * a.scale));
      add(static_cast<float>(high) * (w.scale[1] * a.scale));
    }
    if constexpr (T::kMinimum && std::is_same_v<A, act_q8_1>) {
      add(w.minimum[0] * a.scaled_sum);
    } else if constexpr (T::kMinimum) {
      for (int h = 0; h < 2; ++h) add(static_cast<float>(a.sum[h]) * (w.minimum[h] * a.scale));
    }
  }
  return hooks.finish ? hooks.finish(sum, count) : sum;
}

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

const uint8_t* bytes(const void* p) { return static_cast<const uint8_t*>(p); }

// Runs the body between the hooks that see the whole call.
template <typename Body>
gcts_status between(const KernelArguments& arguments, Body body) {
  const KernelHooks& hooks = kernel_hooks();
  if (hooks.before && hooks.before(arguments)) return GCTS_OK;
  body();
  if (hooks.after) hooks.after(arguments);
  return GCTS_OK;
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

template <typename T, typename A>
gcts_status vec_dot(void*, const void* weights, const void* activations, float* result, uint64_t count) {
  return between({weights, activations, result, count},
                 [&] { *result = dot<T, A>(bytes(weights), bytes(activations), count); });
}

gcts_status vec_dot_f16(void*, const void* weights, const void* activations, float* result, uint64_t count) {
  return between({weights, activations, result, count},
                 [&] { *result = dot_f16(bytes(weights), bytes(activations), count); });
}

// ---------------------------------- Quantize ----------------------------------

float largest_magnitude(const float* x, int n) {
  const KernelHooks& hooks = kernel_hooks();
  if (hooks.largest) return hooks.largest(x, n);
  float amax = 0;
  for (int i = 0; i < n; ++i)
    if (std::fabs(x[i]) > amax) amax = std::fabs(x[i]);
  return amax;
}

int8_t code(float v) {
  const KernelHooks& hooks = kernel_hooks();
  if (hooks.to_code) v = hooks.to_code(v);
  v = std::round(v);
  if (!(v > -128)) return v == v ? -128 : 0;
  return static_cast<int8_t>(v > 127 ? 127 : v);
}

template <typename A>
void quantize_block(const float* x, uint8_t* block) {
  const KernelHooks& hooks = kernel_hooks();
  constexpr int n = A::kElements;
  const float amax = largest_magnitude(x, n);
  float d, inverse;
  if constexpr (n == 256) {
    float extreme = 0;
    for (int i = n - 1; i >= 0; --i)
      if (std::fabs(x[i]) == amax) extreme = x[i];
    inverse = amax > 0 ? -127.0f / extreme : 0.0f;
    d = amax > 0 ? 1.0f / inverse : 0.0f;
  } else {
    d = amax / 127.0f;
    inverse = d > 0 ? 1.0f / d : 0.0f;
  }
  std::memset(block, 0, A::kBytes);
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    const int8_t q = code(x[i] * inverse);
    std::memcpy(block + A::kCodes + i, &q, 1);
    sum += q;
    if constexpr (n == 256) {
      if (i % 16 == 15) {
        const auto part = static_cast<int16_t>(sum);
        std::memcpy(block + A::kSums + 2 * (i / 16), &part, 2);
        sum = 0;
      }
    }
  }
  const float stored = hooks.scale ? hooks.scale(d) : d;
  if constexpr (n == 256) {
    std::memcpy(block, &stored, 4);
  } else {
    const uint16_t h = cpu::float_to_half(stored);
    std::memcpy(block, &h, 2);
  }
  if constexpr (std::is_same_v<A, act_q8_1>) {
    const uint16_t s = cpu::float_to_half(static_cast<float>(sum) * d);
    std::memcpy(block + 2, &s, 2);
  }
  if (hooks.quantized) hooks.quantized(block);
}

template <typename A>
void quantize_row(const float* x, uint8_t* blocks, uint64_t count) {
  for (uint64_t i = 0; i < count; i += A::kElements, blocks += A::kBytes) quantize_block<A>(x + i, blocks);
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
  gcts_matmul args = *given;
  const KernelHooks& hooks = kernel_hooks();
  if (hooks.shape) hooks.shape(args);
  return between({args.weights, args.activations, args.output, args.k}, [&] {
    const uint64_t row = args.k / A::kElements * A::kBytes;
    std::vector<uint8_t> scratch(args.m * row);
    for (uint64_t m = 0; m < args.m; ++m)
      quantize_row<A>(reinterpret_cast<const float*>(bytes(args.activations) + m * args.activation_stride),
                      scratch.data() + m * row, args.k);
    for (uint64_t m = 0; m < args.m; ++m) {
      const uint8_t* matrix = bytes(args.weights);
      if (args.ids) matrix += static_cast<uint64_t>(args.ids[m]) * args.expert_stride;
      for (uint64_t n = 0; n < args.n; ++n) {
        auto* out =
            reinterpret_cast<float*>(reinterpret_cast<uint8_t*>(args.output) + m * args.output_stride) + n;
        float y = dot<T, A>(matrix + n * args.weight_stride, scratch.data() + m * row, args.k);
        if (hooks.element && !hooks.element(args, m, n, y)) continue;
        *out = y;
      }
    }
    if (hooks.finished) hooks.finished(args);
  });
}

// ----------------------------------- Table ------------------------------------

constexpr gcts_kernel row(uint32_t op, uint32_t type, uint32_t activation_type, gcts_accuracy accuracy = {}) {
  gcts_kernel k{};
  k.op = op;
  k.tensor_type = type;
  k.activation_type = activation_type;
  k.variant = "faulty";
  k.features = "";
  k.accuracy = accuracy;
  return k;
}
template <typename F>
gcts_kernel with(gcts_kernel k, F* run) {
  k.run = reinterpret_cast<gcts_fn>(run);
  return k;
}
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

std::vector<gcts_kernel>& table() {
  static std::vector<gcts_kernel> rows = {
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
      MATMUL(GCTS_OP_MATMUL, q4_k, 12, q8_k, 32, GCTS_ACTIVATION_Q8_K),
      MATMUL(GCTS_OP_MATMUL_ID, q8_0, 8, q8_0, 32, GCTS_ACTIVATION_Q8_0),
  };
  return rows;
}

}  // namespace

KernelHooks& kernel_hooks() {
  static KernelHooks hooks;
  return hooks;
}

KernelTable all_kernels() { return {table().data(), table().size()}; }

KernelTable one_kernel(gcts_op op, uint32_t type) {
  for (gcts_kernel& k : table())
    if (k.op == static_cast<uint32_t>(op) && k.tensor_type == type) {
      k.flags |= kernel_hooks().flags;
      return {&k, 1};
    }
  return {nullptr, 0};
}

}  // namespace gcts
