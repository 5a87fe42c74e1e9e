// Dot products for x86 with AVX-512 and VNNI.  Included inside the variant's target region and
// namespace, after x86_codes.h and x86_integers.h.
//
// Types in blocks of 32, 64 or 128 elements, and IQ4_XS, scale the sums of 32 elements as floats.
// Those of the other types stay integers for a whole block of 256.
//
// Every int8 activation code is allowed, -128 too.

// Codes made non-negative by T::kOffset.
template <typename T>
static inline __m256i unsigned_codes(const T*, const uint8_t* b, int g) {
  return _mm256_add_epi8(T::codes(b, g), _mm256_set1_epi8(static_cast<char>(T::kOffset)));
}
static inline __m256i raised_look_up(const int8_t* table, int offset, __m256i index) {
  const __m128i raised = _mm_add_epi8(_mm_load_si128(reinterpret_cast<const __m128i*>(table)), _mm_set1_epi8(static_cast<char>(offset)));
  return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(raised), index);
}
static inline __m256i unsigned_codes(const iq4_nl*, const uint8_t* b, int) { return raised_look_up(kValues_iq4, iq4_nl::kOffset, nibbles(b + 2)); }
static inline __m256i unsigned_codes(const iq4_xs*, const uint8_t* b, int g) {
  return raised_look_up(kValues_iq4, iq4_xs::kOffset, nibbles(b + 8 + 16 * g));
}
static inline __m256i unsigned_codes(const mxfp4*, const uint8_t* b, int) { return raised_look_up(kValues_fp4, mxfp4::kOffset, nibbles(b + 1)); }
static inline __m256i unsigned_codes(const nvfp4*, const uint8_t* b, int g) {
  return raised_look_up(kValues_fp4, nvfp4::kOffset, nibbles(b + 4 + 16 * g));
}

// NVFP4: eight bytes are 16 elements, the low nibbles first.  Activations are put in the order
// that nibbles of 16 bytes have: elements 0 to 7, 16 to 23, 8 to 15, 24 to 31.
template <typename T>
inline constexpr bool kScaleEach16 = false;
template <>
inline constexpr bool kScaleEach16<nvfp4> = true;

// 32 activation codes, and what the offset of the weights' codes adds to their products.
//
// dpbusd takes unsigned codes: the offset is added and its products taken off again.  Sums
// of 32 products stay below 2^22, so started at the bits of 1.5 * 2^23 they are floats, and
// one exact subtraction takes off the offset and the start together.
struct Codes32 {
  __m256i y;
  __m256 off;
};
static inline __m256i start() { return _mm256_set1_epi32(0x4b400000); }
template <typename T>
static inline Codes32 codes32(const uint8_t* p) {
  __m256i y = load(p);
  if constexpr (kScaleEach16<T>) y = _mm256_permute4x64_epi64(y, 0xd8);
  asm("" : "+v"(y));  // one load for all: loads are what these kernels are made of
  const __m256i offset = _mm256_set1_epi8(static_cast<char>(T::kOffset));
  return {y, _mm256_castsi256_ps(T::kOffset == 0 ? start() : _mm256_dpbusd_epi32(start(), offset, y))};
}
static inline __m256 dot32(__m256i codes, const Codes32& with) {
  return _mm256_sub_ps(_mm256_castsi256_ps(_mm256_dpbusd_epi32(start(), codes, with.y)), with.off);
}

// The four halves that a block begins with, as floats: the scale and, where there is one, the
// minimum or the sum; the rest are codes, whatever they come to.  One conversion from
// memory costs less than to gather scales.
static inline __m128 head(const uint8_t* b) {
  __m128 out;
  asm("vcvtph2ps %1, %0" : "=v"(out) : "m"(*reinterpret_cast<const uint8_t(*)[8]>(b)));  // which compilers load first, in an instruction more
  return out;
}

