// What unpacking needs of AVX-512: masks pick the elements whose bit is set.  Included
// once for each of its variants, inside the target region and namespace, before
// x86_codes.h.

// Sixteen bytes of nibbles: the low ones are elements 0 to 15, the high ones 16 to 31.
static inline __m256i nibbles(const uint8_t* q) {
  const __m256i both = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(q)));
  return _mm256_and_si256(_mm256_srlv_epi64(both, _mm256_setr_epi64x(0, 0, 4, 4)), _mm256_set1_epi8(15));
}
// `value` where the bit of the element is set, else zero.
static inline __m256i from_bits(uint32_t bits, int value) {
  return _mm256_maskz_mov_epi8(bits, _mm256_set1_epi8(static_cast<char>(value)));
}
// v, which has none of the bits of `value`, with them where the bit of the element is set.
static inline __m256i with_bits(__m256i v, uint32_t bits, int value) {
  return _mm256_mask_add_epi8(v, bits, v, _mm256_set1_epi8(static_cast<char>(value)));
}
static inline __m256i with_signs(__m256i v, uint32_t signs) {
  return _mm256_mask_sub_epi8(v, signs, _mm256_setzero_si256(), v);
}
// To nearest, ties to even; a NaN stays one.
static inline __m512 round_to_f16(__m512 v) { return _mm512_cvtph_ps(_mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)); }
static inline __m512 round_to_bf16(__m512 x) {
  const __m512i v = _mm512_castps_si512(x), odd = _mm512_and_si512(_mm512_srli_epi32(v, 16), _mm512_set1_epi32(1));
  const __m512i rounded = _mm512_add_epi32(v, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
  const __m512i kept = _mm512_mask_or_epi32(rounded, _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), v, _mm512_set1_epi32(0x400000));
  return _mm512_castsi512_ps(_mm512_and_si512(kept, _mm512_set1_epi32(static_cast<int>(0xffff0000))));
}
