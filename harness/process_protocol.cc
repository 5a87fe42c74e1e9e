// JSON in both directions.

#include "harness/process_protocol.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "harness/contents.h"
#include "harness/contents_told.h"
#include "harness/value_text.h"
#include "harness/worker/wire.h"

namespace gcts {
namespace {

using Json = nlohmann::ordered_json;
using worker::WireWriter;

constexpr int kDeepest = 1000;  // of nested arrays in an answer

// Type names of the protocol, by id.
constexpr std::string_view kTypeNames[kValueTypeCount] = {"uint8", "int8",  "uint16", "int16",  "uint32", "int32",  "float32",
                                                          "bool",  "string", "array",  "uint64", "int64",  "float64"};

std::string_view type_name(ValueType type) { return kTypeNames[static_cast<uint32_t>(type)]; }

// ------------------------------------ Text ------------------------------------

std::string base64(std::span<const uint8_t> bytes) {
  std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int n = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()), bytes.data(), static_cast<int>(bytes.size()));
  out.resize(static_cast<size_t>(n));
  return out;
}

bool from_base64(const std::string& text, std::string& out) {
  out.resize(text.size() / 4 * 3);
  const int n = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  if (n < 0 || text.size() % 4 != 0) return false;
  const size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  out.resize(static_cast<size_t>(n) - padding);
  return true;
}

bool from_hex(const std::string& text, std::string& out) {
  if (text.size() % 2 != 0) return false;
  out.clear();
  for (size_t i = 0; i < text.size(); i += 2) {
    uint8_t byte = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + i + 2, byte, 16);
    if (error != std::errc{} || end != text.data() + i + 2) return false;
    out.push_back(static_cast<char>(byte));
  }
  return true;
}

// Text where JSON can hold it, else {"hex": ...}.
Json text_json(std::string_view text) {
  Json json(text);
  try {
    (void)json.dump();
    return json;
  } catch (const Json::type_error&) {  // not UTF-8
    return Json{{"hex", hex(text)}};
  }
}

// ---------------------------------- Questions ---------------------------------

Json question(uint64_t id, std::string_view operation) { return {{"id", id}, {"op", operation}}; }

// More digits than the type has: a value that the type cannot hold.
std::string number_of(const Value& value) {
  const uint32_t width = scalar_bytes(value.type);
  const bool fits = width == 8 || value.bits >> (8 * width) == 0;
  return fits ? scalar_text(value.type, value.bits) : std::to_string(value.bits);
}

Json scalar_of(const Value& value) {
  Json json{{"type", type_name(value.type)}, {"value", number_of(value)}};
  const int digits = static_cast<int>(scalar_bytes(value.type)) * 2;
  if (value.type == ValueType::float32 || value.type == ValueType::float64) {
    json["bits"] = fmt::format("{:0{}x}", value.bits, digits);
  }
  return json;
}

Json value_of(const Value& value) {
  if (value.type == ValueType::string) {
    Json json = text_json(value.text);
    if (json.is_object()) return {{"type", "string"}, {"hex", json["hex"]}};
    return {{"type", "string"}, {"value", json}};
  }
  if (value.type != ValueType::array) return scalar_of(value);
  Json elements = Json::array();
  for (const Value& element : value.elements) elements.push_back(value_of(element));
  return {{"type", "array"}, {"element_type", type_name(value.element_type)}, {"values", std::move(elements)}};
}

// ----------------------------------- Answers ----------------------------------

// Takes an answer apart; the first thing that is wrong is kept.
class Answers {
 public:
  explicit Answers(std::string& error) : error_(error) {}

  bool fail(std::string why) {
    if (error_.empty()) error_ = std::move(why);
    return false;
  }

  bool open(std::string_view line, uint64_t id, Json& out) {
    out = Json::parse(line, nullptr, false);
    constexpr size_t kShown = 80;
    if (out.is_discarded() || !out.is_object()) {
      return fail(fmt::format("answers with a line that is no JSON object: '{}'", line.substr(0, kShown)));
    }
    if (!out.contains("id") || out["id"] != id) return fail(fmt::format("answers without 'id': {}", id));
    return true;
  }

  // A whole number as JSON's own or as text; nothing if it is absent.
  std::optional<uint64_t> whole(const Json& object, const char* name, uint64_t most = UINT64_MAX) {
    if (!object.contains(name) || object[name].is_null()) return std::nullopt;
    uint64_t out = 0;
    if (number(object[name], out) && out <= most) return out;
    fail(fmt::format("'{}' is no whole number of its range: {}", name, shown(object[name])));
    return 0;
  }