template <typename T>
static inline __m128 weight_head(const T*, const uint8_t* b) { return head(b); }
// Half of 2^(e - 127), the scale of MXFP4, for each byte e.
struct HalfPowers {
  float of[256];
};
constexpr HalfPowers half_powers() {
  HalfPowers out{};
  for (uint32_t e = 0; e < 256; ++e) out.of[e] = __builtin_bit_cast(float, e < 2 ? 0x00200000u << e : (e - 1) << 23);
  return out;
}
constexpr HalfPowers kHalfPowers = half_powers();
static inline __m128 weight_head(const mxfp4*, const uint8_t* b) { return _mm_load_ss(&kHalfPowers.of[b[0]]); }
// The four scales of a block of NVFP4: four bits of exponent and three of fraction are a half of
// which the exponent counts from another number.  The highest bit is ignored, but 127 alone
// stands for zero.
static inline __m128 weight_head(const nvfp4*, const uint8_t* b) {
  const __m128i v = _mm_cvtepu8_epi16(_mm_cvtsi32_si128(static_cast<int>(load32(b)))), low = _mm_set1_epi16(127);
  const __m128i known = _mm_andnot_si128(_mm_cmpeq_epi16(v, low), _mm_and_si128(v, low));
  return _mm_mul_ps(_mm_cvtph_ps(_mm_slli_epi16(known, 7)), _mm_set1_ps(128));
}

// What one row of weights comes to.  Four chains of additions, so that none waits for another.
struct RowSum {
  __m256 chain[4];
  __m128 minima;
};
static inline RowSum no_sum() {
  const __m256 zero = _mm256_setzero_ps();
  return {{zero, zero, zero, zero}, _mm_setzero_ps()};
}
template <typename T>
static inline float all(const RowSum& of) {
  const float sum = sum8(_mm256_add_ps(_mm256_add_ps(of.chain[0], of.chain[1]), _mm256_add_ps(of.chain[2], of.chain[3])));
  if constexpr (T::kMinimum) return sum + _mm_cvtss_f32(_mm_movehdup_ps(of.minima));
  return sum;
}
// One block; its first 32 elements go to chain i.
template <typename T, typename A>
__attribute__((always_inline)) static inline void add_block(const uint8_t* b, const uint8_t* y, int i, RowSum& sum) {
  constexpr const T* kType = nullptr;
  __m128 weight = weight_head(kType, b);
  if constexpr (kScaleEach16<T>) weight = _mm_mul_ps(weight, _mm_shuffle_ps(head(y), head(y + A::kBytes), 0));
#pragma GCC unroll 4
  for (int g = 0; g < T::kElements / 32; ++g, y += A::kBytes) {
    const __m128 d = head(y);
    const __m256 dots = dot32(unsigned_codes(kType, b, g), codes32<T>(y + A::kCodes));
    __m256& chain = sum.chain[(i + g) % 4];
    if constexpr (kScaleEach16<T>) {
      const __m256i which = _mm256_setr_epi32(2 * g, 2 * g, 2 * g + 1, 2 * g + 1, 2 * g, 2 * g, 2 * g + 1, 2 * g + 1);
      chain = _mm256_fmadd_ps(dots, _mm256_permutevar8x32_ps(_mm256_castps128_ps256(weight), which), chain);
    } else {
      const __m128 product = T::kMinimum ? _mm_mul_ps(weight, d) : _mm_mul_ss(weight, d);
      if constexpr (T::kMinimum) sum.minima = _mm_add_ps(sum.minima, product);  // the second lane counts
      chain = _mm256_fmadd_ps(dots, _mm256_broadcastss_ps(product), chain);
    }
  }
}

// Weights that come from memory are asked for so many bytes before they are used: a matrix has
// rows beyond the one in hand, and where it ends nothing happens.
constexpr uint64_t kAhead = 2048;
template <int kBytes>
__attribute__((always_inline)) static inline void ask_ahead(const uint8_t* b) {
#pragma GCC unroll 16
  for (uint64_t line = 0; line < (kBytes + 63) / 64; ++line) _mm_prefetch(b + kAhead + 64 * line, _MM_HINT_T0);
}

