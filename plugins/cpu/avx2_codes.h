// What unpacking needs of AVX2: bits of elements are spread to bytes.  Included inside the
// target region and namespace, before x86_codes.h.

// Sixteen bytes of nibbles: the low ones are elements 0 to 15, the high ones 16 to 31.
static inline __m256i nibbles(const uint8_t* q) {
  const __m256i both = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(q)));
  return _mm256_and_si256(_mm256_srlv_epi64(both, _mm256_setr_epi64x(0, 0, 4, 4)), _mm256_set1_epi8(15));
}
// 0xff where the bit of the element is set.
static inline __m256i spread_bits(uint32_t bits) {
  const __m256i order = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
  const __m256i byte = _mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(bits)), order);
  const __m256i bit = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201u));
  return _mm256_cmpeq_epi8(_mm256_and_si256(byte, bit), bit);
}
// `value` where the bit of the element is set, else zero.
static inline __m256i from_bits(uint32_t bits, int value) {
  return _mm256_and_si256(spread_bits(bits), _mm256_set1_epi8(static_cast<char>(value)));
}
// v, which has none of the bits of `value`, with them where the bit of the element is set.
static inline __m256i with_bits(__m256i v, uint32_t bits, int value) {
  return _mm256_or_si256(v, from_bits(bits, value));
}
static inline __m256i with_signs(__m256i v, uint32_t signs) {
  const __m256i s = spread_bits(signs);
  return _mm256_sub_epi8(_mm256_xor_si256(v, s), s);
}
