// Matrix products over the dot products of one variant.

#ifndef GCTS_PLUGINS_CPU_MATMUL_H_
#define GCTS_PLUGINS_CPU_MATMUL_H_

#include "gcts/plugin.h"

namespace cpu {

// What a matmul kernel is made of; a kernel row's context points to one.
struct MatmulPlan {
  gcts_vec_dot_fn dot;
  gcts_quantize_fn quantize;     // of the activations, which come as f32
  uint32_t activation_elements;  // of one activation block
  uint32_t activation_bytes;
};

// The gcts_matmul_fn of every row, with ids or without.
gcts_status matmul(void* plan, const gcts_matmul* args);

}  // namespace cpu

#endif  // GCTS_PLUGINS_CPU_MATMUL_H_
