// Four rows of weights with one of activations, for x86 with AVX-512 and VNNI: what a product with
// few rows of activations is made of.  Included after x86_kernels.h.
//
// Types go side by side, in pairs of rows, or one row after the other.  Side by side, each of the four
// is the beginning of many that are read on, which the processor fetches by itself: to ask for
// them ahead made it slower where it was measured.  One after the other they are neighbours, and blocks
// of 256 are asked for ahead.
//
// Rows go in pairs, one in each half of a register, and activations by 64 elements: sums lie as
//
//   [0 2 0 2 | 1 3 1 3]   rows; elements 0 to 31, then the others; of NVFP4 the first 16 and the last of 32
//
// so that one multiplication scales them all.

using FourRows = const uint8_t* const (&)[kRowsTogether];

#define EACH_ROW _Pragma("GCC unroll 4") for (uint64_t r = 0; r < kRowsTogether; ++r)

// 64 activations, the last 32 of them zeros where there are no more.
struct alignas(32) Prepared {
  int8_t codes[2][32];
  int32_t start[2][4];  // what the offset of the weights' codes adds to four sums, taken off
  float by[8];          // the scale of each 32 twice (of NVFP4 times 128); where there are minima each with the sum that they take
};

template <typename T>
static inline void prepare32(const uint8_t* codes, float scale, float sum, int half, Prepared& to) {
  __m256i y = load(codes);
  if constexpr (kScaleEach16<T>) y = _mm256_permute4x64_epi64(y, 0xd8);
  _mm256_store_si256(reinterpret_cast<__m256i*>(to.codes[half]), y);
  const __m256i lanes = _mm256_dpbusd_epi32(_mm256_setzero_si256(), _mm256_set1_epi8(static_cast<char>(T::kOffset)), y);
  const __m128i four = _mm_add_epi32(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
  _mm_store_si128(reinterpret_cast<__m128i*>(to.start[half]), _mm_sub_epi32(_mm_setzero_si128(), four));
  for (int i = 0; i < 4; ++i) {
    if constexpr (T::kMinimum) to.by[4 * half + i] = i % 2 == 0 ? scale : sum;
    else if (i < 2) to.by[2 * half + i] = scale;
  }
}

// Blocks of activations as the quantizing kernels make them, prepared.
template <typename A>
inline constexpr auto kQuantize = quantize_q8_0;
template <>
inline constexpr auto kQuantize<act_q8_1> = quantize_q8_1;
template <>
inline constexpr auto kQuantize<act_q8_k> = quantize_q8_k;
template <typename T, typename A>
static inline void prepare(const float* x, Prepared* to, uint64_t count) {
  uint8_t block[A::kBytes];
  for (uint64_t i = 0; i < count; i += A::kElements) {
    kQuantize<A>(nullptr, x + i, nullptr, block, A::kElements);
    const float scale = A::scale(block) * (kScaleEach16<T> ? 128.0f : 1.0f);
    float sum = 0;
    if constexpr (T::kMinimum) sum = A::scaled_sum(block);
    for (uint64_t k = 0; k < A::kElements; k += 32)
      prepare32<T>(block + A::kCodes + k, scale, sum, (i + k) / 32 % 2, to[(i + k) / 64]);
  }
  if (count % 64 != 0) {
    Prepared& last = to[count / 64];
    memset(last.codes[1], 0, 32);
    memset(last.start[1], 0, 16);
    for (int i = T::kMinimum ? 4 : 2; i < 8; ++i) last.by[i] = 0;
  }
}

// Raised codes of two rows, the first in the lower half: elements 0 to 15 and 16 to 31 of 32; of
// NVFP4 in the order of its nibbles.
struct TwoRows {
  __m256i low, high;
};
static inline TwoRows two_nibbles(const uint8_t* a, const uint8_t* b) {
  const __m256i v = _mm256_inserti128_si256(_mm256_castsi128_si256(load128(a)), load128(b), 1), mask = _mm256_set1_epi8(15);
  return {_mm256_and_si256(v, mask), _mm256_and_si256(_mm256_srli_epi16(v, 4), mask)};
}
static inline TwoRows two_look_ups(const int8_t* table, int offset, const uint8_t* a, const uint8_t* b) {
  const TwoRows v = two_nibbles(a, b);
  return {raised_look_up(table, offset, v.low), raised_look_up(table, offset, v.high)};
}
template <typename T>
static inline TwoRows two_rows(const T* type, const uint8_t* a, const uint8_t* b, int g) {
  const __m256i first = unsigned_codes(type, a, g), second = unsigned_codes(type, b, g);
  return {_mm256_permute2x128_si256(first, second, 0x20), _mm256_permute2x128_si256(first, second, 0x31)};
}
static inline TwoRows two_rows(const q4_0*, const uint8_t* a, const uint8_t* b, int) { return two_nibbles(a + 2, b + 2); }
static inline TwoRows two_rows(const q4_1*, const uint8_t* a, const uint8_t* b, int) { return two_nibbles(a + 4, b + 4); }
static inline TwoRows two_rows(const iq4_nl*, const uint8_t* a, const uint8_t* b, int) { return two_look_ups(kValues_iq4, iq4_nl::kOffset, a + 2, b + 2); }
static inline TwoRows two_rows(const mxfp4*, const uint8_t* a, const uint8_t* b, int) { return two_look_ups(kValues_fp4, mxfp4::kOffset, a + 1, b + 1); }
static inline TwoRows two_rows(const nvfp4*, const uint8_t* a, const uint8_t* b, int g) {
  return two_look_ups(kValues_fp4, nvfp4::kOffset, a + 4 + 16 * g, b + 4 + 16 * g);
}
static inline TwoRows two_rows(const iq4_xs*, const uint8_t* a, const uint8_t* b, int g) {
  return two_look_ups(kValues_iq4, iq4_xs::kOffset, a + 8 + 16 * g, b + 8 + 16 * g);
}

static inline __m256i add_halves(__m256i a, __m256i b) {
  const __m256 v = _mm256_castsi256_ps(a), w = _mm256_castsi256_ps(b);
  return _mm256_add_epi32(_mm256_castps_si256(_mm256_shuffle_ps(v, w, 0x88)), _mm256_castps_si256(_mm256_shuffle_ps(v, w, 0xdd)));
}
// Half g of a prepared 64 with 32 elements of each row: [0 0 2 2 | 1 1 3 3].  Sums of 8 products
// fit in 16 bits for codes of up to 31.
template <typename T>
static inline __m256i sums32(FourRows rows, uint64_t at, int block_g, const Prepared& y, int g) {
  const __m256i low = _mm256_broadcastsi128_si256(load128(reinterpret_cast<const uint8_t*>(y.codes[g])));
  const __m256i high = _mm256_broadcastsi128_si256(load128(reinterpret_cast<const uint8_t*>(y.codes[g] + 16)));
  const __m256i start = T::kOffset == 0 ? _mm256_setzero_si256() : _mm256_broadcastsi128_si256(load128(reinterpret_cast<const uint8_t*>(y.start[g])));
  __m256i p[2];
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
    const TwoRows codes = two_rows(static_cast<const T*>(nullptr), rows[2 * i] + at, rows[2 * i + 1] + at, block_g);
    p[i] = _mm256_dpbusd_epi32(_mm256_dpbusd_epi32(start, codes.low, low), codes.high, high);
  }
  if constexpr (T::kRange <= 31) return _mm256_madd_epi16(_mm256_packs_epi32(p[0], p[1]), _mm256_set1_epi16(1));
  else return add_halves(p[0], p[1]);
}

