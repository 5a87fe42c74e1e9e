// The bfloat16 kernels for x86 with AVX-512 and its bfloat16 dot products.
//
// VDPBF16PS adds the products of two pairs to each of sixteen f32 sums, rounds to nearest
// whatever MXCSR says, takes subnormal operands for zero and makes subnormal results zero:
// the accuracy class says so.  VCVTNEPS2BF16 rounds to nearest, ties to even, and takes
// subnormal numbers for zero likewise.

#if defined(__x86_64__)
#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#include "gcts/plugin.h"
#include "kernels.h"
#include "target.h"

TARGET_BEGIN("avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512dq,avx512bf16")
namespace cpu::avx512_bf16 {

// 32 numbers, or the first `count` of them and zeros.
static inline __m512bh load(const uint8_t* p) { return (__m512bh)_mm512_loadu_si512(p); }
static inline __m512bh load(const uint8_t* p, uint64_t count) {
  return (__m512bh)_mm512_maskz_loadu_epi16(static_cast<__mmask32>((uint64_t{1} << count) - 1), p);
}

gcts_status vec_dot_bf16(void*, const void* x, const void* y, float* result, uint64_t count) {
  const uint8_t *p = static_cast<const uint8_t*>(x), *q = static_cast<const uint8_t*>(y);
  __m512 s0 = _mm512_setzero_ps(), s1 = s0, s2 = s0, s3 = s0;
  uint64_t left = count;
  for (; left >= 128; left -= 128, p += 256, q += 256) {
    s0 = _mm512_dpbf16_ps(s0, load(p), load(q));
    s1 = _mm512_dpbf16_ps(s1, load(p + 64), load(q + 64));
    s2 = _mm512_dpbf16_ps(s2, load(p + 128), load(q + 128));
    s3 = _mm512_dpbf16_ps(s3, load(p + 192), load(q + 192));
  }
  for (; left >= 32; left -= 32, p += 64, q += 64) s0 = _mm512_dpbf16_ps(s0, load(p), load(q));
  if (left > 0) s1 = _mm512_dpbf16_ps(s1, load(p, left), load(q, left));
  *result = _mm512_reduce_add_ps(_mm512_add_ps(_mm512_add_ps(s0, s1), _mm512_add_ps(s2, s3)));
  return GCTS_OK;
}

// Four dot products, each in the same order of operations whatever the other rows are.
void tile_bf16(const uint8_t* const (&weights)[2], const uint8_t* const (&activations)[2], float* results,
               uint64_t count) {
  const uint8_t *x0 = weights[0], *x1 = weights[1], *y0 = activations[0], *y1 = activations[1];
  __m512 a00 = _mm512_setzero_ps(), a01 = a00, a10 = a00, a11 = a00, b00 = a00, b01 = a00, b10 = a00, b11 = a00;
  uint64_t at = 0;
  for (; at + 64 <= count; at += 64) {
    const __m512bh w0 = load(x0 + 2 * at), w1 = load(x1 + 2 * at), v0 = load(x0 + 2 * at + 64),
                   v1 = load(x1 + 2 * at + 64);
    const __m512bh r0 = load(y0 + 2 * at), r1 = load(y1 + 2 * at), t0 = load(y0 + 2 * at + 64),
                   t1 = load(y1 + 2 * at + 64);
    a00 = _mm512_dpbf16_ps(a00, w0, r0), a01 = _mm512_dpbf16_ps(a01, w0, r1);
    a10 = _mm512_dpbf16_ps(a10, w1, r0), a11 = _mm512_dpbf16_ps(a11, w1, r1);
    b00 = _mm512_dpbf16_ps(b00, v0, t0), b01 = _mm512_dpbf16_ps(b01, v0, t1);
    b10 = _mm512_dpbf16_ps(b10, v1, t0), b11 = _mm512_dpbf16_ps(b11, v1, t1);
  }
  for (; at < count; at += 32) {
    const uint64_t n = count - at < 32 ? count - at : 32;
    const __m512bh w0 = load(x0 + 2 * at, n), w1 = load(x1 + 2 * at, n);
    const __m512bh r0 = load(y0 + 2 * at, n), r1 = load(y1 + 2 * at, n);
    a00 = _mm512_dpbf16_ps(a00, w0, r0), a01 = _mm512_dpbf16_ps(a01, w0, r1);
    a10 = _mm512_dpbf16_ps(a10, w1, r0), a11 = _mm512_dpbf16_ps(a11, w1, r1);
  }
  results[0] = _mm512_reduce_add_ps(_mm512_add_ps(a00, b00));
  results[1] = _mm512_reduce_add_ps(_mm512_add_ps(a01, b01));
  results[2] = _mm512_reduce_add_ps(_mm512_add_ps(a10, b10));
  results[3] = _mm512_reduce_add_ps(_mm512_add_ps(a11, b11));
}

// Pairs of elements: a panel's of 16 rows, a tile's of 8.
void multiply_pairs(const void* weights, const void* activations, float* output, uint64_t count) {
  const uint8_t *panel = static_cast<const uint8_t*>(weights), *tile = static_cast<const uint8_t*>(activations);
  __m512 sum[kTileRows];
#pragma GCC unroll 8
  for (int r = 0; r < kTileRows; ++r) sum[r] = _mm512_load_ps(output + r * kPanelRows);
  for (uint64_t i = 0; i < count; i += 2, panel += 4 * kPanelRows, tile += 4 * kTileRows) {
    const __m512bh w = load(panel);
#pragma GCC unroll 8
    for (int r = 0; r < kTileRows; ++r) {
      int pair;
      memcpy(&pair, tile + 4 * r, 4);
      sum[r] = _mm512_dpbf16_ps(sum[r], w, (__m512bh)_mm512_set1_epi32(pair));
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kTileRows; ++r) _mm512_store_ps(output + r * kPanelRows, sum[r]);
}

gcts_status quantize_bf16(void*, const float* x, const float*, void* blocks, uint64_t count) {
  uint8_t* b = static_cast<uint8_t*>(blocks);
  uint64_t i = 0;
  for (; i + 16 <= count; i += 16)
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(b + 2 * i), (__m256i)_mm512_cvtneps_pbh(_mm512_loadu_ps(x + i)));
  if (i < count) {
    const auto rest = static_cast<__mmask16>((1u << (count - i)) - 1);
    _mm256_mask_storeu_epi16(b + 2 * i, rest, (__m256i)_mm512_cvtneps_pbh(_mm512_maskz_loadu_ps(rest, x + i)));
  }
  return GCTS_OK;
}

}  // namespace cpu::avx512_bf16
TARGET_END
#endif