// Activations in blocks of 32.
template <typename T, typename A>
static inline float dot_blocks(const uint8_t* b, const uint8_t* y, uint64_t count) {
  constexpr int kEach = T::kElements / 32, kStep = kEach > 4 ? kEach : 4;
  RowSum sum = no_sum();
  uint64_t left = count;
  for (; left >= 32 * kStep; left -= 32 * kStep) {
#pragma GCC unroll 4
    for (int i = 0; i < kStep; i += kEach, b += T::kBytes, y += kEach * A::kBytes) add_block<T, A>(b, y, i, sum);
  }
  for (; left > 0; left -= T::kElements, b += T::kBytes, y += kEach * A::kBytes) add_block<T, A>(b, y, 0, sum);
  return all<T>(sum);
}

// TQ1_0 and TQ2_0 have one scale a block.
template <typename T>
inline constexpr bool kOneScale = false;
template <>
inline constexpr bool kOneScale<tq1_0> = true;
template <>
inline constexpr bool kOneScale<tq2_0> = true;

// sum plus scale times codes times y, exactly; scale: a 16-bit number for each two codes.
template <typename T>
static inline __m256i add_scaled(__m256i sum, __m256i codes, __m256i y, __m256i scale) {
  if constexpr (T::kRange <= 127) return _mm256_dpwssd_epi32(sum, _mm256_maddubs_epi16(codes, y), scale);
  const __m256i products = _mm256_dpbusd_epi32(_mm256_setzero_si256(), codes, y);
  return _mm256_add_epi32(sum, _mm256_mullo_epi32(products, _mm256_srai_epi32(scale, 16)));
}
// What is made of a block one block ahead, besides its scales.
template <typename T>
struct Ahead {
  inline void look(const uint8_t*) {}
};

// The integer sums of one block.  What the offset of the codes adds is taken off exactly, by
// way of the activations' own sums.
template <typename T>
static inline __m256i super_block(const uint8_t* b, const uint8_t* codes_of_y, __m256i scale, __m256i halves, __m256i sums, const Ahead<T>&) {
  const __m256i zero = _mm256_setzero_si256();
  const __m256i taken = _mm256_mullo_epi16(scale, _mm256_set1_epi16(-T::kOffset));
  __m256i sum[4] = {T::kOffset == 0 ? zero : _mm256_madd_epi16(kOneScale<T> ? _mm256_set1_epi16(-T::kOffset) : taken, sums), zero, zero, zero};
#pragma GCC unroll 8
  for (int g = 0; g < 8; ++g) {
    const __m256i codes = unsigned_codes(static_cast<const T*>(nullptr), b, g), y = load(codes_of_y + 32 * g);
    if constexpr (kOneScale<T>) sum[g % 4] = _mm256_dpbusd_epi32(sum[g % 4], codes, y);
    else sum[g % 4] = add_scaled<T>(sum[g % 4], codes, y, scales_of(halves, g));
  }
  return _mm256_add_epi32(_mm256_add_epi32(sum[0], sum[1]), _mm256_add_epi32(sum[2], sum[3]));
}

