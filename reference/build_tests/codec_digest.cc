// Prints one line a tensor type: a digest of what its codec makes of the known-answer
// questions and of a few thousand random blocks.  Two builds of the reference, however
// they were compiled, print the same lines.

#include <bit>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <vector>

#include "corpus/vectors.h"
#include "reference/codec.h"
#include "reference/float_formats.h"
#include "reference/generator.h"
#include "reference/tensor_type.h"

namespace gcts {
namespace {

// FNV-1a, 64 bits.
class Digest {
 public:
  void add(const void* data, size_t size) {
    for (size_t i = 0; i < size; ++i) {
      value_ = (value_ ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3;
    }
  }
  // NaN is one value, whatever its bits.
  void add(float value) {
    const uint32_t bits = std::isnan(value) ? 0x7fc00000u : std::bit_cast<uint32_t>(value);
    add(&bits, sizeof(bits));
  }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0xcbf29ce484222325;
};

void add_random_blocks(const TensorType& type, Digest& digest) {
  const uint64_t elements = type.block_elements == 256 ? 256 * 512 : 32 * 1024;
  std::vector<std::byte> blocks(elements / type.block_elements * type.block_bytes);
  Generator(3, type.name).fill(blocks.data(), blocks.size());
  std::vector<float> values(elements);
  type.codec->dequantize(blocks.data(), values.data(), elements);
  for (const float value : values) digest.add(value);
  for (uint64_t i = 0; i < elements / type.block_elements; ++i) {
    const BlockFault fault = type.codec->validate(&blocks[i * type.block_bytes]);
    digest.add(&fault.byte, sizeof(fault.byte));
  }
}

void add_quantized_values(const TensorType& type, Digest& digest) {
  if (type.codec->quantize == nullptr) return;
  // Searches take their time: fewer blocks show the same arithmetic.
  const uint64_t elements = type.codec->searches ? 256 * 4 : 256 * 128;
  Generator generator(4, type.name);
  for (const float factor : {1.0f, 0.02f, 1e-20f, 1e4f}) {
    std::vector<float> values(elements);
    for (float& value : values) value = generator.heavy_tailed() * factor;
    std::vector<std::byte> blocks(elements / type.block_elements * type.block_bytes);
    type.codec->quantize(values.data(), nullptr, blocks.data(), elements);
    digest.add(blocks.data(), blocks.size());
  }
}

uint64_t float_formats_digest() {
  Digest digest;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) digest.add(f16_to_f32(static_cast<uint16_t>(bits)));
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 65521) {
    const auto value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    const uint16_t pair[] = {f32_to_f16(value), f32_to_bf16(value)};
    digest.add(pair, sizeof(pair));
    const uint8_t byte = f32_to_ue4m3(value);
    digest.add(&byte, 1);
  }
  return digest.value();
}

}  // namespace
}  // namespace gcts

int main() {
  std::printf("float_formats %016" PRIx64 "\n", gcts::float_formats_digest());
  for (const gcts::TensorType& type : gcts::tensor_types()) {
    if (type.codec == nullptr) continue;
    gcts::Digest digest;
    const std::string document = gcts::vectors_json(type);
    digest.add(document.data(), document.size());
    gcts::add_random_blocks(type, digest);
    gcts::add_quantized_values(type, digest);
    std::printf("%.*s %016" PRIx64 "\n", static_cast<int>(type.name.size()), type.name.data(), digest.value());
  }
  return 0;
}
