// F16: plain numbers, 2 bytes each; a block is one element.
//
//   bytes 0..1   IEEE binary16
//
// Decoding is exact; a signalling NaN becomes quiet.  Encoding rounds to nearest, ties
// to even: subnormals are produced, magnitudes from 65520 on become infinity, every NaN
// becomes 7e00 with its sign.
//
// Illegal: NaN, infinity.

#include "reference/block.h"

namespace gcts {
namespace {

constexpr BlockField kFields[] = {{"value", FieldRole::value, NumberFormat::f16, 0, 1}};

void dequantize(const std::byte* blocks, float* values, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) values[i] = f16_to_f32(load_block<Little16>(blocks, i));
}

void quantize(const float* values, const float*, std::byte* blocks, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    Little16 number;
    number = f32_to_f16(values[i]);
    store_block(number, blocks, i);
  }
}

BlockFault validate(const std::byte* bytes) {
  return f16_fault(load_block<Little16>(bytes, 0), 0, "value is NaN", "value is infinite");
}

}  // namespace

constinit const Codec codec::f16 = {kFields, dequantize, quantize, validate, scan_plain<Little16, 0x7c00>};

}  // namespace gcts
