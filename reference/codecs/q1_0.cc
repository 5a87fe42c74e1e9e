// Q1_0: 128 signs with one scale, 18 bytes.
//
//   bytes  0..1   d, f16: the magnitude
//   bytes  2..17  qs: bit i mod 8 of byte i div 8 belongs to element i
//
//   value = bit ? d : -d                                      exact in f32
//
// The sign of d is flipped, not multiplied: with d = 0 a clear bit gives -0.
//
// Quantizing: d is the mean magnitude, summed in f32 in element order, divided by 128
// and rounded to f16.  The bit is set for x >= 0: for -0 too, for NaN not.  A NaN
// makes d NaN.
//
// Illegal: d NaN or infinite.

#include "reference/block.h"

namespace gcts {
namespace {

struct Block {
  Little16 d;
  uint8_t qs[16];
};
static_assert(sizeof(Block) == 18);
constexpr uint32_t kElements = 128;
constexpr BlockField kFields[] = {
    {"d", FieldRole::scale, NumberFormat::f16, offsetof(Block, d), 1},
    {"qs", FieldRole::code, NumberFormat::u8, offsetof(Block, qs), 16},
};

void dequantize(const std::byte* blocks, float* values, uint64_t count) {
  for (uint64_t i = 0; i < count / kElements; ++i, values += kElements) {
    const Block block = load_block<Block>(blocks, i);
    const float d = f16_to_f32(block.d);
    for (uint32_t j = 0; j < kElements; ++j) values[j] = (block.qs[j / 8] >> (j % 8) & 1) != 0 ? d : -d;
  }
}

void quantize(const float* values, const float*, std::byte* blocks, uint64_t count) {
  for (uint64_t i = 0; i < count / kElements; ++i, values += kElements) {
    float sum = 0;
    for (uint32_t j = 0; j < kElements; ++j) sum += std::fabs(values[j]);
    Block block{};
    block.d = f32_to_f16(sum / 128.0f);
    for (uint32_t j = 0; j < kElements; ++j) {
      if (values[j] >= 0) block.qs[j / 8] = static_cast<uint8_t>(block.qs[j / 8] | 1u << (j % 8));
    }
    store_block(block, blocks, i);
  }
}

BlockFault validate(const std::byte* bytes) {
  return f16_scale_fault(load_block<Block>(bytes, 0).d, offsetof(Block, d));
}

}  // namespace

constinit const Codec codec::q1_0 = {kFields, dequantize, quantize, validate,
                                     scan_f16<sizeof(Block), offsetof(Block, d)>};

}  // namespace gcts
