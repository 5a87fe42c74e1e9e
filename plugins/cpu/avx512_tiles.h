// Rows of activations, quantized eight at a time straight into a tile.  Included inside
// avx512_tiled.cc, after x86_codes.h.
//
// Codes and scales are those that the quantizing kernels make of each row, to the last bit.

// The largest of the 16 lanes of each of 8 rows.
static inline __m256 largest8(const __m512 (&m)[8]) {
  __m256 h[8], pairs[4], fours[2];
#pragma GCC unroll 8
  for (int r = 0; r < 8; ++r) h[r] = _mm256_max_ps(_mm512_castps512_ps256(m[r]), _mm512_extractf32x8_ps(m[r], 1));
  for (int i = 0; i < 4; ++i) pairs[i] = _mm256_max_ps(_mm256_unpacklo_ps(h[2 * i], h[2 * i + 1]), _mm256_unpackhi_ps(h[2 * i], h[2 * i + 1]));
  for (int i = 0; i < 2; ++i)
    fours[i] = _mm256_max_ps(_mm256_shuffle_ps(pairs[2 * i], pairs[2 * i + 1], 0x44), _mm256_shuffle_ps(pairs[2 * i], pairs[2 * i + 1], 0xee));
  return _mm256_max_ps(_mm256_permute2f128_ps(fours[0], fours[1], 0x20), _mm256_permute2f128_ps(fours[0], fours[1], 0x31));
}

// The sums of 16 codes of each row.
struct CodeSums {
  __m256i of[2];
};
static inline __m256i sum_halves(__m512i v) { return _mm256_add_epi32(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64(v, 1)); }

// 32 elements from `i` on of each row, times its number in `by`, to codes, four of a row
// together: ties to even, at most 127, NaN gives -128; zeros where the row's bit is not in `rows_with_codes`.
static inline CodeSums store_codes(const float* const* rows, uint64_t i, const float* by, __mmask8 rows_with_codes, int8_t (*to)[kTileRows][4]) {
  const __m512 top = _mm512_set1_ps(127.0f);
  __m512i two[4];  // rows 2 p and 2 p + 1; of each in lane j elements 4 j to 4 j + 3 and 16 more on
#pragma GCC unroll 4
  for (int p = 0; p < 4; ++p) {
    __m512i words[2];
#pragma GCC unroll 2
    for (int r = 2 * p; r < 2 * p + 2; ++r) {
      const __m512 s = _mm512_set1_ps(by[r]);
      const auto keep = static_cast<__mmask16>(rows_with_codes >> r & 1 ? 0xffff : 0);
      const __m512i low = _mm512_maskz_cvtps_epi32(keep, _mm512_min_ps(top, _mm512_mul_ps(_mm512_loadu_ps(rows[r] + i), s)));
      const __m512i high = _mm512_maskz_cvtps_epi32(keep, _mm512_min_ps(top, _mm512_mul_ps(_mm512_loadu_ps(rows[r] + i + 16), s)));
      words[r % 2] = _mm512_packs_epi32(low, high);
    }
    two[p] = _mm512_packs_epi16(words[0], words[1]);
  }
  CodeSums sums;
#pragma GCC unroll 2
  for (int half = 0; half < 2; ++half) {
    __m512i four[2];  // rows 0 to 3 and 4 to 7
    for (int i4 = 0; i4 < 2; ++i4) {
      const __m512 a = _mm512_castsi512_ps(two[2 * i4]), b = _mm512_castsi512_ps(two[2 * i4 + 1]);
      four[i4] = _mm512_castps_si512(half == 0 ? _mm512_shuffle_ps(a, b, 0x88) : _mm512_shuffle_ps(a, b, 0xdd));
    }
    const __m512i first = _mm512_permutex2var_epi64(four[0], _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), four[1]);
    const __m512i second = _mm512_permutex2var_epi64(four[0], _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), four[1]);
    _mm512_storeu_si512(to[4 * half], first);
    _mm512_storeu_si512(to[4 * half + 2], second);
    const __m512i one = _mm512_set1_epi8(1);
    sums.of[half] = sum_halves(_mm512_dpbusd_epi32(_mm512_dpbusd_epi32(_mm512_setzero_si512(), one, first), one, second));
  }
  return sums;
}

// Q8_0 and Q8_1: 32 elements.
static inline __m256 as_half(__m256 v) { return _mm256_cvtph_ps(_mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)); }
static inline __m256 scales_of_32(const float* const* rows, uint64_t i) {
  __m512 m[8];
#pragma GCC unroll 8
  for (int r = 0; r < 8; ++r) {  // max(v, w) is w where v is NaN
    const __m512 first = _mm512_max_ps(_mm512_abs_ps(_mm512_loadu_ps(rows[r] + i)), _mm512_setzero_ps());
    m[r] = _mm512_max_ps(_mm512_abs_ps(_mm512_loadu_ps(rows[r] + i + 16)), first);
  }
  return _mm256_div_ps(largest8(m), _mm256_set1_ps(127.0f));
}
static inline __m256 inverse_of(__m256 d) {
  return _mm256_maskz_div_ps(_mm256_cmp_ps_mask(d, _mm256_setzero_ps(), _CMP_NEQ_UQ), _mm256_set1_ps(1.0f), d);
}

// Q8_K: the first of 256 elements with the largest magnitude, with its sign.
static inline float first_extreme(const float* x, float magnitude) {
  for (int i = 0; i < 256; i += 16) {
    const __m512 v = _mm512_loadu_ps(x + i);
    const unsigned hit = _mm512_cmp_ps_mask(_mm512_abs_ps(v), _mm512_set1_ps(magnitude), _CMP_EQ_OQ);
    if (hit) return x[i + __builtin_ctz(hit)];
  }
  return magnitude;
}
static inline __m256 extremes_of_256(const float* const* rows, uint64_t i) {
  const __m512 minus = _mm512_set1_ps(-0.0f);
  __m512 most[8], least[8];  // least: with the opposite sign
  for (int r = 0; r < 8; ++r) {
    __m512 up = _mm512_setzero_ps(), down = up;
    for (int k = 0; k < 256; k += 16) {
      const __m512 v = _mm512_loadu_ps(rows[r] + i + k);
      up = _mm512_max_ps(v, up);
      down = _mm512_min_ps(v, down);
    }
    most[r] = up, least[r] = _mm512_xor_ps(down, minus);
  }
  const __m256 up = largest8(most), down = largest8(least);
  __m256 out = _mm256_mask_xor_ps(up, _mm256_cmp_ps_mask(down, up, _CMP_GT_OQ), down, _mm512_castps512_ps256(minus));
  const __mmask8 both = _mm256_cmp_ps_mask(down, up, _CMP_EQ_OQ) & _mm256_cmp_ps_mask(up, _mm256_setzero_ps(), _CMP_NEQ_OQ);
  if (__builtin_expect(both != 0, 0)) {
    alignas(32) float each[8];
    _mm256_store_ps(each, out);
    for (int r = 0; r < 8; ++r)
      if (both >> r & 1) each[r] = first_extreme(rows[r] + i, each[r]);
    out = _mm256_load_ps(each);
  }
  return out;
}
