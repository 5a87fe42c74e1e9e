// Recipes for metadata keys.

#include "corpus/models.h"
#include "corpus/recipe.h"

namespace gcts {
namespace {

using namespace std::string_literals;

constexpr uint32_t kItem = 1;  // the pair that with() adds

File key(std::string_view name) { return with(name, Value::u32(7)); }

File keys(std::string_view one, std::string_view two) {
  File file = key(one);
  file.metadata.push_back({std::string(two), Value::u32(8)});
  return file;
}

Fault renamed(std::string_view name) {
  return [name = std::string(name)](File& f) { f.metadata[kItem].key = name; };
}

std::string number(uint64_t value, int digits) {
  std::string text = std::to_string(value);
  return std::string(static_cast<size_t>(digits) - text.size(), '0') + text;
}

}  // namespace

RECIPE(key_not_empty) {
  r.valid("named", key("gcts.a"), "a key of two segments");
  r.broken("empty", "named", "most readers keep a value under the empty key", renamed(""));
  File file = keys("gcts.a", "gcts.b");
  r.valid("two_named", file, "two keys");
  r.broken(
      "two_empty", "two_named",
      "an empty key before another pair: a reader that takes length 0 for its default buffer loses its place",
      renamed(""));
}

RECIPE(key_charset) {
  r.valid("lower_snake_case", key("gcts.lower_snake_case_2"), "letters, digits, underscores and dots");
  struct Row {
    std::string_view suffix, key, comment;
  };
  constexpr Row kRows[] = {
      {"upper", "gcts.Context", "an upper-case letter"},
      {"all_upper", "GCTS.CONTEXT", "upper-case letters only"},
      {"space", "gcts.a b", "a space inside"},
      {"leading_space", " gcts.a", "a space in front"},
      {"trailing_space", "gcts.a ", "a space behind"},
      {"dash", "gcts.a-b", "a dash, as in the names of architectures"},
      {"slash", "gcts/a", "a slash instead of a dot"},
      {"newline", "gcts.a\n", "a line end"},
      {"colon", "gcts:a", "a colon"},
      {"quote", "gcts.\"a\"", "quotes, which a report has to escape"},
      {"delete", "gcts.a\x7f", "a control character above the letters"},
  };
  for (const Row& row : kRows) r.broken(row.suffix, "lower_snake_case", row.comment, renamed(row.key));
}

RECIPE(hyphen_in_architecture_key) {
  const auto model = [](std::string_view name) { return key(name); };
  r.valid("without_hyphen", model("gcts.context_length"), "the neighbour that keeps to the charset");
  r.broken("command_r", "without_hyphen", "published models use the prefix command-r",
           renamed("command-r.context_length"))
      .breaks(rule::key_charset);
  r.broken("gpt_oss", "without_hyphen", "published models use the prefix gpt-oss",
           renamed("gpt-oss.context_length"))
      .breaks(rule::key_charset);
}

RECIPE(key_digit_segment) {
  File file = key("gcts.0.name");
  r.valid("digit", file, "a segment of one digit");
  r.valid("digits", key("gcts.2024.part_3"), "a segment of digits and one that ends in a digit");
  file = minimal();
  file.set("general.base_model.count", Value::u32(1));
  file.set("general.base_model.0.name", Value::string("base"));
  r.valid("base_model", file, "keys that the document itself lists");
}

RECIPE(key_is_ascii) {
  r.valid("ascii", key("gcts.e"), "an ASCII letter");
  r.broken("accent", "ascii", "a letter with an accent, sound UTF-8", renamed("gcts.\xc3\xa9"));
  r.broken("stray_byte", "ascii", "a byte that is no UTF-8 either", renamed("gcts.\xff"));
  r.broken("cyrillic", "ascii", "a Cyrillic letter that looks like the ASCII one", renamed("gcts.\xd0\xb5"));
  r.broken("full_width", "ascii", "a full-width dot",
           renamed("gcts\xef\xbc\x8e"
                   "e"));
}

RECIPE(key_length) {
  constexpr size_t kMax = 65535;
  const auto of = [](size_t size) { return "gcts." + std::string(size - 5, 'k'); };
  r.valid("max", key(of(kMax)), "the longest key there may be");
  r.valid("max_less_one", key(of(kMax - 1)), "one byte less than the longest");
  r.broken("one_more", "max", "one byte more than fits 16 bits", renamed(of(kMax + 1)));
  r.broken("twice", "max", "twice the longest", renamed(of(2 * kMax)));
}

RECIPE(key_unique) {
  r.valid("distinct", keys("gcts.a", "gcts.b"), "two keys");
  r.broken("same_type", "distinct", "readers give the first value, the last, both or none", [](File& f) {
     f.metadata[2].key = "gcts.a";
   }).either("undefined");
  r.broken("same_value", "distinct", "a pair written twice", [](File& f) {
     f.metadata[2] = f.metadata[1];
   }).either("undefined");
  r.broken("other_type", "distinct", "the same key with a value of another type", [](File& f) {
     f.metadata[2] = {"gcts.a", Value::string("b")};
   }).either("undefined");
  File file = keys("gcts.a", "gcts.b");
  file.set("gcts.c", Value::u32(9));
  r.valid("three", file, "three keys");
  r.broken("apart", "three", "the two occurrences do not stand side by side", [](File& f) {
     f.metadata[3].key = "gcts.a";
   }).either("undefined");
  r.broken("architecture", "distinct", "two architectures: which model is this?", [](File& f) {
     f.metadata[2] = {"general.architecture", Value::string("llama")};
   }).either("undefined");
}

RECIPE(keys_not_normalised) {
  r.valid("distinct", keys("gcts.a", "gcts.a_"), "two keys of the charset, one the beginning of the other");
  const auto second = [](std::string name) { return [name](File& f) { f.metadata[2].key = name; }; };
  r.broken("trailing_nul", "distinct", "equal after NULs are stripped", second("gcts.a\0"s))
      .breaks(rule::key_without_nul);
  r.broken("space", "distinct", "equal after white space is trimmed", second(" gcts.a"))
      .breaks(rule::key_charset);
  r.broken("byte", "distinct", "a stray byte that a lossy decoder maps to U+FFFD", second("gcts.a\xff"))
      .breaks(rule::key_is_ascii);
}

RECIPE(key_without_nul) {
  r.valid("plain", key("gcts.a"), "a key without NUL");
  r.broken("inside", "plain", "as a C string it answers to \"gcts\"", renamed("gcts\0.a"s));
  r.broken("trailing", "plain", "as a C string it answers to \"gcts.a\"", renamed("gcts.a\0"s));
  File file = with("gcts.alignment", Value::u32(64));
  file.set(kAlignmentKey, Value::u32(32));
  r.valid("alignment", file, "the alignment, and a key with another name before it");
  r.broken("shadows_alignment", "alignment", "ggml takes the first key as the alignment",
           [](File& f) { f.metadata[kItem].key = "general.alignment\0x"s; });
}

RECIPE(key_special_to_host) {
  r.valid("dotted_proto", key("gcts.__proto__"),
          "a reader that builds nested objects changes their prototype");
  r.valid("dotted_constructor", key("gcts.constructor"), "a property that every JavaScript object has");
  r.valid("dotted_class", keys("gcts.__class__", "gcts.__init__"), "attributes that every Python object has");
  for (const std::string_view name : {"__proto__", "constructor", "__class__", "null", "true", "nan"})
    r.valid(name, key(name), "a reader that keeps keys in a host object loses this one").either("undefined");
  File file = minimal();
  file.set("__proto__", Value::array(ValueType::uint8, {Value::u8(1), Value::u8(2)}));
  r.valid("__proto___array", file, "an array as the prototype of the metadata object").either("undefined");
}

RECIPE(key_equal_to_reader_field) {
  r.valid("gguf_version", with("gguf.version", Value::u32(77)),
          "a reader that keeps the header among the metadata calls it so");
  r.valid("parameter_count", with("general.parameter_count", Value::u64(1)),
          "a reader that computes the number of parameters stores it here");
  r.valid("gguf_counts", keys("gguf.tensor_count", "gguf.kv_count"),
          "a reader that keeps the header among the metadata calls them so");
  for (const std::string_view name : {"version", "tensor_count", "kv_count", "metadata", "tensors"})
    r.valid(name, key(name), "the reader's own field of this name must not win").either("undefined");
}

RECIPE(key_segments_not_empty) {
  r.valid("two_segments", key("gcts.a.b"), "three segments");
  r.broken("in_the_middle", "two_segments", "two dots in a row", renamed("gcts..b"));
  r.broken("in_front", "two_segments", "a dot in front", renamed(".gcts.a"));
  r.broken("at_the_end", "two_segments", "a dot at the end", renamed("gcts.a."));
  r.broken("dot", "two_segments", "a dot and nothing else", renamed("."));
}

RECIPE(unknown_key) {
  r.valid("community", key("rustformers.note"), "a key in the name space of a community");
  r.valid("general", with("general.color", Value::string("blue")),
          "a key of the general name space that nobody defines");
  r.valid("deep", key("gcts.a.b.c.d.e.f.g"), "a key of many segments");
}

RECIPE(many_keys) {
  r.family("short_keys", "readers that look for duplicates key by key take quadratic time", 50'000,
           [](uint64_t n) {
             File file = minimal();
             for (uint64_t i = 0; i < n; ++i)
               file.metadata.push_back({"k." + number(i, 9), Value::u32(static_cast<uint32_t>(i))});
             return write_bytes(file);
           });
  r.family("common_prefix", "keys that differ in their last bytes make comparisons dear", 20'000,
           [](uint64_t n) {
             File file = minimal();
             const std::string prefix = "gcts." + std::string(60, 'p') + "_";
             for (uint64_t i = 0; i < n; ++i) file.metadata.push_back({prefix + number(i, 9), Value::u8(1)});
             return write_bytes(file);
           });
}

RECIPE(key_case_sensitive) {
  r.valid("lower", keys("gcts.a", "gcts.b"), "two keys in lower case");
  r.broken("twins", "lower", "equal to a reader that ignores case", [](File& f) {
     f.metadata[2].key = "gcts.A";
   }).breaks(rule::key_charset);
  r.broken("first_upper", "lower", "the twin in upper case comes first", [](File& f) {
     f.metadata[1].key = "gcts.B";
   }).breaks(rule::key_charset);
}

}  // namespace gcts
