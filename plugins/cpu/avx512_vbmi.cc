// Dot products of IQ2_XXS, IQ2_XS, the IQ3 types and TQ1_0 for x86 with AVX-512 and its byte
// permutations (VBMI).  The larger lattices of the other IQ types are faster from memory.
//
// A lattice entry is 16 bits of ranks (lattices.inc), so that a whole lattice fits in a few
// registers: 32 entries at a time come out of permutations of words, none from memory by its
// index.  One instruction then moves each rank to a byte, another turns ranks into values.

#if defined(__x86_64__)
#include <immintrin.h>

#include "blocks.h"
#include "gcts/plugin.h"
#include "kernels.h"
#include "lattices.h"
#include "target.h"

TARGET_BEGIN("avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx512vbmi")
namespace cpu::avx512_vbmi {

#include "avx512_codes.h"
#include "x86_codes.h"
#include "x86_integers.h"

// 32 entries of a lattice by their indices.  Each permutation knows 64 entries; bits of the
// index choose between two of them.
template <int kCount>
static inline __m512i entries(const uint16_t* lattice, __m512i index) {
  if constexpr (kCount == 64) {
    return _mm512_permutex2var_epi16(_mm512_loadu_si512(lattice), index, _mm512_loadu_si512(lattice + 32));
  } else {
    const __mmask32 upper = _mm512_test_epi16_mask(index, _mm512_set1_epi16(kCount / 2));
    return _mm512_mask_mov_epi16(entries<kCount / 2>(lattice, index), upper, entries<kCount / 2>(lattice + kCount / 2, index));
  }
}

// Ranks in words to bytes: of four words of 64 bits one gives eight ranks of two bits each, or two
// give four each of three bits.  What stands above a rank is left there.  Words stand in the
// order, found by `entry_at`, in which each shift gives 64 elements in order.
struct Pairs {  // IQ2: 64 elements are 8 words
  static constexpr int kWords = 8;
  static inline __m512i spread(__m512i words, int h) {
    return _mm512_multishift_epi64_epi8(_mm512_set1_epi64(0x0e0c0a0806040200 + 0x1010101010101010 * h), words);
  }
  static constexpr int entry_at(int i) { return i % 4 * 8 + i / 4; }
};
struct Triples {  // IQ3: 64 elements are 16 words
  static constexpr int kWords = 16;
  static inline __m512i spread(__m512i words, int h) {
    return _mm512_multishift_epi64_epi8(_mm512_set1_epi64(0x1916131009060300 + 0x2020202020202020 * (h % 2)), words);
  }
  static constexpr int entry_at(int i) { return i / 2 % 2 * 16 + i / 4 * 2 + i % 2; }
};
// That order of what stands at place(0), place(1), ...
struct Order {
  alignas(64) uint16_t at[32];
};
template <typename Ranks>
constexpr Order order(int (*place)(int)) {
  Order out{};
  for (int i = 0; i < 32; ++i) out.at[i] = static_cast<uint16_t>(place(Ranks::entry_at(i)));
  return out;
}
constexpr int in_order(int i) { return i; }
constexpr int in_upper_half(int i) { return 32 + i; }
constexpr int four_of_eight(int i) { return i / 4 * 8 + i % 4; }
template <typename Ranks, int (*kPlace)(int)>
inline constexpr Order kOrder = order<Ranks>(kPlace);
// Words, or bytes as words, in such an order.
template <typename Ranks>
static inline __m512i ordered(__m512i words) { return _mm512_permutexvar_epi16(_mm512_load_si512(kOrder<Ranks, in_order>.at), words); }
template <typename Ranks, int (*kPlace)(int)>
static inline __m512i ordered_bytes(__m512i bytes) {
  return _mm512_maskz_permutexvar_epi8(0x5555555555555555, _mm512_load_si512(kOrder<Ranks, kPlace>.at), bytes);
}

// Seven bits in each byte, and the eighth that makes the number of ones even.
static inline __m256i even_signs(__m256i bits) {
  const __m256i low = _mm256_set1_epi8(15), x = _mm256_and_si256(bits, _mm256_set1_epi8(127));
  const __m256i odd = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, -128, -128, 0, -128, 0, 0, -128, -128, 0, 0, -128, 0, -128, -128, 0));
  const __m256i first = _mm256_shuffle_epi8(odd, _mm256_and_si256(x, low));
  const __m256i second = _mm256_shuffle_epi8(odd, _mm256_and_si256(_mm256_srli_epi16(x, 4), low));
  return _mm256_or_si256(x, _mm256_xor_si256(first, second));
}
// Four times seven bits from bit `first` of each 64-bit word on.
static inline __m256i four_sevens(__m512i words, int first) {
  const __m512i fields = _mm512_add_epi8(_mm512_set1_epi64(0x150e0700), _mm512_set1_epi8(static_cast<char>(first)));
  return even_signs(_mm512_cvtepi64_epi32(_mm512_multishift_epi64_epi8(fields, words)));
}

