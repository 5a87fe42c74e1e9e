// The promises of a codec on any bytes and on any floats.

#include "fuzz/codec_blocks.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "fuzz/promise.h"
#include "reference/codec.h"

namespace gcts {
namespace {

// Searches are slow, and more blocks of one input show no more.
constexpr uint64_t kMostBlocks = 4;
// Below this no scale, minimum or sum of any type leaves its format.
constexpr float kModest = 1000;

bool faulty(const TensorType& type, const std::byte* block, bool strict) {
  const BlockFault fault = type.codec->validate(block);
  promise(fault.what == nullptr || fault.byte < type.block_bytes, "a fault lies in its block");
  return fault.what != nullptr && (strict || !fault.strict_only);
}

bool same_bits(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
}

void check_decoding(const TensorType& type, const std::vector<std::byte>& blocks) {
  const uint64_t count = blocks.size() / type.block_bytes;
  std::vector<float> all(count * type.block_elements), one(type.block_elements);
  type.codec->dequantize(blocks.data(), all.data(), all.size());
  for (uint64_t i = 0; i < count; ++i) {
    const std::byte* block = blocks.data() + i * type.block_bytes;
    const float* values = all.data() + i * type.block_elements;
    type.codec->dequantize(block, one.data(), one.size());
    promise(std::equal(one.begin(), one.end(), values, same_bits), "a block decodes the same alone and among others");
    if (!faulty(type, block, true))
      promise(std::none_of(one.begin(), one.end(), [](float v) { return std::isnan(v); }), "a block without fault holds no NaN");
  }
  for (const bool strict : {false, true}) {
    uint64_t first = 0;
    while (first < count && !faulty(type, blocks.data() + first * type.block_bytes, strict)) ++first;
    promise(type.codec->scan(blocks.data(), count, strict) == first, "scan finds the block that validate finds");
  }
  std::vector<std::byte> swapped = blocks;
  swap_fields(*type.codec, swapped.data(), count);
  swap_fields(*type.codec, swapped.data(), count);
  promise(swapped == blocks, "swapping twice changes nothing");
}

void check_encoding(const TensorType& type, const std::vector<float>& values, bool weighted) {
  if (!type.codec->quantize) return;
  const uint64_t count = values.size() / type.block_elements;
  std::vector<float> weights(values.size());
  std::transform(values.begin(), values.end(), weights.begin(), [](float v) { return std::fabs(v); });
  const float* importance = weighted ? weights.data() : nullptr;
  std::vector<std::byte> blocks(count * type.block_bytes, std::byte{0xa5}), again(blocks.size(), std::byte{0x5a});
  type.codec->quantize(values.data(), importance, blocks.data(), values.size());
  type.codec->quantize(values.data(), importance, again.data(), values.size());
  promise(blocks == again, "encoding depends on its input alone");
  const bool modest = std::all_of(values.begin(), values.end(), [](float v) { return std::fabs(v) <= kModest; });
  if (!type.codec->searches && !modest) return;
  promise(type.codec->scan(blocks.data(), count, false) == count, "encoding gives legal blocks");
}

}  // namespace

CodecFamily family_of(const TensorType& type) {
  if (type.block_elements == 1) return CodecFamily::plain;
  if (type.name.starts_with("iq")) return CodecFamily::iq;
  return type.block_elements == 256 ? CodecFamily::k : CodecFamily::simple;
}

void check_codec(CodecFamily family, const uint8_t* data, size_t size) {
  if (size < 2) return;
  std::vector<const TensorType*> types;
  for (const TensorType& type : tensor_types()) {
    if (type.codec && family_of(type) == family) types.push_back(&type);
  }
  const TensorType& type = *types[data[0] % types.size()];
  const bool weighted = data[1] & 1;
  const uint8_t* bytes = data + 2;
  size -= 2;
  if (const uint64_t count = std::min<uint64_t>(size / type.block_bytes, kMostBlocks)) {
    std::vector<std::byte> blocks(count * type.block_bytes);
    std::memcpy(blocks.data(), bytes, blocks.size());
    check_decoding(type, blocks);
  }
  // Few bytes make many floats: they repeat to fill a block.
  if (size < sizeof(float)) return;
  std::vector<float> given(size / sizeof(float));
  std::memcpy(given.data(), bytes, given.size() * sizeof(float));
  const uint64_t count = std::clamp<uint64_t>(given.size() / type.block_elements, 1, 2);
  std::vector<float> values(count * type.block_elements);
  for (size_t i = 0; i < values.size(); ++i) values[i] = given[i % given.size()];
  check_encoding(type, values, weighted);
}

}  // namespace gcts
