// Unpacks 32 codes of a block into two NEON registers.  Included once for each variant,
// inside its target region and namespace.

struct Codes {
  int8x16_t low, high;  // elements 0 to 15, 16 to 31
};

static inline Codes as_codes(uint8x16_t low, uint8x16_t high) {
  return {vreinterpretq_s8_u8(low), vreinterpretq_s8_u8(high)};
}
static inline Codes load(const uint8_t* p) { return as_codes(vld1q_u8(p), vld1q_u8(p + 16)); }
static inline Codes nibbles(const uint8_t* q) {
  const uint8x16_t v = vld1q_u8(q);
  return as_codes(vandq_u8(v, vdupq_n_u8(15)), vshrq_n_u8(v, 4));
}
static inline Codes look_up(const int8_t* table, Codes c) {
  const int8x16_t t = vld1q_s8(table);
  return {vqtbl1q_s8(t, vreinterpretq_u8_s8(c.low)), vqtbl1q_s8(t, vreinterpretq_u8_s8(c.high))};
}
static inline Codes minus(Codes c, int value) {
  const int8x16_t v = vdupq_n_s8(static_cast<int8_t>(value));
  return {vsubq_s8(c.low, v), vsubq_s8(c.high, v)};
}
static inline Codes either(Codes a, Codes b) { return {vorrq_s8(a.low, b.low), vorrq_s8(a.high, b.high)}; }

// 0xff where the bit of the element is set.
static inline uint8x16_t spread16(uint32_t bits) {
  const uint8x16_t byte = vcombine_u8(vdup_n_u8(static_cast<uint8_t>(bits)), vdup_n_u8(static_cast<uint8_t>(bits >> 8)));
  const uint8x16_t bit = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201u));
  return vtstq_u8(byte, bit);
}
static inline Codes spread_bits(uint32_t bits, uint8_t value) {
  const uint8x16_t v = vdupq_n_u8(value);
  return as_codes(vandq_u8(spread16(bits), v), vandq_u8(spread16(bits >> 16), v));
}
// (byte >> shift) & mask, moved left by `up`.
static inline uint8x16_t field(uint8x16_t v, int shift, uint8_t mask, int up) {
  v = vandq_u8(vshlq_u8(v, vdupq_n_s8(static_cast<int8_t>(-shift))), vdupq_n_u8(mask));
  return vshlq_u8(v, vdupq_n_s8(static_cast<int8_t>(up)));
}
static inline Codes plane(const uint8_t* q, int shift, uint8_t mask, int up) {
  return as_codes(field(vld1q_u8(q), shift, mask, up), field(vld1q_u8(q + 16), shift, mask, up));
}
static inline int8x16_t negate_where(int8x16_t v, uint32_t bits) {
  const int8x16_t s = vreinterpretq_s8_u8(spread16(bits));
  return vsubq_s8(veorq_s8(v, s), s);
}
static inline Codes with_signs(Codes c, uint32_t signs) {
  return {negate_where(c.low, signs), negate_where(c.high, signs >> 16)};
}
static inline int8x16_t two(uint64_t a, uint64_t b) {
  return vreinterpretq_s8_u64(vcombine_u64(vcreate_u64(a), vcreate_u64(b)));
}
static inline Codes four(uint64_t a, uint64_t b, uint64_t c, uint64_t d) { return {two(a, b), two(c, d)}; }
static inline uint64_t join(uint32_t low, uint32_t high) { return low | static_cast<uint64_t>(high) << 32; }
static inline uint32_t four_signs(uint32_t w) {
  return even_signs(w & 127) | even_signs((w >> 7) & 127) << 8 | even_signs((w >> 14) & 127) << 16 |
         even_signs((w >> 21) & 127) << 24;
}
static inline uint64_t eighth(bool negative) {
  return negative ? 0xffffffffffffffffu : 0x0101010101010101u;
}
static inline int8x16_t trits(uint8x16_t v, int n) {
  for (int i = 0; i < n; ++i) v = vaddq_u8(vaddq_u8(v, v), v);
  // The masks are -1 where the trit is at least 1 and 2.
  const int8x16_t one = vreinterpretq_s8_u8(vcgeq_u8(v, vdupq_n_u8(86)));
  const int8x16_t two_ = vreinterpretq_s8_u8(vcgeq_u8(v, vdupq_n_u8(171)));
  return vsubq_s8(vsubq_s8(vdupq_n_s8(-1), one), two_);
}