// A block unpacked as far as 32 or 64 words of ranks and 256 bits of signs.
struct Unpacked {
  __m512i words[2];
  __m256i signs;
};
static inline Unpacked unpack(const iq2_xxs*, const uint8_t* b) {
  const __m512i v = _mm512_loadu_si512(b + 2);  // four indices, then four times seven signs and the scale
  const __m512i words = entries<256>(kPacked_iq2xxs, ordered_bytes<Pairs, four_of_eight>(v));
  return {{words, words}, four_sevens(v, 32)};
}
static inline Unpacked unpack(const iq2_xs*, const uint8_t* b) {
  const __m512i v = _mm512_loadu_si512(b + 2);
  const __m512i words = entries<512>(kPacked_iq2xs, ordered<Pairs>(v));
  return {{words, words}, even_signs(_mm512_cvtepi16_epi8(_mm512_srli_epi16(v, 9)))};
}
static inline Unpacked unpack(const iq3_xxs*, const uint8_t* b) {
  const __m512i v = _mm512_loadu_si512(b + 2);
  return {{entries<256>(kPacked_iq3xxs, ordered_bytes<Triples, in_order>(v)), entries<256>(kPacked_iq3xxs, ordered_bytes<Triples, in_upper_half>(v))},
          four_sevens(_mm512_cvtepu32_epi64(load(b + 66)), 0)};
}
static inline __m512i nine_bits(const uint8_t* q, uint32_t ninth) {
  const __m512i v = _mm512_cvtepu8_epi16(load(q));
  return _mm512_mask_add_epi16(v, ninth, v, _mm512_set1_epi16(256));
}
static inline Unpacked unpack(const iq3_s*, const uint8_t* b) {
  return {{entries<512>(kPacked_iq3s, ordered<Triples>(nine_bits(b + 2, load32(b + 66)))),
           entries<512>(kPacked_iq3s, ordered<Triples>(nine_bits(b + 34, load32(b + 70))))},
          load(b + 74)};
}

// The values of the ranks, again and again over 64 bytes.
template <int kRanks>
static inline __m512i values(const int8_t* alphabet) {
  const __m128i eight = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(alphabet));
  return kRanks == 4 ? _mm512_broadcastd_epi32(eight) : _mm512_broadcastq_epi64(eight);
}
alignas(8) inline constexpr int8_t kValues_iq2[8] = {8, 25, 43, 0, 8, 25, 43, 0};

// Scales 8 h, 8 h + 4, 8 h + 1, 8 h + 5, and so on, each in four lanes of 16 bits.
static inline __m512i scales_of_128(__m512i scales, int h) {
  const __m512i first = _mm512_setr_epi64(0, 0x0004000400040004, 0x0001000100010001, 0x0005000500050005, 0x0002000200020002, 0x0006000600060006,
                                          0x0003000300030003, 0x0007000700070007);
  return _mm512_permutexvar_epi16(_mm512_add_epi16(first, _mm512_set1_epi16(static_cast<short>(8 * h))), scales);
}
// Sums of scale times magnitude times y.  Four products fit in 16 bits: magnitudes are less than 64.
template <typename Ranks>
static inline __m512i scaled_sums(const Unpacked& u, __m256i scales, const __m512i (&y)[4], __m512i table) {
  const __m512i zero = _mm512_setzero_si512();
  __m512i sum = zero, four[4];
#pragma GCC unroll 4
  for (int h = 0; h < 4; ++h) four[h] = _mm512_dpbusd_epi32(zero, _mm512_permutexvar_epi8(Ranks::spread(u.words[h / 2], h), table), y[h]);
#pragma GCC unroll 2
  for (int h = 0; h < 2; ++h)
    sum = _mm512_dpwssd_epi32(sum, _mm512_packs_epi32(four[2 * h], four[2 * h + 1]), scales_of_128(_mm512_castsi256_si512(scales), h));
  return sum;
}

