// Recipes for the tokenizer's metadata: lint, as for the architecture.

#include "corpus/models.h"
#include "corpus/recipe.h"
#include "reference/tensor_type.h"

namespace gcts {
namespace {

Value floats(size_t count) {
  std::vector<Value> values;
  for (size_t i = 0; i < count; ++i) values.push_back(Value::f32(-static_cast<float>(i)));
  return Value::array(ValueType::float32, std::move(values));
}

Value types(std::vector<int32_t> ids) {
  std::vector<Value> values;
  for (const int32_t id : ids) values.push_back(Value::i32(id));
  return Value::array(ValueType::int32, std::move(values));
}

// Four tokens and all that belongs to them.
File vocabulary() {
  File file = minimal();
  file.set("tokenizer.ggml.model", Value::string("llama"));
  file.set("tokenizer.ggml.tokens", Value::strings({"<unk>", "<s>", "a", "b"}));
  file.set("tokenizer.ggml.scores", floats(4));
  file.set("tokenizer.ggml.token_type", types({2, 3, 1, 1}));
  return file;
}

File vocabulary_with(std::string_view key, Value value) {
  File file = vocabulary();
  file.set(key, std::move(value));
  return file;
}

Fault set(std::string_view key, Value value) {
  return [key, value](File& f) { f.set(key, value); };
}

}  // namespace

RECIPE(tokens_are_strings) {
  r.valid("strings", with("tokenizer.ggml.tokens", Value::strings({"a", "b"})), "an array of strings");
  r.broken("numbers", "strings", "an array of numbers",
           set("tokenizer.ggml.tokens", Value::array(ValueType::uint32, {Value::u32(1), Value::u32(2)})));
  r.broken("string", "strings", "one string", set("tokenizer.ggml.tokens", Value::string("a b")));
  r.broken("bytes", "strings", "an array of bytes",
           set("tokenizer.ggml.tokens", Value::array(ValueType::uint8, {Value::u8('a'), Value::u8('b')})));
}

RECIPE(scores_match_tokens) {
  r.valid("four", vocabulary(), "four tokens and four scores");
  r.broken("one_short", "four", "a loader that trusts the number of tokens reads past the scores",
           set("tokenizer.ggml.scores", floats(3)));
  r.broken("one_more", "four", "five scores for four tokens", set("tokenizer.ggml.scores", floats(5)));
  r.broken("none", "four", "an empty array of scores", set("tokenizer.ggml.scores", floats(0)));
  r.broken("float64", "four", "scores of another type: a loader that casts reads half of them", [](File& f) {
    f.set("tokenizer.ggml.scores",
          Value::array(ValueType::float64, {Value::f64(0), Value::f64(1), Value::f64(2), Value::f64(3)}));
  });
  r.broken("bytes", "four", "scores of one byte: a loader that casts reads past the array", [](File& f) {
    f.set("tokenizer.ggml.scores",
          Value::array(ValueType::uint8, {Value::u8(0), Value::u8(1), Value::u8(2), Value::u8(3)}));
  });
}

RECIPE(token_types_match_tokens) {
  r.valid("four", vocabulary(), "four tokens and four types");
  r.valid(
      "all_types",
      [] {
        File file = minimal();
        file.set("tokenizer.ggml.tokens", Value::strings({"a", "b", "c", "d", "e", "f"}));
        file.set("tokenizer.ggml.token_type", types({1, 2, 3, 4, 5, 6}));
        return file;
      }(),
      "each type there is");
  r.broken("one_short", "four", "a loader that trusts the number of tokens reads past the types",
           set("tokenizer.ggml.token_type", types({2, 3, 1})));
  r.broken("zero", "four", "0 is no type", set("tokenizer.ggml.token_type", types({2, 3, 1, 0})));
  r.broken("seven", "four", "7 is no type", set("tokenizer.ggml.token_type", types({2, 3, 7, 1})));
  r.broken("negative", "four", "-1 is no type", set("tokenizer.ggml.token_type", types({-1, 3, 1, 1})));
  r.broken("bytes", "four", "types of one byte: a loader that casts reads past the array", [](File& f) {
    f.set("tokenizer.ggml.token_type",
          Value::array(ValueType::uint8, {Value::u8(2), Value::u8(3), Value::u8(1), Value::u8(1)}));
  });
}

RECIPE(special_token_in_range) {
  r.valid("last", vocabulary_with("tokenizer.ggml.bos_token_id", Value::u32(3)), "the id of the last token");
  r.valid(
      "all",
      [] {
        File file = vocabulary_with("tokenizer.ggml.bos_token_id", Value::u32(1));
        file.set("tokenizer.ggml.eos_token_id", Value::u32(2));
        file.set("tokenizer.ggml.unknown_token_id", Value::u32(0));
        file.set("tokenizer.ggml.padding_token_id", Value::u32(3));
        return file;
      }(),
      "four special tokens");
  r.broken("one_past", "last", "the id is the number of tokens",
           set("tokenizer.ggml.bos_token_id", Value::u32(4)));
  r.broken("all_ones", "last", "-1 when read as a signed number",
           set("tokenizer.ggml.bos_token_id", Value::u32(0xffffffff)));
  r.broken("eos_one_past", "all", "the id of another special token is the number of tokens",
           set("tokenizer.ggml.eos_token_id", Value::u32(4)));
  r.broken("int32", "last", "an id of another type", set("tokenizer.ggml.bos_token_id", Value::i32(3)));
}

RECIPE(separator_key_spelling) {
  r.valid("document", vocabulary_with("tokenizer.ggml.separator_token_id", Value::u32(1)),
          "as the document spells it");
  r.valid("practice", vocabulary_with("tokenizer.ggml.seperator_token_id", Value::u32(1)),
          "as every implementation spells it");
  r.valid(
      "both",
      [] {
        File file = vocabulary_with("tokenizer.ggml.separator_token_id", Value::u32(1));
        file.set("tokenizer.ggml.seperator_token_id", Value::u32(1));
        return file;
      }(),
      "both spellings, one value");
}

RECIPE(merges_are_pairs) {
  r.valid("pairs", vocabulary_with("tokenizer.ggml.merges", Value::strings({"a b", "ab c", "\xc4\xa0t h"})),
          "two parts joined by a space each");
  r.broken("no_space", "pairs", "one part", set("tokenizer.ggml.merges", Value::strings({"a b", "ab"})));
  r.broken("empty", "pairs", "no part", set("tokenizer.ggml.merges", Value::strings({"a b", ""})));
  r.broken("numbers", "pairs", "an array of numbers",
           [](File& f) { f.set("tokenizer.ggml.merges", Value::array(ValueType::uint32, {Value::u32(1)})); });
}

RECIPE(empty_token) {
  r.valid("last", with("tokenizer.ggml.tokens", Value::strings({"a", "b", ""})), "the last token is empty");
  r.valid("first", with("tokenizer.ggml.tokens", Value::strings({"", "a", "b"})), "the first token is empty");
  r.valid("only", with("tokenizer.ggml.tokens", Value::strings({""})), "the only token is empty");
}

RECIPE(tokens_unique) {
  r.valid("distinct", with("tokenizer.ggml.tokens", Value::strings({"a", "b", "c"})), "three tokens");
  r.broken("adjacent", "distinct", "a map from text to id loses one of them",
           set("tokenizer.ggml.tokens", Value::strings({"a", "b", "b"})));
  r.broken("apart", "distinct", "a map from text to id loses one of them",
           set("tokenizer.ggml.tokens", Value::strings({"a", "b", "a"})));
}

RECIPE(huggingface_json_whole) {
  const auto json = [](size_t size) {
    std::string text = "{\"version\":\"1.0\",\"filler\":\"";
    text += std::string(size, 'j');
    return text + "\",\"end\":true}";
  };
  const auto model = [json](size_t size) {
    File file = vocabulary_with("tokenizer.huggingface.json", Value::string(json(size)));
    file.set("tokenizer.ggml.add_bos_token", Value::boolean(true));
    return file;
  };
  r.valid("short", model(100), "a few hundred bytes of JSON");
  r.valid("70_kb", model(70'000), "more than a 16-bit length");
  r.valid("quotes",
          vocabulary_with("tokenizer.huggingface.json", Value::string("{\"a\":\"\\u0000\\\"\\\\\"}")),
          "escapes are left as they are");
  r.bytes("12_mb", "the size that published models have", [model] { return write_bytes(model(12'000'000)); })
      .large()
      .tag("limit:string=12000036")
      .either("limit");
}

RECIPE(chat_template_is_string) {
  const std::string jinja = "{% for m in messages %}{{ m['content'] }}\n{% endfor %}";
  r.valid("one", vocabulary_with("tokenizer.chat_template", Value::string(jinja)), "one template");
  File file = vocabulary_with("tokenizer.chat_template", Value::string(jinja));
  file.set("tokenizer.chat_templates", Value::strings({"tool_use"}));
  file.set("tokenizer.chat_template.tool_use", Value::string(jinja));
  r.valid("named", file, "a named template, listed");
  r.broken("array", "one", "an array of templates under the key of one",
           set("tokenizer.chat_template", Value::strings({jinja})));
  r.broken("named_array", "named", "an array of templates under a name",
           set("tokenizer.chat_template.tool_use", Value::strings({jinja})));
  r.broken("list_string", "named", "the list of names is one string",
           set("tokenizer.chat_templates", Value::string("tool_use")));
}

RECIPE(tokenizer_keys_newer_than_document) {
  r.valid("pre", vocabulary_with("tokenizer.ggml.pre", Value::string("default")),
          "the name of a pre-tokenizer");
  r.valid("add_bos_token", vocabulary_with("tokenizer.ggml.add_bos_token", Value::boolean(false)),
          "a switch");
  r.valid("eot_token_id", vocabulary_with("tokenizer.ggml.eot_token_id", Value::u32(2)),
          "a special token that the document does not know");
  r.valid("fim_pre_token_id", vocabulary_with("tokenizer.ggml.fim_pre_token_id", Value::u32(2)),
          "a token for filling in the middle");
}

RECIPE(embedding_rows_match_tokens) {
  File file = vocabulary();
  file.tensors.push_back(filled("token_embd.weight", tensor::f32, {8, 4}));
  r.valid("four", file, "four rows for four tokens");
  const auto rows = [](uint64_t n) {
    return [n](File& f) { f.tensors[0] = filled("token_embd.weight", tensor::f32, {8, n}); };
  };
  r.broken("three", "four", "the last token has no row: a loader reads past the tensor", rows(3));
  r.broken("five", "four", "a row that no token has", rows(5));
}

}  // namespace gcts
