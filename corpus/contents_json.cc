// Renders a reading as JSON.

#include "corpus/contents_json.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "corpus/sha256.h"
#include "reference/tensor_type.h"
#include "reference/utf8.h"

namespace gcts {
namespace {

using Json = nlohmann::ordered_json;

std::string hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    text += kDigits[static_cast<uint8_t>(c) >> 4];
    text += kDigits[static_cast<uint8_t>(c) & 15];
  }
  return text;
}

void put_text(Json& object, const std::string& field, std::string_view text) {
  if (find_invalid_utf8(text) == text.size())
    object[field] = text;
  else
    object[field + "_hex"] = hex(text);
}

// The shortest decimal text that gives the same number again.
template <typename Float>
std::string float_text(Float value) {
  if (std::isnan(value)) return "nan";
  std::array<char, 64> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string bits_text(uint64_t bits, uint32_t bytes) {
  std::string text = "0x";
  for (uint32_t i = 2 * bytes; i-- > 0;) text += "0123456789abcdef"[(bits >> (4 * i)) & 15];
  return text;
}

std::string integer_text(ValueType type, uint64_t bits) {
  const uint32_t unused = 64 - 8 * scalar_bytes(type);
  const bool is_signed = type == ValueType::int8 || type == ValueType::int16 || type == ValueType::int32 ||
                         type == ValueType::int64;
  if (type == ValueType::boolean) return bits == 0 ? "false" : bits == 1 ? "true" : std::to_string(bits);
  return is_signed ? std::to_string(static_cast<int64_t>(bits << unused) >> unused) : std::to_string(bits);
}

bool is_float(ValueType type) { return type == ValueType::float32 || type == ValueType::float64; }

void put_scalar(Json& object, ValueType type, uint64_t bits) {
  if (!is_float(type)) {
    object["value"] = integer_text(type, bits);
    return;
  }
  object["value"] = type == ValueType::float32 ? float_text(std::bit_cast<float>(static_cast<uint32_t>(bits)))
                                               : float_text(std::bit_cast<double>(bits));
  object["bits"] = bits_text(bits, scalar_bytes(type));
}

// Builds the JSON of an array while the reader walks it; a stack of open arrays, so
// that nesting does not recurse.
class ArrayBuilder : public ValueVisitor {
 public:
  void scalars(ValueType type, uint64_t count, std::span<const std::byte> bytes, Layout layout) override {
    Json& values = open_.back()["values"];
    const uint32_t size = scalar_bytes(type);
    for (uint64_t i = 0; i < count; ++i) {
      ValueView element;
      element.type = type;
      element.bytes = bytes.subspan(i * size, size);
      element.layout = layout;
      if (is_float(type)) {
        Json object = Json::object();
        put_scalar(object, type, element.bits());
        values.push_back(std::move(object));
      } else {
        values.push_back(integer_text(type, element.bits()));
      }
    }
  }
  void string(std::string_view text) override {
    Json object = Json::object();
    put_text(object, "value", text);
    open_.back()["values"].push_back(std::move(object));
  }
  void array_begin(ValueType element_type, uint64_t count) override {
    Json array = Json::object();
    array["element_type"] = value_type_name(element_type);
    array["count"] = std::to_string(count);
    array["values"] = Json::array();
    open_.push_back(std::move(array));
  }
  void array_end() override {
    Json closed = std::move(open_.back());
    open_.pop_back();
    if (open_.empty())
      result = std::move(closed);
    else
      open_.back()["values"].push_back(std::move(closed));
  }

  Json result = Json::object();

 private:
  std::vector<Json> open_;
};

void put_array(Json& pair, const ValueView& value) {
  if (value.count > kMaxListed) {
    pair["element_type"] = value_type_name(value.element_type);
    pair["count"] = std::to_string(value.count);
    pair["sha256"] = sha256_of(value.bytes);
    return;
  }
  ArrayBuilder builder;
  visit(value, builder);
  pair.update(builder.result);
}

Json pair_json(const KeyValueView& view) {
  Json pair = Json::object();
  put_text(pair, "key", view.key);
  pair["type"] = value_type_name(view.value.type);
  if (view.value.type == ValueType::string)
    put_text(pair, "value", view.value.text());
  else if (view.value.type == ValueType::array)
    put_array(pair, view.value);
  else
    put_scalar(pair, view.value.type, view.value.bits());
  return pair;
}

Json tensor_json(const TensorView& view) {
  Json tensor = Json::object();
  put_text(tensor, "name", view.name);
  const TensorType* type = find_tensor_type(view.type);
  tensor["type"] = type ? std::string(type->name) : "unknown";
  tensor["type_id"] = view.type;
  Json dims = Json::array();
  for (uint32_t d = 0; d < std::min(view.rank, kMaxRank); ++d) dims.push_back(std::to_string(view.dims[d]));
  tensor["dims"] = std::move(dims);
  tensor["offset"] = std::to_string(view.offset);
  tensor["size"] = std::to_string(view.size);
  if (view.data.size() == view.size) tensor["sha256"] = sha256_of(view.data);
  return tensor;
}

}  // namespace

std::string contents_json(const Reading& reading) {
  Json root = Json::object();
  root["version"] = reading.layout.version;
  root["endianness"] = reading.layout.order == ByteOrder::little ? "little" : "big";
  root["alignment"] = reading.alignment;
  root["data_start"] = std::to_string(reading.data_start);
  root["metadata"] = Json::array();
  for (const KeyValueView& pair : reading.metadata) root["metadata"].push_back(pair_json(pair));
  root["tensors"] = Json::array();
  for (const TensorView& tensor : reading.tensors) root["tensors"].push_back(tensor_json(tensor));
  return root.dump(1) + "\n";
}

}  // namespace gcts