// The integer sums of one block: magnitudes times activations that take the signs over.  The code
// -128 has no opposite and stays: `least` is the least in each place.
template <typename Ranks>
static inline __m512i block_sums(const Unpacked& u, __m256i scales, const uint8_t* y, __m512i table, __m512i& least) {
  alignas(32) uint64_t signs[4];
  _mm256_store_si256(reinterpret_cast<__m256i*>(signs), u.signs);
  asm("" : "+m"(signs));  // to be read from memory: masks come from there at once
  __m512i taken[4];
#pragma GCC unroll 4
  for (int h = 0; h < 4; ++h) {
    const __m512i given = _mm512_loadu_si512(y + act_q8_k::kCodes + 64 * h);
    taken[h] = _mm512_mask_sub_epi8(given, signs[h], _mm512_setzero_si512(), given);
  }
  least = _mm512_min_epi8(_mm512_min_epi8(taken[0], taken[1]), _mm512_min_epi8(taken[2], taken[3]));
  return scaled_sums<Ranks>(u, scales, taken, table);
}
// Those sums without twice the products of -128 where its sign stayed.
template <typename T, typename Ranks>
__attribute__((noinline, cold)) static __m512i without_stayed(__m512i sums, const uint8_t* b, const uint8_t* y, const int8_t* alphabet) {
  const Unpacked u = unpack(static_cast<const T*>(nullptr), b);
  uint64_t signs[4];
  memcpy(signs, &u.signs, 32);
  __m512i stayed[4];
  for (int h = 0; h < 4; ++h) {
    const __m512i least = _mm512_set1_epi8(-128);
    stayed[h] = _mm512_maskz_mov_epi8(_mm512_mask_cmpeq_epi8_mask(signs[h], _mm512_loadu_si512(y + act_q8_k::kCodes + 64 * h), least), least);
  }
  const __m512i once = scaled_sums<Ranks>(u, integers(static_cast<const T*>(nullptr), b).scale, stayed, values<Ranks::kWords == 8 ? 4 : 8>(alphabet));
  return _mm512_sub_epi32(sums, _mm512_slli_epi32(once, 1));
}

// The next block is unpacked before this one is multiplied: the chain from an index to a value
// is long, and a processor looks less than two blocks ahead.
template <typename T, typename Ranks>
static inline float dot(const uint8_t* b, const uint8_t* y, const int8_t* alphabet, uint64_t count) {
  if (count == 0) return 0;
  const __m512i table = values<Ranks::kWords == 8 ? 4 : 8>(alphabet);
  __m512 sum = _mm512_setzero_ps();
  constexpr const T* kType = nullptr;
  Unpacked next = unpack(kType, b);
  __m256i next_scales = integers(kType, b).scale;
  for (uint64_t left = count; left > 0; left -= 256, y += act_q8_k::kBytes) {
    const Unpacked u = next;
    const __m256i scales = next_scales;
    const uint8_t* block = b;
    b += left > 256 ? T::kBytes : 0;
    next = unpack(kType, b);
    next_scales = integers(kType, b).scale;
    __m512i least, sums = block_sums<Ranks>(u, scales, y, table, least);
    if (__builtin_expect(_mm512_cmpeq_epi8_mask(least, _mm512_set1_epi8(-128)) != 0, 0)) sums = without_stayed<T, Ranks>(sums, block, y, alphabet);
    const float d = integers(kType, block).d * act_q8_k::scale(y);
    sum = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sums), _mm512_set1_ps(d), sum);
  }
  return sum8(_mm256_add_ps(_mm512_castps512_ps256(sum), _mm512_extractf32x8_ps(sum, 1)));
}

