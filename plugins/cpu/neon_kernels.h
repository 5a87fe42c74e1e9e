// The NEON kernels over neon_codes.h.  Included once for each variant, inside its
// target region and namespace, after dot16(c, y): 16 products of int8 as four int32
// sums, exact for every code.

template <typename T>
static inline void decode(const uint8_t* b, float* y, uint64_t count) {
  for (uint64_t i = 0; i < count; i += T::kElements, b += T::kBytes) {
    float a[T::kElements / 16], m[T::kElements / 16] = {};
    T::scales(b, a, m);
    for (int g = 0; g < T::kElements / 32; ++g) {
      const Codes c = T::codes(b, g);
      for (int h = 0; h < 2; ++h, y += 16) {
        const int8x16_t v = h ? c.high : c.low;
        const int16x8_t wide[2] = {vmovl_s8(vget_low_s8(v)), vmovl_s8(vget_high_s8(v))};
        for (int j = 0; j < 4; ++j) {
          const int16x4_t part = j & 1 ? vget_high_s16(wide[j / 2]) : vget_low_s16(wide[j / 2]);
          float32x4_t f = vmulq_n_f32(vcvtq_f32_s32(vmovl_s16(part)), a[2 * g + h]);
          if constexpr (T::kMinimum) f = vaddq_f32(f, vdupq_n_f32(m[2 * g + h]));
          vst1q_f32(y + 4 * j, f);
        }
      }
    }
  }
}

template <typename T, typename A, int kGroup>
static inline float dot(const void* x, const void* activations, uint64_t count) {
  const uint8_t *b = static_cast<const uint8_t*>(x), *y = static_cast<const uint8_t*>(activations);
  float32x4_t sum = vdupq_n_f32(0);
  float minima = 0;
  for (uint64_t i = 0; i < count; i += T::kElements, b += T::kBytes) {
    float a[T::kElements / 16], m[T::kElements / 16] = {};
    T::scales(b, a, m);
    for (int g = 0; g < T::kElements / 32; ++g) {
      const uint8_t* q = y + A::kCodes + 32 * g;
      if constexpr (A::kElements == 32) q = y + A::kCodes;
      const float d = A::scale(y);
      const Codes c = T::codes(b, g), v = load(q);
      const int32x4_t low = dot16(c.low, v.low), high = dot16(c.high, v.high);
      if constexpr (kGroup == 16) {
        sum = vfmaq_n_f32(sum, vcvtq_f32_s32(low), a[2 * g] * d);
        sum = vfmaq_n_f32(sum, vcvtq_f32_s32(high), a[2 * g + 1] * d);
      } else {
        sum = vfmaq_n_f32(sum, vcvtq_f32_s32(vaddq_s32(low, high)), a[2 * g] * d);
      }
      if constexpr (T::kMinimum && A::kElements == 256) {
        int16_t sums[2];
        memcpy(sums, y + act_q8_k::kSums + 4 * g, 4);
        minima += static_cast<float>(sums[0]) * (m[2 * g] * d);
        minima += static_cast<float>(sums[1]) * (m[2 * g + 1] * d);
      } else if constexpr (T::kMinimum) {
        minima += m[2 * g] * act_q8_1::scaled_sum(y);
      }
      if constexpr (A::kElements == 32) y += A::kBytes;
    }
    if constexpr (A::kElements == 256) y += A::kBytes;
  }
  return vaddvq_f32(sum) + minima;
}

#define CPU_TYPE(name, id, act, act_id, group)                                                   \
  gcts_status dequantize_##name(void*, const void* blocks, float* values, uint64_t count) {      \
    decode<name>(static_cast<const uint8_t*>(blocks), values, count);                            \
    return GCTS_OK;                                                                              \
  }                                                                                              \
  gcts_status vec_dot_##name(void*, const void* x, const void* y, float* result, uint64_t count) { \
    *result = dot<name, act_##act, group>(x, y, count);                                          \
    return GCTS_OK;                                                                              \
  }
#include "types.inc"
#undef CPU_TYPE

gcts_status dequantize_q8_1(void*, const void* blocks, float* values, uint64_t count) {
  decode<q8_1>(static_cast<const uint8_t*>(blocks), values, count);
  return GCTS_OK;
}
gcts_status dequantize_q8_k(void*, const void* blocks, float* values, uint64_t count) {
  decode<q8_k>(static_cast<const uint8_t*>(blocks), values, count);
  return GCTS_OK;
}

// Four floats as f32 from 16 or 32 bits.
struct F16 {
  static constexpr int kBytes = 2;
  static inline float32x4_t load4(const uint8_t* p) {
    return vcvt_f32_f16(vreinterpret_f16_u8(vld1_u8(p)));
  }
  static inline float load1(const uint8_t* p) { return load_half(p); }
};
struct BF16 {
  static constexpr int kBytes = 2;
  static inline float32x4_t load4(const uint8_t* p) {
    return vreinterpretq_f32_u32(vshll_n_u16(vreinterpret_u16_u8(vld1_u8(p)), 16));
  }
  static inline float load1(const uint8_t* p) { return bf16_to_float(load16(p)); }
};
struct F32 {
  static constexpr int kBytes = 4;
  static inline float32x4_t load4(const uint8_t* p) { return vreinterpretq_f32_u8(vld1q_u8(p)); }
  static inline float load1(const uint8_t* p) { return bits_to_float(load32(p)); }
};

