// Unpacks 32 codes of a block in plain C++: what the intrinsics of the other variants
// compute.  codes(b, g, c): the codes of elements 32 g to 32 g + 31.

#ifndef GCTS_PLUGINS_CPU_GENERIC_CODES_H_
#define GCTS_PLUGINS_CPU_GENERIC_CODES_H_

#include "blocks.h"
#include "lattices.h"

namespace cpu::generic {

#define CODES(name)                                                       \
  struct name : cpu::name {                                               \
    static inline void codes(const uint8_t* b, int g, int8_t* c);         \
  };                                                                      \
  inline void name::codes(const uint8_t* b, [[maybe_unused]] int g, int8_t* c)

inline int8_t narrow(int v) { return static_cast<int8_t>(v); }

// Sixteen bytes of nibbles: the low ones are elements 0 to 15, the high ones 16 to 31.
inline void nibbles(const uint8_t* q, int8_t* c) {
  for (int i = 0; i < 16; ++i) {
    c[i] = narrow(q[i] & 15);
    c[i + 16] = narrow(q[i] >> 4);
  }
}
inline void look_up(const int8_t* table, int8_t* c) {
  for (int i = 0; i < 32; ++i) c[i] = table[c[i]];
}
inline void add(int v, int8_t* c) {
  for (int i = 0; i < 32; ++i) c[i] = narrow(c[i] + v);
}
inline void add_bits(uint32_t bits, int weight, int8_t* c) {
  for (int i = 0; i < 32; ++i) c[i] = narrow(c[i] + static_cast<int>((bits >> i) & 1) * weight);
}
// Two bits of each of 32 bytes.
inline void pairs(const uint8_t* q, int shift, int8_t* c) {
  for (int i = 0; i < 32; ++i) c[i] = narrow((q[i] >> shift) & 3);
}
inline void nibble_plane(const uint8_t* q, bool high, int8_t* c) {
  for (int i = 0; i < 32; ++i) c[i] = narrow(high ? q[i] >> 4 : q[i] & 15);
}
// One bit of each of 32 bytes.
inline void add_plane(const uint8_t* h, int bit, int weight, int8_t* c) {
  for (int i = 0; i < 32; ++i) c[i] = narrow(c[i] + ((h[i] >> bit) & 1) * weight);
}
inline void lattice8(uint64_t entry, uint32_t signs, int8_t* c) {
  for (int j = 0; j < 8; ++j) {
    const int v = static_cast<int8_t>(entry >> (8 * j));
    c[j] = narrow((signs >> j) & 1 ? -v : v);
  }
}
inline void add8(int v, int8_t* c) {
  for (int j = 0; j < 8; ++j) c[j] = narrow(c[j] + v);
}
inline void trits(const uint8_t* q, int count, int n, int8_t* c) {
  static const int power[5] = {1, 3, 9, 27, 81};
  for (int i = 0; i < count; ++i) c[i] = narrow(((((q[i] * power[n]) & 255) * 3) >> 8) - 1);
}

CODES(q4_0) { nibbles(b + 2, c); add(-8, c); }
CODES(q4_1) { nibbles(b + 4, c); }
CODES(q5_0) { nibbles(b + 6, c); add_bits(load32(b + 2), 16, c); add(-16, c); }
CODES(q5_1) { nibbles(b + 8, c); add_bits(load32(b + 4), 16, c); }
CODES(q8_0) { memcpy(c, b + 2, 32); }
CODES(q8_1) { memcpy(c, b + 4, 32); }
CODES(q8_k) { memcpy(c, b + 4 + 32 * g, 32); }
CODES(iq4_nl) { nibbles(b + 2, c); look_up(kValues_iq4, c); }
CODES(mxfp4) { nibbles(b + 1, c); look_up(kValues_fp4, c); }
CODES(nvfp4) {
  const uint8_t* q = b + 4 + 16 * g;
  for (int s = 0; s < 2; ++s)
    for (int j = 0; j < 8; ++j) {
      c[16 * s + j] = narrow(q[8 * s + j] & 15);
      c[16 * s + j + 8] = narrow(q[8 * s + j] >> 4);
    }
  look_up(kValues_fp4, c);
}
CODES(q1_0) {
  const uint32_t bits = load32(b + 2 + 4 * g);
  for (int i = 0; i < 32; ++i) c[i] = (bits >> i) & 1 ? 1 : -1;
}
CODES(q2_0) {
  for (int i = 0; i < 32; ++i) c[i] = narrow(((b[2 + 8 * g + i / 4] >> (2 * (i % 4))) & 3) - 1);
}
CODES(q2_k) { pairs(b + 16 + 32 * (g / 4), 2 * (g % 4), c); }
CODES(q3_k) {
  pairs(b + 32 + 32 * (g / 4), 2 * (g % 4), c);
  add_plane(b, g, 4, c);
  add(-4, c);
}
CODES(q4_k) { nibble_plane(b + 16 + 32 * (g / 2), g & 1, c); }
CODES(q5_k) {
  nibble_plane(b + 48 + 32 * (g / 2), g & 1, c);
  add_plane(b + 16, g, 16, c);
}
CODES(q6_k) {
  nibble_plane(b + 64 * (g / 4) + 32 * (g & 1), (g & 2) != 0, c);
  const uint8_t* h = b + 128 + 32 * (g / 4);
  for (int i = 0; i < 32; ++i) c[i] = narrow(c[i] + ((h[i] >> (2 * (g % 4))) & 3) * 16 - 32);
}
CODES(iq2_xxs) {
  const uint8_t* q = b + 2 + 8 * g;
  const uint32_t w = load32(q + 4);
  for (int l = 0; l < 4; ++l)
    lattice8(kLattice_iq2xxs.entry[q[l]], even_signs((w >> (7 * l)) & 127), c + 8 * l);
}
CODES(iq2_xs) {
  for (int l = 0; l < 4; ++l) {
    const uint32_t w = load16(b + 2 + 8 * g + 2 * l);
    lattice8(kLattice_iq2xs.entry[w & 511], even_signs(w >> 9), c + 8 * l);
  }
}
CODES(iq2_s) {
  for (int l = 0; l < 4; ++l) {
    const int index = b[2 + 4 * g + l] | ((b[66 + g] >> (2 * l)) & 3) << 8;
    lattice8(kLattice_iq2s.entry[index], b[34 + 4 * g + l], c + 8 * l);
  }
}
inline uint64_t join(uint32_t low, uint32_t high) { return low | static_cast<uint64_t>(high) << 32; }
CODES(iq3_xxs) {
  const uint8_t* q = b + 2 + 8 * g;
  const uint32_t w = load32(b + 66 + 4 * g);
  for (int l = 0; l < 4; ++l)
    lattice8(join(kLattice_iq3xxs.entry[q[2 * l]], kLattice_iq3xxs.entry[q[2 * l + 1]]),
             even_signs((w >> (7 * l)) & 127), c + 8 * l);
}
CODES(iq3_s) {
  const uint8_t* q = b + 2 + 8 * g;
  const int h = b[66 + g];
  for (int l = 0; l < 4; ++l)
    lattice8(join(kLattice_iq3s.entry[q[2 * l] | ((h >> (2 * l)) & 1) << 8],
                  kLattice_iq3s.entry[q[2 * l + 1] | ((h >> (2 * l + 1)) & 1) << 8]),
             b[74 + 4 * g + l], c + 8 * l);
}
CODES(iq1_s) {
  const uint32_t h = load16(b + 34 + 2 * g);
  for (int l = 0; l < 4; ++l) {
    lattice8(kLattice_iq1s.entry[b[2 + 4 * g + l] | ((h >> (3 * l)) & 7) << 8], 0, c + 8 * l);
    add8(h & 0x8000 ? -1 : 1, c + 8 * l);
  }
}
CODES(iq1_m) {
  for (int l = 0; l < 4; ++l) {
    const int t = (b[32 + 2 * g + l / 2] >> (4 * (l & 1))) & 15;
    lattice8(kLattice_iq1s.entry[b[4 * g + l] | (t & 7) << 8], 0, c + 8 * l);
    add8(t & 8 ? -1 : 1, c + 8 * l);
  }
}
CODES(iq4_xs) { nibbles(b + 8 + 16 * g, c); look_up(kValues_iq4, c); }
CODES(tq1_0) {
  if (g < 5) {
    trits(b, 32, g, c);
  } else if (g < 7) {
    trits(b + 32, 16, 2 * (g - 5), c);
    trits(b + 32, 16, 2 * (g - 5) + 1, c + 16);
  } else {
    trits(b + 32, 16, 4, c);
    for (int n = 0; n < 4; ++n) trits(b + 48, 4, n, c + 16 + 4 * n);
  }
}
CODES(tq2_0) { pairs(b + 32 * (g / 4), 2 * (g % 4), c); add(-1, c); }
#undef CODES

}  // namespace cpu::generic

#endif  // GCTS_PLUGINS_CPU_GENERIC_CODES_H_
