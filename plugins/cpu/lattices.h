// The IQ types' lattices and code tables, expanded from lattices.inc at compile time.

#ifndef GCTS_PLUGINS_CPU_LATTICES_H_
#define GCTS_PLUGINS_CPU_LATTICES_H_

#include <stdint.h>

namespace cpu {

template <typename Word, int kCount>
struct Lattice {
  Word entry[kCount];  // first element in the lowest byte
};

template <typename Word, int kCount, int kWidth>
constexpr Lattice<Word, kCount> expand(const uint16_t (&packed)[kCount], const int8_t* alphabet, int scale) {
  Lattice<Word, kCount> out{};
  const int bits = kWidth == 8 ? 2 : 3;
  for (int i = 0; i < kCount; ++i)
    for (int j = 0; j < kWidth; ++j)
      out.entry[i] |= static_cast<Word>(static_cast<uint8_t>(
                          alphabet[(packed[i] >> (bits * j)) & ((1 << bits) - 1)] * scale))
                      << (8 * j);
  return out;
}

inline constexpr int8_t kAlphabet_iq2xxs[] = {8, 25, 43, 0};
inline constexpr int8_t kAlphabet_iq2xs[] = {8, 25, 43, 0};
inline constexpr int8_t kAlphabet_iq2s[] = {8, 25, 43, 0};
inline constexpr int8_t kAlphabet_iq3xxs[] = {4, 12, 20, 28, 36, 44, 52, 62};
inline constexpr int8_t kAlphabet_iq3s[] = {1, 3, 5, 7, 9, 11, 13, 15};
inline constexpr int8_t kAlphabet_iq1s[] = {-1, 0, 1, 0};

template <int kWidth>
struct LatticeWord {
  using type = uint64_t;
};
template <>
struct LatticeWord<4> {
  using type = uint32_t;
};

// iq1s holds eight times its values, to which the types add their eighths.
#define LATTICE(name, count, width, ...)                                                       \
  inline constexpr uint16_t kPacked_##name[count] = {__VA_ARGS__};                             \
  alignas(64) inline constexpr auto kLattice_##name =                                          \
      expand<LatticeWord<width>::type, count, width>(kPacked_##name, kAlphabet_##name,         \
                                                     kAlphabet_##name[0] < 0 ? 8 : 1);
#include "lattices.inc"
#undef LATTICE

// The 16 values of IQ4_NL and IQ4_XS, and the doubled E2M1 values of MXFP4 and NVFP4.
alignas(16) inline constexpr int8_t kValues_iq4[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                                       1,    13,   25,  38,  53,  69,  89,  113};
alignas(16) inline constexpr int8_t kValues_fp4[16] = {0, 1,  2,  3,  4,  6,  8,  12,
                                                       0, -1, -2, -3, -4, -6, -8, -12};

// Seven sign bits and an eighth that makes the number of minus signs even.
inline uint32_t even_signs(uint32_t index) {
  uint32_t parity = index ^ (index >> 4);
  parity ^= parity >> 2;
  parity ^= parity >> 1;
  return index | ((parity & 1) << 7);
}

}  // namespace cpu

#endif  // GCTS_PLUGINS_CPU_LATTICES_H_
