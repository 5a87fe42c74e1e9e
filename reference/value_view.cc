// Reads metadata values out of their encoded bytes, without recursion.

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "reference/reader.h"

namespace gcts {
namespace {

// Walks the encoded elements of an array.  The reader has seen to it that they are
// all there.
class Cursor {
 public:
  Cursor(std::span<const std::byte> bytes, Layout layout) : bytes_(bytes), layout_(layout) {}

  uint64_t number(uint32_t size) { return load(take(size), layout_.order); }
  uint64_t count() {
    if (layout_.version == 1 || layout_.order == ByteOrder::big || std::endian::native == std::endian::big)
      return number(layout_.count_bytes());
    // Nearly every file, and once for each string.
    uint64_t v;
    std::memcpy(&v, take(sizeof v).data(), sizeof v);
    return v;
  }
  std::span<const std::byte> take(uint64_t size) {
    const auto part = bytes_.subspan(pos_, size);
    pos_ += size;
    return part;
  }
  std::string_view string() {
    const auto part = take(count());
    return {reinterpret_cast<const char*>(part.data()), part.size()};
  }

  // The unsigned number in up to 8 bytes.
  static uint64_t load(std::span<const std::byte> bytes, ByteOrder order) {
    uint64_t v = 0;
    for (size_t i = 0; i < bytes.size(); ++i) {
      const size_t place = order == ByteOrder::little ? i : bytes.size() - 1 - i;
      v |= static_cast<uint64_t>(bytes[i]) << (8 * place);
    }
    return v;
  }

 private:
  std::span<const std::byte> bytes_;
  Layout layout_;
  uint64_t pos_ = 0;
};

void visit_elements(Cursor& cursor, ValueType type, uint64_t count, Layout layout, ValueVisitor& visitor) {
  if (type == ValueType::string) {
    for (uint64_t i = 0; i < count; ++i) visitor.string(cursor.string());
  } else {
    visitor.scalars(type, count, cursor.take(count * scalar_bytes(type)), layout);
  }
}

// Builds an owning copy.  The arrays that are open lie on a stack of their own.
class Copier : public ValueVisitor {
 public:
  Value take() { return std::move(open_.front().elements.front()); }
  Copier() { open_.emplace_back(); }

  void scalars(ValueType type, uint64_t count, std::span<const std::byte> bytes, Layout layout) override {
    const uint32_t size = scalar_bytes(type);
    std::vector<Value>& to = open_.back().elements;
    to.reserve(to.size() + count);
    for (uint64_t i = 0; i < count; ++i)
      to.push_back(Value::scalar(type, Cursor::load(bytes.subspan(i * size, size), layout.order)));
  }
  void string(std::string_view text) override { open_.back().elements.push_back(Value::string(text)); }
  void array_begin(ValueType element_type, uint64_t) override { open_.push_back(Value::array(element_type, {})); }
  void array_end() override {
    Value closed = std::move(open_.back());
    open_.pop_back();
    open_.back().elements.push_back(std::move(closed));
  }

 private:
  std::vector<Value> open_;  // the first only holds the result
};

}  // namespace

void visit(const ValueView& value, ValueVisitor& visitor) {
  if (value.type == ValueType::string) return visitor.string(value.text());
  if (value.type != ValueType::array) return visitor.scalars(value.type, 1, value.bytes, value.layout);
  Cursor cursor(value.bytes, value.layout);
  std::vector<uint64_t> due;  // inner arrays still to come, one entry a level
  const auto begin = [&](ValueType element_type, uint64_t count) {
    visitor.array_begin(element_type, count);
    if (element_type == ValueType::array) return due.push_back(count);
    visit_elements(cursor, element_type, count, value.layout, visitor);
    visitor.array_end();
  };
  begin(value.element_type, value.count);
  while (!due.empty()) {
    if (due.back() == 0) {
      due.pop_back();
      visitor.array_end();
      continue;
    }
    --due.back();
    const auto type = static_cast<ValueType>(cursor.number(4));
    begin(type, cursor.count());
  }
}

uint64_t ValueView::bits() const {
  return scalar_bytes(type) > 0 ? Cursor::load(bytes, layout.order) : 0;
}

std::string_view ValueView::text() const {
  if (type != ValueType::string) return {};
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::optional<uint64_t> ValueView::as_unsigned() const {
  const uint32_t size = scalar_bytes(type);
  switch (type) {
    case ValueType::uint8:
    case ValueType::uint16:
    case ValueType::uint32:
    case ValueType::uint64:
    case ValueType::boolean:
      return bits();
    case ValueType::int8:
    case ValueType::int16:
    case ValueType::int32:
    case ValueType::int64:
      if (bits() >> (8 * size - 1) != 0) return std::nullopt;
      return bits();
    default:
      return std::nullopt;
  }
}

Value ValueView::to_value() const {
  Copier copier;
  visit(*this, copier);
  return copier.take();
}

File to_file(const Reading& reading) {
  File file;
  file.layout = reading.layout;
  file.metadata.reserve(reading.metadata.size());
  for (const KeyValueView& pair : reading.metadata)
    file.metadata.push_back({std::string(pair.key), pair.value.to_value()});
  file.tensors.reserve(reading.tensors.size());
  for (const TensorView& view : reading.tensors) {
    Tensor t;
    t.name = view.name;
    t.type = view.type;
    const auto rank = static_cast<std::ptrdiff_t>(std::min(view.rank, kMaxRank));
    t.dims.assign(view.dims.begin(), view.dims.begin() + rank);
    t.data.assign(view.data.begin(), view.data.end());
    t.offset = view.offset;
    file.tensors.push_back(std::move(t));
  }
  return file;
}

}  // namespace gcts