  static bool number(const Json& json, uint64_t& out) {
    if (json.is_number_unsigned()) {
      out = json.get<uint64_t>();
      return true;
    }
    if (!json.is_string()) return false;
    const auto& text = json.get_ref<const std::string&>();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc{} && end == text.data() + text.size();
  }

  bool text(const Json& json, const char* what, std::string& out) {
    if (json.is_string()) {
      out = json.get<std::string>();
      return true;
    }
    if (json.is_object() && json.contains("hex") && json["hex"].is_string() && from_hex(json["hex"], out)) return true;
    return fail(fmt::format("{} is neither text nor {{\"hex\": ...}}: {}", what, shown(json)));
  }

  bool value(const Json& json, WireWriter& out, int depth = 0);

  static std::string shown(const Json& json) { return json.dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, 60); }

 private:
  bool array(const Json& json, WireWriter& out, int depth);
  bool scalar(std::string_view name, const Json& json, std::string& packed);
  bool elements(const Json& values, uint32_t type, WireWriter& out, int depth);

  std::string& error_;
};

// The id of a value type's name; kUntold32 for "number", which is none.
uint32_t type_id(std::string_view name) {
  for (uint32_t id = 0; id < kValueTypeCount; ++id) {
    if (type_name(static_cast<ValueType>(id)) == name) return id;
  }
  return kUntold32;
}

template <typename T>
bool pack(std::string_view text, std::string& packed) {
  T v{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
  if (error != std::errc{} || end != text.data() + text.size()) return false;
  packed.append(reinterpret_cast<const char*>(&v), sizeof(v));
  return true;
}

bool pack_bits(std::string_view text, uint32_t width, std::string& packed) {
  uint64_t v = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v, 16);
  if (error != std::errc{} || end != text.data() + text.size() || text.size() != 2 * width) return false;
  packed.append(reinterpret_cast<const char*>(&v), width);
  return true;
}

// A scalar's text or {value, bits}, packed.
bool Answers::scalar(std::string_view name, const Json& json, std::string& packed) {
  const uint32_t type = type_id(name);
  const Json* given = &json;
  if (json.is_object()) {
    if (json.contains("bits") && json["bits"].is_string() &&
        pack_bits(json["bits"].get_ref<const std::string&>(), scalar_width(type), packed)) {
      return true;
    }
    if (!json.contains("value")) return fail("a value without 'value': " + shown(json));
    given = &json["value"];
  }
  bool ok = false;
  if (type == GCTS_BOOL && given->is_boolean()) {
    packed.push_back(given->get<bool>());
    ok = true;
  } else if (given->is_string()) {
    const std::string& text = given->get_ref<const std::string&>();
    switch (type) {
      case GCTS_UINT8: ok = pack<uint8_t>(text, packed); break;
      case GCTS_INT8: ok = pack<int8_t>(text, packed); break;
      case GCTS_UINT16: ok = pack<uint16_t>(text, packed); break;
      case GCTS_INT16: ok = pack<int16_t>(text, packed); break;
      case GCTS_UINT32: ok = pack<uint32_t>(text, packed); break;
      case GCTS_INT32: ok = pack<int32_t>(text, packed); break;
      case GCTS_UINT64: ok = pack<uint64_t>(text, packed); break;
      case GCTS_INT64: ok = pack<int64_t>(text, packed); break;
      case GCTS_FLOAT32: ok = pack<float>(text, packed); break;
      case GCTS_FLOAT64: ok = pack<double>(text, packed); break;
      case GCTS_BOOL:
        if (text == "true" || text == "false") packed.push_back(text == "true");
        else ok = pack<uint8_t>(text, packed);
        ok = ok || text == "true" || text == "false";
        break;
      default: break;
    }
  }
  return ok || fail(fmt::format("{} is no {} as text", shown(*given), name));
}

bool Answers::value(const Json& json, WireWriter& out, int depth) {
  if (!json.is_object() || !json.contains("type") || !json["type"].is_string()) {
    return fail("a value is no object with 'type': " + shown(json));
  }
  const std::string& name = json["type"].get_ref<const std::string&>();
  if (name == "array") return array(json, out, depth);
  if (name == "string") {
    std::string bytes;
    if (!text(json.contains("value") ? json["value"] : json, "a string", bytes)) return false;
    out.put<uint8_t>('T');
    out.put_text(bytes);
    return true;
  }
  if (name == "number") {
    const std::string number = json.contains("value") && json["value"].is_string()
                                   ? number_text(json["value"].get_ref<const std::string&>()) : "";
    if (number.empty()) return fail("'value' is no number as text: " + shown(json));
    out.put<uint8_t>('#');
    out.put<uint64_t>(1);
    out.put_text(number);
    return true;
  }
  const uint32_t type = type_id(name);
  if (scalar_width(type) == 0) return fail("there is no value type '" + name + "'");
  std::string packed;
  if (!scalar(name, json, packed)) return false;
  out.put<uint8_t>('S');
  out.put(type);
  out.put<uint64_t>(1);
  out.put_raw(packed);
  return true;
}

