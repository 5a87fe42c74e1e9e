// The kernels for x86 with AVX2, FMA and F16C.

#if defined(__x86_64__)
#include <immintrin.h>

#include "blocks.h"
#include "gcts/plugin.h"
#include "kernels.h"
#include "lattices.h"
#include "target.h"

TARGET_BEGIN("avx2,fma,f16c")
namespace cpu::avx2 {

#include "avx2_codes.h"
#include "x86_codes.h"
#include "x86_integers.h"

// maddubs saturates above 127 * 2 * 128, so codes of a wider range go through 16 bits.
template <typename T>
static inline __m256i dot32(__m256i c, __m256i y) {
  if constexpr (T::kRange <= 127) {
    const __m256i offset = _mm256_set1_epi8(static_cast<char>(T::kOffset));
    __m256i p = _mm256_maddubs_epi16(_mm256_add_epi8(c, offset), y);
    if constexpr (T::kOffset != 0) p = _mm256_sub_epi16(p, _mm256_maddubs_epi16(offset, y));
    return _mm256_madd_epi16(p, _mm256_set1_epi16(1));
  } else {
    const __m256i low = _mm256_madd_epi16(_mm256_cvtepi8_epi16(_mm256_castsi256_si128(c)),
                                          _mm256_cvtepi8_epi16(_mm256_castsi256_si128(y)));
    const __m256i high = _mm256_madd_epi16(_mm256_cvtepi8_epi16(_mm256_extracti128_si256(c, 1)),
                                           _mm256_cvtepi8_epi16(_mm256_extracti128_si256(y, 1)));
    return _mm256_add_epi32(low, high);
  }
}

template <typename T>
static inline __m256i add_scaled(__m256i sum, __m256i codes, __m256i y, __m256i scale) {
  if constexpr (T::kRange <= 127) return _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(codes, y), scale));
  // Even and odd codes by themselves: two products of wide codes do not fit in 16 bits.
  const __m256i even = _mm256_maddubs_epi16(_mm256_and_si256(codes, _mm256_set1_epi16(0x00ff)), y);
  const __m256i odd = _mm256_maddubs_epi16(_mm256_andnot_si256(_mm256_set1_epi16(0x00ff), codes), y);
  return _mm256_add_epi32(sum, _mm256_add_epi32(_mm256_madd_epi16(even, scale), _mm256_madd_epi16(odd, scale)));
}

#include "avx2_dots.h"

template <bool kPast>
static inline void put(float* y, __m256 low, __m256 high) {
  if constexpr (kPast) {
    _mm256_stream_ps(y, low);
    _mm256_stream_ps(y + 8, high);
  } else {
    _mm256_storeu_ps(y, low);
    _mm256_storeu_ps(y + 8, high);
  }
}
static inline __m256 scaled8(__m128i c, float a) {
  return _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(c)), _mm256_set1_ps(a));
}
template <bool kMinimum, bool kPast>
static inline void store16(float* y, __m128i c, float a, float m) {
  __m256 low = scaled8(c, a), high = scaled8(_mm_unpackhi_epi64(c, c), a);
  if constexpr (kMinimum) {
    low = _mm256_add_ps(low, _mm256_set1_ps(m));
    high = _mm256_add_ps(high, _mm256_set1_ps(m));
  }
  put<kPast>(y, low, high);
}

template <bool kPast>
static inline void store_f16(float* y, const uint8_t* p) { put<kPast>(y, _mm256_cvtph_ps(load128(p)), _mm256_cvtph_ps(load128(p + 16))); }
static inline __m256 bf16_to_f32(const uint8_t* p) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(load128(p)), 16));
}
template <bool kPast>
static inline void store_bf16(float* y, const uint8_t* p) { put<kPast>(y, bf16_to_f32(p), bf16_to_f32(p + 16)); }

#include "x86_kernels.h"

}  // namespace cpu::avx2
TARGET_END
#endif
