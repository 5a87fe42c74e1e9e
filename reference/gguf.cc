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
