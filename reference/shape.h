// The size of a tensor from its shape and type, and what can be wrong with it.

#ifndef GCTS_REFERENCE_SHAPE_H_
#define GCTS_REFERENCE_SHAPE_H_

#include <cstdint>
#include <span>

namespace gcts {

enum class ShapeFault : uint8_t {
  none,
  rank,              // more than 4 dimensions
  dimension_range,   // a dimension of 2^63 or more
  wraps_to_zero,     // the element count is 2^63 or more, and modulo 2^64 it is 0,
  wraps_negative,    // ... has its top bit set,
  wraps_small,       // ... is a small positive number
  int64_max,         // the element count is 2^63 - 1
  unknown_type,      // no such id, or a removed one
  partial_block,     // the row is not whole blocks
  bytes_wrap,        // the byte size is 2^64 - 1 (which no type gives) or more
};

struct ShapeSize {
  ShapeFault fault = ShapeFault::none;
  uint32_t dimension = 0;  // the one at fault, for dimension_range
  uint64_t elements = 0;   // modulo 2^64
  uint64_t bytes = 0;      // 0 with a fault
};

// The first fault in the order of the enum; with a dimension of 0 nothing wraps.
ShapeSize measure(uint32_t type, uint32_t rank, std::span<const uint64_t> dims);

}  // namespace gcts

#endif  // GCTS_REFERENCE_SHAPE_H_
