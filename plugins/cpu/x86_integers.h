// The scales of a block of 256 as the integers that they are stored as: each product
// scale * code * activation is then an integer, and a block needs one conversion.
// Included once for each x86 variant, inside its target region and namespace, after
// x86_codes.h.

// value = d * scale * code - dmin * minimum; 16 scales and minima, each of 16 elements.
struct Integers {
  __m256i scale;
  float d;
  __m256i minimum;
  float dmin;
};

static inline __m256i widen8(__m128i v) { return _mm256_cvtepi8_epi16(v); }
static inline __m128i load128(const uint8_t* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
static inline __m128i load64(const uint8_t* p) { return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)); }
// Each of 8 bytes twice.
static inline __m128i twice(__m128i v) { return _mm_unpacklo_epi8(v, v); }
static inline __m128i low4(__m128i v) { return _mm_and_si128(v, _mm_set1_epi8(15)); }
static inline __m128i high4(__m128i v) { return _mm_and_si128(_mm_srli_epi16(v, 4), _mm_set1_epi8(15)); }
// The nibbles of 8 bytes in order.
static inline __m128i each_nibble(__m128i v) { return _mm_unpacklo_epi8(low4(v), high4(v)); }
// 2 n + 1, the odd multiples that the IQ types count in.
static inline __m128i odd(__m128i n) { return _mm_add_epi8(_mm_add_epi8(n, n), _mm_set1_epi8(1)); }
// 8 bytes from 8 fields of 32 bits.
static inline __m128i narrow32(__m256i v) {
  const __m128i words = _mm_packus_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  return _mm_packus_epi16(words, words);
}

#define INTEGERS(name) static inline Integers integers(const name*, const uint8_t* b)

INTEGERS(q2_k) {
  const __m128i v = load128(b);
  return {widen8(low4(v)), load_half(b + 80), widen8(high4(v)), load_half(b + 82)};
}
INTEGERS(q3_k) {
  // Low nibbles: bytes 0 to 7, low then high halves; high pairs: bytes 8 to 11.
  const __m128i v = load64(b + 96), high = _mm_set1_epi32(static_cast<int>(load32(b + 104)));
  const __m128i low = _mm_unpacklo_epi64(low4(v), high4(v));
  const __m128i shifted = _mm_blend_epi32(_mm_blend_epi32(high, _mm_srli_epi16(high, 2), 2),
                                          _mm_blend_epi32(_mm_srli_epi16(high, 4), _mm_srli_epi16(high, 6), 8), 12);
  const __m128i pair = _mm_slli_epi16(_mm_and_si128(shifted, _mm_set1_epi8(3)), 4);
  return {widen8(_mm_sub_epi8(_mm_or_si128(low, pair), _mm_set1_epi8(32))), load_half(b + 108), _mm256_setzero_si256(), 0};
}
static inline Integers k_integers(const uint8_t* b) {
  const uint32_t s0 = load32(b + 4), s1 = load32(b + 8), s2 = load32(b + 12);
  const uint32_t scale_high = (s2 & 0x0f0f0f0f) | (s0 >> 2 & 0x30303030);
  const uint32_t minimum_high = (s2 >> 4 & 0x0f0f0f0f) | (s1 >> 2 & 0x30303030);
  const __m128i all = _mm_setr_epi32(static_cast<int>(s0 & 0x3f3f3f3f), static_cast<int>(scale_high),
                                     static_cast<int>(s1 & 0x3f3f3f3f), static_cast<int>(minimum_high));
  return {widen8(twice(all)), load_half(b), widen8(_mm_unpackhi_epi8(all, all)), load_half(b + 2)};
}
INTEGERS(q4_k) { return k_integers(b); }
INTEGERS(q5_k) { return k_integers(b); }
INTEGERS(q6_k) { return {widen8(load128(b + 192)), load_half(b + 208), _mm256_setzero_si256(), 0}; }
INTEGERS(iq2_xxs) {
  const __m256i q0 = load(b + 2), q1 = load(b + 34);  // the scale is at the top of every second word
  const __m256i words = _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(q0), _mm256_castsi256_ps(q1), 0xdd));
  const __m256i ordered = _mm256_permute4x64_epi64(words, 0xd8);
  return {widen8(twice(odd(narrow32(_mm256_srli_epi32(ordered, 28))))), load_half(b) * 0.125f, _mm256_setzero_si256(), 0};
}
INTEGERS(iq2_xs) { return {widen8(odd(each_nibble(load64(b + 66)))), load_half(b) * 0.125f, _mm256_setzero_si256(), 0}; }
INTEGERS(iq2_s) { return {widen8(odd(each_nibble(load64(b + 74)))), load_half(b) * 0.125f, _mm256_setzero_si256(), 0}; }
INTEGERS(iq3_xxs) {
  return {widen8(twice(odd(narrow32(_mm256_srli_epi32(load(b + 66), 28))))), load_half(b) * 0.25f, _mm256_setzero_si256(), 0};
}
INTEGERS(iq3_s) {
  const __m128i v = _mm_cvtsi32_si128(static_cast<int>(load32(b + 106)));
  return {widen8(twice(odd(each_nibble(v)))), load_half(b), _mm256_setzero_si256(), 0};
}
INTEGERS(iq1_s) {
  const __m128i v = _mm_and_si128(_mm_srli_epi16(load128(b + 34), 12), _mm_set1_epi16(7));
  return {widen8(twice(odd(_mm_packus_epi16(v, v)))), load_half(b) * 0.125f, _mm256_setzero_si256(), 0};
}
INTEGERS(iq1_m) {
  uint64_t w;
  memcpy(&w, b + 48, 8);
  const uint64_t h = (w >> 12 & 15) | (w >> 24 & 0xf0) | (w >> 36 & 0xf00) | (w >> 48 & 0xf000);
  // Four scales of three bits in each of four words: to 16-bit lanes, then to their bottom.
  const __m256i words = _mm256_cvtepu16_epi64(_mm_cvtsi64_si128(static_cast<long long>(w)));
  const __m256i each = _mm256_shuffle_epi8(words, _mm256_setr_epi8(0, 1, 0, 1, 0, 1, 0, 1, 8, 9, 8, 9, 8, 9, 8, 9,
                                                                   0, 1, 0, 1, 0, 1, 0, 1, 8, 9, 8, 9, 8, 9, 8, 9));
  // A product with 2^(13 - 3 k) brings the field to bits 13 to 15.
  const __m256i top = _mm256_mullo_epi16(each, _mm256_set1_epi64x(0x0010008004002000));
  const __m256i n = _mm256_srli_epi16(top, 13);
  return {_mm256_add_epi16(_mm256_add_epi16(n, n), _mm256_set1_epi16(1)), half_to_float(static_cast<uint16_t>(h)) * 0.125f, _mm256_setzero_si256(), 0};
}
INTEGERS(iq4_xs) {
  const __m128i low = each_nibble(_mm_cvtsi32_si128(static_cast<int>(load32(b + 4))));
  const uint64_t h = load16(b + 2);
  const uint64_t spread = (h | h << 24) & 0x000000ff000000ff, pairs4 = (spread | spread << 12) & 0x000f000f000f000f;
  const uint64_t high = (pairs4 | pairs4 << 6) & 0x0303030303030303;
  const __m128i all = _mm_or_si128(low, _mm_cvtsi64_si128(static_cast<long long>(high << 4)));
  return {widen8(twice(_mm_sub_epi8(all, _mm_set1_epi8(32)))), load_half(b), _mm256_setzero_si256(), 0};
}
INTEGERS(tq1_0) { return {_mm256_set1_epi16(1), load_half(b + 52), _mm256_setzero_si256(), 0}; }
INTEGERS(tq2_0) { return {_mm256_set1_epi16(1), load_half(b + 64), _mm256_setzero_si256(), 0}; }
#undef INTEGERS