// Blocks of 32 at `at` and `then`, or halves of one block: scales of the rows as the sums lie.
static inline __m256i four_and_four(const uint8_t* const* rows, uint64_t at, uint64_t then) {
  return _mm256_setr_epi32(static_cast<int>(load32(rows[0] + at)), static_cast<int>(load32(rows[2] + at)), static_cast<int>(load32(rows[0] + then)),
                           static_cast<int>(load32(rows[2] + then)), static_cast<int>(load32(rows[1] + at)), static_cast<int>(load32(rows[3] + at)),
                           static_cast<int>(load32(rows[1] + then)), static_cast<int>(load32(rows[3] + then)));
}
static inline uint64_t four_halves(const uint8_t* a, const uint8_t* b, uint64_t at, uint64_t then) {
  return load16(a + at) | static_cast<uint64_t>(load16(b + at)) << 16 | static_cast<uint64_t>(load16(a + then)) << 32 | static_cast<uint64_t>(load16(b + then)) << 48;
}
template <typename T>
static inline __m256 scales_of_rows(const T*, FourRows rows, uint64_t at, uint64_t then) {
  return _mm256_cvtph_ps(_mm_set_epi64x(static_cast<long long>(four_halves(rows[1], rows[3], at, then)),
                                        static_cast<long long>(four_halves(rows[0], rows[2], at, then))));
}
static inline uint32_t four_bytes(const uint8_t* a, const uint8_t* b, uint64_t at, uint64_t then) {
  return a[at] | b[at] << 8 | a[then] << 16 | static_cast<uint32_t>(b[then]) << 24;
}
static inline __m256 scales_of_rows(const mxfp4*, FourRows rows, uint64_t at, uint64_t then) {
  const uint64_t bytes = four_bytes(rows[0], rows[2], at, then) | static_cast<uint64_t>(four_bytes(rows[1], rows[3], at, then)) << 32;
  const __m256i e = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(bytes))), less = _mm256_sub_epi32(e, _mm256_set1_epi32(1));
  const __m256i small = _mm256_sllv_epi32(_mm256_set1_epi32(0x00200000), e);  // of e below 2
  return _mm256_castsi256_ps(_mm256_mask_mov_epi32(_mm256_slli_epi32(less, 23), _mm256_cmplt_epi32_mask(less, _mm256_set1_epi32(1)), small));
}

