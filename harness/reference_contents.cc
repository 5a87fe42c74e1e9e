// The reference's reading pushed through the same sink as everybody's.

#include "harness/reference_contents.h"

#include <algorithm>

#include "corpus/sha256.h"
#include "harness/contents.h"

namespace gcts {
namespace {

gcts_string string_of(std::string_view text) { return {text.data(), text.size()}; }

class Pusher final : public ValueVisitor {
 public:
  explicit Pusher(const gcts_sink& sink) : sink_(sink) {}

  void scalars(ValueType type, uint64_t count, std::span<const std::byte> bytes, Layout layout) override {
    const uint32_t width = scalar_bytes(type);
    if (layout.order == ByteOrder::little || width == 1) {
      sink_.scalars(sink_.context, static_cast<uint32_t>(type), bytes.data(), count);
      return;
    }
    std::vector<std::byte> swapped(bytes.begin(), bytes.end());
    for (size_t at = 0; at + width <= swapped.size(); at += width) {
      std::reverse(swapped.begin() + static_cast<ptrdiff_t>(at), swapped.begin() + static_cast<ptrdiff_t>(at + width));
    }
    sink_.scalars(sink_.context, static_cast<uint32_t>(type), swapped.data(), count);
  }
  void string(std::string_view text) override { sink_.string(sink_.context, string_of(text)); }
  void array_begin(ValueType element_type, uint64_t count) override {
    sink_.array_begin(sink_.context, static_cast<uint32_t>(element_type), count);
  }
  void array_end() override { sink_.array_end(sink_.context); }

 private:
  const gcts_sink& sink_;
};

// The digest ends the record that was written last.
constexpr uint64_t kDigestBytes = 16;

void replace_digest(HeapBytes& out, std::span<const std::byte> data) {
  uint8_t* digest = out.data() + out.size() - kDigestBytes;
  const std::string hex = sha256_of(data);
  digest[-1] = 2;
  for (uint64_t i = 0; i < kDigestBytes; ++i) {
    digest[i] = static_cast<uint8_t>(std::stoi(hex.substr(2 * i, 2), nullptr, 16));
  }
}

}  // namespace

std::vector<uint8_t> encode_readings(std::span<const Reading> readings, bool digests, bool sha256) {
  HeapBytes out;
  ContentsWriter writer(out, digests);
  const gcts_sink& sink = *writer.sink();
  const Reading& first = readings.front();
  sink.header(sink.context, first.layout.version, first.layout.order == ByteOrder::big, first.alignment);
  Pusher pusher(sink);
  for (const KeyValueView& pair : first.metadata) {
    sink.key(sink.context, string_of(pair.key));
    visit(pair.value, pusher);
  }
  for (const Reading& reading : readings) {
    for (const TensorView& tensor : reading.tensors) {
      sink.tensor(sink.context, string_of(tensor.name), tensor.type, tensor.rank, tensor.dims.data(),
                  tensor.offset, tensor.data.empty() ? nullptr : tensor.data.data(), tensor.size);
      const bool has_bytes = !tensor.data.empty() || tensor.size == 0;
      if (digests && sha256 && has_bytes) replace_digest(out, tensor.data);
    }
  }
  return {writer.bytes().begin(), writer.bytes().end()};
}

std::vector<uint8_t> encode_reading(const Reading& reading, bool digests) {
  return encode_readings({&reading, 1}, digests);
}

}  // namespace gcts
