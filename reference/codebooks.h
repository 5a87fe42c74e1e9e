// The lookup tables of the IQ types: which values a code stands for.
//
// A grid is a list of points, each the values of four or eight neighbouring
// elements; a block stores the index of a point.  The points of a grid are in
// increasing order when compared from their last element to their first.

#ifndef GCTS_REFERENCE_CODEBOOKS_H_
#define GCTS_REFERENCE_CODEBOOKS_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace gcts {

template <size_t count, size_t width>
using Grid = std::array<std::array<int8_t, width>, count>;

extern const Grid<2048, 8> kIq1sGrid;   // IQ1_S and IQ1_M; -1, 0, 1
extern const Grid<256, 8> kIq2xxsGrid;  // magnitudes 8, 25, 43; the ranks of a point have an even sum
extern const Grid<512, 8> kIq2xsGrid;   // the same alphabet and the same even sum
extern const Grid<1024, 8> kIq2sGrid;   // the same alphabet
extern const Grid<256, 4> kIq3xxsGrid;  // magnitudes 4, 12, 20, 28, 36, 44, 52, 62
extern const Grid<512, 4> kIq3sGrid;    // magnitudes 1, 3, ... 15

// The 16 values of IQ4_NL and IQ4_XS: denser near zero, without a zero, not symmetric.
inline constexpr std::array<int8_t, 16> kIq4Values = {-127, -104, -83, -65, -49, -35, -22, -10,
                                                      1,    13,   25,  38,  53,  69,  89,  113};

// What IQ1_S and IQ1_M add to, or take from, every value of their grid.
inline constexpr float kIq1Delta = 0.125f;

// The eight signs that a seven-bit index stands for, bit j set where element j is
// negative: the eighth makes the number of minus signs even.
constexpr uint8_t even_signs(uint32_t index) {
  return static_cast<uint8_t>(index | (static_cast<uint32_t>(std::popcount(index)) & 1) << 7);
}

}  // namespace gcts

#endif  // GCTS_REFERENCE_CODEBOOKS_H_
