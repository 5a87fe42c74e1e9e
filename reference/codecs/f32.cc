// F32: plain numbers, 4 bytes each; a block is one element.
//
//   bytes 0..3   IEEE binary32
//
// Decoding and encoding pass the bits through, NaN payloads included.
//
// Illegal: NaN, infinity.

#include "reference/block.h"

namespace gcts {
namespace {

constexpr BlockField kFields[] = {{"value", FieldRole::value, NumberFormat::f32, 0, 1}};

void dequantize(const std::byte* blocks, float* values, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i)
    values[i] = std::bit_cast<float>(uint32_t{load_block<Little32>(blocks, i)});
}

void quantize(const float* values, const float*, std::byte* blocks, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    Little32 number;
    number = std::bit_cast<uint32_t>(values[i]);
    store_block(number, blocks, i);
  }
}

BlockFault validate(const std::byte* bytes) {
  const uint32_t magnitude = load_block<Little32>(bytes, 0) & 0x7fffffff;
  if (magnitude < 0x7f800000) return {};
  return {magnitude > 0x7f800000 ? "value is NaN" : "value is infinite", 0, false};
}

}  // namespace

constinit const Codec codec::f32 = {kFields, dequantize, quantize, validate,
                                    scan_plain<Little32, 0x7f800000>};

}  // namespace gcts
