// The data model's own operations: making values and finding keys.

#include "reference/gguf.h"

#include <bit>
#include <iterator>
#include <utility>

namespace gcts {
namespace {

struct ValueTypeRow {
  std::string_view name;
  uint32_t bytes;
};

constexpr ValueTypeRow kValueTypes[] = {
#define VALUE_TYPE(id, name, bytes, since) {#name, bytes},
#include "reference/value_types.inc"
#undef VALUE_TYPE
};
static_assert(std::size(kValueTypes) == kValueTypeCount);

const ValueTypeRow* find_row(ValueType type) {
  const auto id = static_cast<uint32_t>(type);
  return id < kValueTypeCount ? &kValueTypes[id] : nullptr;
}

}  // namespace

std::string_view value_type_name(ValueType type) {
  const ValueTypeRow* row = find_row(type);
  return row ? row->name : "unknown";
}

uint32_t scalar_bytes(ValueType type) {
  const ValueTypeRow* row = find_row(type);
  return row ? row->bytes : 0;
}

// Elements that have elements are moved to a list before they go, so that no destructor
// runs inside another one's more than once.
Value::~Value() {
  if (elements.empty()) return;
  std::vector<Value> waiting = std::move(elements);
  while (!waiting.empty()) {
    Value last = std::move(waiting.back());
    waiting.pop_back();
    for (Value& inner : last.elements)
      if (!inner.elements.empty()) waiting.push_back(std::move(inner));
    last.elements.clear();
  }
}

void Value::copy(const Value& other) {
  std::vector<std::pair<Value*, const Value*>> waiting{{this, &other}};
  while (!waiting.empty()) {
    const auto [to, from] = waiting.back();
    waiting.pop_back();
    to->type = from->type;
    to->bits = from->bits;
    to->text = from->text;
    to->element_type = from->element_type;
    to->elements.resize(from->elements.size());
    for (size_t i = 0; i < from->elements.size(); ++i) waiting.emplace_back(&to->elements[i], &from->elements[i]);
  }
}

Value& Value::operator=(const Value& other) {
  if (this != &other) *this = Value(other);
  return *this;
}

Value& Value::operator=(Value&& other) noexcept {
  if (this == &other) return *this;
  // What stood here goes by way of a destructor; `other` may be one of its elements.
  Value taken(std::move(other));
  std::swap(type, taken.type);
  std::swap(bits, taken.bits);
  std::swap(text, taken.text);
  std::swap(element_type, taken.element_type);
  std::swap(elements, taken.elements);
  return *this;
}

bool operator==(const Value& a, const Value& b) {
  std::vector<std::pair<const Value*, const Value*>> waiting{{&a, &b}};
  while (!waiting.empty()) {
    const auto [x, y] = waiting.back();
    waiting.pop_back();
    if (x->type != y->type || x->bits != y->bits || x->text != y->text || x->element_type != y->element_type ||
        x->elements.size() != y->elements.size())
      return false;
    for (size_t i = 0; i < x->elements.size(); ++i) waiting.emplace_back(&x->elements[i], &y->elements[i]);
  }
  return true;
}

Value Value::scalar(ValueType type, uint64_t bits) {
  const uint32_t bytes = scalar_bytes(type);
  Value value;
  value.type = type;
  value.bits = bytes > 0 && bytes < 8 ? bits & ((uint64_t{1} << (8 * bytes)) - 1) : bits;
  return value;
}

Value Value::u8(uint8_t v) { return scalar(ValueType::uint8, v); }
Value Value::i8(int8_t v) { return scalar(ValueType::int8, static_cast<uint8_t>(v)); }
Value Value::u16(uint16_t v) { return scalar(ValueType::uint16, v); }
Value Value::i16(int16_t v) { return scalar(ValueType::int16, static_cast<uint16_t>(v)); }
Value Value::u32(uint32_t v) { return scalar(ValueType::uint32, v); }
Value Value::i32(int32_t v) { return scalar(ValueType::int32, static_cast<uint32_t>(v)); }
Value Value::u64(uint64_t v) { return scalar(ValueType::uint64, v); }
Value Value::i64(int64_t v) { return scalar(ValueType::int64, static_cast<uint64_t>(v)); }
Value Value::f32(float v) { return scalar(ValueType::float32, std::bit_cast<uint32_t>(v)); }
Value Value::f64(double v) { return scalar(ValueType::float64, std::bit_cast<uint64_t>(v)); }
Value Value::boolean(bool v) { return scalar(ValueType::boolean, v ? 1 : 0); }

Value Value::string(std::string_view v) {
  Value value;
  value.type = ValueType::string;
  value.text = v;
  return value;
}

Value Value::array(ValueType element_type, std::vector<Value> elements) {
  Value value;
  value.type = ValueType::array;
  value.element_type = element_type;
  value.elements = std::move(elements);
  return value;
}

Value Value::strings(std::vector<std::string> elements) {
  std::vector<Value> values;
  values.reserve(elements.size());
  for (const std::string& element : elements) values.push_back(string(element));
  return array(ValueType::string, std::move(values));
}

const Value* File::find(std::string_view key) const {
  for (const KeyValue& pair : metadata)
    if (pair.key == key) return &pair.value;
  return nullptr;
}

void File::set(std::string_view key, Value value) {
  for (KeyValue& pair : metadata) {
    if (pair.key != key) continue;
    pair.value = std::move(value);
    return;
  }
  metadata.push_back({std::string(key), std::move(value)});
}

uint32_t File::alignment() const {
  const Value* value = find(kAlignmentKey);
  if (!value || value->type != ValueType::uint32 || value->bits == 0) return kDefaultAlignment;
  return static_cast<uint32_t>(value->bits);
}

}  // namespace gcts