bool Answers::array(const Json& json, WireWriter& out, int depth) {
  if (depth >= kDeepest) return fail(fmt::format("an array is more than {} deep", kDeepest));
  uint32_t type = kUntold32;
  if (json.contains("element_type")) {
    const Json& name = json["element_type"];
    if (name.is_string()) type = type_id(name.get_ref<const std::string&>());
    if (type == kUntold32) return fail("'element_type' is no value type: " + shown(name));
  }
  out.put<uint8_t>('[');
  out.put(type);
  if (json.contains("base64")) {
    std::string packed;
    const uint64_t width = scalar_width(type);
    if (width == 0) return fail("an array of packed elements has no scalar 'element_type'");
    if (!json["base64"].is_string() || !from_base64(json["base64"], packed) || packed.size() % width != 0) {
      return fail("'base64' holds no whole elements");
    }
    const uint64_t count = packed.size() / width;
    out.put(count);
    if (count > 0) {
      out.put<uint8_t>('S');
      out.put(type);
      out.put(count);
      out.put_raw(packed);
    }
  } else {
    if (!json.contains("values") || !json["values"].is_array()) return fail("an array has neither 'values' nor 'base64'");
    out.put<uint64_t>(json["values"].size());
    if (!elements(json["values"], type, out, depth)) return false;
  }
  out.put<uint8_t>(']');
  return true;
}

// Elements are values, or, where the array has an element type, the text of one.
bool Answers::elements(const Json& values, uint32_t type, WireWriter& out, int depth) {
  const auto is_number = [](const Json& v) { return v.is_object() && v.contains("type") && v["type"] == "number"; };
  if (!values.empty() && std::all_of(values.begin(), values.end(), is_number)) {
    out.put<uint8_t>('#');
    out.put<uint64_t>(values.size());
    for (const Json& v : values) {
      const std::string number = v.contains("value") && v["value"].is_string()
                                     ? number_text(v["value"].get_ref<const std::string&>()) : "";
      if (number.empty()) return fail("'value' is no number as text: " + shown(v));
      out.put_text(number);
    }
    return true;
  }
  std::string packed;
  uint64_t count = 0;
  uint32_t run = type;
  const auto flush = [&] {
    if (count == 0) return;
    out.put<uint8_t>('S');
    out.put(run);
    out.put(count);
    out.put_raw(packed);
    packed.clear();
    count = 0;
  };
  for (const Json& v : values) {
    const bool is_value = v.is_object() && v.contains("type") && v["type"].is_string();
    const uint32_t own = is_value ? type_id(v["type"].get_ref<const std::string&>()) : type;
    if (scalar_width(own) != 0) {
      if (own != run) flush();
      run = own;
      ++count;
      if (!scalar(type_name(static_cast<ValueType>(own)), v, packed)) return false;
      continue;
    }
    flush();
    if (is_value) {
      if (!value(v, out, depth + 1)) return false;
      continue;
    }
    std::string bytes;
    if (type != GCTS_STRING) return fail("an element is no value of the array's type: " + shown(v));
    if (!text(v, "an element", bytes)) return false;
    out.put<uint8_t>('T');
    out.put_text(bytes);
  }
  flush();
  return true;
}

bool take_header(Answers& in, const Json& json, WireWriter& out) {
  const auto version = in.whole(json, "version", UINT32_MAX);
  const auto alignment = in.whole(json, "alignment", UINT32_MAX);
  uint32_t order = kUntold32;
  if (json.contains("byte_order")) {
    if (json["byte_order"] != "little" && json["byte_order"] != "big") return in.fail("'byte_order' is neither little nor big");
    order = json["byte_order"] == "big";
  }
  out.put<uint8_t>('H');
  out.put<uint8_t>(1);
  out.put(static_cast<uint32_t>(version.value_or(kUntold32)));
  out.put(order);
  out.put(static_cast<uint32_t>(alignment.value_or(kUntold32)));
  return true;
}