// TQ1_0: a byte times 3^n has trit n above its top, 85 and 170 being the last bytes of trit 0
// and 1.  Two averages of what is less by one bring it to the two top bits, as 64 times
// the code.
static inline __m256i thrice(__m256i v) { return _mm256_add_epi8(_mm256_add_epi8(v, v), v); }
static inline __m256i top_trit(__m256i v) {
  const __m256i less = _mm256_subs_epu8(v, _mm256_set1_epi8(1));
  return _mm256_and_si256(_mm256_avg_epu8(less, _mm256_avg_epu8(less, _mm256_setzero_si256())), _mm256_set1_epi8(-64));
}
// Trits 0 to 3 of four bytes, in the 32-bit lanes of both halves.
static inline __m256i four_powers(__m256i v) {
  const __m256i power = _mm256_setr_epi32(0x00010001, 0x00030003, 0x00090009, 0x001b001b, 0x00010001, 0x00030003, 0x00090009, 0x001b001b);
  const __m256i even = _mm256_mullo_epi16(v, power), odd = _mm256_mullo_epi16(_mm256_andnot_si256(_mm256_set1_epi16(255), v), power);
  return _mm256_ternarylogic_epi32(_mm256_set1_epi16(255), even, odd, 0xca);  // bytes of `even` where the mask is set
}
template <>
inline __m256i super_block<tq1_0>(const uint8_t* b, const uint8_t* y, __m256i, __m256i, __m256i sums, const Ahead<tq1_0>&) {
  __m256i even = _mm256_madd_epi16(sums, _mm256_set1_epi16(-64)), odd = _mm256_setzero_si256();
  __m256i v = load(b);
#pragma GCC unroll 5
  for (int g = 0; g < 5; ++g) {
    if (g > 0) v = thrice(v);
    if (g % 2 == 0) even = _mm256_dpbusd_epi32(even, top_trit(v), load(y + 32 * g));
    else odd = _mm256_dpbusd_epi32(odd, top_trit(v), load(y + 32 * g));
  }
  const __m256i w = _mm256_broadcastsi128_si256(load128(b + 32));
  const __m256i fifth = _mm256_blend_epi32(w, thrice(w), 0xf0), sixth = thrice(thrice(fifth));
  const __m256i tail = four_powers(_mm256_set1_epi32(static_cast<int>(load32(b + 48))));
  const __m256i seventh = _mm256_blend_epi32(thrice(thrice(sixth)), tail, 0xf0);
  odd = _mm256_dpbusd_epi32(odd, top_trit(fifth), load(y + 160));
  even = _mm256_dpbusd_epi32(even, top_trit(sixth), load(y + 192));
  odd = _mm256_dpbusd_epi32(odd, top_trit(seventh), load(y + 224));
  return _mm256_srai_epi32(_mm256_add_epi32(even, odd), 6);
}

