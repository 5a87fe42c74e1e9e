// Unpacks 32 codes of a block into one 256-bit register.  Included once for each x86
// variant, inside its target region and namespace, after its nibbles, from_bits, with_bits
// and with_signs; needs AVX2.

// The blocks, with halves read by F16C.
static inline float half_to_float(uint16_t h) { return _cvtsh_ss(h); }
static inline float load_half(const uint8_t* p) { return half_to_float(load16(p)); }
namespace block {
#include "blocks.inc"
}
using block::act_q8_0, block::act_q8_1, block::act_q8_k;

static inline __m256i load(const uint8_t* p) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
}
// A load that serves several uses: compilers prefer a load for each, and loads are what the
// kernels wait for.
static inline __m256i load_once(const uint8_t* p) {
  __m256i v = load(p);
  asm("" : "+v"(v));
  return v;
}
static inline __m256i look_up(const int8_t* table, __m256i index) {
  const __m128i t = _mm_load_si128(reinterpret_cast<const __m128i*>(table));
  return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(t), index);
}
// Twice eight bytes of nibbles: low ones first, then high ones.
static inline __m256i paired_nibbles(const uint8_t* q) {
  const __m256i each = _mm256_permute4x64_epi64(_mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(q))), 0x50);
  return _mm256_and_si256(_mm256_srlv_epi64(each, _mm256_setr_epi64x(0, 4, 0, 4)), _mm256_set1_epi8(15));
}
static inline __m256i masked(__m256i mask, int value) {
  return _mm256_and_si256(mask, _mm256_set1_epi8(static_cast<char>(value)));
}
static inline __m256i minus(__m256i v, int value) {
  return _mm256_sub_epi8(v, _mm256_set1_epi8(static_cast<char>(value)));
}
static inline __m256i shift_right(__m256i v, int count) {
  return _mm256_srl_epi16(v, _mm_cvtsi32_si128(count));
}
static inline __m256i pairs(const uint8_t* q, int shift) {
  return masked(shift_right(load_once(q), shift), 3);
}
static inline __m256i nibble_plane(const uint8_t* q, bool high) {
  return masked(shift_right(load_once(q), high ? 4 : 0), 15);
}
// The bit of each of 32 bytes, moved to `weight` (a power of two).
static inline __m256i plane(const uint8_t* h, int bit, int weight) {
  const __m256i set = masked(shift_right(load_once(h), bit), 1);
  return weight == 4 ? _mm256_slli_epi16(set, 2) : _mm256_slli_epi16(set, 4);
}
static inline __m256i four(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  return _mm256_setr_epi64x(static_cast<long long>(a), static_cast<long long>(b),
                            static_cast<long long>(c), static_cast<long long>(d));
}
// Four times seven sign bits, each in a byte, and the eighths that make the number of minus
// signs in every byte even.  What a shift carries over from the next byte never
// reaches a lowest bit.
static inline uint32_t even_bytes(uint32_t x) {
  uint32_t parity = x ^ x >> 4;
  parity ^= parity >> 2;
  parity ^= parity >> 1;
  return x | (parity & 0x01010101) << 7;
}
static inline uint32_t four_signs(uint32_t w) {
  return even_bytes((w & 127) | (w & 127 << 7) << 1 | (w & 127 << 14) << 2 | (w & 127 << 21) << 3);
}
static inline uint64_t eighth(bool negative) {
  return negative ? 0xffffffffffffffffu : 0x0101010101010101u;
}
// Trit n of each byte, less one.  n is at most 4.
static inline __m256i trits(__m256i v, int n) {
  for (int i = 0; i < n; ++i) v = _mm256_add_epi8(_mm256_add_epi8(v, v), v);
  const __m256i one = _mm256_cmpeq_epi8(_mm256_max_epu8(v, _mm256_set1_epi8(86)), v);
  const __m256i two = _mm256_cmpeq_epi8(_mm256_max_epu8(v, _mm256_set1_epi8(static_cast<char>(171))), v);
  return _mm256_sub_epi8(_mm256_sub_epi8(_mm256_set1_epi8(-1), one), two);
}

