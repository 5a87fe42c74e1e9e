// The table of the kernels: every type, every variant of this architecture.

#include "gcts/plugin.h"

#include "blocks.h"
#include "kernels.h"
#include "matmul.h"
#include "tiled.h"

namespace cpu {
namespace {

constexpr uint32_t kF32 = 0, kF16 = 1, kQ8_0 = 8, kQ8_1 = 9, kQ8_K = 15, kBF16 = 30;

// Integer sums within a group, f32 beyond it.  Minima and Q8_1's sums are leaves of
// their own.
constexpr gcts_accuracy grouped(uint32_t group, uint32_t activation_type, bool zero_apart = false) {
  gcts_accuracy a{};
  a.leaf_group = group;
  a.zero_point_leaf = zero_apart;
  if (activation_type == kQ8_1) a.block_sum = GCTS_SUM_F16_CODES;
  return a;
}
constexpr gcts_accuracy requantized(uint32_t group, uint32_t activation_type, bool zero_apart = false) {
  gcts_accuracy a = grouped(group, activation_type, zero_apart);
  a.activation = activation_type == kQ8_0   ? GCTS_ACTIVATION_Q8_0
                 : activation_type == kQ8_1 ? GCTS_ACTIVATION_Q8_1
                                            : GCTS_ACTIVATION_Q8_K;
  return a;
}

// The zero points of Q3_K, Q6_K, IQ1 and TQ: the lanes of an x86 register sum unsigned codes, and
// other lanes take the zero point off (kLanes).
[[maybe_unused]] constexpr bool lanes_apart(uint32_t type) {
  return type == 11 || type == 14 || type == 19 || type == 29 || type == 34 || type == 35;
}
#define ZERO_APART_generic(type) false
#define ZERO_APART_neon(type) false
#define ZERO_APART_neon_dotprod(type) false
#define ZERO_APART_neon_i8mm(type) false
#define ZERO_APART_avx2(type) lanes_apart(type)
#define ZERO_APART_avx512(type) lanes_apart(type)

constexpr gcts_accuracy rounded(uint32_t activation) {
  gcts_accuracy a{};
  a.activation = activation;
  return a;
}

// VDPBF16PS and VCVTNEPS2BF16 take subnormal numbers for zero.
[[maybe_unused]] constexpr gcts_accuracy flushed(uint32_t activation) {
  gcts_accuracy a = rounded(activation);
  a.flushes_subnormals = 1;
  return a;
}

constexpr gcts_kernel row(uint32_t op, uint32_t type, uint32_t activation, const char* variant,
                          const char* features, gcts_accuracy accuracy, void* context, gcts_fn run) {
  gcts_kernel k{};
  k.op = op;
  k.tensor_type = type;
  k.activation_type = activation;
  k.flags = GCTS_KERNEL_THREAD_SAFE;
  k.variant = variant;
  k.features = features;
  k.accuracy = accuracy;
  k.context = context;
  k.run = run;
  return k;
}

template <typename F>
gcts_fn function(F* f) {
  return reinterpret_cast<gcts_fn>(f);
}

// One matmul plan for each type and variant.
#define CPU_TYPE(name, id, act, act_id, group) \
  MatmulPlan plan_##name{VARIANT::vec_dot_##name, VARIANT::quantize_##act, act_##act::kElements, act_##act::kBytes};
#define FLOAT_PLANS                                                          \
  MatmulPlan plan_f16{VARIANT::vec_dot_f16, generic::quantize_f16, 1, 2};    \
  MatmulPlan plan_bf16{VARIANT::vec_dot_bf16, generic::quantize_bf16, 1, 2};
namespace plans_generic {
#define VARIANT generic
#include "types.inc"
FLOAT_PLANS
#undef VARIANT
}  // namespace plans_generic
#if defined(__x86_64__)
namespace plans_avx2 {
#define VARIANT avx2
#include "types.inc"
FLOAT_PLANS
#undef VARIANT
}  // namespace plans_avx2
#undef CPU_TYPE
#define CPU_TYPE(name, id, act, act_id, group)                                                               \
  MatmulPlan plan_##name{nullptr, avx512::quantize_for_##name, act_##act::kElements == 32 ? 64 : 256, \
                         act_##act::kElements == 32 ? 128 : 512, nullptr, avx512::rows_##name, avx512::side_by_side_##name};
namespace plans_avx512 {
#define VARIANT avx512
#include "types.inc"
MatmulPlan plan_f16{nullptr, avx512::quantize_for_f16, 1, 4, nullptr, avx512::rows_f16, avx512::side_by_side_f16};
MatmulPlan plan_bf16{nullptr, avx512::quantize_for_bf16, 1, 4, nullptr, avx512::rows_bf16, avx512::side_by_side_bf16};
#undef VARIANT
}  // namespace plans_avx512
MatmulPlan plan_avx512_bf16{avx512_bf16::vec_dot_bf16, avx512_bf16::quantize_bf16, 1, 2, avx512_bf16::tile_bf16};
#elif defined(__aarch64__)
namespace plans_neon {
#define VARIANT neon
#include "types.inc"
FLOAT_PLANS
#undef VARIANT
}  // namespace plans_neon
namespace plans_neon_dotprod {
#define VARIANT neon_dotprod
#include "types.inc"
FLOAT_PLANS
#undef VARIANT
}  // namespace plans_neon_dotprod
#undef CPU_TYPE
#define CPU_TYPE(name, id, act, act_id, group)                                                               \
  MatmulPlan plan_##name{neon_dotprod::vec_dot_##name, neon_dotprod::quantize_##act, act_##act::kElements, \
                         act_##act::kBytes, neon_i8mm::tile_##name};
namespace plans_neon_i8mm {
#include "types.inc"
}  // namespace plans_neon_i8mm
#endif
#undef CPU_TYPE
#undef FLOAT_PLANS

#define FLOAT_ROWS(v, needs)                                                                                 \
  row(GCTS_OP_DEQUANTIZE, kF16, kF32, #v, needs, {}, nullptr, function(v::dequantize_f16)),                  \
      row(GCTS_OP_DEQUANTIZE, kBF16, kF32, #v, needs, {}, nullptr, function(v::dequantize_bf16)),            \
      row(GCTS_OP_DEQUANTIZE, kQ8_1, kF32, #v, needs, {}, nullptr, function(v::dequantize_q8_1)),            \
      row(GCTS_OP_DEQUANTIZE, kQ8_K, kF32, #v, needs, {}, nullptr, function(v::dequantize_q8_k)),            \
      row(GCTS_OP_VEC_DOT, kF16, kF16, #v, needs, {}, nullptr, function(v::vec_dot_f16)),                    \
      row(GCTS_OP_VEC_DOT, kBF16, kBF16, #v, needs, {}, nullptr, function(v::vec_dot_bf16)),                 \
      row(GCTS_OP_VEC_DOT, kF32, kF32, #v, needs, {}, nullptr, function(v::vec_dot_f32)),                    \
      row(GCTS_OP_MATMUL, kF16, kF32, #v, needs, rounded(GCTS_ACTIVATION_F16), &plans_##v::plan_f16,         \
          function(matmul)),                                                                                 \
      row(GCTS_OP_MATMUL, kBF16, kF32, #v, needs, rounded(GCTS_ACTIVATION_BF16), &plans_##v::plan_bf16,      \
          function(matmul)),                                                                                 \
      row(GCTS_OP_QUANTIZE, kQ8_0, kF32, #v, needs, {}, nullptr, function(v::quantize_q8_0)),                \
      row(GCTS_OP_QUANTIZE, kQ8_1, kF32, #v, needs, {}, nullptr, function(v::quantize_q8_1)),                \
      row(GCTS_OP_QUANTIZE, kQ8_K, kF32, #v, needs, {}, nullptr, function(v::quantize_q8_k)),
#define TYPE_ROWS(v, needs, name, id, act_id, group)                                                         \
  row(GCTS_OP_DEQUANTIZE, id, kF32, #v, needs, {}, nullptr, function(v::dequantize_##name)),                 \
      row(GCTS_OP_VEC_DOT, id, act_id, #v, needs, grouped(group, act_id, ZERO_APART_##v(id)), nullptr,       \
          function(v::vec_dot_##name)),                                                                      \
      PRODUCT_ROWS(v, needs, name, id, act_id, group)
#define PRODUCT_ROWS(v, needs, name, id, act_id, group)                                                      \
  row(GCTS_OP_MATMUL, id, kF32, #v, needs, requantized(group, act_id, ZERO_APART_##v(id)), &plans_##v::plan_##name, \
          function(matmul)),                                                                                 \
      row(GCTS_OP_MATMUL_ID, id, kF32, #v, needs, requantized(group, act_id, ZERO_APART_##v(id)), &plans_##v::plan_##name, \
          function(matmul)),

#define TILED_ROWS(v, needs, name, id, accuracy)                                                             \
  row(GCTS_OP_MATMUL, id, kF32, #v, needs, accuracy, const_cast<TiledPlan*>(&v::plan_##name), function(tiled_matmul)), \
      row(GCTS_OP_MATMUL_ID, id, kF32, #v, needs, accuracy, const_cast<TiledPlan*>(&v::plan_##name), function(tiled_matmul)),

const gcts_kernel kKernels[] = {
#define CPU_TYPE(name, id, act, act_id, group) TYPE_ROWS(generic, "", name, id, act_id, group)
#include "types.inc"
#undef CPU_TYPE
    FLOAT_ROWS(generic, "")
    row(GCTS_OP_QUANTIZE, kF16, kF32, "generic", "", {}, nullptr, function(generic::quantize_f16)),
    row(GCTS_OP_QUANTIZE, kBF16, kF32, "generic", "", {}, nullptr, function(generic::quantize_bf16)),
#if defined(__x86_64__)
#define NEEDS_AVX2 "avx2 fma3 f16c"
#define CPU_TYPE(name, id, act, act_id, group) TYPE_ROWS(avx2, NEEDS_AVX2, name, id, act_id, group)
#include "types.inc"
#undef CPU_TYPE
    FLOAT_ROWS(avx2, NEEDS_AVX2)
#define NEEDS_AVX512 "avx2 fma3 f16c avx512f avx512bw avx512vl avx512dq avx512vnni"
#define CPU_TYPE(name, id, act, act_id, group) TYPE_ROWS(avx512, NEEDS_AVX512, name, id, act_id, group)
#include "types.inc"
#undef CPU_TYPE
    FLOAT_ROWS(avx512, NEEDS_AVX512)
#define CPU_TYPE(name, id, act, act_id, group) TILED_ROWS(avx512_tiled, NEEDS_AVX512, name, id, requantized(group, act_id))
#include "types.inc"
#undef CPU_TYPE
    TILED_ROWS(avx512_tiled, NEEDS_AVX512, f16, kF16, rounded(GCTS_ACTIVATION_F16))
    TILED_ROWS(avx512_tiled, NEEDS_AVX512, bf16, kBF16, rounded(GCTS_ACTIVATION_BF16))
#define NEEDS_AVX512_BF16 "avx2 fma3 f16c avx512f avx512bw avx512vl avx512dq avx512_bf16"
    row(GCTS_OP_VEC_DOT, kBF16, kBF16, "avx512_bf16", NEEDS_AVX512_BF16, flushed(GCTS_ACTIVATION_AS_GIVEN), nullptr,
        function(avx512_bf16::vec_dot_bf16)),
    row(GCTS_OP_MATMUL, kBF16, kF32, "avx512_bf16", NEEDS_AVX512_BF16, flushed(GCTS_ACTIVATION_BF16),
        &plan_avx512_bf16, function(matmul)),
    row(GCTS_OP_MATMUL_ID, kBF16, kF32, "avx512_bf16", NEEDS_AVX512_BF16, flushed(GCTS_ACTIVATION_BF16),
        &plan_avx512_bf16, function(matmul)),
    row(GCTS_OP_MATMUL, kBF16, kF32, "avx512_bf16_tiled", NEEDS_AVX512_BF16 " avx512vnni", flushed(GCTS_ACTIVATION_BF16),
        const_cast<TiledPlan*>(&avx512_tiled::plan_bf16_pairs), function(tiled_matmul)),
    row(GCTS_OP_MATMUL_ID, kBF16, kF32, "avx512_bf16_tiled", NEEDS_AVX512_BF16 " avx512vnni", flushed(GCTS_ACTIVATION_BF16),
        const_cast<TiledPlan*>(&avx512_tiled::plan_bf16_pairs), function(tiled_matmul)),
#define NEEDS_AVX512_VBMI NEEDS_AVX512 " avx512vbmi"
#define VBMI_ROW(name, id, group)                                                                         \
  row(GCTS_OP_VEC_DOT, id, kQ8_K, "avx512_vbmi", NEEDS_AVX512_VBMI, grouped(group, kQ8_K, lanes_apart(id)), nullptr, \
      function(avx512_vbmi::vec_dot_##name)),
    VBMI_ROW(iq2_xxs, 16, 32) VBMI_ROW(iq2_xs, 17, 16)
    VBMI_ROW(iq3_xxs, 18, 32) VBMI_ROW(iq3_s, 21, 32) VBMI_ROW(tq1_0, 34, 32)
#undef VBMI_ROW
#elif defined(__aarch64__)
#define CPU_TYPE(name, id, act, act_id, group) TYPE_ROWS(neon, "asimd", name, id, act_id, group)
#include "types.inc"
#undef CPU_TYPE
    FLOAT_ROWS(neon, "asimd")
#define CPU_TYPE(name, id, act, act_id, group) TYPE_ROWS(neon_dotprod, "asimd asimddp", name, id, act_id, group)
#include "types.inc"
#undef CPU_TYPE
    FLOAT_ROWS(neon_dotprod, "asimd asimddp")
#define CPU_TYPE(name, id, act, act_id, group) PRODUCT_ROWS(neon_i8mm, "asimd asimddp i8mm", name, id, act_id, group)
#include "types.inc"
#undef CPU_TYPE
#endif
};

const gcts_plugin kPlugin = {
    GCTS_ABI_VERSION, sizeof(gcts_plugin), "cpu", "0.1", nullptr, nullptr,
    kKernels, sizeof(kKernels) / sizeof(kKernels[0]), sizeof(gcts_kernel), 0, nullptr,
    nullptr, nullptr, 0, 0, 0};

}  // namespace
}  // namespace cpu

extern "C" const gcts_plugin* gcts_plugin_entry(void) { return &cpu::kPlugin; }
