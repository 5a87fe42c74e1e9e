// The x86 kernels over x86_codes.h.  Included once for each variant, inside its target
// region and namespace.  The variant defines before it:
//
//   dot<T, A, kGroup>(x, y, count)   the dot product of blocks T and activations A, scales
//                                    of kGroup elements (avx2_dots.h, avx512_dots.h)
//   store16<kMinimum, kPast>(...)    16 codes to 16 floats
//   store_f16<kPast>(y, p), store_bf16<kPast>(y, p)   16 of them to 16 floats
//                                    kPast: past the caches, to y on a multiple of 64 bytes

// The scales and minima of a block, of 16 elements each.  Products of an integer and a half are
// exact, in whatever order the type multiplies.
template <typename T>
static inline void unpack_scales(const T*, const uint8_t* b, float* a, float* m) {
  if constexpr (T::kElements != 256) {
    T::scales(b, a, m);
  } else {
    const Integers n = integers(static_cast<const T*>(nullptr), b);
    store_scaled(a, n.scale, n.d);
    if constexpr (T::kMinimum) store_scaled(m, n.minimum, -n.dmin);
  }
}
static inline void unpack_scales(const q8_k*, const uint8_t* b, float* a, float* m) { q8_k::scales(b, a, m); }

template <typename T, bool kPast>
static inline void decode_blocks(const uint8_t* b, float* y, uint64_t count) {
  for (uint64_t i = 0; i < count; i += T::kElements, b += T::kBytes) {
    float a[T::kElements / 16], m[T::kElements / 16] = {};
    unpack_scales(static_cast<const T*>(nullptr), b, a, m);
    // To be read one by one: a load that repeats a number is no work for the vector units.
    if constexpr (T::kElements == 256) asm("" : "+m"(a), "+m"(m));
#pragma GCC unroll 8
    for (int g = 0; g < T::kElements / 32; ++g, y += 32) {
      const __m256i codes = T::codes(b, g);
      store16<T::kMinimum, kPast>(y, _mm256_castsi256_si128(codes), a[2 * g], m[2 * g]);
      store16<T::kMinimum, kPast>(y + 16, _mm256_extracti128_si256(codes, 1), a[2 * g + 1], m[2 * g + 1]);
    }
  }
}

// So many values that no cache keeps them for whoever wanted them go past the caches: what
// they would overwrite is then not read from memory first.
static inline bool goes_past(const float* y, uint64_t count) {
  constexpr uint64_t kMostKept = 8 << 20;  // bytes: more than a core's share of today's caches
  return 4 * count > kMostKept && reinterpret_cast<uintptr_t>(y) % 64 == 0;
}
template <typename T>
static inline void decode(const uint8_t* b, float* y, uint64_t count) {
  if (!goes_past(y, count)) return decode_blocks<T, false>(b, y, count);
  decode_blocks<T, true>(b, y, count);
  _mm_sfence();
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

// Eight 16-bit or 32-bit floats as f32.
struct F16 {
  static constexpr int kBytes = 2;
  static inline __m256 load8(const uint8_t* p) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  static inline float load1(const uint8_t* p) { return load_half(p); }
};
struct BF16 {
  static constexpr int kBytes = 2;
  static inline __m256 load8(const uint8_t* p) {
    const __m256i v = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    return _mm256_castsi256_ps(_mm256_slli_epi32(v, 16));
  }
  static inline float load1(const uint8_t* p) { return bf16_to_float(load16(p)); }
};
template <bool kPast>
static inline void store_widened(const F16*, float* y, const uint8_t* p) { store_f16<kPast>(y, p); }
template <bool kPast>
static inline void store_widened(const BF16*, float* y, const uint8_t* p) { store_bf16<kPast>(y, p); }
struct F32 {
  static constexpr int kBytes = 4;
  static inline __m256 load8(const uint8_t* p) { return _mm256_loadu_ps(reinterpret_cast<const float*>(p)); }
  static inline float load1(const uint8_t* p) { return bits_to_float(load32(p)); }
};

template <typename T, bool kPast>
static inline uint64_t widen_pairs(const uint8_t* p, float* y, uint64_t count) {
  uint64_t i = 0;
  for (; i + 32 <= count; i += 32) {
    store_widened<kPast>(static_cast<const T*>(nullptr), y + i, p + T::kBytes * i);
    store_widened<kPast>(static_cast<const T*>(nullptr), y + i + 16, p + T::kBytes * i + 32);
  }
  return i;
}
template <typename T>
static inline void widen(const uint8_t* p, float* y, uint64_t count) {
  const bool past = goes_past(y, count);
  uint64_t i = past ? widen_pairs<T, true>(p, y, count) : widen_pairs<T, false>(p, y, count);
  if (past) _mm_sfence();
  for (; i + 8 <= count; i += 8) _mm256_storeu_ps(y + i, T::load8(p + T::kBytes * i));
  for (; i < count; ++i) y[i] = T::load1(p + T::kBytes * i);
}
template <typename T>
static inline float dot_floats(const uint8_t* p, const uint8_t* q, uint64_t count) {
  __m256 s0 = _mm256_setzero_ps(), s1 = s0, s2 = s0, s3 = s0;
  uint64_t i = 0;
  for (; i + 32 <= count; i += 32, p += 32 * T::kBytes, q += 32 * T::kBytes) {
    s0 = _mm256_fmadd_ps(T::load8(p), T::load8(q), s0);
    s1 = _mm256_fmadd_ps(T::load8(p + 8 * T::kBytes), T::load8(q + 8 * T::kBytes), s1);
    s2 = _mm256_fmadd_ps(T::load8(p + 16 * T::kBytes), T::load8(q + 16 * T::kBytes), s2);
    s3 = _mm256_fmadd_ps(T::load8(p + 24 * T::kBytes), T::load8(q + 24 * T::kBytes), s3);
  }
  float sum = sum8(_mm256_add_ps(_mm256_add_ps(s0, s1), _mm256_add_ps(s2, s3)));
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

static inline __m256 absolute(__m256 v) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), v); }
// max(v, acc) keeps acc where v is NaN.
static inline float largest(const float* x, int n) {
  __m256 acc = _mm256_setzero_ps();
  for (int i = 0; i < n; i += 8) acc = _mm256_max_ps(absolute(_mm256_loadu_ps(x + i)), acc);
  __m128 m = _mm_max_ps(_mm256_castps256_ps128(acc), _mm256_extractf128_ps(acc, 1));
  m = _mm_max_ps(m, _mm_movehl_ps(m, m));
  return _mm_cvtss_f32(_mm_max_ss(m, _mm_movehdup_ps(m)));
}
// 32 values times `scale` to int8, ties to even, at most 127; NaN gives -128.
static inline __m256i to_codes(const float* x, float scale) {
  const __m256 s = _mm256_set1_ps(scale), top = _mm256_set1_ps(127.0f);
  __m256i v[4];
  for (int i = 0; i < 4; ++i)
    v[i] = _mm256_cvtps_epi32(_mm256_min_ps(top, _mm256_mul_ps(_mm256_loadu_ps(x + 8 * i), s)));
  const __m256i low = _mm256_packs_epi32(v[0], v[1]), high = _mm256_packs_epi32(v[2], v[3]);
  return _mm256_permutevar8x32_epi32(_mm256_packs_epi16(low, high), _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}
static inline int sum_codes(__m256i c) {
  const __m256i p = _mm256_madd_epi16(_mm256_maddubs_epi16(_mm256_set1_epi8(1), c), _mm256_set1_epi16(1));
  __m128i s = _mm_add_epi32(_mm256_castsi256_si128(p), _mm256_extracti128_si256(p, 1));
  s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
  return _mm_cvtsi128_si32(_mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1)));
}
static inline void store_half(uint8_t* p, float f) {
  const uint16_t h = float_to_half(f);
  memcpy(p, &h, 2);
}
static inline void store_codes(uint8_t* p, __m256i c) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), c);
}