// kOffset: what makes every code non-negative; kRange: the largest code after that.
#define CODES(name, offset, range)                                       \
  struct name : block::name {                                              \
    static constexpr int kOffset = offset;                               \
    static constexpr int kRange = range;                                 \
    static inline __m256i codes(const uint8_t* b, int g);                \
  };                                                                     \
  inline __m256i name::codes(const uint8_t* b, [[maybe_unused]] int g)

CODES(q4_0, 8, 15) { return minus(nibbles(b + 2), 8); }
CODES(q4_1, 0, 15) { return nibbles(b + 4); }
CODES(q5_0, 16, 31) {
  return minus(with_bits(nibbles(b + 6), load32(b + 2), 16), 16);
}
CODES(q5_1, 0, 31) {
  return with_bits(nibbles(b + 8), load32(b + 4), 16);
}
CODES(q8_0, 128, 255) { return load(b + 2); }
CODES(q8_1, 128, 255) { return load(b + 4); }
CODES(q8_k, 128, 255) { return load(b + 4 + 32 * g); }
CODES(iq4_nl, 127, 240) { return look_up(kValues_iq4, nibbles(b + 2)); }
CODES(mxfp4, 12, 24) { return look_up(kValues_fp4, nibbles(b + 1)); }
CODES(nvfp4, 12, 24) { return look_up(kValues_fp4, paired_nibbles(b + 4 + 16 * g)); }
CODES(q1_0, 1, 2) { return minus(from_bits(load32(b + 2 + 4 * g), 2), 1); }
CODES(q2_0, 1, 3) {
  uint64_t q;
  memcpy(&q, b + 2 + 8 * g, 8);
  // Each byte four times, then the pair of its position: even and odd nibbles first.
  const __m256i order = _mm256_setr_epi8(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3,
                                         4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7);
  const __m256i v = _mm256_shuffle_epi8(_mm256_set1_epi64x(static_cast<long long>(q)), order);
  const __m256i p0 = _mm256_and_si256(v, _mm256_set1_epi32(0x00000003));
  const __m256i p1 = _mm256_and_si256(_mm256_srli_epi16(v, 2), _mm256_set1_epi32(0x00000300));
  const __m256i p2 = _mm256_and_si256(_mm256_srli_epi16(v, 4), _mm256_set1_epi32(0x00030000));
  const __m256i p3 = _mm256_and_si256(_mm256_srli_epi16(v, 6), _mm256_set1_epi32(0x03000000));
  return minus(_mm256_or_si256(_mm256_or_si256(p0, p1), _mm256_or_si256(p2, p3)), 1);
}
CODES(q2_k, 0, 3) { return pairs(b + 16 + 32 * (g / 4), 2 * (g % 4)); }
CODES(q3_k, 4, 7) {
  return minus(_mm256_or_si256(pairs(b + 32 + 32 * (g / 4), 2 * (g % 4)), plane(b, g, 4)), 4);
}
CODES(q4_k, 0, 15) { return nibble_plane(b + 16 + 32 * (g / 2), g & 1); }
CODES(q5_k, 0, 31) {
  return _mm256_or_si256(nibble_plane(b + 48 + 32 * (g / 2), g & 1), plane(b + 16, g, 16));
}
CODES(q6_k, 32, 63) {
  const __m256i low = nibble_plane(b + 64 * (g / 4) + 32 * (g & 1), (g & 2) != 0);
  const __m256i high = pairs(b + 128 + 32 * (g / 4), 2 * (g % 4));
  return minus(_mm256_or_si256(low, _mm256_slli_epi16(high, 4)), 32);
}
CODES(iq2_xxs, 43, 86) {
  const uint8_t* q = b + 2 + 8 * g;
  const auto& t = kLattice_iq2xxs.entry;
  return with_signs(four(t[q[0]], t[q[1]], t[q[2]], t[q[3]]), four_signs(load32(q + 4)));
}
CODES(iq2_xs, 43, 86) {
  const auto& t = kLattice_iq2xs.entry;
  const uint8_t* q = b + 2 + 8 * g;
  uint64_t w;
  memcpy(&w, q, 8);
  uint64_t bits = (w >> 9) & 0x007f007f007f007f;
  bits = (bits | bits >> 8) & 0x0000ffff0000ffff;
  const uint32_t signs = even_bytes(static_cast<uint32_t>(bits | bits >> 16));
  return with_signs(four(t[w & 511], t[w >> 16 & 511], t[w >> 32 & 511], t[w >> 48 & 511]), signs);
}
CODES(iq2_s, 43, 86) {
  const auto& t = kLattice_iq2s.entry;
  const uint8_t* q = b + 2 + 4 * g;
  const int h = b[66 + g];
  return with_signs(four(t[q[0] | (h & 3) << 8], t[q[1] | (h & 12) << 6], t[q[2] | (h & 48) << 4],
                         t[q[3] | (h & 192) << 2]),
                    load32(b + 34 + 4 * g));
}
// Two entries of four values.  One by one: a gather took twice as long where it was measured.
static inline uint64_t join(uint32_t low, uint32_t high) { return low | static_cast<uint64_t>(high) << 32; }
CODES(iq3_xxs, 62, 124) {
  const auto& t = kLattice_iq3xxs.entry;
  const uint8_t* q = b + 2 + 8 * g;
  return with_signs(four(join(t[q[0]], t[q[1]]), join(t[q[2]], t[q[3]]), join(t[q[4]], t[q[5]]), join(t[q[6]], t[q[7]])),
                    four_signs(load32(b + 66 + 4 * g)));
}
CODES(iq3_s, 15, 30) {
  const auto& t = kLattice_iq3s.entry;
  const uint8_t* q = b + 2 + 8 * g;
  const unsigned h = b[66 + g];
  const __m256i v = four(join(t[q[0] | (h << 8 & 256)], t[q[1] | (h << 7 & 256)]), join(t[q[2] | (h << 6 & 256)], t[q[3] | (h << 5 & 256)]),
                         join(t[q[4] | (h << 4 & 256)], t[q[5] | (h << 3 & 256)]), join(t[q[6] | (h << 2 & 256)], t[q[7] | (h << 1 & 256)]));
  return with_signs(v, load32(b + 74 + 4 * g));
}
CODES(iq1_s, 9, 18) {
  const auto& t = kLattice_iq1s.entry;
  const uint8_t* q = b + 2 + 4 * g;
  const int h = load16(b + 34 + 2 * g);
  const __m256i v = four(t[q[0] | (h & 7) << 8], t[q[1] | (h & 0x38) << 5], t[q[2] | (h & 0x1c0) << 2],
                         t[q[3] | (h & 0xe00) >> 1]);
  return _mm256_add_epi8(v, _mm256_set1_epi8(h & 0x8000 ? -1 : 1));
}
CODES(iq1_m, 9, 18) {
  const auto& t = kLattice_iq1s.entry;
  const uint8_t* q = b + 4 * g;
  const int h = load16(b + 32 + 2 * g);
  const __m256i v = four(t[q[0] | (h & 7) << 8], t[q[1] | (h & 0x70) << 4], t[q[2] | (h & 0x700)],
                         t[q[3] | (h & 0x7000) >> 4]);
  return _mm256_add_epi8(v, four(eighth(h & 8), eighth(h & 0x80), eighth(h & 0x800), eighth(h & 0x8000)));
}
CODES(iq4_xs, 127, 240) { return look_up(kValues_iq4, nibbles(b + 8 + 16 * g)); }
CODES(tq1_0, 1, 2) {
  if (g < 5) return trits(load(b), g);
  const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b + 32));
  const __m256i both = _mm256_broadcastsi128_si256(v);
  if (g < 7) return _mm256_blend_epi32(trits(both, 2 * (g - 5)), trits(both, 2 * (g - 5) + 1), 0xf0);
  // Elements 240 to 255: trits 0 to 3 of the four last bytes.
  const __m256i tail = _mm256_set1_epi32(static_cast<int>(load32(b + 48)));
  const __m256i t01 = _mm256_blend_epi32(trits(tail, 0), trits(tail, 1), 0x20);
  const __m256i t23 = _mm256_blend_epi32(trits(tail, 2), trits(tail, 3), 0x80);
  return _mm256_blend_epi32(trits(both, 4), _mm256_blend_epi32(t01, t23, 0xc0), 0xf0);
}
CODES(tq2_0, 1, 3) { return minus(pairs(b + 32 * (g / 4), 2 * (g % 4)), 1); }
#undef CODES