static inline void store_scaled(float* to, __m256i integers, float by) {
  const __m256 low = _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm256_castsi256_si128(integers)));
  const __m256 high = _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm256_extracti128_si256(integers, 1)));
  _mm256_storeu_ps(to, _mm256_mul_ps(low, _mm256_set1_ps(by)));
  _mm256_storeu_ps(to + 8, _mm256_mul_ps(high, _mm256_set1_ps(by)));
}

// Scales in an order in which one shuffle gives those of 32 elements: the even ones in the
// lower half, the odd ones in the upper.
static inline __m256i by_halves(__m256i s) {
  const __m256i split = _mm256_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15,
                                         0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);
  return _mm256_permute4x64_epi64(_mm256_shuffle_epi8(s, split), 0xd8);
}
static inline __m256i scales_of(__m256i halves, int g) {
  return _mm256_shuffle_epi8(halves, _mm256_set1_epi16(static_cast<short>(0x0100 + 0x0202 * g)));
}

static inline float sum8(__m256 v) {
  __m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  s = _mm_add_ps(s, _mm_movehl_ps(s, s));
  return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}

// The sum of a whole block as one integer.  Where the codes are made non-negative first, what
// that adds is taken off in other lanes than it was added in: lanes by themselves are
// larger than the block's sum.
static inline float sum_exactly(__m256i v) {
  __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
  return _mm_cvtss_f32(_mm_cvtepi32_ps(_mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1))));
}
// The lanes of a block's sum by themselves, each rounded when it is added to those of other
// blocks: where there is no offset, or the accuracy class says that it is apart.
template <typename T>
inline constexpr bool kLanes = T::kOffset == 0;
template <>
inline constexpr bool kLanes<q3_k> = true;
template <>
inline constexpr bool kLanes<q6_k> = true;
template <>
inline constexpr bool kLanes<iq1_s> = true;
template <>
inline constexpr bool kLanes<iq1_m> = true;
template <>
inline constexpr bool kLanes<tq1_0> = true;
template <>
inline constexpr bool kLanes<tq2_0> = true;