template <typename T>
static inline void widen(const uint8_t* p, float* y, uint64_t count) {
  uint64_t i = 0;
  for (; i + 4 <= count; i += 4) vst1q_f32(y + i, T::load4(p + T::kBytes * i));
  for (; i < count; ++i) y[i] = T::load1(p + T::kBytes * i);
}
template <typename T>
static inline float dot_floats(const uint8_t* p, const uint8_t* q, uint64_t count) {
  float32x4_t s0 = vdupq_n_f32(0), s1 = s0;
  uint64_t i = 0;
  for (; i + 8 <= count; i += 8, p += 8 * T::kBytes, q += 8 * T::kBytes) {
    s0 = vfmaq_f32(s0, T::load4(p), T::load4(q));
    s1 = vfmaq_f32(s1, T::load4(p + 4 * T::kBytes), T::load4(q + 4 * T::kBytes));
  }
  float sum = vaddvq_f32(vaddq_f32(s0, s1));
  for (; i < count; ++i, p += T::kBytes, q += T::kBytes) sum += T::load1(p) * T::load1(q);
  return sum;
}
#define CPU_FLOAT(name, type)                                                                    \
  gcts_status vec_dot_##name(void*, const void* x, const void* y, float* result, uint64_t count) { \
    *result = dot_floats<type>(static_cast<const uint8_t*>(x), static_cast<const uint8_t*>(y), count); \
    return GCTS_OK;                                                                              \
  }
CPU_FLOAT(f16, F16)
CPU_FLOAT(bf16, BF16)
CPU_FLOAT(f32, F32)
#undef CPU_FLOAT
gcts_status dequantize_f16(void*, const void* blocks, float* values, uint64_t count) {
  widen<F16>(static_cast<const uint8_t*>(blocks), values, count);
  return GCTS_OK;
}
gcts_status dequantize_bf16(void*, const void* blocks, float* values, uint64_t count) {
  widen<BF16>(static_cast<const uint8_t*>(blocks), values, count);
  return GCTS_OK;
}

// The largest magnitude; a NaN is passed over.
static inline float largest(const float* x, int n) {
  float32x4_t acc = vdupq_n_f32(0);
  for (int i = 0; i < n; i += 4) acc = vmaxnmq_f32(acc, vabsq_f32(vld1q_f32(x + i)));
  return vmaxnmvq_f32(acc);
}
// 16 values times `scale` to int8, ties to even, saturated.
static inline int8x16_t to_codes(const float* x, float scale) {
  int32x4_t v[4];
  for (int i = 0; i < 4; ++i) v[i] = vcvtnq_s32_f32(vmulq_n_f32(vld1q_f32(x + 4 * i), scale));
  const int16x8_t low = vcombine_s16(vqmovn_s32(v[0]), vqmovn_s32(v[1]));
  const int16x8_t high = vcombine_s16(vqmovn_s32(v[2]), vqmovn_s32(v[3]));
  return vcombine_s8(vqmovn_s16(low), vqmovn_s16(high));
}
static inline void store_half(uint8_t* p, float f) {
  const uint16_t h = float_to_half(f);
  memcpy(p, &h, 2);
}
// Codes and scale of 32 elements; the sum of the codes.
static inline int quantize32(const float* x, float& d, uint8_t* q) {
  d = largest(x, 32) / 127.0f;
  const float inverse = d != 0 ? 1.0f / d : 0.0f;
  const int8x16_t low = to_codes(x, inverse), high = to_codes(x + 16, inverse);
  vst1q_s8(reinterpret_cast<int8_t*>(q), low);
  vst1q_s8(reinterpret_cast<int8_t*>(q) + 16, high);
  return vaddlvq_s8(low) + vaddlvq_s8(high);
}

gcts_status quantize_q8_0(void*, const float* x, const float*, void* blocks, uint64_t count) {
  uint8_t* b = static_cast<uint8_t*>(blocks);
  for (uint64_t i = 0; i < count; i += 32, b += 34) {
    float d;
    quantize32(x + i, d, b + 2);
    store_half(b, d);
  }
  return GCTS_OK;
}
gcts_status quantize_q8_1(void*, const float* x, const float*, void* blocks, uint64_t count) {
  uint8_t* b = static_cast<uint8_t*>(blocks);
  for (uint64_t i = 0; i < count; i += 32, b += 36) {
    float d;
    const int sum = quantize32(x + i, d, b + 4);
    store_half(b, d);
    store_half(b + 2, static_cast<float>(sum) * d);
  }
  return GCTS_OK;
}
gcts_status quantize_q8_k(void*, const float* x, const float*, void* blocks, uint64_t count) {
  uint8_t* b = static_cast<uint8_t*>(blocks);
  for (uint64_t i = 0; i < count; i += 256, b += 292) {
    const float amax = largest(x + i, 256);
    memset(b, 0, 292);
    if (amax == 0) continue;
    float extreme = amax;
    for (int j = 0; j < 256; ++j)
      if (x[i + static_cast<uint64_t>(j)] == amax || x[i + static_cast<uint64_t>(j)] == -amax) {
        extreme = x[i + static_cast<uint64_t>(j)];
        break;
      }
    const float scale = -127.0f / extreme, d = 1.0f / scale;
    memcpy(b, &d, 4);
    for (int k = 0; k < 16; ++k) {
      const int8x16_t c = to_codes(x + i + 16 * k, scale);
      vst1q_s8(reinterpret_cast<int8_t*>(b + 4 + 16 * k), c);
      const int16_t sum = vaddlvq_s8(c);
      memcpy(b + 260 + 2 * k, &sum, 2);
    }
  }
  return GCTS_OK;
}