// IQ1 and IQ2_S: the indices of a block's 32 entries, made at once, to be read from memory.
struct Indices {
  alignas(64) uint64_t at[8];
  inline void set(__m512i v) {
    _mm512_store_si512(at, v);
    asm("" : "+m"(at));
  }
};
// Four by four: to take them apart costs less than a load for each.
static inline __m256i four_entries(const uint64_t* t, uint64_t at) { return four(t[at & 0xffff], t[at >> 16 & 0xffff], t[at >> 32 & 0xffff], t[at >> 48]); }
static inline __m512i with_high_bits(const uint8_t* low, __m512i high, short mask = 0x700) {
  const __m512i bits = _mm512_and_si512(_mm512_slli_epi16(high, 8), _mm512_set1_epi16(mask));
  return _mm512_or_si512(_mm512_cvtepu8_epi16(load(low)), bits);
}
// Each word four times.
static inline __m512i words_by_four(__m128i v) {
  const __m512i order = _mm512_setr_epi64(0, 0x0001000100010001, 0x0002000200020002, 0x0003000300030003, 0x0004000400040004,
                                          0x0005000500050005, 0x0006000600060006, 0x0007000700070007);
  return _mm512_permutexvar_epi16(order, _mm512_castsi128_si512(v));
}
template <>
struct Ahead<iq2_s> : Indices {
  inline void look(const uint8_t* b) {
    const __m512i high = words_by_four(_mm_cvtepu8_epi16(load64(b + 66)));
    set(with_high_bits(b + 2, _mm512_srlv_epi16(high, _mm512_set1_epi64(0x0006000400020000)), 0x300));
  }
};
template <>
inline __m256i super_block<iq2_s>(const uint8_t* b, const uint8_t* y, __m256i scale, __m256i halves, __m256i sums, const Ahead<iq2_s>& index) {
  __m256i even = _mm256_madd_epi16(_mm256_mullo_epi16(scale, _mm256_set1_epi16(-iq2_s::kOffset)), sums), odd = _mm256_setzero_si256();
#pragma GCC unroll 8
  for (int g = 0; g < 8; ++g) {
    const __m256i values = with_signs(four_entries(kLattice_iq2s.entry, index.at[g]), load32(b + 34 + 4 * g));
    __m256i& sum = g % 2 == 0 ? even : odd;
    sum = add_scaled<iq2_s>(sum, _mm256_add_epi8(values, _mm256_set1_epi8(iq2_s::kOffset)), load(y + 32 * g), scales_of(halves, g));
  }
  return _mm256_add_epi32(even, odd);
}
template <>
struct Ahead<iq1_s> : Indices {
  inline void look(const uint8_t* b) {
    set(with_high_bits(b + 2, _mm512_srlv_epi16(words_by_four(load128(b + 34)), _mm512_set1_epi64(0x0009000600030000))));
  }
};
template <>
inline __m256i super_block<iq1_s>(const uint8_t* b, const uint8_t* y, __m256i scale, __m256i halves, __m256i sums, const Ahead<iq1_s>& index) {
  // Entries are less by 8 than what is multiplied; an eighth is added or taken for each 32.
  const __m128i shift = _mm_srai_epi16(load128(b + 34), 15), eighth = _mm_or_si128(shift, _mm_set1_epi16(1));
  const __m256i both = _mm256_cvtepu16_epi32(eighth), each = _mm256_or_si256(both, _mm256_slli_epi32(both, 16));
  const __m256i apart = _mm256_mullo_epi16(scale, _mm256_sub_epi16(each, _mm256_set1_epi16(8)));
  __m256i even = _mm256_madd_epi16(apart, sums), odd = _mm256_setzero_si256();
#pragma GCC unroll 8
  for (int g = 0; g < 8; ++g) {
    const __m256i codes = _mm256_add_epi8(four_entries(kLattice_iq1s.entry, index.at[g]), _mm256_set1_epi8(8));
    __m256i& sum = g % 2 == 0 ? even : odd;
    sum = add_scaled<iq1_s>(sum, codes, load(y + 32 * g), scales_of(halves, g));
  }
  return _mm256_add_epi32(even, odd);
}
template <>
struct Ahead<iq1_m> : Indices {
  inline void look(const uint8_t* b) {
    set(with_high_bits(b, _mm512_srlv_epi16(words_by_four(load128(b + 32)), _mm512_set1_epi64(0x000c000800040000))));
  }
};
template <>
inline __m256i super_block<iq1_m>(const uint8_t* b, const uint8_t* y, __m256i scale, __m256i halves, __m256i sums, const Ahead<iq1_m>& index) {
  __m256i even = _mm256_madd_epi16(_mm256_mullo_epi16(scale, _mm256_set1_epi16(-9)), sums), odd = _mm256_setzero_si256();
#pragma GCC unroll 8
  for (int g = 0; g < 8; ++g) {
    const __m256i signs = _mm256_set1_epi16(static_cast<short>(load16(b + 32 + 2 * g)));
    const __mmask8 less = _mm256_test_epi64_mask(signs, _mm256_setr_epi64x(0x0008, 0x0080, 0x0800, 0x8000));
    const __m256i raised = _mm256_mask_mov_epi64(_mm256_set1_epi8(10), less, _mm256_set1_epi8(8));
    const __m256i codes = _mm256_add_epi8(four_entries(kLattice_iq1s.entry, index.at[g]), raised);
    __m256i& sum = g % 2 == 0 ? even : odd;
    sum = add_scaled<iq1_m>(sum, codes, load(y + 32 * g), scales_of(halves, g));
  }
  return _mm256_add_epi32(even, odd);
}

#include "avx512_k_dots.h"

