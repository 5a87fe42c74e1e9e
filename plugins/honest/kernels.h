// The honest kernels, by what their arithmetic is like, and how they read blocks.

#ifndef GCTS_PLUGINS_HONEST_KERNELS_H_
#define GCTS_PLUGINS_HONEST_KERNELS_H_

#include <stdint.h>

#include <vector>

#include "gcts/plugin.h"
#include "plugins/cpu/blocks.h"
#include "plugins/cpu/generic_codes.h"

namespace honest {

// A row element by element: value = scale * code + minimum.
struct Row {
  std::vector<float> scale, code, minimum;

  float value(uint64_t i) const { return scale[i] * code[i] + minimum[i]; }
};

template <typename T>
Row unpack(const void* row, uint64_t count) {
  Row out;
  out.scale.resize(count), out.code.resize(count), out.minimum.resize(count);
  const auto* block = static_cast<const uint8_t*>(row);
  for (uint64_t i = 0; i < count; i += T::kElements, block += T::kBytes) {
    float a[T::kElements / 16], m[T::kElements / 16] = {};
    T::scales(block, a, m);
    for (uint64_t j = 0; j < T::kElements; j += 32) {
      int8_t c[32];
      T::codes(block, static_cast<int>(j / 32), c);
      for (uint64_t e = 0; e < 32; ++e) {
        out.code[i + j + e] = c[e];
        out.scale[i + j + e] = a[(j + e) / 16];
        out.minimum[i + j + e] = m[(j + e) / 16];
      }
    }
  }
  return out;
}

inline float to_f16(float x) { return cpu::half_to_float(cpu::float_to_half(x)); }
inline float to_bf16(float x) { return cpu::bf16_to_float(cpu::float_to_bf16(x)); }

#define HONEST_VEC_DOT(name) gcts_status name(void*, const void* weights, const void* activations, float* result, uint64_t count);
HONEST_VEC_DOT(zero_point_leaf)
HONEST_VEC_DOT(f16_weights)
HONEST_VEC_DOT(bf16_weights)
HONEST_VEC_DOT(reversed_elements)
HONEST_VEC_DOT(flushed_subnormals)
HONEST_VEC_DOT(pairwise)
HONEST_VEC_DOT(f16_block_sums)
HONEST_VEC_DOT(f16_sums)
HONEST_VEC_DOT(bf16_sums)
HONEST_VEC_DOT(f64_sums)
HONEST_VEC_DOT(f16_result)
HONEST_VEC_DOT(bf16_result)
HONEST_VEC_DOT(truncating)
#undef HONEST_VEC_DOT

gcts_status row_activations(void*, const gcts_matmul* args);
gcts_status groups_of_64(void*, const gcts_matmul* args);
gcts_status bf16_sums_of_blocks(void*, const gcts_matmul* args);
gcts_status offset_groups_of_128(void*, const gcts_matmul* args);
gcts_status bf16_activations(void*, const gcts_matmul* args);
gcts_status repacked(void*, const gcts_matmul* args);
extern const gcts_prepare kRepack;

}  // namespace honest

#endif  // GCTS_PLUGINS_HONEST_KERNELS_H_
