// I64: plain numbers, 8 bytes each; a block is one element.
//
//   bytes 0..7   two's complement
//
// Decoding is rounded to f32, to nearest, ties to even.  There is no quantizer: integers hold indices, not
// weights.
//
// Illegal: nothing.

#include "reference/block.h"

namespace gcts {
namespace {

constexpr BlockField kFields[] = {{"value", FieldRole::value, NumberFormat::i64, 0, 1}};

void dequantize(const std::byte* blocks, float* values, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(static_cast<int64_t>(uint64_t{load_block<Little64>(blocks, i)}));
}

BlockFault validate(const std::byte*) { return {}; }

uint64_t scan(const std::byte*, uint64_t count, bool) { return count; }

}  // namespace

constinit const Codec codec::i64 = {kFields, dequantize, nullptr, validate, scan};

}  // namespace gcts