#define CODES(name)                                              \
  struct name : cpu::name {                                      \
    static inline Codes codes(const uint8_t* b, int g);          \
  };                                                             \
  inline Codes name::codes(const uint8_t* b, [[maybe_unused]] int g)

CODES(q4_0) { return minus(nibbles(b + 2), 8); }
CODES(q4_1) { return nibbles(b + 4); }
CODES(q5_0) { return minus(either(nibbles(b + 6), spread_bits(load32(b + 2), 16)), 16); }
CODES(q5_1) { return either(nibbles(b + 8), spread_bits(load32(b + 4), 16)); }
CODES(q8_0) { return load(b + 2); }
CODES(q8_1) { return load(b + 4); }
CODES(q8_k) { return load(b + 4 + 32 * g); }
CODES(iq4_nl) { return look_up(kValues_iq4, nibbles(b + 2)); }
CODES(mxfp4) { return look_up(kValues_fp4, nibbles(b + 1)); }
CODES(nvfp4) {
  const Codes n = nibbles(b + 4 + 16 * g);
  return look_up(kValues_fp4, {vcombine_s8(vget_low_s8(n.low), vget_low_s8(n.high)),
                               vcombine_s8(vget_high_s8(n.low), vget_high_s8(n.high))});
}
CODES(q1_0) { return minus(spread_bits(load32(b + 2 + 4 * g), 2), 1); }
CODES(q2_0) {
  const uint8x8_t q = vld1_u8(b + 2 + 8 * g);
  const uint8x16_t both = vcombine_u8(q, q);
  // Each byte four times, once for each of its codes.
  const uint8x16_t each = vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(0x0101010100000000u), vcreate_u64(0x0303030302020202u)));
  const uint8x16_t first = vqtbl1q_u8(both, each);
  const uint8x16_t second = vqtbl1q_u8(both, vaddq_u8(each, vdupq_n_u8(4)));
  const int8x16_t shift = vreinterpretq_s8_u32(vdupq_n_u32(0xfafcfe00u));  // 0, -2, -4, -6
  const uint8x16_t three = vdupq_n_u8(3);
  return minus(as_codes(vandq_u8(vshlq_u8(first, shift), three), vandq_u8(vshlq_u8(second, shift), three)), 1);
}
CODES(q2_k) { return plane(b + 16 + 32 * (g / 4), 2 * (g % 4), 3, 0); }
CODES(q3_k) {
  return minus(either(plane(b + 32 + 32 * (g / 4), 2 * (g % 4), 3, 0), plane(b, g, 1, 2)), 4);
}
CODES(q4_k) { return plane(b + 16 + 32 * (g / 2), 4 * (g & 1), 15, 0); }
CODES(q5_k) { return either(plane(b + 48 + 32 * (g / 2), 4 * (g & 1), 15, 0), plane(b + 16, g, 1, 4)); }
CODES(q6_k) {
  return minus(either(plane(b + 64 * (g / 4) + 32 * (g & 1), 2 * (g & 2), 15, 0),
                      plane(b + 128 + 32 * (g / 4), 2 * (g % 4), 3, 4)),
               32);
}
CODES(iq2_xxs) {
  const uint8_t* q = b + 2 + 8 * g;
  const auto& t = kLattice_iq2xxs.entry;
  return with_signs(four(t[q[0]], t[q[1]], t[q[2]], t[q[3]]), four_signs(load32(q + 4)));
}
CODES(iq2_xs) {
  const auto& t = kLattice_iq2xs.entry;
  const uint8_t* q = b + 2 + 8 * g;
  const uint32_t w0 = load16(q), w1 = load16(q + 2), w2 = load16(q + 4), w3 = load16(q + 6);
  const uint32_t signs = even_signs(w0 >> 9) | even_signs(w1 >> 9) << 8 | even_signs(w2 >> 9) << 16 |
                         even_signs(w3 >> 9) << 24;
  return with_signs(four(t[w0 & 511], t[w1 & 511], t[w2 & 511], t[w3 & 511]), signs);
}
CODES(iq2_s) {
  const auto& t = kLattice_iq2s.entry;
  const uint8_t* q = b + 2 + 4 * g;
  const int h = b[66 + g];
  return with_signs(four(t[q[0] | (h & 3) << 8], t[q[1] | (h & 12) << 6], t[q[2] | (h & 48) << 4],
                         t[q[3] | (h & 192) << 2]),
                    load32(b + 34 + 4 * g));
}
CODES(iq3_xxs) {
  const auto& t = kLattice_iq3xxs.entry;
  const uint8_t* q = b + 2 + 8 * g;
  return with_signs(four(join(t[q[0]], t[q[1]]), join(t[q[2]], t[q[3]]), join(t[q[4]], t[q[5]]), join(t[q[6]], t[q[7]])),
                    four_signs(load32(b + 66 + 4 * g)));
}
CODES(iq3_s) {
  const auto& t = kLattice_iq3s.entry;
  const uint8_t* q = b + 2 + 8 * g;
  const int h = b[66 + g] << 8;
  uint32_t e[8];
  for (int i = 0; i < 8; ++i) e[i] = t[q[i] | ((h >> i) & 256)];
  return with_signs(four(join(e[0], e[1]), join(e[2], e[3]), join(e[4], e[5]), join(e[6], e[7])),
                    load32(b + 74 + 4 * g));
}
CODES(iq1_s) {
  const auto& t = kLattice_iq1s.entry;
  const uint8_t* q = b + 2 + 4 * g;
  const int h = load16(b + 34 + 2 * g);
  return minus(four(t[q[0] | (h & 7) << 8], t[q[1] | (h & 0x38) << 5], t[q[2] | (h & 0x1c0) << 2],
                    t[q[3] | (h & 0xe00) >> 1]),
               h & 0x8000 ? 1 : -1);
}
CODES(iq1_m) {
  const auto& t = kLattice_iq1s.entry;
  const uint8_t* q = b + 4 * g;
  const int h = load16(b + 32 + 2 * g);
  const Codes v = four(t[q[0] | (h & 7) << 8], t[q[1] | (h & 0x70) << 4], t[q[2] | (h & 0x700)],
                       t[q[3] | (h & 0x7000) >> 4]);
  const Codes e = four(eighth(h & 8), eighth(h & 0x80), eighth(h & 0x800), eighth(h & 0x8000));
  return {vaddq_s8(v.low, e.low), vaddq_s8(v.high, e.high)};
}
CODES(iq4_xs) { return look_up(kValues_iq4, nibbles(b + 8 + 16 * g)); }
CODES(tq1_0) {
  if (g < 5) return {trits(vld1q_u8(b), g), trits(vld1q_u8(b + 16), g)};
  const uint8x16_t v = vld1q_u8(b + 32);
  if (g < 7) return {trits(v, 2 * (g - 5)), trits(v, 2 * (g - 5) + 1)};
  // Elements 240 to 255: trits 0 to 3 of the four last bytes.
  uint8_t tail[16];
  for (int n = 0, power = 1; n < 4; ++n, power *= 3)
    for (int j = 0; j < 4; ++j) tail[4 * n + j] = static_cast<uint8_t>(b[48 + j] * power);
  return {trits(v, 4), trits(vld1q_u8(tail), 0)};
}
CODES(tq2_0) { return minus(plane(b + 32 * (g / 4), 2 * (g % 4), 3, 0), 1); }
#undef CODES
