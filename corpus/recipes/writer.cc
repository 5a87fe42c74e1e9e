// Recipes for writers: a model is asked for, and what comes out is judged.

#include <string>

#include "corpus/models.h"
#include "corpus/recipe.h"
#include "reference/tensor_type.h"

namespace gcts {
namespace {

using namespace std::string_literals;

WriteCase asked(File model) {
  WriteCase write;
  write.model = std::move(model);
  return write;
}

WriteCase asked(File model, WriteStrategy strategy) {
  WriteCase write = asked(std::move(model));
  write.strategy = strategy;
  return write;
}

// The plugin's own reader supplies the model.
WriteCase read_back(File model) {
  WriteCase write = asked(std::move(model));
  write.via_reader = true;
  return write;
}

WriteCase impossible(File model) {
  WriteCase write = asked(std::move(model));
  write.must_refuse = true;
  return write;
}

WriteCase failing(File model, WriteStrategy strategy) {
  WriteCase write = asked(std::move(model), strategy);
  write.output_fails = true;
  return write;
}

File aligned(uint32_t alignment) {
  File file = with_tensors({filled("first", tensor::i8, {5}), filled("second", tensor::i8, {5})});
  file.set(kAlignmentKey, Value::u32(alignment));
  return file;
}

File odd_tensors() {
  return with_tensors({filled("first", tensor::i8, {5}), filled("second", tensor::f16, {3})});
}

// A value whose bits do not fit its type.
Value out_of_range(ValueType type, uint64_t bits) {
  Value value = Value::scalar(type, 0);
  value.bits = bits;
  return value;
}

constexpr struct {
  std::string_view name;
  WriteStrategy strategy;
} kStrategies[] = {{"whole", WriteStrategy::whole},
                   {"metadata_first", WriteStrategy::metadata_first},
                   {"reserve", WriteStrategy::reserve}};

File vocabulary(size_t count) {
  std::vector<std::string> tokens;
  for (size_t i = 0; i < count; ++i) tokens.push_back("token" + std::to_string(i));
  return with("tokenizer.ggml.tokens", Value::strings(std::move(tokens)));
}

}  // namespace

RECIPE(writes_version_3) {
  r.write("minimal", "one writer still writes version 2", asked(minimal()));
  r.write("empty", "no pairs and no tensors", asked(File{}));
  r.write("one_tensor", "a model with a tensor", asked(one_tensor()));
}

RECIPE(rewrite_identical) {
  r.write("rich", "every kind of value comes back as the same bytes", read_back(rich()));
  r.write("tensors", "offsets and padding come back", read_back(odd_tensors()));
  r.write("trailing_one", "a dimension of 1 at the end is kept",
          read_back(with_tensors({filled("weight", tensor::f32, {2, 2, 2, 1})})));
  r.write("empty_values", "empty strings and arrays are kept", read_back([] {
            File file = with("gcts.text", Value::string(""));
            file.set("gcts.list", Value::array(ValueType::int16, {}));
            file.set("gcts.words", Value::strings({"", ""}));
            return file;
          }()));
  r.write("strings_with_nul", "bytes behind a NUL are kept",
          read_back(with("gcts.text", Value::string("a\0b\0"s))));
  r.write("float_bits", "a NaN keeps its payload, zero its sign", read_back([] {
            File file = with("gcts.nan", Value::scalar(ValueType::float32, 0x7fc01234));
            file.set("gcts.zero", Value::scalar(ValueType::float64, uint64_t{1} << 63));
            return file;
          }()));
  r.write("quantized", "blocks are kept byte by byte",
          read_back(with_tensors({filled("a", tensor::q4_k, {256}), filled("b", tensor::iq2_xs, {512})})));
}

RECIPE(rewrite_stable) {
  r.write("rich", "a second round changes nothing", read_back(rich()));
  r.write("alignment_64", "a declared alignment is kept", read_back(aligned(64)));
  r.write("unsorted", "the order of keys is kept", read_back([] {
            File file = with("gcts.z", Value::u8(1));
            file.set("gcts.a", Value::u8(2));
            file.set("gcts.m", Value::u8(3));
            return file;
          }()));
}

RECIPE(writes_zero_padding) {
  r.write("two_tensors", "27 bytes between two tensors", asked(odd_tensors()));
  r.write("alignment_4096", "almost a page between two tensors", asked(aligned(4096)));
  for (const auto& [name, strategy] : kStrategies)
    r.write("strategy_" + std::string(name), "padding is zero however the bytes are produced",
            asked(odd_tensors(), strategy));
}

RECIPE(writes_last_padding) {
  r.write("i8", "ggml does not load a file whose last tensor is not padded",
          asked(with_tensors({filled("weight", tensor::i8, {5})})));
  r.write("two_tensors", "the second tensor has six bytes", asked(odd_tensors()));
  r.write("alignment_64", "the padding follows the declared alignment", asked(aligned(64)));
}

RECIPE(writes_declared_alignment) {
  for (const uint32_t alignment : {8u, 32u, 64u, 256u, 4096u})
    r.write(std::to_string(alignment), "a writer that keeps to 32 writes a file that nobody can read",
            asked(aligned(alignment)));
  r.write("without_tensors", "an alignment and nothing to align", asked(with(kAlignmentKey, Value::u32(64))));
}

RECIPE(alignment_change_consistent) {
  r.write("absent", "the key is not there: the layout is that of 32", asked(odd_tensors()));
  r.write("last_key", "the key comes after all others", asked([] {
            File file = odd_tensors();
            file.set("gcts.a", Value::u8(1));
            file.set(kAlignmentKey, Value::u32(128));
            return file;
          }()));
  File removed = aligned(64);
  std::erase_if(removed.metadata, [](const KeyValue& pair) { return pair.key == kAlignmentKey; });
  r.write("removed", "the key was removed from a model that had 64", asked(std::move(removed)));
}

RECIPE(writes_given_order) {
  const auto keys = [](std::vector<std::string> names) {
    File file = minimal();
    for (const std::string& name : names) file.set(name, Value::u8(1));
    return file;
  };
  r.write("unsorted_keys", "a writer that sorts gives a, m, z", asked(keys({"gcts.z", "gcts.a", "gcts.m"})));
  r.write("number_keys", "a host object puts keys that are numbers first",
          asked(keys({"gcts.b", "gcts.2", "gcts.10", "gcts.1"})));
  r.write(
      "unsorted_tensors", "a writer that sorts or groups by block moves them",
      asked(with_tensors({filled("blk.1.weight", tensor::i8, {32}), filled("output.weight", tensor::i8, {32}),
                          filled("blk.0.weight", tensor::i8, {32})})));
}

RECIPE(writes_empty_array) {
  for (const ValueType type : {ValueType::uint8, ValueType::string, ValueType::float64, ValueType::boolean})
    r.write(value_type_name(type), "some writers drop the key, others change the element type",
            asked(with("gcts.list", Value::array(type, {}))));
}

RECIPE(writes_empty_string) {
  r.write("value", "some writers drop the key", asked(with("gcts.text", Value::string(""))));
  r.write("element", "an empty element at both ends",
          asked(with("gcts.words", Value::strings({"", "a", ""}))));
  r.write("then_pair", "another pair follows", asked([] {
            File file = with("gcts.text", Value::string(""));
            file.set("gcts.after", Value::u32(1));
            return file;
          }()));
}

RECIPE(writes_byte_array) {
  r.write(
      "three", "type 0 is falsy in some host languages",
      asked(with("gcts.list", Value::array(ValueType::uint8, {Value::u8(1), Value::u8(2), Value::u8(255)}))));
  r.write("zeros", "zeros throughout",
          asked(with("gcts.list", Value::array(ValueType::uint8, {Value::u8(0), Value::u8(0)}))));
  r.write(
      "int8", "the signed twin",
      asked(with("gcts.list", Value::array(ValueType::int8, {Value::i8(-1), Value::i8(0), Value::i8(127)}))));
}

RECIPE(writes_nested_array) {
  const auto model = [](Value v) { return asked(with("gcts.list", std::move(v))); };
  r.write("two_rows", "written or refused, never flattened",
          model(Value::array(ValueType::array, {Value::array(ValueType::uint8, {Value::u8(1)}),
                                                Value::array(ValueType::uint8, {Value::u8(2)})})))
      .breaks(rule::nested_array)
      .either("undefined");
  r.write("depth_3", "written or refused, never flattened", model(nested(3)))
      .breaks(rule::nested_array)
      .either("undefined");
  r.write("strings", "written or refused, never flattened",
          model(Value::array(ValueType::array, {Value::strings({"a"}), Value::strings({"b", "c"})})))
      .breaks(rule::nested_array)
      .either("undefined");
}

RECIPE(writes_bool) {
  r.write("true", "the byte 1", asked(with("gcts.flag", Value::boolean(true))));
  r.write("false", "the byte 0", asked(with("gcts.flag", Value::boolean(false))));
  r.write(
      "array", "one byte an element",
      asked(with("gcts.flags", Value::array(ValueType::boolean, {Value::boolean(true), Value::boolean(false),
                                                                 Value::boolean(true)}))));
}

RECIPE(writes_no_duplicates) {
  r.write("distinct", "two keys and two tensors", asked([] {
            File file = two_tensors();
            file.set("gcts.a", Value::u8(1));
            return file;
          }()));
  r.write("key", "one key with two values", impossible([] {
            File file = with("gcts.a", Value::u8(1));
            file.metadata.push_back({"gcts.a", Value::u8(2)});
            return file;
          }()));
  r.write("tensor", "one name for two tensors",
          impossible(with_tensors({filled("weight", tensor::i8, {32}), filled("weight", tensor::i8, {32})})));
}

RECIPE(refuses_long_name) {
  const auto name = [](size_t size) {
    return with_tensors({filled(std::string(size, 'n'), tensor::f32, {8})});
  };
  r.write("63_bytes", "the longest name that every reader takes", asked(name(63)));
  r.write("65_bytes", "a writer that cuts it can make two tensors of one name", impossible(name(65)));
  r.write("200_bytes", "far above the limit", impossible(name(200)));
  r.write("two_cut_alike", "two names that are one after 64 bytes",
          impossible(with_tensors({filled(std::string(64, 'n') + "a", tensor::f32, {8}),
                                   filled(std::string(64, 'n') + "b", tensor::f32, {8})})));
}

RECIPE(strategies_agree) {
  const std::pair<std::string_view, File> models[] = {{"rich", rich()},
                                                      {"odd_tensors", odd_tensors()},
                                                      {"alignment_4096", aligned(4096)},
                                                      {"minimal", minimal()}};
  for (const auto& [model_name, model] : models)
    for (const auto& [name, strategy] : kStrategies)
      r.write(std::string(model_name) + "_" + std::string(name),
              "every way to write the model gives the same bytes", asked(model, strategy));
}

RECIPE(reports_output_error) {
  for (const auto& [name, strategy] : kStrategies)
    r.write("two_tensors_" + std::string(name), "a full disk must not look like a written file",
            failing(two_tensors(), strategy));
  r.write("minimal", "a file so small that a buffer hides the error until it is closed",
          failing(minimal(), WriteStrategy::whole));
}

RECIPE(writes_big_endian) {
  const auto big = [](File file) { return asked(in_order(std::move(file), ByteOrder::big)); };
  r.write("rich", "every field of several bytes is swapped", big(rich())).breaks(rule::big_endian_version_3);
  r.write("tensors", "the infos are swapped", big(two_tensors())).breaks(rule::big_endian_version_3);
  r.write("arrays", "element type, count and elements are swapped", big([] {
            File file = with("gcts.list", Value::array(ValueType::uint64,
                                                       {Value::u64(1), Value::u64(0x0102030405060708)}));
            file.set("gcts.words", Value::strings({"ab", "c"}));
            return file;
          }()))
      .breaks(rule::big_endian_version_3);
}

RECIPE(refuses_elided_value) {
  r.write("5000_tokens", "a reader that keeps only short arrays gives the writer an empty one",
          read_back(vocabulary(5000)));
  r.write("70000_tokens", "more tokens than 16 bits can count", read_back(vocabulary(70'000)));
  r.write("long_bytes", "a long array of bytes", read_back(with("gcts.list", [] {
            std::vector<Value> elements(10'000, Value::u8(3));
            return Value::array(ValueType::uint8, std::move(elements));
          }())));
}

RECIPE(writes_keys_verbatim) {
  r.write("split", "one writer puts the architecture in front of keys that it does not know",
          asked(with("split.no", Value::u16(0))));
  r.write("two_segments", "a key of a community", asked(with("rustformers.note", Value::string("x"))));
  r.write("long", "a key of many segments", asked(with("gcts.a.b.c.d.e", Value::u32(1))));
}

RECIPE(writes_true_counts) {
  r.write("none", "0 and 0", asked(File{}));
  r.write("pairs", "seven pairs and no tensor", asked([] {
            File file = minimal();
            for (const char c : "abcdef"s) file.set("gcts."s + c, Value::u8(1));
            return file;
          }()));
  r.write("tensors", "one pair and nine tensors", asked([] {
            std::vector<Tensor> tensors;
            for (int i = 0; i < 9; ++i) tensors.push_back(filled("t" + std::to_string(i), tensor::i8, {3}));
            return with_tensors(std::move(tensors));
          }()));
}

RECIPE(refuses_mixed_array) {
  r.write("number_and_string", "an array of a number and a string",
          impossible(with("gcts.list", Value::array(ValueType::uint8, {Value::u8(1), Value::string("a")}))));
  r.write("widths", "an array of a byte and a longer number",
          impossible(with("gcts.list", Value::array(ValueType::uint8, {Value::u8(1), Value::u32(70'000)}))));
  r.write("string_and_number", "an array of a string and a number",
          impossible(with("gcts.list", Value::array(ValueType::string, {Value::string("a"), Value::u8(1)}))));
  r.write("sound", "an array of one type",
          asked(with("gcts.list", Value::array(ValueType::uint8, {Value::u8(1), Value::u8(2)}))));
}

RECIPE(refuses_out_of_range) {
  r.write("u8_256", "256 as uint8: a writer that cuts it writes 0",
          impossible(with("gcts.value", out_of_range(ValueType::uint8, 256))));
  r.write("u16_65536", "65536 as uint16",
          impossible(with("gcts.value", out_of_range(ValueType::uint16, 65'536))));
  r.write("u32_two_to_32", "2^32 as uint32",
          impossible(with("gcts.value", out_of_range(ValueType::uint32, uint64_t{1} << 32))));
  r.write("bool_two", "2 as bool", impossible(with("gcts.value", out_of_range(ValueType::boolean, 2))));
  r.write("u8_255", "the largest uint8", asked(with("gcts.value", Value::u8(255))));
}

}  // namespace gcts