// Minima: of all 64 bits the upper ones count.
struct FourSums {
  __m256 sum;
  __m512 minima;
};

// 64 elements, in blocks of 32 at `at` and `then`, or from 32 g on of one block.  Without kBoth the
// first 32 count.
template <typename T, bool kBoth>
__attribute__((always_inline)) static inline void add64(FourRows rows, uint64_t at, uint64_t then, int g, const Prepared& y, FourSums& to) {
  constexpr __mmask8 kSums = kBoth ? 0xff : 0x33;
  constexpr __mmask16 kEach = kBoth ? 0xffff : 0x0f0f;
  const __m256i first = sums32<T>(rows, at, g, y, 0), second = sums32<T>(rows, then, T::kElements == 32 ? 0 : g + 1, y, 1);
  const __m256 sums = _mm256_cvtepi32_ps(add_halves(first, second));
  __m256 scale;
  if constexpr (T::kMinimum) {
    const __m512 by = _mm512_castsi512_ps(_mm512_broadcast_i64x4(_mm256_castps_si256(_mm256_load_ps(y.by))));
    const __m512 each = _mm512_mul_ps(_mm512_cvtph_ps(four_and_four(rows, at, then)), by);
    to.minima = _mm512_mask_add_ps(to.minima, kEach, to.minima, each);
    scale = _mm256_castsi256_ps(_mm512_cvtepi64_epi32(_mm512_castps_si512(each)));
  } else {
    scale = _mm256_mul_ps(scales_of_rows(static_cast<const T*>(nullptr), rows, at, then), _mm256_broadcast_ps(reinterpret_cast<const __m128*>(y.by)));
  }
  to.sum = _mm256_mask3_fmadd_ps(sums, scale, to.sum, kSums);
}
static inline void store_rows(const FourSums& s, bool minima, float* results) {
  __m256 all = s.sum;
  if (minima) all = _mm256_add_ps(all, _mm256_castsi256_ps(_mm512_cvtepi64_epi32(_mm512_srli_epi64(_mm512_castps_si512(s.minima), 32))));
  const __m256 two = _mm256_add_ps(all, _mm256_permute_ps(all, 0xee));
  _mm_storeu_ps(results, _mm_unpacklo_ps(_mm256_castps256_ps128(two), _mm256_extractf128_ps(two, 1)));
}

template <typename T>
static inline void rows_of_blocks(const T*, FourRows rows, const Prepared* y, float* results, uint64_t count) {
  FourSums sum = {_mm256_setzero_ps(), _mm512_setzero_ps()};
  uint64_t left = count, at = 0;
  if constexpr (T::kElements == 32) {
    for (; left >= 64; left -= 64, at += 2 * T::kBytes, ++y) {
      add64<T, true>(rows, at, at + T::kBytes, 0, *y, sum);
    }
    if (left > 0) add64<T, false>(rows, at, at, 0, *y, sum);
  } else {
    for (; left > 0; left -= T::kElements, at += T::kBytes) {
      for (int g = 0; g < T::kElements / 32; g += 2, ++y) add64<T, true>(rows, at, at, g, *y, sum);
    }
  }
  store_rows(sum, T::kMinimum, results);
}

