// Metadata values as text; see value_text.h.

#include "harness/value_text.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "reports/escape.h"

namespace gcts {
namespace {

// The bits of element `index` of packed scalars.
uint64_t element_bits(std::span<const std::byte> bytes, uint64_t index, uint32_t width, ByteOrder order) {
  uint64_t bits = 0;
  for (uint32_t i = 0; i < width; ++i) {
    const uint32_t at = order == ByteOrder::little ? width - 1 - i : i;
    bits = bits << 8 | std::to_integer<uint64_t>(bytes[index * width + at]);
  }
  return bits;
}

template <class Float, class Bits>
std::string float_text(uint64_t bits, std::string_view quote) {
  const auto value = std::bit_cast<Float>(static_cast<Bits>(bits));
  if (std::isnan(value)) return fmt::format("{}nan:{:0{}x}{}", quote, bits, 2 * sizeof(Bits), quote);
  if (std::isinf(value)) return fmt::format("{}{}inf{}", quote, value < 0 ? "-" : "", quote);
  const std::string text = fmt::format("{}", value);
  return text == "-0" ? "-0.0" : text;  // parsers take -0 for the integer 0
}

std::string scalar(ValueType type, uint64_t bits, std::string_view quote) {
  switch (type) {
    case ValueType::int8: return fmt::format("{}", static_cast<int8_t>(bits));
    case ValueType::int16: return fmt::format("{}", static_cast<int16_t>(bits));
    case ValueType::int32: return fmt::format("{}", static_cast<int32_t>(bits));
    case ValueType::int64: return fmt::format("{}", static_cast<int64_t>(bits));
    case ValueType::float32: return float_text<float, uint32_t>(bits, quote);
    case ValueType::float64: return float_text<double, uint64_t>(bits, quote);
    case ValueType::boolean: return bits == 0 ? "false" : bits == 1 ? "true" : fmt::format("{}", bits);
    default: return fmt::format("{}", bits);
  }
}

std::string quoted(std::string_view text, size_t width) {
  size_t size = std::min(text.size(), width);
  while (size > 0 && size < text.size() && (text[size] & 0xc0) == 0x80) --size;  // not inside a character
  std::string plain;
  for (char c : text.substr(0, size)) {
    if (c == '"' || c == '\\') plain += '\\';
    plain += c;
  }
  std::string out = '"' + escape_terminal(plain) + '"';
  if (size < text.size()) out += fmt::format("… ({} bytes)", text.size());
  return out;
}

// Writes a value as JSON.  The type of an inner array's elements is written with it.
class JsonVisitor : public ValueVisitor {
 public:
  explicit JsonVisitor(const std::function<void(std::string_view)>& out) : out_(out) {}

  void scalars(ValueType type, uint64_t count, std::span<const std::byte> bytes, Layout layout) override {
    const uint32_t width = scalar_bytes(type);
    for (uint64_t i = 0; i < count; ++i) {
      separate();
      piece(scalar_json(type, element_bits(bytes, i, width, layout.order)));
    }
  }
  void string(std::string_view text) override {
    separate();
    piece(string_json(text));
  }
  void array_begin(ValueType element_type, uint64_t) override {
    separate();
    if (!first_.empty()) piece(fmt::format("{{\"element_type\":\"{}\",\"value\":", value_type_name(element_type)));
    piece("[");
    first_.push_back(true);
  }
  void array_end() override {
    first_.pop_back();
    piece(first_.empty() ? "]" : "]}");
  }
  void flush() {
    out_(buffer_);
    buffer_.clear();
  }

 private:
  void separate() {
    if (first_.empty()) return;
    if (!first_.back()) piece(",");
    first_.back() = false;
  }
  void piece(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() > 1 << 15) flush();
  }
  const std::function<void(std::string_view)>& out_;
  std::string buffer_;
  std::vector<bool> first_;  // an entry for each open array: is its next element the first?
};

// Collects the first elements of an array, and passes over the rest.
class LineVisitor : public ValueVisitor {
 public:
  LineVisitor(size_t most, size_t width) : most_(most), width_(width) {}

  void scalars(ValueType type, uint64_t count, std::span<const std::byte> bytes, Layout layout) override {
    for (uint64_t i = 0; i < count && depth_ <= 1; ++i) {
      if (shown_ == most_) return;
      element(scalar_text(type, element_bits(bytes, i, scalar_bytes(type), layout.order)));
    }
  }
  void string(std::string_view element_text) override {
    if (depth_ <= 1 && shown_ < most_) element(quoted(element_text, width_));
  }
  void array_begin(ValueType element_type, uint64_t count) override {
    if (depth_++ == 1 && shown_ < most_) element(fmt::format("{}[{}]", value_type_name(element_type), count));
  }
  void array_end() override { --depth_; }

  std::string text;

 private:
  void element(std::string_view piece) {
    if (shown_++ > 0) text += ", ";
    text += piece;
  }
  const size_t most_, width_;
  size_t shown_ = 0, depth_ = 0;
};

// The start of a packed array of scalars or strings, cheap whatever its length.
ValueView head_of(const ValueView& value, size_t most) {
  ValueView head = value;
  const uint32_t width = scalar_bytes(value.element_type);
  if (value.type == ValueType::array && width > 0 && value.count > most) {
    head.count = most;
    head.bytes = head.bytes.first(std::min<size_t>(head.bytes.size(), most * width));
  }
  return head;
}

}  // namespace

std::string scalar_text(ValueType type, uint64_t bits) { return scalar(type, bits, ""); }
std::string scalar_json(ValueType type, uint64_t bits) { return scalar(type, bits, "\""); }

std::string hex(std::string_view bytes) {
  std::string out;
  out.reserve(2 * bytes.size());
  for (char c : bytes) {
    out += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
    out += "0123456789abcdef"[c & 15];
  }
  return out;
}

std::string string_json(std::string_view text) {
  return is_utf8(text) ? json_string(text) : "{\"hex\":\"" + hex(text) + "\"}";
}

std::string value_type_text(const ValueView& value) {
  if (value.type != ValueType::array) return std::string(value_type_name(value.type));
  return fmt::format("{}[{}]", value_type_name(value.element_type), value.count);
}

std::string value_line(const ValueView& value, size_t most, size_t width) {
  if (value.type == ValueType::string) return quoted(value.text(), width);
  if (value.type != ValueType::array) return scalar_text(value.type, value.bits());
  LineVisitor visitor(most, width / 2);
  visit(head_of(value, most), visitor);
  return visitor.text + (value.count > most ? ", …" : "");
}

void value_json(const ValueView& value, const std::function<void(std::string_view)>& out) {
  JsonVisitor visitor(out);
  visit(value, visitor);
  visitor.flush();
}

std::string short_number(double value, std::string_view unit) {
  const char* prefix = "";
  for (const char* next : {"k", "M", "G", "T", "P", "E"}) {
    if (std::fabs(value) < 1000) break;
    value /= 1000;
    prefix = next;
  }
  const int digits = *prefix == 0 ? 0 : std::fabs(value) < 10 ? 2 : std::fabs(value) < 100 ? 1 : 0;
  std::string out = fmt::format("{:.{}f} {}{}", value, digits, prefix, unit);
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

}  // namespace gcts
