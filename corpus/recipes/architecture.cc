// Recipes for the metadata schema of models: lint, since a file that breaks it is
// still a sound container.

#include <algorithm>
#include <string>

#include "corpus/models.h"
#include "corpus/recipe.h"
#include "reference/tensor_type.h"

namespace gcts {
namespace {

// The metadata of a llama model with two layers, all that the document requires.
File llama() {
  File file;
  file.set("general.architecture", Value::string("llama"));
  file.set("llama.context_length", Value::u64(2048));
  file.set("llama.embedding_length", Value::u64(64));
  file.set("llama.block_count", Value::u64(2));
  file.set("llama.feed_forward_length", Value::u64(128));
  file.set("llama.rope.dimension_count", Value::u64(16));
  file.set("llama.attention.head_count", Value::u64(4));
  file.set("llama.attention.layer_norm_rms_epsilon", Value::f32(1e-5f));
  return file;
}

File llama_with(std::string_view key, Value value) {
  File file = llama();
  file.set(key, std::move(value));
  return file;
}

Fault set(std::string_view key, Value value) {
  return [key, value](File& f) { f.set(key, value); };
}

Fault without(std::string_view key) {
  return [key](File& f) { std::erase_if(f.metadata, [&](const KeyValue& pair) { return pair.key == key; }); };
}

Value u32s(std::vector<uint32_t> values) {
  std::vector<Value> elements;
  for (const uint32_t v : values) elements.push_back(Value::u32(v));
  return Value::array(ValueType::uint32, std::move(elements));
}

}  // namespace

RECIPE(architecture_present) {
  r.valid("present", minimal(), "an architecture");
  r.valid("present_with_tensors", one_tensor(), "an architecture and a tensor");
  r.broken("absent", "present", "no loader knows what to do with the model", without("general.architecture"));
  r.broken("absent_with_tensors", "present_with_tensors", "tensors of an unknown architecture", without("general.architecture"));
}

RECIPE(architecture_charset) {
  r.valid("letters_and_digits", minimal(), "an architecture of letters");
  for (const std::string_view name : {"command-r", "gemma-embedding", "nomic-bert", "gpt_oss", "Gcts", ""})
    r.broken(name.empty() ? "empty" : name, "letters_and_digits", "published models have such names, the document does not allow them",
             set("general.architecture", Value::string(name)));
}

RECIPE(architecture_is_string) {
  r.valid("string", minimal(), "a string");
  r.broken("uint32", "string", "a number", set("general.architecture", Value::u32(1)));
  r.broken("array", "string", "an array of one string", set("general.architecture", Value::strings({"gcts"})));
}

RECIPE(quantization_version_present) {
  r.valid("quantized", with_tensors({filled("weight", tensor::q4_0, {32})}), "a quantized tensor and the version of its format");
  r.valid("floats", one_tensor(), "no quantized tensor, no version");
  r.broken("absent", "quantized", "the block format of the tensor is a guess", without("general.quantization_version"));
  r.broken("string", "quantized", "the version as a string", set("general.quantization_version", Value::string("2")));
}

RECIPE(file_type_known) {
  r.valid("0", with("general.file_type", Value::u32(0)), "all float32");
  r.valid("18", with("general.file_type", Value::u32(18)), "the last of the document's list");
  r.valid("4", with("general.file_type", Value::u32(4)), "mostly q4_1, some float16");
  r.valid("17", with("general.file_type", Value::u32(17)), "mostly q5_k, which some articles take for q4_k");
  r.valid("15", with("general.file_type", Value::u32(15)), "mostly q4_k: another list of ggml has iq2_xxs here");
  for (const uint32_t value : {5u, 6u, 19u, 1024u, 0xffffffffu})
    r.broken(std::to_string(value), "0", "removed, newer than the document, or a flag of one loader", set("general.file_type", Value::u32(value)));
  r.broken("uint64", "0", "a number of another type", set("general.file_type", Value::u64(0)));
}

RECIPE(file_type_matches_tensors) {
  File file = with_tensors({filled("a", tensor::q4_0, {32, 2}), filled("b", tensor::q4_0, {32, 2}), filled("c", tensor::f32, {8})});
  file.set("general.file_type", Value::u32(2));
  r.valid("q4_0", file, "most tensors are q4_0, and 2 says so");
  r.broken("f16", "q4_0", "most tensors are q4_0, and 1 says float16", set("general.file_type", Value::u32(1)));
  r.broken("q8_0", "q4_0", "most tensors are q4_0, and 7 says q8_0", set("general.file_type", Value::u32(7)));
}

RECIPE(count_width_free) {
  r.valid("uint64", llama(), "counts as the document has them");
  File file = llama();
  for (KeyValue& pair : file.metadata)
    if (pair.value.type == ValueType::uint64) pair.value = Value::u32(static_cast<uint32_t>(pair.value.bits));
  r.valid("uint32", file, "counts as most files have them");
  file.set("llama.context_length", Value::u64(2048));
  r.valid("mixed", file, "one count of 64 bits among counts of 32");
}

RECIPE(per_layer_array_length) {
  r.valid("scalar", llama(), "one head count for all layers");
  r.valid("array", llama_with("llama.attention.head_count", u32s({4, 2})), "a head count for each of two layers");
  r.broken("one_short", "array", "a loader that trusts the block count reads past the array", set("llama.attention.head_count", u32s({4})));
  r.broken("one_more", "array", "more head counts than layers", set("llama.attention.head_count", u32s({4, 2, 2})));
  r.valid("feed_forward_array", llama_with("llama.feed_forward_length", u32s({128, 64})), "a feed-forward length for each of two layers");
  r.broken("feed_forward_empty", "feed_forward_array", "no feed-forward length at all", set("llama.feed_forward_length", u32s({})));
}

RECIPE(architecture_key_prefix) {
  r.valid("own", llama_with("llama.vocab_size", Value::u64(100)), "all keys begin with llama");
  r.broken("another", "own", "a key of another architecture in a llama model", set("mpt.context_length", Value::u64(2048)));
  r.broken("another_two", "own", "keys of falcon in a llama model", set("falcon.block_count", Value::u64(2)));
}

RECIPE(architecture_keys_present) {
  r.valid("complete", llama(), "every required key of llama");
  for (const std::string_view key : {"context_length", "embedding_length", "block_count", "feed_forward_length", "rope.dimension_count",
                                     "attention.head_count", "attention.layer_norm_rms_epsilon"})
    r.broken("without_" + std::string(key.substr(key.find('.') + 1)), "complete", "a loader has to guess the value or fail",
             [key](File& f) { std::erase_if(f.metadata, [&](const KeyValue& pair) { return pair.key == "llama." + std::string(key); }); });
}

RECIPE(rope_scaling_known) {
  for (const std::string_view name : {"none", "linear", "yarn"})
    r.valid(name, llama_with("llama.rope.scaling.type", Value::string(name)), "a scaling of the document's list");
  r.valid("older_alone", llama_with("llama.rope.scale_linear", Value::f32(2)), "the older key alone is still read");
  r.broken("foo", "linear", "a scaling that nobody defines", set("llama.rope.scaling.type", Value::string("foo")));
  r.broken("empty", "linear", "a scaling without a name", set("llama.rope.scaling.type", Value::string("")));
  r.broken("both_keys", "linear", "the older key beside the newer one", set("llama.rope.scale_linear", Value::f32(2)));
}

RECIPE(alignment_key_optional) {
  r.valid("absent", two_tensors(), "no alignment is declared");
  r.valid("default", [] {
    File file = two_tensors();
    file.set(kAlignmentKey, Value::u32(32));
    return file;
  }(), "the default is declared");
  r.valid("absent_without_tensors", minimal(), "no alignment and nothing to align");
}

RECIPE(string_list_keys) {
  r.valid("lists", [] {
    File file = with("general.tags", Value::strings({"text-generation", "code"}));
    file.set("general.languages", Value::strings({"en", "de"}));
    file.set("general.datasets", Value::strings({"somebody/something"}));
    return file;
  }(), "three arrays of strings");
  r.broken("tags_string", "lists", "a string where an array belongs", set("general.tags", Value::string("code")));
  r.broken("datasets_numbers", "lists", "numbers where strings belong", set("general.datasets", u32s({1})));
  r.broken("language_three_letters", "lists", "a language of three letters", set("general.languages", Value::strings({"en", "eng"})));
  r.broken("language_name", "lists", "a language's name", set("general.languages", Value::strings({"English"})));
}

RECIPE(base_model_count) {
  const auto model = [](uint32_t count, std::vector<uint32_t> ids) {
    File file = with("general.base_model.count", Value::u32(count));
    for (const uint32_t id : ids) file.set("general.base_model." + std::to_string(id) + ".name", Value::string("base"));
    return file;
  };
  r.valid("one", model(1, {0}), "one base model");
  r.valid("two", model(2, {0, 1}), "two base models");
  r.broken("two_claimed", "one", "two base models are claimed and one is there", set("general.base_model.count", Value::u32(2)));
  r.broken("none_claimed", "one", "no base model is claimed and one is there", set("general.base_model.count", Value::u32(0)));
  r.broken("from_one", "one", "the only base model has number 1", [model](File& f) { f = model(1, {1}); });
}

RECIPE(license_is_spdx) {
  for (const std::string_view name : {"MIT", "apache-2.0", "MIT OR Apache-2.0", "GPL-2.0-or-later WITH Classpath-exception-2.0"}) {
    std::string suffix(name);
    std::replace(suffix.begin(), suffix.end(), ' ', '_');
    r.valid(suffix, with("general.license", Value::string(name)), "an expression of licence identifiers");
  }
  r.broken("url", "MIT", "the address of a licence", set("general.license", Value::string("https://example.com/license")));
  r.broken("sentence", "MIT", "a sentence", set("general.license", Value::string("Free for research use, see the web site.")));
  r.broken("empty", "MIT", "no licence at all", set("general.license", Value::string("")));
}

RECIPE(rwkv_version) {
  const auto rwkv = [](uint32_t version) {
    File file;
    file.set("general.architecture", Value::string("rwkv"));
    file.set("rwkv.architecture_version", Value::u32(version));
    file.set("rwkv.context_length", Value::u64(1024));
    file.set("rwkv.block_count", Value::u64(2));
    file.set("rwkv.embedding_length", Value::u64(64));
    file.set("rwkv.feed_forward_length", Value::u64(128));
    return file;
  };
  r.valid("4", rwkv(4), "the version that the document defines");
  r.broken("5", "4", "a version that the document does not define", set("rwkv.architecture_version", Value::u32(5)));
  r.broken("0", "4", "no version", set("rwkv.architecture_version", Value::u32(0)));
}

RECIPE(general_type_known) {
  for (const std::string_view name : {"model", "adapter", "mmproj", "imatrix", "vocab"})
    r.valid(name, with("general.type", Value::string(name)), "one of the five kinds of file");
  r.broken("unknown", "model", "a kind that nobody defines", set("general.type", Value::string("picture")));
  r.broken("upper_case", "model", "a kind in upper case", set("general.type", Value::string("MODEL")));
}

}  // namespace gcts
