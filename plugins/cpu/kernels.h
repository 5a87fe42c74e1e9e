// Every kernel of every variant, declared from the tables.

#ifndef GCTS_PLUGINS_CPU_KERNELS_H_
#define GCTS_PLUGINS_CPU_KERNELS_H_

#include <stdint.h>

#include "gcts/plugin.h"
#include "matmul.h"
#include "tiled.h"

namespace cpu {

#define CPU_TYPE(name, id, act, act_id, group) CPU_DEQUANTIZE(name) CPU_VEC_DOT(name)
#define CPU_DEQUANTIZE(name) \
  gcts_status dequantize_##name(void* context, const void* blocks, float* values, uint64_t count);
#define CPU_VEC_DOT(name)                                                                        \
  gcts_status vec_dot_##name(void* context, const void* weights, const void* activations, float* result, \
                             uint64_t count);
#define CPU_QUANTIZE(name)                                                                       \
  gcts_status quantize_##name(void* context, const float* values, const float* importance, void* blocks, \
                              uint64_t count);
#define CPU_ALL                                                                             \
  CPU_DEQUANTIZE(f16) CPU_DEQUANTIZE(bf16) CPU_DEQUANTIZE(q8_1) CPU_DEQUANTIZE(q8_k)         \
  CPU_VEC_DOT(f16) CPU_VEC_DOT(bf16) CPU_VEC_DOT(f32)                                        \
  CPU_QUANTIZE(q8_0) CPU_QUANTIZE(q8_1) CPU_QUANTIZE(q8_k)

namespace generic {
#include "types.inc"
CPU_ALL
CPU_QUANTIZE(f16) CPU_QUANTIZE(bf16)
}
#if defined(__x86_64__)
namespace avx2 {
#include "types.inc"
CPU_ALL
}
namespace avx512 {
#include "types.inc"
CPU_ALL
#undef CPU_TYPE
#define CPU_TYPE(name, id, act, act_id, group) \
  void rows_##name(const uint8_t* const (&weights)[kRowsTogether], const void* activations, float* results, uint64_t count); \
  gcts_status quantize_for_##name(void* context, const float* values, const float* importance, void* activations, uint64_t count); \
  extern const bool side_by_side_##name;
#include "types.inc"
CPU_TYPE(f16, , , , ) CPU_TYPE(bf16, , , , )
}
namespace avx512_bf16 {
CPU_VEC_DOT(bf16)
CPU_QUANTIZE(bf16)
void multiply_pairs(const void* panel, const void* tile, float* output, uint64_t count);
void tile_bf16(const uint8_t* const (&weights)[2], const uint8_t* const (&activations)[2], float* results,
               uint64_t count);
}
namespace avx512_vbmi {
CPU_VEC_DOT(iq2_xxs) CPU_VEC_DOT(iq2_xs) CPU_VEC_DOT(iq3_xxs) CPU_VEC_DOT(iq3_s) CPU_VEC_DOT(tq1_0)
}
#undef CPU_TYPE
#define CPU_TYPE(name, id, act, act_id, group) extern const TiledPlan plan_##name;
namespace avx512_tiled {
#include "types.inc"
extern const TiledPlan plan_f16, plan_bf16, plan_bf16_pairs;
}
#elif defined(__aarch64__)
namespace neon {
#include "types.inc"
CPU_ALL
}
namespace neon_dotprod {
#include "types.inc"
CPU_ALL
}
#undef CPU_TYPE
#define CPU_TYPE(name, id, act, act_id, group)                                                               \
  void tile_##name(const uint8_t* const (&weights)[2], const uint8_t* const (&activations)[2], float* results, \
                   uint64_t count);
namespace neon_i8mm {
#include "types.inc"
}
#endif

#undef CPU_TYPE
#undef CPU_DEQUANTIZE
#undef CPU_VEC_DOT
#undef CPU_QUANTIZE

}  // namespace cpu

#endif  // GCTS_PLUGINS_CPU_KERNELS_H_