bool take_tensor(Answers& in, const Json& json, WireWriter& out) {
  std::string name;
  if (!json.is_object() || !json.contains("name")) return in.fail("a tensor has no 'name': " + Answers::shown(json));
  if (!in.text(json["name"], "a tensor's name", name)) return false;
  const auto type = in.whole(json, "type", UINT32_MAX);
  if (!type) return in.fail("a tensor has no 'type'");
  if (!json.contains("dims") || !json["dims"].is_array()) return in.fail("a tensor has no array 'dims'");
  out.put<uint8_t>('N');
  out.put_text(name);
  out.put(static_cast<uint32_t>(*type));
  out.put(static_cast<uint32_t>(json["dims"].size()));
  for (const Json& dim : json["dims"]) {
    uint64_t n = 0;
    if (!Answers::number(dim, n)) return in.fail("'dims' holds something else than whole numbers: " + Answers::shown(dim));
    out.put(n);
  }
  out.put(in.whole(json, "offset").value_or(kUntold64));
  out.put(in.whole(json, "size").value_or(kUntold64));
  if (!json.contains("sha256")) {
    out.put<uint8_t>(0);
    return true;
  }
  std::string digest;
  if (!json["sha256"].is_string() || !from_hex(json["sha256"], digest) || digest.size() != 32) {
    return in.fail("'sha256' is not 64 hexadecimal digits");
  }
  out.put<uint8_t>(2);
  out.put_raw(std::string_view(digest).substr(0, 16));
  return true;
}

bool take_contents(Answers& in, const Json& json, WireWriter& out) {
  static const Json kNone = Json::array();
  if (!take_header(in, json, out)) return false;
  const Json& metadata = json.contains("metadata") ? json["metadata"] : kNone;
  const Json& tensors = json.contains("tensors") ? json["tensors"] : kNone;
  if (!metadata.is_array() || !tensors.is_array()) return in.fail("'metadata' and 'tensors' are arrays");
  for (const Json& pair : metadata) {
    std::string key;
    if (!pair.is_object() || !pair.contains("key")) return in.fail("a pair has no 'key': " + Answers::shown(pair));
    if (!in.text(pair["key"], "a key", key)) return false;
    out.put<uint8_t>('K');
    out.put_text(key);
    if (!in.value(pair, out)) return false;
  }
  for (const Json& tensor : tensors) {
    if (!take_tensor(in, tensor, out)) return false;
  }
  if (!json.contains("tensors")) out.put<uint8_t>('U');
  return true;
}

bool take_verdict(Answers& in, const Json& json, ProcessAnswer& out) {
  static constexpr std::pair<const char*, int32_t> kVerdicts[] = {
      {"accept", GCTS_OK}, {"reject", GCTS_REJECTED}, {"unsupported", GCTS_UNSUPPORTED}, {"error", GCTS_FAILED}};
  if (json.contains("message") && json["message"].is_string()) {
    out.message = json["message"].get<std::string>().substr(0, ContentsWriter::kMaxMessage);
  }
  for (const auto& [word, status] : kVerdicts) {
    if (!json.contains("verdict") || json["verdict"] != word) continue;
    out.status = status;
    return true;
  }
  return in.fail("'verdict' is none of accept, reject, unsupported, error");
}

bool has_word(const Json& list, const char* word) {
  return list.is_array() && std::find(list.begin(), list.end(), Json(word)) != list.end();
}

}  // namespace

std::string hello_question(uint64_t id) {
  Json json = question(id, "hello");
  json["protocol"] = kProcessProtocol;
  return json.dump();
}

std::string plain_question(uint64_t id, std::string_view operation) { return question(id, operation).dump(); }

std::string read_question(uint64_t id, std::string_view path, Stage stage) {
  Json json = question(id, "read");
  json["path"] = path;
  json["stage"] = stage == Stage::data ? "data" : "metadata";
  return json.dump();
}

std::string write_question(uint64_t id, std::string_view path, const WriteCase& write) {
  static constexpr const char* kStrategies[] = {"whole", "metadata_first", "reserve"};
  const File& model = write.model;
  Json json = question(id, "write");
  json["path"] = path;
  json["strategy"] = kStrategies[static_cast<size_t>(write.strategy)];
  json["version"] = model.layout.version;
  json["byte_order"] = model.layout.order == ByteOrder::big ? "big" : "little";
  json["metadata"] = Json::array();
  for (const KeyValue& pair : model.metadata) {
    Json entry{{"key", text_json(pair.key)}};
    entry.update(value_of(pair.value));
    json["metadata"].push_back(std::move(entry));
  }
  json["tensors"] = Json::array();
  for (const Tensor& tensor : model.tensors) {
    Json dims = Json::array();
    for (uint64_t dim : tensor.dims) dims.push_back(std::to_string(dim));
    json["tensors"].push_back(
        {{"name", text_json(tensor.name)}, {"type", tensor.type}, {"dims", dims},
         {"base64", base64({reinterpret_cast<const uint8_t*>(tensor.data.data()), tensor.data.size()})}});
  }
  return json.dump();
}

