// Dot products for x86 with AVX2.  Included inside the variant's target region and
// namespace, after x86_codes.h and x86_integers.h.  The variant defines before it:
//
//   dot32<T>(c, y)       c's codes times int8 activations, exactly: eight int32 sums, lanes
//                        0 to 3 over elements 0 to 15 where T::kRange <= 127, any otherwise
//   add_scaled<T>(s, u, y, scale)   s plus scale times u times y, exactly: u is codes made
//                        non-negative by T::kOffset, scale 16 int16 of which one is for two codes
//
// Every int8 activation code is allowed, -128 too.

template <int kGroup>
static inline __m256 pair(float low, float high) {
  if constexpr (kGroup == 16) return _mm256_set_m128(_mm_set1_ps(high), _mm_set1_ps(low));
  return _mm256_set1_ps(low);
}

// Activations in blocks of 32: Q8_0, or Q8_1 where the weights have a minimum.
template <typename T, typename A, int kGroup>
static inline void add_block(const uint8_t* b, const uint8_t* y, __m256& sum, float& minima) {
  float a[T::kElements / 16], m[T::kElements / 16] = {};
  T::scales(b, a, m);
  for (int g = 0; g < T::kElements / 32; ++g, y += A::kBytes) {
    const float d = A::scale(y);
    const __m256 products = _mm256_cvtepi32_ps(dot32<T>(T::codes(b, g), load(y + A::kCodes)));
    sum = _mm256_fmadd_ps(products, pair<kGroup>(a[2 * g] * d, a[2 * g + 1] * d), sum);
    if constexpr (T::kMinimum) minima += m[2 * g] * A::scaled_sum(y);
  }
}
// Two chains of additions, so that one need not wait for the other.
template <typename T, typename A, int kGroup>
static inline float dot_blocks(const uint8_t* b, const uint8_t* y, uint64_t count) {
  constexpr int kActivation = T::kElements / 32 * A::kBytes;
  __m256 even = _mm256_setzero_ps(), odd = even;
  float even_minima = 0, odd_minima = 0;
  uint64_t i = T::kElements;
  for (; i < count; i += 2 * T::kElements, b += 2 * T::kBytes, y += 2 * kActivation) {
    add_block<T, A, kGroup>(b, y, even, even_minima);
    add_block<T, A, kGroup>(b + T::kBytes, y + kActivation, odd, odd_minima);
  }
  if (i == count) add_block<T, A, kGroup>(b, y, even, even_minima);
  return sum8(_mm256_add_ps(even, odd)) + (even_minima + odd_minima);
}

// One block of 256, activations Q8_K.  What the offset of the codes adds is taken off exactly, by
// way of the activations' own sums.
template <typename T>
static inline __m256i super_block(const uint8_t* b, const uint8_t* y, const Integers& n) {
  using A = act_q8_k;
  const __m256i halves = by_halves(n.scale);
  __m256i block = _mm256_setzero_si256();
  if constexpr (T::kOffset != 0)
    block = _mm256_madd_epi16(_mm256_mullo_epi16(n.scale, _mm256_set1_epi16(-T::kOffset)), load(y + A::kSums));
#pragma GCC unroll 8
  for (int g = 0; g < 8; ++g) {
    const __m256i codes = _mm256_add_epi8(T::codes(b, g), _mm256_set1_epi8(static_cast<char>(T::kOffset)));
    block = add_scaled<T>(block, codes, load(y + A::kCodes + 32 * g), scales_of(halves, g));
  }
  return block;
}

template <typename T>
static inline float dot_super(const uint8_t* b, const uint8_t* y, uint64_t count) {
  using A = act_q8_k;
  __m256 sum = _mm256_setzero_ps(), minima = sum;
  float exact = 0;
  for (uint64_t i = 0; i < count; i += 256, b += T::kBytes, y += A::kBytes) {
    const Integers n = integers(static_cast<const T*>(nullptr), b);
    const __m256i block = super_block<T>(b, y, n);
    const float d = A::scale(y);
    if constexpr (kLanes<T>) sum = _mm256_fmadd_ps(_mm256_cvtepi32_ps(block), _mm256_set1_ps(n.d * d), sum);
    else exact += sum_exactly(block) * (n.d * d);
    if constexpr (T::kMinimum)
      minima = _mm256_fmadd_ps(_mm256_cvtepi32_ps(_mm256_madd_epi16(n.minimum, load(y + A::kSums))), _mm256_set1_ps(n.dmin * d), minima);
  }
  if constexpr (!kLanes<T>) return exact;
  if constexpr (T::kMinimum) return sum8(sum) - sum8(minima);
  return sum8(sum);
}

template <typename T, typename A, int kGroup>
static inline float dot(const void* x, const void* y, uint64_t count) {
  const uint8_t *b = static_cast<const uint8_t*>(x), *q = static_cast<const uint8_t*>(y);
  if constexpr (A::kElements == 32) return dot_blocks<T, A, kGroup>(b, q, count);
  else return dot_super<T>(b, q, count);
}