// NVFP4: sums lie as [0 0 2 2 | 1 1 3 3].
static inline void rows_of_blocks(const nvfp4*, FourRows rows, const Prepared* y, float* results, uint64_t count) {
  __m256 sum[2] = {_mm256_setzero_ps(), _mm256_setzero_ps()};
  const __m128i order = _mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);
  for (uint64_t left = count, at = 0; left > 0; left -= 64, at += nvfp4::kBytes, ++y) {
    const __m128i bytes = _mm_setr_epi32(static_cast<int>(load32(rows[0] + at)), static_cast<int>(load32(rows[2] + at)),
                                         static_cast<int>(load32(rows[1] + at)), static_cast<int>(load32(rows[3] + at)));
    const __m256i v = _mm256_cvtepu8_epi16(_mm_shuffle_epi8(bytes, order)), low = _mm256_set1_epi16(127);
    const __m256i known = _mm256_andnot_si256(_mm256_cmpeq_epi16(v, low), _mm256_and_si256(v, low));
    const __m512 scales = _mm512_cvtph_ps(_mm256_slli_epi16(known, 7));
    const __m256 first = _mm256_cvtepi32_ps(sums32<nvfp4>(rows, at, 0, *y, 0)), second = _mm256_cvtepi32_ps(sums32<nvfp4>(rows, at, 1, *y, 1));
    sum[0] = _mm256_fmadd_ps(first, _mm256_mul_ps(_mm512_castps512_ps256(scales), _mm256_broadcast_ss(y->by)), sum[0]);
    sum[1] = _mm256_fmadd_ps(second, _mm256_mul_ps(_mm512_extractf32x8_ps(scales, 1), _mm256_broadcast_ss(y->by + 2)), sum[1]);
  }
  store_rows({_mm256_permute_ps(_mm256_add_ps(sum[0], sum[1]), 0xd8), _mm512_setzero_ps()}, false, results);
}

// IQ4_XS: the scales of 256 elements are turned over to lie as the sums.
static inline void rows_of_blocks(const iq4_xs*, FourRows rows, const Prepared* y, float* results, uint64_t count) {
  __m256 sum = _mm256_setzero_ps();
  for (uint64_t left = count, at = 0; left > 0; left -= 256, at += iq4_xs::kBytes) {
    __m256 each[kRowsTogether];
    EACH_ROW {
      const __m256 d = _mm256_set1_ps(load_half(rows[r] + at) * y->by[0]);
      each[r] = _mm256_mul_ps(_mm256_cvtepi32_ps(scales_of_iq4_xs(rows[r] + at)), d);
    }
    const __m256 even[2] = {_mm256_unpacklo_ps(each[0], each[2]), _mm256_unpackhi_ps(each[0], each[2])};
    const __m256 odd[2] = {_mm256_unpacklo_ps(each[1], each[3]), _mm256_unpackhi_ps(each[1], each[3])};
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i, ++y) {
      const __m256 scale = i < 2 ? _mm256_permute2f128_ps(even[i], odd[i], 0x20) : _mm256_permute2f128_ps(even[i - 2], odd[i - 2], 0x31);
      const __m256i sums = add_halves(sums32<iq4_xs>(rows, at, 2 * i, *y, 0), sums32<iq4_xs>(rows, at, 2 * i + 1, *y, 1));
      sum = _mm256_fmadd_ps(_mm256_cvtepi32_ps(sums), scale, sum);
    }
  }
  store_rows({sum, _mm512_setzero_ps()}, false, results);
}

