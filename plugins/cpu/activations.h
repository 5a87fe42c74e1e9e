// The activation blocks: how Q8_0, Q8_1 and Q8_K are read by a dot product.

#ifndef GCTS_PLUGINS_CPU_ACTIVATIONS_H_
#define GCTS_PLUGINS_CPU_ACTIVATIONS_H_

#include "blocks.h"

namespace cpu {

// kElements of a block, its bytes, where its codes stand.
struct act_q8_0 {
  static constexpr int kElements = 32, kBytes = 34, kCodes = 2;
  static inline float scale(const uint8_t* y) { return load_half(y); }
};
struct act_q8_1 {
  static constexpr int kElements = 32, kBytes = 36, kCodes = 4;
  static inline float scale(const uint8_t* y) { return load_half(y); }
  static inline float scaled_sum(const uint8_t* y) { return load_half(y + 2); }
};
struct act_q8_k {
  static constexpr int kElements = 256, kBytes = 292, kCodes = 4, kSums = 260;
  static inline float scale(const uint8_t* y) { return bits_to_float(load32(y)); }
};

}  // namespace cpu

#endif  // GCTS_PLUGINS_CPU_ACTIVATIONS_H_
