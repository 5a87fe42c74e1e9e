// What the draws of the patterns share: writing weights and activations of any type.

#ifndef GCTS_REFERENCE_DRAWS_H_
#define GCTS_REFERENCE_DRAWS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/operands.h"

namespace gcts::draws {

// The place of one draw of one pattern.
struct Draw {
  const DotShape& shape;
  const Generator& generator;
  uint64_t number;

  // Streams that do not depend on the sizes of the case.
  Generator weights(uint64_t row) const { return generator.stream("weights").stream(number).stream(row); }
  Generator activations(uint64_t row) const {
    return generator.stream("activations").stream(number).stream(row);
  }
};

// Exponents of two, both inclusive.
struct Range {
  int low, high;
};

// A number in the format of the type's scales, with a random fraction and, where the
// format has one, a random sign.  The range is cut to the format's normal finite numbers.
uint32_t random_scale(const TensorType& type, Generator& g, Range range);
// The same for an f16 min.
uint32_t random_min(Generator& g, Range range);

// A block of random bytes with such scales and mins.
void random_block(const TensorType& type, std::byte* block, Generator& g, Range range);
// A plain number in a plain type.
void put_plain(const TensorType& type, std::byte* at, float value);

// One row of values in any activation type; values for a kernel that quantizes or rounds them
// are first moved off ties.
void put_activations(const DotShape& shape, std::span<float> values, std::byte* row);

// All bits clear and set, the ends of int8, and both nibbles at 8 and 7.
inline constexpr uint8_t kExtremeBytes[] = {0x00, 0xff, 0x80, 0x7f, 0x88, 0x77};

// 0 and 1 by the Thue-Morse sequence: no part of it is periodic.
uint32_t thue_morse(uint64_t index);

#define PATTERN(name, mode, what) const char* draw_##name(const Draw& draw, Operands& operands);
#include "reference/patterns.inc"
#undef PATTERN

}  // namespace gcts::draws

#endif  // GCTS_REFERENCE_DRAWS_H_
