// Dot products of the K types for x86 with AVX-512 and VNNI.  Included by avx512_dots.h.
//
// These kernels wait for the number of their instructions more than for one unit.  So four
// products make a sum, sums of two groups of 32 are packed to 16 bits, and one product with
// scales takes both; scales come out of bytes by the shuffle that repeats them.

// (a & mask) | b
static inline __m128i join_masked(__m128i a, __m128i mask, __m128i b) { return _mm_ternarylogic_epi32(a, mask, b, 0xea); }
static inline __m256i join_masked(__m256i a, __m256i mask, __m256i b) { return _mm256_ternarylogic_epi32(a, mask, b, 0xea); }

template <typename T>
inline constexpr bool kIsK = false;
template <>
inline constexpr bool kIsK<q2_k> = true;
template <>
inline constexpr bool kIsK<q3_k> = true;
template <>
inline constexpr bool kIsK<q4_k> = true;
template <>
inline constexpr bool kIsK<q5_k> = true;
template <>
inline constexpr bool kIsK<q6_k> = true;
// Q4_K and Q5_K begin with their d and have scales of 32 elements; the others end with it and
// have scales of 16.
template <typename T>
inline constexpr bool kOf32 = false;
template <>
inline constexpr bool kOf32<q4_k> = true;
template <>
inline constexpr bool kOf32<q5_k> = true;

// Bits `from` of each byte moved to bits `to`, with others beside them.
static inline __m256i moved(__m256i v, int from, int to) {
  return from < to ? _mm256_slli_epi16(v, to - from) : from > to ? _mm256_srli_epi16(v, from - to) : v;
}
static inline __m256i unsigned_codes(const q3_k*, const uint8_t* b, int g) {
  const __m256i high = masked(moved(load_once(b), g, 2), 4);
  return join_masked(moved(load_once(b + 32 + 32 * (g / 4)), 2 * (g % 4), 0), _mm256_set1_epi8(3), high);
}
// Lower nibbles of one, upper ones of the other.  Masks leave upper nibbles nothing but the field,
// and serve two groups.
static inline __m256i nibbles_of(__m256i low, __m256i high) { return _mm256_ternarylogic_epi32(low, _mm256_set1_epi8(15), high, 0xe2); }
static inline __m256i unsigned_codes(const q5_k*, const uint8_t* b, int g) {
  const __m256i high = moved(masked(load_once(b + 16), 0x11 << g % 4), g, 4);
  return nibbles_of(moved(load_once(b + 48 + 32 * (g / 2)), 4 * (g % 2), 0), high);
}
static inline __m256i unsigned_codes(const q6_k*, const uint8_t* b, int g) {
  const __m256i high = moved(masked(load_once(b + 128 + 32 * (g / 4)), 0x33 << g % 2 * 2), 2 * (g % 4), 4);
  return nibbles_of(moved(load_once(b + 64 * (g / 4) + 32 * (g % 2)), 2 * (g & 2), 0), high);
}

