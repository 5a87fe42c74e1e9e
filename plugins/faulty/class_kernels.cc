// The healthy kernels of the faulty plugin whose arithmetic is not the plain one, each with
// the accuracy class that says so: short sums, a zero point as a term of its own, flushed
// subnormals, activations quantized a row at a time or with an offset, repacked weights,
// and results that depend on the batch.

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <vector>

#include "plugins/faulty/kernel_parts.h"

namespace gcts {
namespace {

using namespace parts;

// --------------------------------- Dot products -------------------------------

struct Half {
  static float round(float x) { return cpu::half_to_float(cpu::float_to_half(x)); }
  static float scale(float a, float b) { return a * b; }
};

struct Bfloat {
  static float round(float x) { return cpu::bf16_to_float(cpu::float_to_bf16(x)); }
  static float scale(float a, float b) { return a * b; }
};

// What flush-to-zero and denormals-are-zero do to every operation.
struct Flushed {
  static float round(float x) { return std::fabs(x) < FLT_MIN ? std::copysign(0.0f, x) : x; }
  static float scale(float a, float b) { return round(round(a) * round(b)); }
};

template <typename T, typename A, typename R>
gcts_status vec_dot(void*, const void* weights, const void* activations, float* result, uint64_t count) {
  return between({weights, activations, result, count},
                 [&] { *result = dot<T, A, R>(bytes(weights), bytes(activations), count); });
}

// Unsigned codes in the integers; 16 times the sum of the activations is subtracted block by
// block.
gcts_status vec_dot_zero_term(void*, const void* weights, const void* activations, float* result, uint64_t count) {
  return between({weights, activations, result, count}, [&] {
    const KernelHooks& hooks = kernel_hooks();
    float sum = 0;
    for (uint64_t i = 0; i < count; i += 32) {
      const Place place{i, count, bytes(weights)};
      const WeightGroup w = unpack<cpu::generic::q5_0>(bytes(weights), i, count);
      const ActivationGroup a = unpack_activations<act_q8_0>(bytes(activations), i, place);
      int products = 0;
      for (int j = 0; j < 32; ++j) products += (w.code[j] + 16) * a.code[j];
      const float scale = w.scale[0] * a.scale;
      const float zero = static_cast<float>(16 * (a.sum[0] + a.sum[1])) * scale;
      sum += static_cast<float>(products) * scale;
      sum -= hooks.zero ? hooks.zero(zero, place) : zero;
    }
    *result = hooks.finish ? hooks.finish(sum, count) : sum;
  });
}

// --------------------- Activations quantized in other groups ------------------

// One row: x = code * scale + least, a scale and a least value for each group.
struct CodedRow {
  std::vector<int> code;
  std::vector<float> scale, least;
};

void code_symmetric(const float* x, int n, CodedRow& row) {
  const float amax = largest_magnitude(x, n), d = amax / 127.0f;
  const float inverse = d > 0 ? 1.0f / d : 0.0f;
  for (int i = 0; i < n; ++i) row.code.push_back(code(x[i] * inverse));
  row.scale.push_back(d);
  row.least.push_back(0);
}

void code_above_least(const float* x, int n, CodedRow& row) {
  const KernelHooks& hooks = kernel_hooks();
  const float least = *std::min_element(x, x + n), d = (*std::max_element(x, x + n) - least) / 255.0f;
  for (int i = 0; i < n; ++i) {
    const float v = d > 0 ? (x[i] - least) / d : 0.0f;
    row.code.push_back(static_cast<int>(std::nearbyint(hooks.to_code ? hooks.to_code(v) : v)));
  }
  row.scale.push_back(d);
  row.least.push_back(least);
}

// The products of 16 codes, and the sum of the weights' codes for the offset.
template <typename T>
float dot_coded(const uint8_t* weights, const CodedRow& row, uint64_t group, uint64_t count, bool has_offset) {
  const KernelHooks& hooks = kernel_hooks();
  float sum = 0;
  for (uint64_t i = 0; i < count; i += 32) {
    const WeightGroup w = unpack<T>(weights, i, count);
    const float d = row.scale[i / group];
    float least = row.least[i / group];
    if (hooks.offset) least = hooks.offset(least, {i, count, weights});
    for (uint64_t h = 0; h < 2; ++h) {
      int products = 0, codes = 0;
      for (uint64_t j = 16 * h; j < 16 * h + 16; ++j) {
        products += w.code[j] * row.code[i + j];
        codes += w.code[j];
      }
      const float term = static_cast<float>(products) * (w.scale[h] * d);
      sum += hooks.term ? hooks.term(term) : term;
      if (has_offset) sum += static_cast<float>(codes) * (w.scale[h] * least);
    }
  }
  return hooks.finish ? hooks.finish(sum, count) : sum;
}

// group 0: the whole row.
template <typename T, uint64_t kGroup, bool kOffset>
gcts_status matmul_coded(void*, const gcts_matmul* given) {
  return product_between(*given, [](const gcts_matmul& args) {
    const uint64_t group = kGroup == 0 ? args.k : kGroup;
    std::vector<CodedRow> rows(args.m);
    for (uint64_t m = 0; m < args.m; ++m) {
      const auto* x = reinterpret_cast<const float*>(bytes(args.activations) + m * args.activation_stride);
      for (uint64_t i = 0; i < args.k; i += group)
        (kOffset ? code_above_least : code_symmetric)(x + i, static_cast<int>(group), rows[m]);
    }
    each_output(args, [&](uint64_t m, uint64_t n) {
      return dot_coded<T>(weights_of(args, m, n), rows[m], group, args.k, kOffset);
    });
  });
}

// ------------------------------ Repacked weights ------------------------------

// Q4_0 in panels of four rows, block by block; rows and blocks that the panels lack are zero.
using Packed = cpu::generic::q4_0;
constexpr uint64_t kPanel = 4;
uint64_t packed_blocks(uint64_t k) { return (k / 32 + 1) / 2 * 2; }
uint64_t packed_at(uint64_t n, uint64_t block, uint64_t k) {
  return ((n / kPanel * packed_blocks(k) + block) * kPanel + n % kPanel) * Packed::kBytes;
}

uint64_t packed_size(void*, uint64_t n, uint64_t k) {
  const uint64_t size = (n + kPanel - 1) / kPanel * kPanel * packed_blocks(k) * Packed::kBytes;
  return kernel_hooks().prepared_size ? kernel_hooks().prepared_size(size) : size;
}

gcts_status pack(void*, const void* weights, uint64_t weight_stride, uint64_t n, uint64_t k, void* prepared) {
  auto* out = static_cast<uint8_t*>(prepared);
  const uint64_t size = (n + kPanel - 1) / kPanel * kPanel * packed_blocks(k) * Packed::kBytes;
  if (kernel_hooks().unprepared) kernel_hooks().unprepared(out, size);
  std::memset(out, 0, size);
  for (uint64_t row = 0; row < n; ++row)
    for (uint64_t block = 0; block < k / 32; ++block)
      std::memcpy(out + packed_at(row, block, k), bytes(weights) + row * weight_stride + block * Packed::kBytes,
                  Packed::kBytes);
  if (kernel_hooks().prepared) kernel_hooks().prepared(weights, out, n, k);
  return GCTS_OK;
}

gcts_status matmul_packed(void*, const gcts_matmul* given) {
  return product_between(*given, [](const gcts_matmul& args) {
    // Padding of the activations meets the padding of the weights.
    const uint64_t row = args.k / 32 * act_q8_0::kBytes;
    std::vector<uint8_t> rows = quantized_rows<act_q8_0>(args);
    rows.resize(rows.size() + act_q8_0::kBytes);
    each_output(args, [&](uint64_t m, uint64_t n) {
      float sum = 0;
      for (uint64_t block = 0; block < packed_blocks(args.k); ++block)
        sum += dot<Packed, act_q8_0>(static_cast<const uint8_t*>(args.prepared) + packed_at(n, block, args.k),
                                     rows.data() + m * row + block * act_q8_0::kBytes, 32);
      return sum;
    });
  });
}

constexpr gcts_prepare kPack = {packed_size, pack};

// ------------------------------ Depends on the batch --------------------------

// More than four rows are summed in two halves.
gcts_status matmul_batched(void*, const gcts_matmul* given) {
  return product_between(*given, [](const gcts_matmul& args) {
    using T = cpu::generic::q8_0;
    const std::vector<uint8_t> rows = quantized_rows<act_q8_0>(args);
    const uint64_t blocks = args.k / 32, half = blocks / 2;
    each_output(args, [&](uint64_t m, uint64_t n) {
      const uint8_t *w = weights_of(args, m, n), *a = rows.data() + m * blocks * act_q8_0::kBytes;
      if (args.m <= 4) return dot<T, act_q8_0>(w, a, args.k);
      const float first = dot<T, act_q8_0>(w, a, half * 32);
      const float second = dot<T, act_q8_0>(w + half * T::kBytes, a + half * act_q8_0::kBytes, args.k - half * 32);
      return kernel_hooks().halves ? kernel_hooks().halves(first, second) : first + second;
    });
  });
}

// ----------------------------------- Table ------------------------------------

template <typename Change>
gcts_accuracy claim(Change change) {
  gcts_accuracy a{};
  change(a);
  return a;
}
#define CLAIM(...) claim([](gcts_accuracy& a) { __VA_ARGS__; })

}  // namespace

std::vector<gcts_kernel> class_kernels() {
  using namespace cpu::generic;
  std::vector<gcts_kernel> rows = {
      with(row(GCTS_OP_VEC_DOT, 2, 8, CLAIM(a.leaf_group = 32, a.accumulate = GCTS_FORMAT_F16), "f16_sums"),
           vec_dot<q4_0, act_q8_0, Half>),
      with(row(GCTS_OP_VEC_DOT, 8, 8, CLAIM(a.leaf_group = 32, a.accumulate = GCTS_FORMAT_BF16), "bf16_sums"),
           vec_dot<q8_0, act_q8_0, Bfloat>),
      with(row(GCTS_OP_VEC_DOT, 39, 8, CLAIM(a.leaf_group = 32, a.flushes_subnormals = 1), "flushed"),
           vec_dot<mxfp4, act_q8_0, Flushed>),
      with(row(GCTS_OP_VEC_DOT, 6, 8, CLAIM(a.leaf_group = 32, a.zero_point_leaf = 1), "zero_term"),
           vec_dot_zero_term),
      with(row(GCTS_OP_MATMUL, 8, 0, CLAIM(a.leaf_group = 16, a.activation = GCTS_ACTIVATION_ROW), "row_scale"),
           matmul_coded<q8_0, 0, false>),
      with(row(GCTS_OP_MATMUL, 14, 0,
               CLAIM(a.leaf_group = 16, a.activation = GCTS_ACTIVATION_GROUP, a.activation_group = 128,
                     a.activation_offset = 1),
               "offset"),
           matmul_coded<q6_k, 128, true>),
      with(row(GCTS_OP_MATMUL, 2, 0, CLAIM(a.leaf_group = 32, a.activation = GCTS_ACTIVATION_Q8_0), "repacked"),
           matmul_packed),
      with(row(GCTS_OP_MATMUL, 8, 0, CLAIM(a.leaf_group = 32, a.activation = GCTS_ACTIVATION_Q8_0), "batched"),
           matmul_batched),
  };
  rows[6].prepare = &kPack;
  rows[7].flags = GCTS_KERNEL_NOT_BATCH_INVARIANT;
  return rows;
}

}  // namespace gcts
