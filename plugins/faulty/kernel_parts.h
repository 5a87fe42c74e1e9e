// The plain loops that the healthy kernels are made of, with the places where faults
// hook in.

#ifndef GCTS_PLUGINS_FAULTY_KERNEL_PARTS_H_
#define GCTS_PLUGINS_FAULTY_KERNEL_PARTS_H_

#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#include "plugins/cpu/blocks.h"
#include "plugins/cpu/generic_codes.h"
#include "plugins/faulty/kernel_hooks.h"

namespace gcts::parts {

using cpu::act_q8_0;
using cpu::act_q8_1;
using cpu::act_q8_k;

// How sums and terms are rounded, and how two scales are multiplied.
struct Float32 {
  static float round(float x) { return x; }
  static float scale(float a, float b) { return a * b; }
};

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

inline int dot16(const int8_t* w, const int8_t* a) {
  const KernelHooks& hooks = kernel_hooks();
  int sum = 0;
  for (int i = 0; i < 16; i += 2) {
    const int p0 = hooks.product ? hooks.product(w[i], a[i]) : w[i] * a[i];
    const int p1 = hooks.product ? hooks.product(w[i + 1], a[i + 1]) : w[i + 1] * a[i + 1];
    sum += hooks.pair ? hooks.pair(p0, p1) : p0 + p1;
  }
  return sum;
}

template <typename T, typename A, typename R = Float32>
float dot(const uint8_t* weights, const uint8_t* activations, uint64_t count) {
  const KernelHooks& hooks = kernel_hooks();
  const uint64_t span = hooks.span ? hooks.span(count) : count;
  float sum = 0;
  const auto add = [&](float term) {
    term = R::round(term);
    if (hooks.term) term = hooks.term(term);
    sum = hooks.add ? hooks.add(sum, term) : R::round(sum + term);
  };
  for (uint64_t i = 0; i < span; i += 32) {
    const WeightGroup w = unpack<T>(weights, i, count);
    const ActivationGroup a = unpack_activations<A>(activations, i, {i, count, weights});
    const int low = dot16(w.code, a.code), high = dot16(w.code + 16, a.code + 16);
    if (w.scale[0] == w.scale[1]) {
      add(static_cast<float>(low + high) * R::scale(w.scale[0], a.scale));
    } else {
      add(static_cast<float>(low) * R::scale(w.scale[0], a.scale));
      add(static_cast<float>(high) * R::scale(w.scale[1], a.scale));
    }
    if constexpr (T::kMinimum && std::is_same_v<A, act_q8_1>) {
      add(w.minimum[0] * a.scaled_sum);
    } else if constexpr (T::kMinimum) {
      for (int h = 0; h < 2; ++h) add(static_cast<float>(a.sum[h]) * (w.minimum[h] * a.scale));
    }
  }
  return hooks.finish ? hooks.finish(sum, count) : sum;
}

inline const uint8_t* bytes(const void* p) { return static_cast<const uint8_t*>(p); }

// Runs the body between the hooks that see the whole call.
template <typename Body>
gcts_status between(const KernelArguments& arguments, Body body) {
  const KernelHooks& hooks = kernel_hooks();
  if (hooks.before && hooks.before(arguments)) return GCTS_OK;
  body();
  if (hooks.after) hooks.after(arguments);
  return GCTS_OK;
}

inline float largest_magnitude(const float* x, int n) {
  const KernelHooks& hooks = kernel_hooks();
  if (hooks.largest) return hooks.largest(x, n);
  float amax = 0;
  for (int i = 0; i < n; ++i)
    if (std::fabs(x[i]) > amax) amax = std::fabs(x[i]);
  return amax;
}

inline int8_t code(float v) {
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


// The element at row m and column n of the output.
inline float* output_at(const gcts_matmul& args, uint64_t m, uint64_t n) {
  return reinterpret_cast<float*>(reinterpret_cast<uint8_t*>(args.output) + m * args.output_stride) + n;
}

// Each row of activations quantized, one after the other.
template <typename A>
std::vector<uint8_t> quantized_rows(const gcts_matmul& args) {
  const uint64_t row = args.k / A::kElements * A::kBytes;
  std::vector<uint8_t> rows(args.m * row);
  for (uint64_t m = 0; m < args.m; ++m)
    quantize_row<A>(reinterpret_cast<const float*>(bytes(args.activations) + m * args.activation_stride),
                    rows.data() + m * row, args.k);
  return rows;
}

// The row of weights that output (m, n) comes from.
inline const uint8_t* weights_of(const gcts_matmul& args, uint64_t m, uint64_t n) {
  const KernelHooks& hooks = kernel_hooks();
  uint64_t expert = args.ids ? static_cast<uint64_t>(args.ids[m]) * args.expert_stride : 0, at = n * args.weight_stride;
  if (hooks.expert_offset) expert = hooks.expert_offset(expert);
  if (hooks.row_offset) at = hooks.row_offset(at);
  return bytes(args.weights) + expert + at;
}

// Every output by `compute(m, n)`, through the hook that sees it.
template <typename Compute>
void each_output(const gcts_matmul& args, Compute compute) {
  const KernelHooks& hooks = kernel_hooks();
  for (uint64_t m = 0; m < args.m; ++m)
    for (uint64_t n = 0; n < args.n; ++n) {
      float y = compute(m, n);
      if (hooks.element && !hooks.element(args, m, n, y)) continue;
      *output_at(args, m, n) = y;
    }
  if (hooks.finished) hooks.finished(args);
}

// A matrix product between the hooks that see the whole call.
template <typename Body>
gcts_status product_between(const gcts_matmul& given, Body body) {
  gcts_matmul args = given;
  if (kernel_hooks().shape) kernel_hooks().shape(args);
  return between({args.weights, args.activations, args.output, args.k}, [&] { body(args); });
}

// ----------------------------------- Table ------------------------------------

constexpr gcts_kernel row(uint32_t op, uint32_t type, uint32_t activation_type, gcts_accuracy accuracy = {},
                          const char* variant = "faulty") {
  gcts_kernel k{};
  k.op = op;
  k.tensor_type = type;
  k.activation_type = activation_type;
  k.variant = variant;
  k.features = "";
  k.accuracy = accuracy;
  return k;
}
template <typename F>
gcts_kernel with(gcts_kernel k, F* run) {
  k.run = reinterpret_cast<gcts_fn>(run);
  return k;
}

}  // namespace gcts::parts

#endif  // GCTS_PLUGINS_FAULTY_KERNEL_PARTS_H_
