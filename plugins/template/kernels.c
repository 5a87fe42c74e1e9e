// A kernel: q8_0 blocks to floats, the plain way.

#include "kernels.h"

#include <string.h>

// The value of an IEEE half float.
static float half_to_float(uint16_t h) {
  const uint32_t sign = (uint32_t)(h & 0x8000) << 16;
  const uint32_t exponent = h >> 10 & 0x1F, fraction = h & 0x3FF;
  if (exponent == 0) {  // zero or subnormal: fraction * 2^-24, exact in a float
    const float value = (float)fraction * 0x1p-24f;
    return sign ? -value : value;
  }
  const uint32_t bits =
      sign | (exponent == 31 ? 0x7F800000u : (exponent + 112) << 23) | fraction << 13;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// A block is a half-float scale and 32 signed bytes; the scale is little-endian.
gcts_status template_dequantize_q8_0(void* context, const void* blocks, float* values,
                                     uint64_t count) {
  (void)context;
  const uint8_t* block = blocks;
  for (uint64_t i = 0; i < count; i++) {
    const float scale = half_to_float((uint16_t)(block[0] | block[1] << 8));
    values[i] = scale * (float)(int8_t)block[2 + i % 32];
    if (i % 32 == 31) block += 34;
  }
  return GCTS_OK;
}
