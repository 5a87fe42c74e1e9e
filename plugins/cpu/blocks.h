// What the kernels know of each block: its size, and its scales as floats.
//
// Every quantized type here is read as int8 codes and one scale (and, for some, one
// minimum) for each 16 elements:
//
//   value = scale * code + minimum
//
// The codes fit in int8 for every type: IQ1's eighths are folded into them (8 * grid
// +- 1, the scale divided by 8).  Each product is exact in f32.  Unpacking the codes is
// what the instruction sets do differently; the scales are read here, once for all.

#ifndef GCTS_PLUGINS_CPU_BLOCKS_H_
#define GCTS_PLUGINS_CPU_BLOCKS_H_

#include <stdint.h>
#include <string.h>

namespace cpu {

inline uint16_t load16(const uint8_t* p) { uint16_t v; memcpy(&v, p, 2); return v; }
inline uint32_t load32(const uint8_t* p) { uint32_t v; memcpy(&v, p, 4); return v; }
inline float bits_to_float(uint32_t b) { float f; memcpy(&f, &b, 4); return f; }
inline uint32_t float_to_bits(float f) { uint32_t b; memcpy(&b, &f, 4); return b; }

// IEEE half to float, exactly: the multiplication moves the exponent and normalises
// subnormals; Inf and NaN take the float exponent 255.
inline float half_to_float(uint16_t h) {
  const uint32_t magnitude = static_cast<uint32_t>(h & 0x7fff) << 13;
  float f = bits_to_float(magnitude) * 0x1p112f;
  if (magnitude >= 0x0f800000u) f = bits_to_float(magnitude | 0x7f800000u);
  return bits_to_float(float_to_bits(f) | (static_cast<uint32_t>(h & 0x8000) << 16));
}
inline float load_half(const uint8_t* p) { return half_to_float(load16(p)); }

// Float to IEEE half, to nearest, ties to even.
inline uint16_t float_to_half(float f) {
  const uint32_t b = float_to_bits(f), sign = (b >> 16) & 0x8000, a = b & 0x7fffffff;
  if (a > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00);
  if (a >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00);
  if (a < 0x38800000u) {  // subnormal: adding 1/2 leaves the wanted bits at the bottom
    const float shifted = bits_to_float(a) + 0.5f;
    return static_cast<uint16_t>(sign | (float_to_bits(shifted) - 0x3f000000u));
  }
  return static_cast<uint16_t>(sign | ((a - 0x38000000u + 0xfff + ((a >> 13) & 1)) >> 13));
}

// Float to bfloat16, to nearest, ties to even; a NaN stays one.
inline uint16_t float_to_bf16(float f) {
  const uint32_t b = float_to_bits(f);
  if ((b & 0x7fffffff) > 0x7f800000u) return static_cast<uint16_t>(b >> 16 | 0x40);
  return static_cast<uint16_t>((b + 0x7fff + ((b >> 16) & 1)) >> 16);
}
inline float bf16_to_float(uint16_t b) { return bits_to_float(static_cast<uint32_t>(b) << 16); }

// The six-bit scales and minima of Q4_K and Q5_K.
inline void k_scales(const uint8_t* s, int k, int& scale, int& minimum) {
  if (k < 4) {
    scale = s[k] & 63;
    minimum = s[k + 4] & 63;
  } else {
    scale = (s[k + 4] & 15) | ((s[k - 4] >> 6) << 4);
    minimum = (s[k + 4] >> 4) | ((s[k] >> 6) << 4);
  }
}

#include "blocks.inc"

}  // namespace cpu

#endif  // GCTS_PLUGINS_CPU_BLOCKS_H_
