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

// scales(b, a, m): a[i] and m[i] for elements 16 i to 16 i + 15.
#define BLOCK(name, elements, bytes, has_minimum)   \
  struct name {                                     \
    static constexpr int kElements = elements;      \
    static constexpr int kBytes = bytes;            \
    static constexpr bool kMinimum = has_minimum;   \
    static inline void scales(const uint8_t* b, float* a, float* m); \
  };                                                \
  inline void name::scales([[maybe_unused]] const uint8_t* b, [[maybe_unused]] float* a, \
                           [[maybe_unused]] float* m)

BLOCK(q4_0, 32, 18, false) { a[0] = a[1] = load_half(b); }
BLOCK(q4_1, 32, 20, true) { a[0] = a[1] = load_half(b); m[0] = m[1] = load_half(b + 2); }
BLOCK(q5_0, 32, 22, false) { a[0] = a[1] = load_half(b); }
BLOCK(q5_1, 32, 24, true) { a[0] = a[1] = load_half(b); m[0] = m[1] = load_half(b + 2); }
BLOCK(q8_0, 32, 34, false) { a[0] = a[1] = load_half(b); }
BLOCK(q8_1, 32, 36, false) { a[0] = a[1] = load_half(b); }
BLOCK(iq4_nl, 32, 18, false) { a[0] = a[1] = load_half(b); }
BLOCK(mxfp4, 32, 17, false) {
  const uint32_t e = b[0];
  a[0] = a[1] = bits_to_float(e < 2 ? 0x00200000u << e : (e - 1) << 23);
}
BLOCK(nvfp4, 64, 36, false) {
  for (int i = 0; i < 4; ++i) {
    const uint32_t x = b[i] & 0x7f, e = x >> 3, f = x & 7;
    const float normal = bits_to_float(((e + 119) << 23) | (f << 20));  // (1 + f/8) 2^(e-8)
    const float small = static_cast<float>(f) * 0x1p-10f;
    a[i] = b[i] == 0x7f ? 0.0f : e == 0 ? small : normal;
  }
}
BLOCK(q1_0, 128, 18, false) { for (int i = 0; i < 8; ++i) a[i] = load_half(b); }
BLOCK(q2_0, 64, 18, false) { for (int i = 0; i < 4; ++i) a[i] = load_half(b); }
BLOCK(q2_k, 256, 84, true) {
  const float d = load_half(b + 80), dmin = load_half(b + 82);
  for (int i = 0; i < 16; ++i) {
    a[i] = d * static_cast<float>(b[i] & 15);
    m[i] = -(dmin * static_cast<float>(b[i] >> 4));
  }
}
BLOCK(q3_k, 256, 110, false) {
  const float d = load_half(b + 108);
  const uint8_t* s = b + 96;
  for (int k = 0; k < 16; ++k) {
    const int low = k < 8 ? s[k] & 15 : s[k - 8] >> 4;
    const int high = (s[8 + k % 4] >> (2 * (k / 4))) & 3;
    a[k] = d * static_cast<float>((low | high << 4) - 32);
  }
}
inline void k_block_scales(const uint8_t* b, float* a, float* m) {
  const float d = load_half(b), dmin = load_half(b + 2);
  for (int k = 0; k < 8; ++k) {
    int scale, minimum;
    k_scales(b + 4, k, scale, minimum);
    a[2 * k] = a[2 * k + 1] = d * static_cast<float>(scale);
    m[2 * k] = m[2 * k + 1] = -(dmin * static_cast<float>(minimum));
  }
}
BLOCK(q4_k, 256, 144, true) { k_block_scales(b, a, m); }
BLOCK(q5_k, 256, 176, true) { k_block_scales(b, a, m); }
BLOCK(q6_k, 256, 210, false) {
  const float d = load_half(b + 208);
  for (int k = 0; k < 16; ++k) a[k] = d * static_cast<float>(static_cast<int8_t>(b[192 + k]));
}
BLOCK(q8_k, 256, 292, false) {
  const float d = bits_to_float(load32(b));
  for (int k = 0; k < 16; ++k) a[k] = d;
}
BLOCK(iq2_xxs, 256, 66, false) {
  const float d = load_half(b);
  for (int g = 0; g < 8; ++g)
    a[2 * g] = a[2 * g + 1] = d * (0.5f + static_cast<float>(load32(b + 6 + 8 * g) >> 28)) * 0.25f;
}
inline void nibble_scales(float d, const uint8_t* s, float* a) {
  for (int g = 0; g < 8; ++g) {
    a[2 * g] = d * (0.5f + static_cast<float>(s[g] & 15)) * 0.25f;
    a[2 * g + 1] = d * (0.5f + static_cast<float>(s[g] >> 4)) * 0.25f;
  }
}
BLOCK(iq2_xs, 256, 74, false) { nibble_scales(load_half(b), b + 66, a); }
BLOCK(iq2_s, 256, 82, false) { nibble_scales(load_half(b), b + 74, a); }
BLOCK(iq3_xxs, 256, 98, false) {
  const float d = load_half(b);
  for (int g = 0; g < 8; ++g)
    a[2 * g] = a[2 * g + 1] = d * (0.5f + static_cast<float>(load32(b + 66 + 4 * g) >> 28)) * 0.5f;
}
BLOCK(iq3_s, 256, 110, false) {
  const float d = load_half(b);
  for (int g = 0; g < 8; ++g)
    a[2 * g] = a[2 * g + 1] = d * static_cast<float>(1 + 2 * ((b[106 + g / 2] >> (4 * (g & 1))) & 15));
}
BLOCK(iq1_s, 256, 50, false) {
  const float d = load_half(b) * 0.125f;
  for (int g = 0; g < 8; ++g)
    a[2 * g] = a[2 * g + 1] = d * static_cast<float>(2 * ((load16(b + 34 + 2 * g) >> 12) & 7) + 1);
}
BLOCK(iq1_m, 256, 56, false) {
  uint16_t w[4];
  memcpy(w, b + 48, 8);
  const int h = w[0] >> 12 | (w[1] >> 12) << 4 | (w[2] >> 12) << 8 | (w[3] >> 12) << 12;
  const float d = half_to_float(static_cast<uint16_t>(h)) * 0.125f;
  for (int k = 0; k < 16; ++k) a[k] = d * static_cast<float>(2 * ((w[k / 4] >> (3 * (k % 4))) & 7) + 1);
}
BLOCK(iq4_xs, 256, 136, false) {
  const float d = load_half(b);
  const uint32_t high = load16(b + 2);
  for (int g = 0; g < 8; ++g) {
    const int low = (b[4 + g / 2] >> (4 * (g & 1))) & 15;
    a[2 * g] = a[2 * g + 1] = d * static_cast<float>((low | static_cast<int>((high >> (2 * g)) & 3) << 4) - 32);
  }
}
BLOCK(tq1_0, 256, 54, false) { for (int i = 0; i < 16; ++i) a[i] = load_half(b + 52); }
BLOCK(tq2_0, 256, 66, false) { for (int i = 0; i < 16; ++i) a[i] = load_half(b + 64); }
#undef BLOCK

}  // namespace cpu

#endif  // GCTS_PLUGINS_CPU_BLOCKS_H_
