// Products of dimensions that know when they leave 64 bits, so that no shape wraps
// unnoticed.

#include "reference/shape.h"

#include <algorithm>

#include "reference/gguf.h"
#include "reference/tensor_type.h"

namespace gcts {
namespace {

constexpr uint64_t kInt64Max = INT64_MAX;

// The product of the dimensions modulo 2^64, and whether it reaches 2^63.
struct Product {
  uint64_t low = 1;
  bool large = false;
};

Product multiply(std::span<const uint64_t> dims) {
  Product p;
  if (std::find(dims.begin(), dims.end(), uint64_t{0}) != dims.end()) return {0, false};
  for (const uint64_t dim : dims) {
    // Once large it stays large: every dimension is at least 1.
    const bool wraps = __builtin_mul_overflow(p.low, dim, &p.low);
    p.large = p.large || wraps || p.low > kInt64Max;
  }
  return p;
}

ShapeFault classify(const Product& p) {
  if (!p.large) return p.low == kInt64Max ? ShapeFault::int64_max : ShapeFault::none;
  if (p.low == 0) return ShapeFault::wraps_to_zero;
  return p.low > kInt64Max ? ShapeFault::wraps_negative : ShapeFault::wraps_small;
}

}  // namespace

ShapeSize measure(uint32_t type, uint32_t rank, std::span<const uint64_t> dims) {
  ShapeSize size;
  const auto faulty = [&size](ShapeFault fault) {
    size.fault = fault;
    return size;
  };
  if (rank > kMaxRank) return faulty(ShapeFault::rank);
  dims = dims.first(rank);
  for (const uint64_t& dim : dims) {
    if (dim <= kInt64Max) continue;
    size.dimension = static_cast<uint32_t>(&dim - dims.data());
    return faulty(ShapeFault::dimension_range);
  }
  const Product p = multiply(dims);
  size.elements = p.low;
  if (const ShapeFault fault = classify(p); fault != ShapeFault::none) return faulty(fault);

  const TensorType* row = find_tensor_type(type);
  if (row == nullptr || row->status == TensorStatus::removed) return faulty(ShapeFault::unknown_type);
  const uint64_t row_elements = rank == 0 ? 1 : dims[0];
  if (row_elements % row->block_elements != 0) return faulty(ShapeFault::partial_block);
  uint64_t bytes = 0;
  if (__builtin_mul_overflow(p.low / row->block_elements, uint64_t{row->block_bytes}, &bytes) || bytes == UINT64_MAX)
    return faulty(ShapeFault::bytes_wrap);
  size.bytes = bytes;
  return size;
}

}  // namespace gcts
