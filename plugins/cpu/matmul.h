// Matrix products over the dot products of one variant.

#ifndef GCTS_PLUGINS_CPU_MATMUL_H_
#define GCTS_PLUGINS_CPU_MATMUL_H_

#include <stdint.h>

#include "gcts/plugin.h"

namespace cpu {

// Dot products of two rows of weights and two of activations: x0 y0, x0 y1, x1 y0, x1 y1.
using TileFn = void (*)(const uint8_t* const (&weights)[2], const uint8_t* const (&activations)[2], float* results,
                        uint64_t count);

// Dot products of kRowsTogether rows of weights and one of activations, each made in the same way
// whatever the others are.
inline constexpr uint64_t kRowsTogether = 4;
using RowsFn = void (*)(const uint8_t* const (&weights)[kRowsTogether], const void* activations, float* results, uint64_t count);

// What a matmul kernel is made of; a kernel row's context points to one.
struct MatmulPlan {
  gcts_vec_dot_fn dot;
  gcts_quantize_fn quantize;     // of the activations, which come as f32
  uint32_t activation_elements;  // so many take up
  uint32_t activation_bytes;     // so much room, and what is left over of a row as much
  TileFn tile = nullptr;         // instead of dot, where there is one
  RowsFn rows = nullptr;         // likewise
  bool side_by_side = false;     // it reads its rows at once, and memory gives more if they lie apart
};

// The gcts_matmul_fn of every row, with ids or without.
gcts_status matmul(void* plan, const gcts_matmul* args);

}  // namespace cpu

#endif  // GCTS_PLUGINS_CPU_MATMUL_H_