// scales: for scales_of_64; words: minima or, where codes have an offset, scales, of 16
// elements each.
struct KScales {
  __m256i scales, words;
};
// Words of bytes that are in both halves: the index of each, and nothing above it.
static inline __m256i words_of(__m256i bytes, __m256i which) {
  return _mm256_shuffle_epi8(bytes, _mm256_or_si256(which, _mm256_set1_epi16(static_cast<short>(0x8000u))));
}
static inline KScales k_scales(const q2_k*, const uint8_t* b) {
  const __m256i v = _mm256_broadcastsi128_si256(load128(b));
  const __m256i words = words_of(v, _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
  return {masked(v, 15), _mm256_srli_epi16(words, 4)};
}
static inline KScales signed_scales(__m128i bytes) {
  const __m256i words = widen8(bytes);
  return {words, words};
}
static inline KScales k_scales(const q3_k*, const uint8_t* b) {
  // Low nibbles: bytes 0 to 7, low then high halves; high pairs: bytes 8 to 11, to bits 4 and 5.
  const __m128i low = _mm_srlv_epi64(_mm_broadcastq_epi64(load64(b + 96)), _mm_set_epi64x(4, 0));
  const __m128i high = _mm_rolv_epi32(_mm_set1_epi32(static_cast<int>(load32(b + 104))), _mm_setr_epi32(4, 2, 0, 30));
  const __m128i all = join_masked(low, _mm_set1_epi8(15), _mm_and_si128(high, _mm_set1_epi8(48)));
  return signed_scales(_mm_sub_epi8(all, _mm_set1_epi8(32)));
}
static inline KScales k_scales(const q6_k*, const uint8_t* b) { return signed_scales(load128(b + 192)); }
// Eight scales and eight minima of six bits.  The first four of both are in the lower bits of
// bytes 0 to 7; the others are nibbles of bytes 8 to 11, with upper bits of bytes 0 to 7.
static inline KScales six_bits(const uint8_t* b) {
  const __m256i v = _mm256_broadcastq_epi64(load64(b));
  const __m256i nibble = _mm256_srlv_epi32(_mm256_set1_epi32(static_cast<int>(load32(b + 8))), _mm256_set1_epi64x(int64_t{4} << 32));
  const __m256i others = join_masked(nibble, _mm256_set1_epi8(15), masked(_mm256_srli_epi16(v, 2), 48));
  const __m256i all = _mm256_unpacklo_epi32(masked(v, 63), others);
  return {all, words_of(all, _mm256_setr_epi16(8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15))};
}
static inline KScales k_scales(const q4_k*, const uint8_t* b) { return six_bits(b + 4); }
static inline KScales k_scales(const q5_k*, const uint8_t* b) { return six_bits(b + 4); }

// Scales of elements 64 h to 64 h + 63 for packed sums: in each half of a register four words are
// for the first 32 elements, four for the others.
template <typename T>
static inline __m256i scales_of_64(__m256i scales, int h) {
  const short i = static_cast<short>(kOf32<T> ? 2 * h : 4 * h), j = static_cast<short>(kOf32<T> ? i + 1 : i + 2);
  const short k = static_cast<short>(kOf32<T> ? i : i + 1), l = static_cast<short>(kOf32<T> ? j : j + 1);
  const __m256i which = _mm256_setr_epi16(i, i, i, i, j, j, j, j, k, k, k, k, l, l, l, l);
  return T::kMinimum ? words_of(scales, which) : _mm256_permutexvar_epi16(which, scales);
}

// The integer sums of one block.  What the offset of the codes adds is taken off exactly, by way
// of the activations' own sums.
template <typename T>
static inline __m256i k_block(const uint8_t* b, const uint8_t* codes_of_y, const KScales& s, __m256i sums) {
  static_assert(4 * T::kRange * 128 <= 32768, "sums of four products fit in 16 bits");
  constexpr const T* kType = nullptr;
  const __m256i zero = _mm256_setzero_si256();
  __m256i sum = zero;
  if constexpr (T::kOffset != 0) sum = _mm256_madd_epi16(_mm256_mullo_epi16(s.words, _mm256_set1_epi16(-T::kOffset)), sums);
#pragma GCC unroll 4
  for (int h = 0; h < 4; ++h) {
    const __m256i first = _mm256_dpbusd_epi32(zero, unsigned_codes(kType, b, 2 * h), load(codes_of_y + 64 * h));
    const __m256i second = _mm256_dpbusd_epi32(zero, unsigned_codes(kType, b, 2 * h + 1), load(codes_of_y + 64 * h + 32));
    sum = _mm256_dpwssd_epi32(sum, _mm256_packs_epi32(first, second), scales_of_64<T>(s.scales, h));
  }
  return sum;
}

template <typename T, bool kFromMemory>
static inline float dot_k(const uint8_t* b, const uint8_t* y, uint64_t count) {
  using A = act_q8_k;
  __m256 sum = _mm256_setzero_ps(), minima = sum;
  for (uint64_t left = count; left > 0; left -= 256, b += T::kBytes, y += A::kBytes) {
    if constexpr (kFromMemory) ask_ahead<T::kBytes>(b);
    const KScales s = k_scales(static_cast<const T*>(nullptr), b);
    const __m256i sums = load(y + A::kSums);
    // Four halves of a block, of which one is its scale and the next, if any, that of its minima.
    constexpr int kHead = kOf32<T> ? 0 : T::kBytes - 8, kScale = kOf32<T> ? 0 : T::kMinimum ? 2 : 3;
    const __m256 d = _mm256_castps128_ps256(_mm_mul_ps(head(b + kHead), _mm_set1_ps(A::scale(y))));
    const __m256 products = _mm256_cvtepi32_ps(k_block<T>(b, y + A::kCodes, s, sums));
    sum = _mm256_fmadd_ps(products, _mm256_permutevar8x32_ps(d, _mm256_set1_epi32(kScale)), sum);
    if constexpr (T::kMinimum) {
      const __m256 each = _mm256_cvtepi32_ps(_mm256_madd_epi16(s.words, sums));
      minima = _mm256_fmadd_ps(each, _mm256_permutevar8x32_ps(d, _mm256_set1_epi32(kScale + 1)), minima);
    }
  }
  return sum8(_mm256_sub_ps(sum, minima));
}
