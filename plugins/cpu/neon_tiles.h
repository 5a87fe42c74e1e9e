// Two rows of weights by two of activations, with the matrix products of Armv8.6.
// Included once, inside its target region and namespace, after neon_codes.h.

// The first and the second eight codes of two rows, row after row, as SMMLA takes them.
static inline int8x16_t firsts(int8x16_t a, int8x16_t b) { return vcombine_s8(vget_low_s8(a), vget_low_s8(b)); }
static inline int8x16_t seconds(int8x16_t a, int8x16_t b) { return vcombine_s8(vget_high_s8(a), vget_high_s8(b)); }
static inline int32x4_t multiply16(int32x4_t sum, int8x16_t x0, int8x16_t x1, int8x16_t y0, int8x16_t y1) {
  sum = vmmlaq_s32(sum, firsts(x0, x1), firsts(y0, y1));
  return vmmlaq_s32(sum, seconds(x0, x1), seconds(y0, y1));
}
// x0 y0, x0 y1, x1 y0, x1 y1.
static inline float32x4_t outer(float x0, float x1, float y0, float y1) {
  const float32x4_t x = {x0, x0, x1, x1}, y = {y0, y1, y0, y1};
  return vmulq_f32(x, y);
}

// Four dot products in the order of outer().  Each is computed as if alone: the same
// operations in the same order, whatever the other rows are.
template <typename T, typename A, int kGroup>
static inline void tile(const uint8_t* const (&x)[2], const uint8_t* const (&activations)[2], float* out, uint64_t count) {
  const uint8_t *b0 = x[0], *b1 = x[1], *y0 = activations[0], *y1 = activations[1];
  float32x4_t sum = vdupq_n_f32(0), minima = sum;
  for (uint64_t i = 0; i < count; i += T::kElements, b0 += T::kBytes, b1 += T::kBytes) {
    float a0[T::kElements / 16], a1[T::kElements / 16], m0[T::kElements / 16] = {}, m1[T::kElements / 16] = {};
    T::scales(b0, a0, m0);
    T::scales(b1, a1, m1);
    for (int g = 0; g < T::kElements / 32; ++g) {
      const int at = A::kElements == 32 ? A::kCodes : A::kCodes + 32 * g;
      const float d0 = A::scale(y0), d1 = A::scale(y1);
      const Codes c0 = T::codes(b0, g), c1 = T::codes(b1, g), v0 = load(y0 + at), v1 = load(y1 + at);
      int32x4_t low = multiply16(vdupq_n_s32(0), c0.low, c1.low, v0.low, v1.low);
      if constexpr (kGroup == 16) {
        sum = vfmaq_f32(sum, vcvtq_f32_s32(low), outer(a0[2 * g], a1[2 * g], d0, d1));
        low = multiply16(vdupq_n_s32(0), c0.high, c1.high, v0.high, v1.high);
        sum = vfmaq_f32(sum, vcvtq_f32_s32(low), outer(a0[2 * g + 1], a1[2 * g + 1], d0, d1));
      } else {
        low = multiply16(low, c0.high, c1.high, v0.high, v1.high);
        sum = vfmaq_f32(sum, vcvtq_f32_s32(low), outer(a0[2 * g], a1[2 * g], d0, d1));
      }
      if constexpr (T::kMinimum && A::kElements == 256) {
        int16_t s0[2], s1[2];
        memcpy(s0, y0 + act_q8_k::kSums + 4 * g, 4);
        memcpy(s1, y1 + act_q8_k::kSums + 4 * g, 4);
        for (int h = 0; h < 2; ++h) {
          const float32x4_t sums = {static_cast<float>(s0[h]), static_cast<float>(s1[h]), static_cast<float>(s0[h]),
                                    static_cast<float>(s1[h])};
          minima = vfmaq_f32(minima, sums, outer(m0[2 * g + h], m1[2 * g + h], d0, d1));
        }
      } else if constexpr (T::kMinimum) {
        minima = vaddq_f32(minima, outer(m0[2 * g], m1[2 * g], act_q8_1::scaled_sum(y0), act_q8_1::scaled_sum(y1)));
      }
      if constexpr (A::kElements == 32) y0 += A::kBytes, y1 += A::kBytes;
    }
    if constexpr (A::kElements == 256) y0 += A::kBytes, y1 += A::kBytes;
  }
  vst1q_f32(out, vaddq_f32(sum, minima));
}

#define CPU_TYPE(name, id, act, act_id, group)                                                                       \
  void tile_##name(const uint8_t* const (&x)[2], const uint8_t* const (&y)[2], float* out, uint64_t count) {         \
    tile<name, act_##act, group>(x, y, out, count);                                                                  \
  }
#include "types.inc"
#undef CPU_TYPE
