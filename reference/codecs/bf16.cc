// BF16: plain numbers, 2 bytes each; a block is one element.
//
//   bytes 0..1   the upper half of an IEEE binary32
//
// Decoding is exact.  Encoding rounds to nearest, ties to even; subnormals are kept, and
// a NaN keeps its upper half and is made quiet.
//
// Illegal: NaN, infinity.

#include "reference/block.h"

namespace gcts {
namespace {

constexpr BlockField kFields[] = {{"value", FieldRole::value, NumberFormat::bf16, 0, 1}};

void dequantize(const std::byte* blocks, float* values, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) values[i] = bf16_to_f32(load_block<Little16>(blocks, i));
}

void quantize(const float* values, const float*, std::byte* blocks, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    Little16 number;
    number = f32_to_bf16(values[i]);
    store_block(number, blocks, i);
  }
}

BlockFault validate(const std::byte* bytes) {
  const uint16_t bits = load_block<Little16>(bytes, 0);
  if (bf16_is_finite(bits)) return {};
  return {(bits & 0x7f) != 0 ? "value is NaN" : "value is infinite", 0, false};
}

}  // namespace

constinit const Codec codec::bf16 = {kFields, dequantize, quantize, validate, scan_plain<Little16, 0x7f80>};

}  // namespace gcts
