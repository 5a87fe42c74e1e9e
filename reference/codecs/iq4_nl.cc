// IQ4_NL: 32 4-bit indices into a table of 16 values, with one scale, 18 bytes.
//
//   bytes  0..1   d, f16: the scale
//   bytes  2..17  qs: byte j holds the indices of elements j (low nibble) and
//                 j + 16 (high nibble)
//
//   value = d * table[index]                                  exact in f32
//
// The table is increasing, denser around zero, not symmetric, and holds no zero.
//
// Quantizing: the first element of largest magnitude, M with its sign, gives a first
// scale M / -127; each x takes the table value nearest to x / scale, ties upwards.
// With these indices d minimises the squared error weighted by x^2:
// d = sum(x^2 * t * x) / sum(x^2 * t * t), in f32, in element order.  A block whose
// largest magnitude is below 1e-15 has d = 0 and index 8 throughout.
//
// Illegal: d NaN or infinite.

#include <algorithm>

#include "reference/block.h"
#include "reference/codecs/iq4_values.h"

namespace gcts {
namespace {

struct Block {
  Little16 d;
  uint8_t qs[16];
};
static_assert(sizeof(Block) == 18);
constexpr uint32_t kElements = 32;
constexpr BlockField kFields[] = {
    {"d", FieldRole::scale, NumberFormat::f16, offsetof(Block, d), 1},
    {"qs", FieldRole::code, NumberFormat::u8, offsetof(Block, qs), 16},
};

void dequantize(const std::byte* blocks, float* values, uint64_t count) {
  for (uint64_t i = 0; i < count / kElements; ++i, values += kElements) {
    const Block block = load_block<Block>(blocks, i);
    const float d = f16_to_f32(block.d);
    for (uint32_t j = 0; j < 16; ++j) {
      values[j] = d * static_cast<float>(kIq4Values[block.qs[j] & 15]);
      values[j + 16] = d * static_cast<float>(kIq4Values[block.qs[j] >> 4]);
    }
  }
}

void quantize(const float* values, const float*, std::byte* blocks, uint64_t count) {
  for (uint64_t i = 0; i < count / kElements; ++i, values += kElements) {
    const float largest = largest_signed(values, kElements);
    Block block;
    uint8_t index[kElements];
    std::fill_n(index, kElements, uint8_t{8});
    float d = 0;
    if (std::fabs(largest) >= 1e-15f) {
      const float inverse = 1.0f / (largest / static_cast<float>(kIq4Values[0]));
      float sum_tx = 0;
      float sum_tt = 0;
      for (uint32_t j = 0; j < kElements; ++j) {
        index[j] = nearest_iq4(inverse * values[j]);
        const float t = static_cast<float>(kIq4Values[index[j]]);
        const float weight = values[j] * values[j];
        sum_tx += weight * t * values[j];
        sum_tt += weight * t * t;
      }
      if (sum_tt > 0) d = sum_tx / sum_tt;
    }
    block.d = f32_to_f16(d);
    for (uint32_t j = 0; j < 16; ++j) block.qs[j] = static_cast<uint8_t>(index[j] | index[j + 16] << 4);
    store_block(block, blocks, i);
  }
}

BlockFault validate(const std::byte* bytes) {
  return f16_scale_fault(load_block<Block>(bytes, 0).d, offsetof(Block, d));
}

}  // namespace

constinit const Codec codec::iq4_nl = {kFields, dequantize, quantize, validate,
                                       scan_f16<sizeof(Block), offsetof(Block, d)>};

}  // namespace gcts
