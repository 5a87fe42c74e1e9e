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

// Ranks in words to bytes: of four words eight ranks of two bits each, of eight words four of
// three bits.  What stands above a rank is left there.
struct Pairs {  // IQ2: 64 elements are 8 words
  static constexpr int kWords = 8;
  static inline __m512i spread(__m512i words, int h) {
    const __m512i order = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    const __m512i each = _mm512_permutexvar_epi16(_mm512_add_epi64(order, _mm512_set1_epi64(8 * h)), words);
    return _mm512_multishift_epi64_epi8(_mm512_set1_epi64(0x0e0c0a0806040200), each);
  }
};
struct Triples {  // IQ3: 64 elements are 16 words
  static constexpr int kWords = 16;
  static inline __m512i spread(__m512i words, int h) {
    const __m512i each = _mm512_cvtepu16_epi32(h % 2 == 0 ? _mm512_castsi512_si256(words) : _mm512_extracti64x4_epi64(words, 1));
    return _mm512_multishift_epi64_epi8(_mm512_set1_epi64(0x2926232009060300), each);
  }
};

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
static inline __m512i widen(const uint8_t* q) { return _mm512_cvtepu8_epi16(load(q)); }

static inline Unpacked unpack(const iq2_xxs*, const uint8_t* b) {
  const __m512i v = _mm512_loadu_si512(b + 2);  // four indices, then four times seven signs and the scale
  const __m512i words = entries<256>(kPacked_iq2xxs, _mm512_cvtepu8_epi16(_mm512_cvtepi64_epi32(v)));
  return {{words, words}, four_sevens(v, 32)};
}
static inline Unpacked unpack(const iq2_xs*, const uint8_t* b) {
  const __m512i v = _mm512_loadu_si512(b + 2);
  const __m512i words = entries<512>(kPacked_iq2xs, v);
  return {{words, words}, even_signs(_mm512_cvtepi16_epi8(_mm512_srli_epi16(v, 9)))};
}
static inline Unpacked unpack(const iq3_xxs*, const uint8_t* b) {
  return {{entries<256>(kPacked_iq3xxs, widen(b + 2)), entries<256>(kPacked_iq3xxs, widen(b + 34))},
          four_sevens(_mm512_cvtepu32_epi64(load(b + 66)), 0)};
}
static inline __m512i ninth_bits(__m512i v, uint32_t bits) { return _mm512_mask_add_epi16(v, bits, v, _mm512_set1_epi16(256)); }
static inline Unpacked unpack(const iq3_s*, const uint8_t* b) {
  return {{entries<512>(kPacked_iq3s, ninth_bits(widen(b + 2), load32(b + 66))),
           entries<512>(kPacked_iq3s, ninth_bits(widen(b + 34), load32(b + 70)))},
          load(b + 74)};
}

// The values of the ranks, again and again over 64 bytes.
template <int kRanks>
static inline __m512i values(const int8_t* alphabet) {
  const __m128i eight = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(alphabet));
  return kRanks == 4 ? _mm512_broadcastd_epi32(eight) : _mm512_broadcastq_epi64(eight);
}
alignas(8) inline constexpr int8_t kValues_iq2[8] = {8, 25, 43, 0, 8, 25, 43, 0};

// Scale 4 h in lanes 0 to 7 of 16 bits, scale 4 h + 1 in the next eight, and so on.
static inline __m512i scales_of_64(__m512i scales, int h) {
  const __m512i first = _mm512_setr_epi64(0, 0, 0x0001000100010001, 0x0001000100010001, 0x0002000200020002, 0x0002000200020002,
                                          0x0003000300030003, 0x0003000300030003);
  return _mm512_permutexvar_epi16(_mm512_add_epi16(first, _mm512_set1_epi16(static_cast<short>(4 * h))), scales);
}

// The integer sums of one block: magnitudes times activations that take the signs over.  The code
// -128 has no opposite and stays; twice its products are then taken off.
template <typename Ranks>
static inline __m512i block_sums(const Unpacked& u, const Integers& n, const uint8_t* y, __m512i table) {
  uint64_t signs[4];
  memcpy(signs, &u.signs, 32);
  const __m512i scales = _mm512_castsi256_si512(n.scale), least = _mm512_set1_epi8(-128), zero = _mm512_setzero_si512();
  __m512i sum = zero;
#pragma GCC unroll 4
  for (int h = 0; h < 4; ++h) {
    const __m512i codes = _mm512_permutexvar_epi8(Ranks::spread(u.words[h / 2], h), table);
    const __m512i given = _mm512_loadu_si512(y + act_q8_k::kCodes + 64 * h), scale = scales_of_64(scales, h);
    const __m512i taken = _mm512_mask_sub_epi8(given, signs[h], zero, given);
    sum = _mm512_dpwssd_epi32(sum, _mm512_maddubs_epi16(codes, taken), scale);
    const __mmask64 stay = _mm512_mask_cmpeq_epi8_mask(signs[h], given, least);
    if (__builtin_expect(stay != 0, 0))
      sum = _mm512_dpwssd_epi32(sum, _mm512_maddubs_epi16(codes, _mm512_maskz_mov_epi8(stay, least)), _mm512_mullo_epi16(scale, _mm512_set1_epi16(-2)));
  }
  return sum;
}

// The next block is unpacked before this one is multiplied: the chain from an index to a value
// is long, and a processor looks less than two blocks ahead.
template <typename T, typename Ranks>
static inline float dot(const uint8_t* b, const uint8_t* y, const int8_t* alphabet, uint64_t count) {
  if (count == 0) return 0;
  const __m512i table = values<Ranks::kWords == 8 ? 4 : 8>(alphabet);
  __m512 sum = _mm512_setzero_ps();
  Unpacked next = unpack(static_cast<const T*>(nullptr), b);
  Integers next_n = integers(static_cast<const T*>(nullptr), b);
  for (uint64_t left = count; left > 0; left -= 256, y += act_q8_k::kBytes) {
    const Unpacked u = next;
    const Integers n = next_n;
    b += left > 256 ? T::kBytes : 0;
    next = unpack(static_cast<const T*>(nullptr), b);
    next_n = integers(static_cast<const T*>(nullptr), b);
    const __m512 lanes = _mm512_cvtepi32_ps(block_sums<Ranks>(u, n, y, table));
    sum = _mm512_fmadd_ps(lanes, _mm512_set1_ps(n.d * act_q8_k::scale(y)), sum);
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