// Activations in blocks of 256: Q8_K.  The scales of the next block are unpacked before the codes
// of this one: a processor looks less than two blocks ahead, and codes would wait for scales.
template <typename T, bool kFromMemory>
static inline float dot_super(const uint8_t* b, const uint8_t* y, uint64_t count) {
  using A = act_q8_k;
  static_assert(!T::kMinimum);
  __m256 sum = _mm256_setzero_ps();
  float exact = 0;
  if (count == 0) return 0;
  Integers next = integers(static_cast<const T*>(nullptr), b);
  __m256i next_halves = by_halves(next.scale);
  Ahead<T> ahead[2];
  ahead[0].look(b);
  for (uint64_t left = count, turn = 0; left > 0; left -= 256, y += A::kBytes, turn ^= 1) {
    const Integers n = next;
    const __m256i halves = next_halves;
    const uint8_t* codes = b;
    if constexpr (kFromMemory) ask_ahead<T::kBytes>(b);
    b += left > 256 ? T::kBytes : 0;
    next = integers(static_cast<const T*>(nullptr), b);
    next_halves = by_halves(next.scale);
    ahead[turn ^ 1].look(b);
    const __m256i sums = load(y + A::kSums);
    const __m256i block = super_block<T>(codes, y + A::kCodes, n.scale, halves, sums, ahead[turn]);
    const float d = A::scale(y);
    if constexpr (kLanes<T>) sum = _mm256_fmadd_ps(_mm256_cvtepi32_ps(block), _mm256_set1_ps(n.d * d), sum);
    else exact += sum_exactly(block) * (n.d * d);
  }
  if constexpr (!kLanes<T>) return exact;
  return sum8(sum);
}

// The eight scales of a block of IQ4_XS: a nibble and a pair of bits each, less 32.
static inline __m256i scales_of_iq4_xs(const uint8_t* b) {
  const __m256i nibble = _mm256_srlv_epi32(_mm256_set1_epi32(static_cast<int>(load32(b + 4))), _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28));
  const __m256i pair = _mm256_rorv_epi32(_mm256_set1_epi32(static_cast<int>(load32(b + 2))), _mm256_setr_epi32(28, 30, 0, 2, 4, 6, 8, 10));
  const __m256i all = join_masked(nibble, _mm256_set1_epi32(15), _mm256_and_si256(pair, _mm256_set1_epi32(48)));
  return _mm256_sub_epi32(all, _mm256_set1_epi32(32));
}
// IQ4_XS: its codes are wide enough that floats, as in blocks of 32, are the shorter way to
// scale their sums.
static inline float dot_iq4_xs(const uint8_t* b, const uint8_t* y, uint64_t count) {
  constexpr const iq4_xs* kType = nullptr;
  RowSum sum = no_sum();
  for (uint64_t left = count; left > 0; left -= 256, b += iq4_xs::kBytes, y += act_q8_k::kBytes) {
    alignas(32) float scale[8];
    const __m256 d = _mm256_set1_ps(load_half(b) * act_q8_k::scale(y));
    _mm256_store_ps(scale, _mm256_mul_ps(_mm256_cvtepi32_ps(scales_of_iq4_xs(b)), d));
    asm("" : "+m"(scale));  // to be read one by one, where they are multiplied
#pragma GCC unroll 8
    for (int g = 0; g < 8; ++g) {
      const __m256 dots = dot32(unsigned_codes(kType, b, g), codes32<iq4_xs>(y + act_q8_k::kCodes + 32 * g));
      sum.chain[g % 4] = _mm256_fmadd_ps(dots, _mm256_set1_ps(scale[g]), sum.chain[g % 4]);
    }
  }
  return all<iq4_xs>(sum);
}

template <typename T>
inline constexpr bool kScalesFloats = false;
template <>
inline constexpr bool kScalesFloats<iq4_xs> = true;

// kFromMemory: of the types whose sums stay integers, weights are asked for ahead.
template <typename T, typename A, bool kFromMemory>
static inline float dot_of_row(const uint8_t* b, const uint8_t* y, uint64_t count) {
  if constexpr (A::kElements == 32) return dot_blocks<T, A>(b, y, count);
  else if constexpr (kScalesFloats<T>) return dot_iq4_xs(b, y, count);
  else if constexpr (kIsK<T>) return dot_k<T, kFromMemory>(b, y, count);
  else return dot_super<T, kFromMemory>(b, y, count);
}

template <typename T, typename A, int kGroup>
static inline float dot(const void* x, const void* y, uint64_t count) {
  return dot_of_row<T, A, false>(static_cast<const uint8_t*>(x), static_cast<const uint8_t*>(y), count);
}
