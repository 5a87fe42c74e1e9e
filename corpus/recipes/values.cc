// Recipes for the values of metadata pairs.

#include <limits>

#include "corpus/models.h"
#include "corpus/recipe.h"
#include "reference/tensor_type.h"

namespace gcts {
namespace {

constexpr std::string_view kKey = "gcts.value";
constexpr uint32_t kItem = 1;  // the pair that with() adds

File value(Value v) { return with(kKey, std::move(v)); }

// The value, then a pair that a wrong width would hit.
File value_then_pair(Value v) {
  File file = value(std::move(v));
  file.set("gcts.after", Value::string("after"));
  return file;
}

template <typename T>
void extremes(Recipe& r, std::string_view name, Value (*make)(T)) {
  const std::string stem(name);
  r.valid(stem + "_min", value_then_pair(make(std::numeric_limits<T>::min())), "the smallest value");
  r.valid(stem + "_max", value_then_pair(make(std::numeric_limits<T>::max())), "the largest value");
}

Fault type(uint64_t id) {
  return [id](Written& w) { patch(w, FieldKind::value_type, kItem, id); };
}

Fault bits(uint64_t pattern) {
  return [pattern](Written& w) { patch(w, FieldKind::scalar, kItem, pattern); };
}

Fault short_by(uint64_t bytes) {
  return [bytes](Written& w) { cut(w, w.bytes.size() - bytes); };
}

}  // namespace

RECIPE(value_type_known) {
  r.valid("float64", value(Value::f64(1)), "12, the largest id there is");
  r.broken("13", "float64", "the first id that is not assigned", type(13));
  r.broken("99", "float64", "an id far from all others", type(99));
  r.broken("256_more", "float64", "its low byte is a sound id", type(256 + 12));
  r.broken("sign_bit", "float64", "negative when read as a signed number", type(0x8000000c));
  r.broken("all_ones", "float64", "-1 when read as a signed number", type(0xffffffff));
}

RECIPE(integers_exact) {
  extremes<uint8_t>(r, "u8", Value::u8);
  extremes<int8_t>(r, "i8", Value::i8);
  extremes<uint16_t>(r, "u16", Value::u16);
  extremes<int16_t>(r, "i16", Value::i16);
  extremes<uint32_t>(r, "u32", Value::u32);
  extremes<int32_t>(r, "i32", Value::i32);
  extremes<uint64_t>(r, "u64", Value::u64);
  extremes<int64_t>(r, "i64", Value::i64);
  r.valid("u64_above_2_to_53", value((Value::u64((uint64_t{1} << 53) + 1))),
          "the first integer that a double cannot hold");
  r.valid("i64_below_2_to_53", value(Value::i64(-(int64_t{1} << 53) - 1)),
          "the first negative integer that a double cannot hold");
}

RECIPE(float_bits) {
  const auto f32 = [](uint32_t pattern) {
    return value_then_pair(Value::scalar(ValueType::float32, pattern));
  };
  const auto f64 = [](uint64_t pattern) {
    return value_then_pair(Value::scalar(ValueType::float64, pattern));
  };
  r.valid("f32_minus_zero", f32(0x80000000), "a printed 0 has lost its sign");
  r.valid("f32_subnormal", f32(0x00000001), "flushed to zero where the mode says so");
  r.valid("f32_infinity", f32(0x7f800000), "JSON has no infinity");
  r.valid("f32_nan_payload", f32(0x7fc00001), "a quiet NaN with a payload");
  r.valid("f32_nan_signalling", f32(0x7f800001), "a conversion to double makes it quiet");
  r.valid("f64_minus_zero", f64(0x8000000000000000), "a printed 0 has lost its sign");
  r.valid("f64_subnormal", f64(1), "a reader that narrows to float gives 0");
  r.valid("f64_max", f64(0x7fefffffffffffff), "a reader that narrows to float gives infinity");
  r.valid("f64_nan_payload", f64(0x7ff8000000000001), "a quiet NaN with a payload");
  r.valid("f64_nan_signalling", f64(0xfff0000000000001), "a negative signalling NaN");
  r.valid("f64_tenth", f64(0x3fb999999999999a), "0.1 needs 17 digits to come back");
}

RECIPE(bool_is_zero_or_one) {
  r.valid("true", value(Value::boolean(true)), "the byte 1");
  r.valid("false", value(Value::boolean(false)), "the byte 0");
  r.broken("two", "true", "true to a reader that tests for zero, and written back as 1", bits(2));
  r.broken("127", "true", "the largest byte that is positive as an int8", bits(127));
  r.broken("128", "true", "the smallest byte that is negative as an int8", bits(128));
  r.broken("digit", "false", "the letter 0, by a writer of text", bits('0'));
}

RECIPE(bool_all_ones) {
  r.valid("true", value(Value::boolean(true)), "the byte 1");
  r.valid("false_then_pair", value_then_pair(Value::boolean(false)), "the byte 0, then another pair");
  r.broken("255", "true", "true in languages where true is -1", bits(255));
  r.broken("255_then_pair", "false_then_pair", "true in languages where true is -1", bits(255));
}

RECIPE(scalar_complete) {
  r.valid("u64", value(Value::u64(1)), "eight bytes end the file");
  r.valid("u16", value(Value::u16(1)), "two bytes end the file");
  r.valid("bool", value(Value::boolean(true)), "one byte ends the file");
  r.broken("u64_none_left", "u64", "the file ends after the type", short_by(8));
  r.broken("u64_five_left", "u64", "three bytes of eight are missing", short_by(3));
  r.broken("u64_seven_left", "u64", "the last byte is missing", short_by(1));
  r.broken("u16_one_left", "u16", "half of the value is missing", short_by(1));
  r.broken("bool_none_left", "bool", "the only byte is missing", short_by(1));
  r.broken("type_cut", "u64", "the file ends inside the type", short_by(10));
  r.broken("type_missing", "u64", "the file ends after the key", short_by(12));
}

RECIPE(enum_width) {
  r.valid("u8_zero", value_then_pair(Value::u8(0)), "type 0 and value 0: five zero bytes");
  r.valid("array_of_u8", value_then_pair(Value::array(ValueType::uint8, {Value::u8(0), Value::u8(0)})),
          "an element type of 0 before a count");
  r.valid("float64", value_then_pair(Value::f64(1)),
          "a reader with types of one byte finds three zeros before the value");
  r.valid("tensor_type", with_tensors({filled("a", tensor::f32, {8}), filled("b", tensor::i64, {4})}),
          "tensor types of four bytes");
}

RECIPE(count_type_free) {
  r.valid("u32", with("gcts.context_length", Value::u32(4096)),
          "a context length as uint32, as most files have it");
  r.valid("u64", with("gcts.context_length", Value::u64(4096)),
          "a context length as uint64, as the document has it");
  r.valid("u64_large", with("gcts.context_length", Value::u64(uint64_t{1} << 33)),
          "a context length that needs more than 32 bits");
}

RECIPE(values_packed) {
  r.valid("u8_then_pair", value_then_pair(Value::u8(1)), "the next key's length stands at an odd offset");
  r.valid("u16_then_pair", value_then_pair(Value::u16(1)), "the next key's length stands two bytes off");
  File file = minimal();
  for (int i = 0; i < 9; ++i)
    file.set("gcts." + std::string(1 + static_cast<size_t>(i), 'k'), Value::u64(static_cast<uint64_t>(i)));
  r.valid("every_offset", file, "eight-byte values at each offset modulo 8");
}

}  // namespace gcts