std::string dequantize_question(uint64_t id, uint32_t type, uint64_t count, std::span<const std::byte> blocks) {
  Json json = question(id, "dequantize");
  json["type"] = type;
  json["count"] = std::to_string(count);
  json["base64"] = base64({reinterpret_cast<const uint8_t*>(blocks.data()), blocks.size()});
  return json.dump();
}

bool parse_hello(std::string_view line, uint64_t id, Description& out, std::string& error) {
  Answers in(error);
  Json json;
  if (!in.open(line, id, json)) return false;
  if (!json.contains("protocol") || json["protocol"] != kProcessProtocol) {
    return in.fail(fmt::format("does not speak protocol {}", kProcessProtocol));
  }
  for (const auto& [name, to] : {std::pair{"name", &out.name}, {"version", &out.version}}) {
    if (!json.contains(name) || !in.text(json[name], name, *to) || to->empty()) {
      return in.fail(fmt::format("hello says no '{}'", name));
    }
  }
  static const Json kNone = Json::array();
  const Json& reads = json.contains("reads") ? json["reads"] : kNone;
  const Json& writes = json.contains("writes") ? json["writes"] : kNone;
  if (!reads.is_array() || !writes.is_array()) return in.fail("'reads' and 'writes' are arrays of words");
  out.reads = has_word(reads, "file");
  out.reader_capabilities = GCTS_READS_PATH;
  if (has_word(reads, "shards")) out.reader_capabilities |= GCTS_READS_SHARDS;
  if (has_word(reads, "tensor_bytes")) out.reader_capabilities |= GCTS_READS_TENSOR_BYTES;
  out.tells_contents = !has_word(reads, "verdict_only");
  out.tells_order = !has_word(reads, "unordered");
  out.writes = has_word(writes, "file");
  if (has_word(writes, "big_endian")) out.writer_capabilities |= GCTS_WRITES_BIG_ENDIAN;
  if (has_word(writes, "strategies")) out.writer_capabilities |= GCTS_WRITES_STRATEGIES;
  if (has_word(writes, "old_versions")) out.writer_capabilities |= GCTS_WRITES_OLD_VERSIONS;
  if (!json.contains("dequantizes")) return true;
  std::string variant = "process";
  if (json.contains("variant") && !in.text(json["variant"], "variant", variant)) return in.fail("'variant' is text");
  if (!json["dequantizes"].is_array()) return in.fail("'dequantizes' is an array of tensor type ids");
  for (const Json& type : json["dequantizes"]) {
    uint64_t number = 0;
    if (!Answers::number(type, number)) return in.fail("'dequantizes' is an array of tensor type ids");
    KernelDescription kernel;
    kernel.row.op = GCTS_OP_DEQUANTIZE;
    kernel.row.tensor_type = static_cast<uint32_t>(number);
    kernel.variant = variant;
    out.kernels.push_back(std::move(kernel));
  }
  return true;
}

bool parse_verdict(std::string_view line, uint64_t id, ProcessAnswer& out, std::string& error) {
  Answers in(error);
  Json json;
  return in.open(line, id, json) && take_verdict(in, json, out);
}

bool parse_read(std::string_view line, uint64_t id, ProcessAnswer& out, std::string& error) {
  Answers in(error);
  Json json;
  if (!in.open(line, id, json) || !take_verdict(in, json, out)) return false;
  if (out.status != GCTS_OK) return true;
  WireWriter records;
  if (!take_contents(in, json, records) || !error.empty()) return false;
  out.records = records.bytes();
  return true;
}

bool parse_dequantize(std::string_view line, uint64_t id, ProcessAnswer& out, std::string& error) {
  Answers in(error);
  Json json;
  if (!in.open(line, id, json) || !take_verdict(in, json, out)) return false;
  if (out.status != GCTS_OK) return true;
  std::string bytes;
  if (!json.contains("base64") || !json["base64"].is_string() || !from_base64(json["base64"], bytes)) {
    return in.fail("an accepted dequantize has no 'base64'");
  }
  out.bytes.assign(bytes.begin(), bytes.end());
  return true;
}

}  // namespace gcts
