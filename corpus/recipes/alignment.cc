// Recipes for general.alignment.

#include "corpus/models.h"
#include "corpus/recipe.h"

namespace gcts {
namespace {

constexpr uint32_t kItem = 1;  // the pair of general.alignment

File aligned(uint32_t alignment) { return with(kAlignmentKey, Value::u32(alignment)); }

// Two tensors laid out for an alignment.
File aligned_tensors(uint32_t alignment) {
  File file = two_tensors();
  file.set(kAlignmentKey, Value::u32(alignment));
  return file;
}

// A model whose tensor infos end `offset` bytes past a multiple of `modulus`.
File infos_ending_at(uint32_t offset, uint32_t modulus, uint32_t alignment) {
  File file = alignment == kDefaultAlignment ? two_tensors() : aligned_tensors(alignment);
  file.set("gcts.filler", Value::string(""));
  const uint64_t end = write(file).find(FieldKind::tensor_offset, 1)->offset + 8;
  file.set("gcts.filler", Value::string(std::string((offset + 2 * modulus - end % modulus) % modulus, 'f')));
  return file;
}

Fault alignment(uint32_t value) {
  return [value](File& f) { f.set(kAlignmentKey, Value::u32(value)); };
}

Fault value(Value v) {
  return [v](File& f) { f.set(kAlignmentKey, v); };
}

}  // namespace

RECIPE(alignment_default) {
  r.valid("two_tensors", two_tensors(), "no key: the data and the second tensor lie at multiples of 32");
  for (const uint32_t offset : {0u, 1u, 31u})
    r.valid("infos_end_at_" + std::to_string(offset), infos_ending_at(offset, 32, kDefaultAlignment),
            "the padding before the data has 0, 31 and 1 bytes");
}

RECIPE(alignment_is_uint32) {
  r.valid("uint32", aligned(32), "32 as uint32");
  r.valid("uint32_tensors", aligned_tensors(32), "32 as uint32, with tensors");
  r.broken("uint64", "uint32", "32 as uint64", value(Value::u64(32)));
  r.broken("int32", "uint32", "32 as int32", value(Value::i32(32)));
  r.broken("uint16", "uint32", "32 as uint16", value(Value::u16(32)));
  r.broken("uint8", "uint32", "32 as uint8", value(Value::u8(32)));
  r.broken("int64", "uint32", "32 as int64", value(Value::i64(32)));
  r.broken("float32", "uint32", "32 as float32", value(Value::f32(32)));
  r.broken("float64", "uint32", "32 as float64", value(Value::f64(32)));
  r.broken("bool", "uint32", "true", value(Value::boolean(true)));
  r.broken("string", "uint32", "\"32\": a host language may add it to a number by joining texts",
           value(Value::string("32")));
  r.broken("array", "uint32", "[32]: a host language may turn it into 32",
           value(Value::array(ValueType::uint32, {Value::u32(32)})));
  r.broken("uint64_tensors", "uint32_tensors", "32 as uint64, with tensors", value(Value::u64(32)));
}

RECIPE(alignment_honoured) {
  for (const uint32_t alignment : {8u, 16u, 64u, 128u, 4096u})
    r.valid(std::to_string(alignment), aligned_tensors(alignment), "the data lie elsewhere than with 32");
  r.valid("64_infos_end_aligned", infos_ending_at(0, 64, 64), "no padding before the data");
  r.valid("64_infos_end_half_way", infos_ending_at(32, 64, 64),
          "a start aligned to 32 and one aligned to 64 differ");
}

RECIPE(alignment_not_zero) {
  r.valid("32", aligned(32), "the default, said aloud");
  r.valid("32_tensors", aligned_tensors(32), "the default, said aloud, with tensors");
  r.broken("zero", "32", "a division by zero", alignment(0));
  r.broken("zero_tensors", "32_tensors", "a division by zero when the data are looked for", alignment(0));
}

RECIPE(alignment_power_of_two) {
  r.valid("64", aligned(64), "a power of two");
  r.valid("64_tensors", aligned_tensors(64), "a power of two, with tensors");
  for (const uint32_t value : {24u, 40u, 48u, 1000u})
    r.broken(std::to_string(value), "64", "a multiple of 8, as the document has it, and no power of two",
             alignment(value));
  r.broken("24_tensors", "64_tensors", "a reader that rounds with a bit mask finds other data",
           alignment(24));
  r.broken("40_tensors", "64_tensors", "a reader that rounds with a bit mask finds other data",
           alignment(40));
}

RECIPE(alignment_multiple_of_8) {
  r.valid("8", aligned(8), "the smallest alignment of the document");
  r.valid("8_tensors", aligned_tensors(8), "the smallest alignment of the document, with tensors");
  for (const uint32_t value : {1u, 2u, 4u})
    r.broken(std::to_string(value), "8", "a power of two, which is all that ggml asks for", alignment(value));
  r.broken("4_tensors", "8_tensors", "a power of two, which is all that ggml asks for, with tensors",
           alignment(4));
  r.broken("1_tensors", "8_tensors", "no padding at all", alignment(1));
}

RECIPE(alignment_legal) {
  r.valid("32", aligned(32), "the default, said aloud");
  for (const uint32_t value : {3u, 7u, 12u, 13u, 33u, 100u, 0x7fffffffu, 0xffffffffu})
    r.broken(std::to_string(value), "32", "neither a power of two nor a multiple of 8", alignment(value));
}

RECIPE(alignment_large) {
  r.valid("65536_no_tensors", aligned(65'536), "64 KiB, without data");
  r.valid("65536", aligned_tensors(65'536), "64 KiB: the size of a large page");
  r.valid("two_to_20", aligned(1u << 20), "one MiB, without data");
  r.valid("two_to_31", aligned(1u << 31), "negative as an int32, without data").either("undefined");
}

RECIPE(alignment_key_anywhere) {
  File file = two_tensors();
  file.metadata.insert(file.metadata.begin(), {std::string(kAlignmentKey), Value::u32(64)});
  r.valid("first", file, "the first of all pairs");
  file = two_tensors();
  file.set("gcts.a", Value::string("before"));
  file.set(kAlignmentKey, Value::u32(64));
  r.valid("last", file, "the last of all pairs");
  file.set("gcts.b", Value::strings({"after", "it"}));
  r.valid("middle", file, "between other pairs");
}

}  // namespace gcts
