// The kernels for x86 with AVX-512 and its int8 dot products (VNNI).

#if defined(__x86_64__)
#include <immintrin.h>

#include "blocks.h"
#include "gcts/plugin.h"
#include "kernels.h"
#include "lattices.h"
#include "target.h"

TARGET_BEGIN("avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")
namespace cpu::avx512 {

#include "avx512_codes.h"
#include "x86_codes.h"
#include "x86_integers.h"
#include "avx512_dots.h"

template <bool kPast>
static inline void put(float* y, __m512 v) {
  if constexpr (kPast) _mm512_stream_ps(y, v);
  else _mm512_storeu_ps(y, v);
}
template <bool kMinimum, bool kPast>
static inline void store16(float* y, __m128i c, float a, float m) {
  __m512 v = _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(c)), _mm512_set1_ps(a));
  if constexpr (kMinimum) v = _mm512_add_ps(v, _mm512_set1_ps(m));
  put<kPast>(y, v);
}

template <bool kPast>
static inline void store_f16(float* y, const uint8_t* p) { put<kPast>(y, _mm512_cvtph_ps(load(p))); }
template <bool kPast>
static inline void store_bf16(float* y, const uint8_t* p) {
  put<kPast>(y, _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(load(p)), 16)));
}

#include "x86_kernels.h"

#include "avx512_rows.h"

}  // namespace cpu::avx512
TARGET_END
#endif