// TQ1_0: the trits of each byte, by a table of 256: the first four, in two bits each, and the fifth.
struct Trits {
  alignas(64) uint8_t four[256], fifth[256];
};
constexpr Trits all_trits() {
  Trits out{};
  for (int byte = 0; byte < 256; ++byte) {
    int rest = byte;  // 3^n times the byte has trit n above its top
    for (int n = 0; n < 5; ++n, rest = rest * 3 % 256) {
      if (n < 4) out.four[byte] = static_cast<uint8_t>(out.four[byte] | (rest * 3 / 256) << (2 * n));
      else out.fifth[byte] = static_cast<uint8_t>(rest * 3 / 256);
    }
  }
  return out;
}
constexpr Trits kTrits = all_trits();
// The trits of a block's 52 bytes.
struct UnpackedTrits {
  __m512i four, fifth;
};
static inline __m512i look_up256(const uint8_t* table, __m512i v, __mmask64 upper) {
  const __m512i low = _mm512_permutex2var_epi8(_mm512_load_si512(table), v, _mm512_load_si512(table + 64));
  const __m512i high = _mm512_permutex2var_epi8(_mm512_load_si512(table + 128), v, _mm512_load_si512(table + 192));
  return _mm512_mask_mov_epi8(low, upper, high);
}
static inline UnpackedTrits unpack(const tq1_0*, const uint8_t* b) {
  const __m512i v = _mm512_maskz_loadu_epi8((uint64_t{1} << tq1_0::kBytes) - 1, b);
  const __mmask64 upper = _mm512_movepi8_mask(v);
  return {look_up256(kTrits.four, v, upper), look_up256(kTrits.fifth, v, upper)};
}
static inline __m256i upper256(__m512i v) { return _mm512_extracti64x4_epi64(v, 1); }
static inline __m256i trits_at(__m256i v, __m256i from) { return _mm256_and_si256(_mm256_srlv_epi32(v, from), _mm256_set1_epi8(3)); }
// Five trits of 32 bytes, five of 16 bytes, four of four bytes; each is one more than its value.
static inline __m256i block_sums(const UnpackedTrits& u, const uint8_t* y) {
  const __m256i first = _mm512_castsi512_si256(u.four), others = upper256(u.four), second = _mm256_permute4x64_epi64(others, 0x44);
  const __m256i last = _mm256_permutex2var_epi32(upper256(u.fifth), _mm256_setr_epi32(0, 1, 2, 3, 12, 12, 12, 12), others);
  const __m256i codes[8] = {trits_at(first, _mm256_setzero_si256()), trits_at(first, _mm256_set1_epi32(2)), trits_at(first, _mm256_set1_epi32(4)),
                            trits_at(first, _mm256_set1_epi32(6)), _mm512_castsi512_si256(u.fifth),
                            trits_at(second, _mm256_setr_epi32(0, 0, 0, 0, 2, 2, 2, 2)), trits_at(second, _mm256_setr_epi32(4, 4, 4, 4, 6, 6, 6, 6)),
                            trits_at(last, _mm256_setr_epi32(0, 0, 0, 0, 0, 2, 4, 6))};
  __m256i sum[2] = {_mm256_madd_epi16(load(y + act_q8_k::kSums), _mm256_set1_epi16(-1)), _mm256_setzero_si256()};
#pragma GCC unroll 8
  for (int g = 0; g < 8; ++g) sum[g % 2] = _mm256_dpbusd_epi32(sum[g % 2], codes[g], load(y + act_q8_k::kCodes + 32 * g));
  return _mm256_add_epi32(sum[0], sum[1]);
}
static inline float dot_tq1_0(const uint8_t* b, const uint8_t* y, uint64_t count) {
  __m256 sum = _mm256_setzero_ps();
  if (count == 0) return 0;
  constexpr const tq1_0* kType = nullptr;
  UnpackedTrits next = unpack(kType, b);
  for (uint64_t left = count; left > 0; left -= 256, y += act_q8_k::kBytes) {
    const UnpackedTrits u = next;
    const float d = load_half(b + 52) * act_q8_k::scale(y);
    b += left > 256 ? tq1_0::kBytes : 0;
    next = unpack(kType, b);
    sum = _mm256_fmadd_ps(_mm256_cvtepi32_ps(block_sums(u, y)), _mm256_set1_ps(d), sum);
  }
  return sum8(sum);
}
gcts_status vec_dot_tq1_0(void*, const void* x, const void* y, float* result, uint64_t count) {
  *result = dot_tq1_0(static_cast<const uint8_t*>(x), static_cast<const uint8_t*>(y), count);
  return GCTS_OK;
}

#define LATTICE_DOT(name, ranks, alphabet)                                                                \
  gcts_status vec_dot_##name(void*, const void* x, const void* y, float* result, uint64_t count) {        \
    *result = dot<name, ranks>(static_cast<const uint8_t*>(x), static_cast<const uint8_t*>(y), alphabet, count); \
    return GCTS_OK;                                                                                       \
  }
LATTICE_DOT(iq2_xxs, Pairs, kValues_iq2)
LATTICE_DOT(iq2_xs, Pairs, kValues_iq2)
LATTICE_DOT(iq3_xxs, Triples, kAlphabet_iq3xxs)
LATTICE_DOT(iq3_s, Triples, kAlphabet_iq3s)
#undef LATTICE_DOT

}  // namespace cpu::avx512_vbmi
TARGET_END
#endif
