// The GGUF data model: what a file holds, apart from how its bytes are laid out.
//
// A GGUF file is, in this order and without gaps up to the padding:
//
//   magic            4 bytes  47 47 55 46 "GGUF", the same in every byte order
//   version          u32      1, 2 or 3; big-endian files exist from 3 on
//   tensor_count     u64      (u32 in version 1)
//   metadata_count   u64      (u32 in version 1)
//   metadata_count x { key: string, value_type: u32, value }
//   tensor_count   x { name: string, rank: u32, dims: rank x u64, type: u32, offset: u64 }
//   padding          to a multiple of general.alignment (32 if absent), 0x00
//   tensor data      each tensor at data start + offset, offset a multiple of the alignment
//
// string: u64 byte length and that many bytes.  array: element type u32, count
// u64, elements.  In version 1 string lengths, array counts and dims are u32.
// Source: the GGUF document; the rules stand one a row in rules.inc.
//
// A File owns its values: it is what writers, recipes and mutators build.  What
// the reader returns (reader.h) refers to the bytes that it read instead.

#ifndef GCTS_REFERENCE_GGUF_H_
#define GCTS_REFERENCE_GGUF_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gcts {

using Bytes = std::vector<std::byte>;

enum class ValueType : uint32_t {
#define VALUE_TYPE(id, name, bytes, since) name = id,
#include "reference/value_types.inc"
#undef VALUE_TYPE
};
inline constexpr uint32_t kValueTypeCount = 13;

// The name in value_types.inc, or "unknown".
std::string_view value_type_name(ValueType type);
// Bytes of one scalar; 0 for string, array and unknown ids.
uint32_t scalar_bytes(ValueType type);

enum class ByteOrder : uint8_t { little, big };

inline constexpr uint32_t kNewestVersion = 3;
inline constexpr uint32_t kDefaultAlignment = 32;
inline constexpr uint32_t kMaxRank = 4;
inline constexpr std::string_view kAlignmentKey = "general.alignment";

// How the fields of a file are encoded.
struct Layout {
  uint32_t version = kNewestVersion;
  ByteOrder order = ByteOrder::little;

  // Bytes of a count, string length or dimension: 4 in version 1, else 8.
  uint32_t count_bytes() const { return version == 1 ? 4 : 8; }
  friend bool operator==(const Layout&, const Layout&) = default;
};

// One metadata value that owns its contents.  Arrays nest to any depth: copying,
// comparing and destroying one does not recurse.
struct Value {
  ValueType type = ValueType::uint8;
  uint64_t bits = 0;                            // scalar: its bits, zero-extended
  std::string text;                             // string: its bytes
  ValueType element_type = ValueType::uint8;    // array
  std::vector<Value> elements;                  // array

  Value() = default;
  Value(const Value& other) { copy(other); }
  Value(Value&& other) noexcept = default;
  Value& operator=(const Value& other);
  Value& operator=(Value&& other) noexcept;
  ~Value();

  static Value scalar(ValueType type, uint64_t bits);
  static Value u8(uint8_t v);
  static Value i8(int8_t v);
  static Value u16(uint16_t v);
  static Value i16(int16_t v);
  static Value u32(uint32_t v);
  static Value i32(int32_t v);
  static Value u64(uint64_t v);
  static Value i64(int64_t v);
  static Value f32(float v);
  static Value f64(double v);
  static Value boolean(bool v);
  static Value string(std::string_view v);
  static Value array(ValueType element_type, std::vector<Value> elements);
  static Value strings(std::vector<std::string> elements);

  friend bool operator==(const Value& a, const Value& b);

 private:
  void copy(const Value& other);
};

struct KeyValue {
  std::string key;
  Value value;
  friend bool operator==(const KeyValue&, const KeyValue&) = default;
};

// A tensor that owns its bytes.  dims[0] is the row length.
struct Tensor {
  std::string name;
  uint32_t type = 0;                 // tensor type id, tensor_type.h
  std::vector<uint64_t> dims;        // innermost first
  Bytes data;
  std::optional<uint64_t> offset;    // absent: the writer places the tensor
  friend bool operator==(const Tensor&, const Tensor&) = default;
};

// A whole model that owns its contents.
struct File {
  Layout layout;
  std::vector<KeyValue> metadata;
  std::vector<Tensor> tensors;

  const Value* find(std::string_view key) const;
  void set(std::string_view key, Value value);  // replaces in place or appends
  // general.alignment if present as uint32 and not 0, else 32.
  uint32_t alignment() const;
  friend bool operator==(const File&, const File&) = default;
};

// a rounded up to a multiple of b; b > 0; the caller rules out overflow.
constexpr uint64_t align_up(uint64_t a, uint64_t b) { return (a + b - 1) / b * b; }

}  // namespace gcts

#endif  // GCTS_REFERENCE_GGUF_H_