gcts_status quantize_q8_0(void*, const float* x, const float*, void* blocks, uint64_t count) {
  uint8_t* b = static_cast<uint8_t*>(blocks);
  for (uint64_t i = 0; i < count; i += 32, b += 34) {
    const float d = largest(x + i, 32) / 127.0f;
    store_half(b, d);
    store_codes(b + 2, to_codes(x + i, d != 0 ? 1.0f / d : 0.0f));
  }
  return GCTS_OK;
}
gcts_status quantize_q8_1(void*, const float* x, const float*, void* blocks, uint64_t count) {
  uint8_t* b = static_cast<uint8_t*>(blocks);
  for (uint64_t i = 0; i < count; i += 32, b += 36) {
    const float d = largest(x + i, 32) / 127.0f;
    const __m256i c = to_codes(x + i, d != 0 ? 1.0f / d : 0.0f);
    store_half(b, d);
    store_half(b + 2, static_cast<float>(sum_codes(c)) * d);
    store_codes(b + 4, c);
  }
  return GCTS_OK;
}
// The first of the values with the largest magnitude, with its sign.
static inline float first_extreme(const float* x, float amax) {
  for (int i = 0; i < 256; i += 8) {
    const __m256 hit = _mm256_cmp_ps(absolute(_mm256_loadu_ps(x + i)), _mm256_set1_ps(amax), _CMP_EQ_OQ);
    const int mask = _mm256_movemask_ps(hit);
    if (mask) return x[i + __builtin_ctz(static_cast<unsigned>(mask))];
  }
  return amax;
}
gcts_status quantize_q8_k(void*, const float* x, const float*, void* blocks, uint64_t count) {
  uint8_t* b = static_cast<uint8_t*>(blocks);
  for (uint64_t i = 0; i < count; i += 256, b += 292) {
    const float amax = largest(x + i, 256);
    if (amax == 0) {
      memset(b, 0, 292);
      continue;
    }
    const float scale = -127.0f / first_extreme(x + i, amax), d = 1.0f / scale;
    memcpy(b, &d, 4);
    for (int g = 0; g < 8; ++g) {
      const __m256i c = to_codes(x + i + 32 * g, scale);
      store_codes(b + 4 + 32 * g, c);
      // Pairwise sums to 16 bits, then over each half of 16 codes.
      const __m256i ones = _mm256_set1_epi16(1);
      __m256i p = _mm256_madd_epi16(_mm256_maddubs_epi16(_mm256_set1_epi8(1), c), ones);
      p = _mm256_add_epi32(p, _mm256_shuffle_epi32(p, 0x4e));
      p = _mm256_add_epi32(p, _mm256_shuffle_epi32(p, 0xb1));
      const int16_t sums[2] = {static_cast<int16_t>(_mm256_extract_epi32(p, 0)),
                               static_cast<int16_t>(_mm256_extract_epi32(p, 4))};
      memcpy(b + 260 + 4 * g, sums, 4);
    }
  }
  return GCTS_OK;
}