// The types that go side by side, for which activations are prepared.  Q5_0 reads a quarter less that way,
// Q5_1 no less.
template <typename T, typename A>
inline constexpr bool kPrepares = A::kElements == 32 || kScalesFloats<T>;
template <typename A>
inline constexpr bool kPrepares<q5_0, A> = false;
template <typename T, typename A>
static inline void dots_of_rows(FourRows rows, const uint8_t* y, float* results, uint64_t count) {
  if constexpr (kPrepares<T, A>) {
    rows_of_blocks(static_cast<const T*>(nullptr), rows, reinterpret_cast<const Prepared*>(y), results, count);
  } else {
    EACH_ROW results[r] = dot_of_row<T, A, true>(rows[r], y, count);
  }
}
template <typename T, typename A>
static inline void quantize_for_rows(const float* x, void* to, uint64_t count) {
  if constexpr (kPrepares<T, A>) prepare<T, A>(x, static_cast<Prepared*>(to), count);
  else kQuantize<A>(nullptr, x, nullptr, to, count);
}

// Floats of 16 bits; activations are rounded to the type once, and kept as f32.
struct HalfLanes {
  static inline __m512 widen(__m256i v) { return _mm512_cvtph_ps(v); }
  static inline __m512 round(__m512 v) { return round_to_f16(v); }
};
struct BrainLanes {
  static inline __m512 widen(__m256i v) { return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(v), 16)); }
  static inline __m512 round(__m512 v) { return round_to_bf16(v); }
};
static inline __mmask16 first_of_16(uint64_t count) { return static_cast<__mmask16>(count < 16 ? (1u << count) - 1 : 0xffff); }

template <typename T>
static inline void rows_of_floats(FourRows rows, const float* y, float* results, uint64_t count) {
  __m512 sum[2][kRowsTogether];
  EACH_ROW sum[0][r] = sum[1][r] = _mm512_setzero_ps();
  uint64_t i = 0;
  for (; i + 32 <= count; i += 32) {
#pragma GCC unroll 2
    for (uint64_t half = 0; half < 2; ++half) {
      const __m512 v = _mm512_loadu_ps(y + i + 16 * half);
      EACH_ROW sum[half][r] = _mm512_fmadd_ps(T::widen(load(rows[r] + 2 * i + 32 * half)), v, sum[half][r]);
    }
  }
  for (; i < count; i += 16) {
    const __mmask16 some = first_of_16(count - i);
    const __m512 v = _mm512_maskz_loadu_ps(some, y + i);
    EACH_ROW sum[0][r] = _mm512_fmadd_ps(T::widen(_mm256_maskz_loadu_epi16(some, rows[r] + 2 * i)), v, sum[0][r]);
  }
  EACH_ROW {
    const __m512 all = _mm512_add_ps(sum[0][r], sum[1][r]);
    results[r] = sum8(_mm256_add_ps(_mm512_castps512_ps256(all), _mm512_extractf32x8_ps(all, 1)));
  }
}
#define FLOAT_ROWS(name, lanes)                                                                          \
  const bool side_by_side_##name = true;                                                                 \
  gcts_status quantize_for_##name(void*, const float* x, const float*, void* to, uint64_t count) {       \
    for (uint64_t i = 0; i < count; i += 16) {                                                           \
      const __mmask16 some = first_of_16(count - i);                                                     \
      _mm512_mask_storeu_ps(static_cast<float*>(to) + i, some, lanes::round(_mm512_maskz_loadu_ps(some, x + i))); \
    }                                                                                                    \
    return GCTS_OK;                                                                                      \
  }                                                                                                      \
  void rows_##name(FourRows weights, const void* activations, float* results, uint64_t count) {          \
    rows_of_floats<lanes>(weights, static_cast<const float*>(activations), results, count);              \
  }
FLOAT_ROWS(f16, HalfLanes)
FLOAT_ROWS(bf16, BrainLanes)
#undef FLOAT_ROWS
#define CPU_TYPE(name, id, act, act_id, group)                                                   \
  gcts_status quantize_for_##name(void*, const float* x, const float*, void* to, uint64_t count) { \
    quantize_for_rows<name, act_##act>(x, to, count);                                            \
    return GCTS_OK;                                                                              \
  }                                                                                              \
  const bool side_by_side_##name = kPrepares<name, act_##act>;                                  \
  void rows_##name(FourRows weights, const void* activations, float* results, uint64_t count) { \
    dots_of_rows<name, act_##act>(weights, static_cast<const uint8_t*>(activations), results, count); \
  }
#include "types.inc"
#undef CPU_TYPE
#undef EACH_ROW
