// The reference's reading pushed through the same sink as everybody's.

#include "harness/reference_contents.h"

#include <algorithm>

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

}  // namespace

std::vector<uint8_t> encode_readings(std::span<const Reading> readings, bool digests) {
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
    }
  }
  return {writer.bytes().begin(), writer.bytes().end()};
}

std::vector<uint8_t> encode_reading(const Reading& reading, bool digests) {
  return encode_readings({&reading, 1}, digests);
}

}  // namespace gcts
