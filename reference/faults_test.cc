// The faults: for each rule that the reader reports, the sound model with one change.

#include "reference/faults_for_test.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "reference/tensor_type.h"

namespace gcts {
namespace {

Bytes bytes_of(std::string_view text) {
  Bytes out(text.size());
  std::memcpy(out.data(), text.data(), text.size());
  return out;
}

Tensor f32_tensor(std::string name, std::vector<uint64_t> dims) {
  uint64_t elements = 1;
  for (uint64_t d : dims) elements *= d;
  return {std::move(name), 0, std::move(dims), Bytes(elements * 4, std::byte{1}), std::nullopt};
}

class FaultList {
 public:
  // A change to the model, written out.
  void model(rule::Index rule, std::string what, const std::function<void(File&)>& change) {
    File file = sound_model();
    change(file);
    add(rule, std::move(what), write_bytes(file));
  }
  // A change to a model and one to its bytes.
  void bytes(rule::Index rule, std::string what, const std::function<void(File&)>& change,
             const std::function<void(Written&)>& patch) {
    File file = sound_model();
    change(file);
    Written written = write(file);
    patch(written);
    add(rule, std::move(what), std::move(written.bytes));
  }
  void bytes(rule::Index rule, std::string what, const std::function<void(Written&)>& patch) {
    bytes(rule, std::move(what), [](File&) {}, patch);
  }
  // One field of the sound model overwritten.
  void field(rule::Index rule, std::string what, FieldKind kind, uint32_t item, uint32_t part, uint64_t value) {
    bytes(rule, std::move(what), [=](Written& w) { w.patch(*w.find(kind, item, part), value); });
  }
  void cut(rule::Index rule, std::string what, const std::function<uint64_t(const Written&)>& where) {
    bytes(rule, std::move(what), [&](Written& w) { w.bytes.resize(where(w)); });
  }
  void add(rule::Index rule, std::string what, Bytes bytes) { list_.push_back({rule, std::move(what), std::move(bytes)}); }
  void key(rule::Index rule, std::string what, std::string key, Value value) {
    model(rule, std::move(what), [&](File& f) { f.metadata.push_back({key, value}); });
  }
  std::vector<Fault> take() { return std::move(list_); }

 private:
  std::vector<Fault> list_;
};

// Overwrites the magic of the sound model.
Bytes with_magic(std::string_view magic, Layout layout = {}) {
  File file = sound_model();
  file.layout = layout;
  Bytes bytes = write_bytes(file);
  std::memcpy(bytes.data(), magic.data(), magic.size());
  return bytes;
}

void header_faults(FaultList& list) {
  list.add(rule::magic_is_gguf, "ABCD", with_magic("ABCD"));
  list.add(rule::magic_reversed, "FUGG", with_magic("FUGG"));
  list.add(rule::magic_reversed_big_endian, "FUGG, big", with_magic("FUGG", {3, ByteOrder::big}));
  list.add(rule::magic_present, "empty", {});
  list.add(rule::magic_present, "three bytes", bytes_of("GGU"));
  for (const uint64_t size : {4, 5, 8, 12, 16, 20, 23})
    list.cut(rule::header_complete, "cut", [=](const Written&) { return size; });
  list.field(rule::version_not_zero, "0", FieldKind::version, 0, 0, 0);
  for (const uint32_t version : {4u, 5u, 99u, 0xffffu, 0x10003u})
    list.field(rule::version_not_newer, "newer", FieldKind::version, 0, 0, version);
  list.field(rule::version_order_known, "swapped 4", FieldKind::version, 0, 0, 0x04000000);
  list.field(rule::version_order_known, "0x10000", FieldKind::version, 0, 0, 0x00010000);
  list.field(rule::tensor_count_range, "2^63", FieldKind::tensor_count, 0, 0, uint64_t{1} << 63);
  list.field(rule::tensor_count_range, "max", FieldKind::tensor_count, 0, 0, UINT64_MAX);
  list.field(rule::metadata_count_range, "2^63", FieldKind::metadata_count, 0, 0, uint64_t{1} << 63);
  list.field(rule::counts_fit_file, "tensors", FieldKind::tensor_count, 0, 0, uint64_t{1} << 40);
  list.field(rule::counts_fit_file, "pairs", FieldKind::metadata_count, 0, 0, uint64_t{1} << 40);
  list.cut(rule::metadata_count_met, "at the first pair", [](const Written&) { return 24; });
  list.cut(rule::metadata_count_met, "at the second pair",
           [](const Written& w) { return w.find(FieldKind::key_length, 1)->offset; });
}

void string_faults(FaultList& list) {
  list.cut(rule::string_complete, "in a key", [](const Written& w) { return w.find(FieldKind::key_bytes)->offset + 1; });
  list.cut(rule::string_complete, "in a length", [](const Written& w) { return w.find(FieldKind::key_length)->offset + 3; });
  list.cut(rule::string_complete, "in a value",
           [](const Written& w) { return w.find(FieldKind::string_bytes)->offset + 2; });
  list.field(rule::string_length_range, "key", FieldKind::key_length, 0, 0, uint64_t{1} << 63);
  list.field(rule::string_length_range, "value", FieldKind::string_length, 0, 0, UINT64_MAX);
  list.field(rule::string_length_range, "name", FieldKind::name_length, 0, 0, uint64_t{1} << 63);
  list.field(rule::string_length_fits_file, "key", FieldKind::key_length, 0, 0, uint64_t{1} << 40);
  list.field(rule::string_length_fits_file, "value", FieldKind::string_length, 0, 0, uint64_t{1} << 32);
  for (const std::string_view text : {"\xff\xfe", "\xed\xa0\x80", "\xc0\x80", "abc\xe2\x82", "\xf4\x90\x80\x80"})
    list.key(rule::string_is_utf8, "value", "x.text", Value::string(text));
  list.key(rule::string_is_utf8, "element", "x.text", Value::strings({"fine", "not \xff fine"}));
}

void key_faults(FaultList& list) {
  list.key(rule::key_not_empty, "empty", "", Value::u8(1));
  for (const std::string key : {"A.B", " a b ", "a-b", "a/b", "x.\x7f"}) list.key(rule::key_charset, key, key, Value::u8(1));
  list.key(rule::key_is_ascii, "latin", "a.\xff", Value::u8(1));
  list.key(rule::key_is_ascii, "utf-8", "a.\xc3\xa9", Value::u8(1));
  list.key(rule::key_length, "65536", std::string(65536, 'k'), Value::u8(1));
  list.key(rule::key_unique, "twice", "x.u8", Value::u8(1));
  list.key(rule::key_without_nul, "shadow", std::string("general.alignment\0x", 19), Value::u32(64));
  for (const std::string key : {"a..b", ".a", "a.", "."})
    list.key(rule::key_segments_not_empty, key, key, Value::u8(1));
}

void value_faults(FaultList& list) {
  for (const uint32_t type : {13u, 99u, 0xffffffffu})
    list.field(rule::value_type_known, "type", FieldKind::value_type, 1, 0, type);
  list.bytes(rule::bool_is_zero_or_one, "2", [](File& f) { f.metadata.push_back({"x.bool", Value::boolean(true)}); },
             [](Written& w) { w.patch(*w.find(FieldKind::scalar, 3), 2); });
  list.bytes(rule::bool_all_ones, "255", [](File& f) { f.metadata.push_back({"x.bool", Value::boolean(true)}); },
             [](Written& w) { w.patch(*w.find(FieldKind::scalar, 3), 255); });
  list.cut(rule::scalar_complete, "no byte", [](const Written& w) { return w.find(FieldKind::scalar, 1)->offset; });
  list.cut(rule::scalar_complete, "in the type", [](const Written& w) { return w.find(FieldKind::value_type, 1)->offset + 3; });
}

void array_faults(FaultList& list) {
  list.field(rule::array_element_type_known, "13", FieldKind::element_type, 2, 0, 13);
  list.bytes(rule::array_element_type_known, "13, empty",
             [](File& f) { f.metadata.push_back({"x.none", Value::array(ValueType::uint8, {})}); },
             [](Written& w) { w.patch(*w.find(FieldKind::element_type, 3), 13); });
  const Value inner = Value::array(ValueType::uint8, {Value::u8(1)});
  list.key(rule::nested_array, "two levels", "x.nested", Value::array(ValueType::array, {inner, inner}));
  list.field(rule::array_fits_file, "2^40", FieldKind::element_count, 2, 0, uint64_t{1} << 40);
  list.cut(rule::array_fits_file, "in the header", [](const Written& w) { return w.find(FieldKind::element_count, 2)->offset; });
  list.cut(rule::array_fits_file, "in the elements", [](const Written& w) { return w.find(FieldKind::scalar, 2)->offset + 5; });
  list.field(rule::array_size_representable, "2^63", FieldKind::element_count, 2, 0, uint64_t{1} << 63);
  list.field(rule::array_size_representable, "max", FieldKind::element_count, 2, 0, UINT64_MAX);
  list.bytes(rule::bool_array_zero_or_one, "2",
             [](File& f) {
               f.metadata.push_back({"x.bools", Value::array(ValueType::boolean, {Value::boolean(true), Value::boolean(false)})});
             },
             [](Written& w) { w.bytes[w.find(FieldKind::scalar, 3)->offset + 1] = std::byte{2}; });
}

void alignment_faults(FaultList& list) {
  for (const Value& v : {Value::u64(32), Value::i32(32), Value::u16(32), Value::f32(32), Value::string("32")})
    list.key(rule::alignment_is_uint32, "type", "general.alignment", v);
  const auto value = [&](rule::Index rule, uint32_t alignment) {
    list.key(rule, std::to_string(alignment), "general.alignment", Value::u32(alignment));
  };
  value(rule::alignment_not_zero, 0);
  for (const uint32_t a : {24, 40, 48, 1000}) value(rule::alignment_power_of_two, a);
  for (const uint32_t a : {1, 2, 4}) value(rule::alignment_multiple_of_8, a);
  for (const uint32_t a : {13, 33, 12}) value(rule::alignment_legal, a);
}

void tensor_faults(FaultList& list) {
  const auto name = [&](rule::Index rule, std::string text) {
    list.model(rule, "name", [&](File& f) { f.tensors[0].name = text; });
  };
  name(rule::tensor_name_64_bytes, std::string(64, 'n'));
  name(rule::tensor_name_length, std::string(65, 'n'));
  name(rule::tensor_name_not_empty, "");
  name(rule::tensor_name_unique, "b");
  name(rule::tensor_name_without_nul, std::string("a\0a", 3));
  name(rule::tensor_name_is_utf8, "a\xff");
  list.model(rule::tensor_rank, "5", [](File& f) { f.tensors[1].dims = {1, 2, 2, 1, 1}; });
  list.field(rule::tensor_rank_fits_file, "max", FieldKind::rank, 0, 0, 0xffffffff);
  const auto dims = [&](rule::Index rule, uint32_t type, std::vector<uint64_t> shape) {
    list.model(rule, "shape", [&](File& f) {
      f.tensors[1].dims = shape;
      f.tensors[1].type = type;
    });
  };
  const auto two = [](int power) { return uint64_t{1} << power; };
  dims(rule::dimension_range, 24, {two(63)});
  dims(rule::dimension_range, 0, {UINT64_MAX});
  dims(rule::elements_wrap_to_zero, 0, {two(32), two(32)});
  dims(rule::elements_wrap_to_zero, 24, {two(32), two(32)});
  dims(rule::elements_wrap_to_zero, 0, {two(62), 4});
  dims(rule::elements_wrap_to_zero, 0, {two(16), two(16), two(16), two(16)});
  dims(rule::elements_wrap_negative, 24, {two(62), 2});
  dims(rule::elements_wrap_negative, 24, {two(62), 3});
  dims(rule::elements_wrap_small, 0, {8, two(61) + 1});
  dims(rule::elements_wrap_small, 0, {two(62) + 2, 4});
  dims(rule::tensor_bytes_representable, 0, {two(62)});
  dims(rule::tensor_bytes_representable, 28, {two(61)});
  dims(rule::elements_below_int64_max, 24, {INT64_MAX});
  for (const uint32_t type : {static_cast<uint32_t>(tensor_types().size()), 99u, 0xffffffffu}) dims(rule::tensor_type_known, type, {4});
  for (const uint32_t type : {4, 5}) dims(rule::tensor_type_q4_2_q4_3, type, {32});
  for (const uint32_t type : {31, 32, 33, 36, 37, 38}) dims(rule::tensor_type_repacked, type, {32});
  list.model(rule::tensor_sizes_sum, "two halves", [&](File& f) {
    for (Tensor& t : f.tensors) {
      t.type = 24;
      t.dims = {two(63) - 64};
    }
    f.tensors[1].offset = two(63) - 64;
  });
  list.model(rule::tensor_type_newer_than_document, "q1_0", [](File& f) {
    f.tensors[1] = {"b", 41, {128}, Bytes(18), std::nullopt};
    f.set("general.quantization_version", Value::u32(2));
  });
  list.model(rule::row_is_whole_blocks, "q4_0", [](File& f) {
    f.tensors[1] = {"b", 2, {16, 2}, Bytes(18), std::nullopt};
    f.set("general.quantization_version", Value::u32(2));
  });
  for (const FieldKind kind : {FieldKind::name_length, FieldKind::name_bytes, FieldKind::rank, FieldKind::dimension,
                               FieldKind::tensor_type, FieldKind::tensor_offset})
    list.cut(rule::tensor_info_complete, "cut", [=](const Written& w) { return w.find(kind, 1)->offset; });
}

void offset_faults(FaultList& list) {
  const auto move = [&](rule::Index rule, uint32_t item, uint64_t offset) {
    list.field(rule, "offset " + std::to_string(offset), FieldKind::tensor_offset, item, 0, offset);
  };
  move(rule::tensor_offset_aligned, 1, 4);
  move(rule::tensor_offset_aligned, 1, 31);
  move(rule::tensor_offset_aligned, 0, 1);
  move(rule::tensor_in_file, 1, uint64_t{1} << 40);
  move(rule::tensor_in_file, 1, 256);
  move(rule::tensor_end_representable, 1, UINT64_MAX - 31);
  move(rule::tensor_end_representable, 0, uint64_t{1} << 63);
  move(rule::tensors_do_not_overlap, 1, 0);
  list.model(rule::offsets_without_gap, "64 bytes", [](File& f) { f.tensors[1].offset = 128; });
  list.model(rule::first_offset_zero, "32 bytes", [](File& f) {
    f.tensors[0].offset = 32;
    f.tensors[1].offset = 96;
  });
  list.model(rule::offsets_in_order, "swapped", [](File& f) {
    f.tensors[0].offset = 32;
    f.tensors[1].offset = 0;
  });
  list.model(rule::offsets_use_alignment, "packed", [](File& f) {
    f.tensors[0] = f32_tensor("a", {1});
    f.tensors[1] = f32_tensor("b", {1});
    f.tensors.push_back(f32_tensor("c", {1}));
    for (size_t i = 0; i < 3; ++i) f.tensors[i].offset = 4 * i;
  });
}

void data_faults(FaultList& list) {
  list.bytes(rule::padding_before_data_zero, "one byte", [](Written& w) {
    w.bytes[w.find(FieldKind::tensor_data)->offset - 1] = std::byte{0xaa};
  });
  list.bytes(rule::tensor_padding_zero, "one byte", [](Written& w) { w.bytes.back() = std::byte{0xaa}; });
  list.bytes(rule::no_trailing_bytes, "36 bytes", [](Written& w) { w.bytes.resize(w.bytes.size() + 36); });
  list.cut(rule::tensor_data_complete, "one byte", [](const Written& w) { return w.find(FieldKind::padding, 1, 1)->offset - 1; });
  list.cut(rule::tensor_data_complete, "most", [](const Written& w) { return w.find(FieldKind::tensor_data, 0)->offset + 1; });
  list.cut(rule::last_tensor_padded, "all padding", [](const Written& w) { return w.find(FieldKind::padding, 1, 1)->offset; });
  list.cut(rule::last_tensor_padded, "one byte", [](const Written& w) { return w.bytes.size() - 1; });
  list.cut(rule::metadata_only, "padded", [](const Written& w) { return w.find(FieldKind::tensor_data)->offset; });
  list.cut(rule::metadata_only, "unpadded",
           [](const Written& w) { return w.find(FieldKind::tensor_offset, 1)->offset + 8; });
  list.cut(rule::prefix_rejected, "in the padding", [](const Written& w) { return w.find(FieldKind::tensor_data)->offset - 1; });
  list.bytes(rule::data_start_in_file, "unpadded",
             [](File& f) {
               f.tensors.pop_back();
               f.tensors[0].dims = {0};
               f.tensors[0].data.clear();
             },
             [](Written& w) { w.bytes.resize(w.find(FieldKind::tensor_offset)->offset + 8); });
}

void layout_faults(FaultList& list) {
  const auto layout = [&](rule::Index rule, Layout l) {
    list.model(rule, "layout", [=](File& f) { f.layout = l; });
  };
  layout(rule::big_endian_version_3, {3, ByteOrder::big});
  layout(rule::big_endian_version, {2, ByteOrder::big});
  layout(rule::version_1, {1, ByteOrder::little});
  list.model(rule::version_1_value_types, "u64", [](File& f) {
    f.layout = {1, ByteOrder::little};
    f.metadata.push_back({"x.u64", Value::u64(1)});
  });
  list.field(rule::version_1_widths, "version 3 labelled 1", FieldKind::version, 0, 0, 1);
  // A little-endian header over a big-endian body, and the other way around.
  for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
    File file = sound_model();
    file.layout.order = order;
    const Bytes header = write_bytes(file);
    file.layout.order = order == ByteOrder::little ? ByteOrder::big : ByteOrder::little;
    Bytes mixed = write_bytes(file);
    std::copy_n(header.begin(), 24, mixed.begin());
    list.add(rule::byte_order_uniform, "mixed at the pairs", mixed);
    Bytes late = write_bytes(file);
    const Written first = [&] {
      File f = sound_model();
      f.layout.order = order;
      return write(f);
    }();
    const uint64_t infos = first.find(FieldKind::name_length)->offset;
    std::copy_n(first.bytes.begin(), infos, late.begin());
    list.add(rule::byte_order_uniform, "mixed at the tensors", late);
  }
  list.add(rule::legacy_magic, "ggjt", with_magic("tjgg"));
  list.add(rule::legacy_magic, "ggla", with_magic("algg"));
  list.add(rule::magic_lower_case, "gguf", with_magic("gguf"));
  list.add(rule::magic_lower_case, "ggml", with_magic("ggml"));
  list.add(rule::foreign_format, "zip", with_magic("PK\3\4"));
  list.add(rule::foreign_format, "safetensors", bytes_of(std::string_view("\x02\0\0\0\0\0\0\0{}", 10)));
}

void architecture_faults(FaultList& list) {
  const auto set = [&](rule::Index rule, std::string key, Value value) {
    list.model(rule, key, [&](File& f) { f.set(key, value); });
  };
  list.model(rule::architecture_present, "absent", [](File& f) { f.metadata.erase(f.metadata.begin()); });
  set(rule::architecture_charset, "general.architecture", Value::string("command-r"));
  set(rule::architecture_charset, "general.architecture", Value::string(""));
  set(rule::architecture_is_string, "general.architecture", Value::u32(1));
  list.model(rule::quantization_version_present, "q4_0", [](File& f) { f.tensors[1] = {"b", 2, {32}, Bytes(18), std::nullopt}; });
  set(rule::quantization_version_present, "general.quantization_version", Value::string("2"));
  for (const uint32_t type : {5u, 6u, 19u, 1024u, 0xffffffffu})
    set(rule::file_type_known, "general.file_type", Value::u32(type));
  set(rule::file_type_known, "general.file_type", Value::u64(1));
  list.model(rule::file_type_matches_tensors, "q4_0", [](File& f) {
    f.tensors[1].dims = {2, 2};
    f.set("general.file_type", Value::u32(2));
  });
  list.model(rule::per_layer_array_length, "2 for 3", [](File& f) {
    f.set("test.block_count", Value::u32(3));
    f.set("test.attention.head_count", Value::array(ValueType::uint32, {Value::u32(8), Value::u32(8)}));
  });
  set(rule::architecture_key_prefix, "mpt.context_length", Value::u32(1));
  list.model(rule::architecture_keys_present, "gpt2", [](File& f) {
    f.set("general.architecture", Value::string("gpt2"));
    for (const char* key : {"context_length", "embedding_length", "block_count", "attention.head_count"})
      f.set(std::string("gpt2.") + key, Value::u32(1));
  });
  set(rule::rope_scaling_known, "test.rope.scaling.type", Value::string("foo"));
  set(rule::rope_scaling_known, "test.rope.scaling.type", Value::u32(1));
  list.model(rule::rope_scaling_known, "both", [](File& f) {
    f.set("test.rope.scaling.type", Value::string("linear"));
    f.set("test.rope.scale_linear", Value::f32(2));
  });
  set(rule::string_list_keys, "general.tags", Value::string("a"));
  set(rule::string_list_keys, "general.languages", Value::strings({"en", "eng"}));
  list.model(rule::base_model_count, "2 with one", [](File& f) {
    f.set("general.base_model.count", Value::u32(2));
    f.set("general.base_model.0.name", Value::string("base"));
  });
  set(rule::base_model_count, "general.base_model.0.name", Value::string("base"));
  for (const char* text : {"https://example.org/licence", "do what you want", "(MIT", "MIT AND", ""})
    set(rule::license_is_spdx, "general.license", Value::string(text));
  set(rule::license_is_spdx, "general.license", Value::u8(1));
  set(rule::general_type_known, "general.type", Value::string("weights"));
  list.model(rule::rwkv_version, "5", [](File& f) {
    f.set("general.architecture", Value::string("rwkv"));
    for (const char* key : {"context_length", "block_count", "embedding_length", "feed_forward_length"})
      f.set(std::string("rwkv.") + key, Value::u32(1));
    f.set("rwkv.architecture_version", Value::u32(5));
  });
}

void tokenizer_faults(FaultList& list) {
  // Three tokens and one more key.
  const auto with = [&](rule::Index rule, std::string key, Value value) {
    list.model(rule, key, [&](File& f) {
      f.set("tokenizer.ggml.tokens", Value::strings({"a", "b", " "}));
      f.set(key, value);
    });
  };
  const auto floats = [](size_t n) { return Value::array(ValueType::float32, std::vector<Value>(n, Value::f32(0))); };
  const auto types = [](std::vector<int32_t> v) {
    std::vector<Value> elements;
    for (int32_t i : v) elements.push_back(Value::i32(i));
    return Value::array(ValueType::int32, elements);
  };
  with(rule::tokens_are_strings, "tokenizer.ggml.tokens", floats(3));
  with(rule::tokens_are_strings, "tokenizer.ggml.tokens", Value::string("a"));
  with(rule::scores_match_tokens, "tokenizer.ggml.scores", floats(2));
  with(rule::scores_match_tokens, "tokenizer.ggml.scores", types({1, 1, 1}));
  with(rule::token_types_match_tokens, "tokenizer.ggml.token_type", types({1, 1}));
  with(rule::token_types_match_tokens, "tokenizer.ggml.token_type", types({1, 0, 1}));
  with(rule::token_types_match_tokens, "tokenizer.ggml.token_type", types({1, 7, 1}));
  with(rule::token_types_match_tokens, "tokenizer.ggml.token_type", Value::array(ValueType::uint8, {}));
  with(rule::special_token_in_range, "tokenizer.ggml.bos_token_id", Value::u32(3));
  with(rule::special_token_in_range, "tokenizer.ggml.seperator_token_id", Value::u32(0xffffffff));
  with(rule::special_token_in_range, "tokenizer.ggml.eos_token_id", Value::u64(1));
  for (const char* merge : {"ab", "", "a ", " "})
    with(rule::merges_are_pairs, "tokenizer.ggml.merges", Value::strings({"a b", merge}));
  with(rule::merges_are_pairs, "tokenizer.ggml.merges", Value::string("a b"));
  with(rule::tokens_unique, "tokenizer.ggml.tokens", Value::strings({"a", "b", "a"}));
  with(rule::chat_template_is_string, "tokenizer.chat_template", Value::strings({"a"}));
  with(rule::chat_template_is_string, "tokenizer.chat_templates", Value::string("a"));
  list.model(rule::embedding_rows_match_tokens, "2 for 3", [](File& f) {
    f.set("tokenizer.ggml.tokens", Value::strings({"a", "b", " "}));
    f.tensors[1] = f32_tensor("token_embd.weight", {8, 2});
  });
}

void split_faults(FaultList& list) {
  const auto keys = [&](rule::Index rule, std::vector<KeyValue> pairs) {
    list.model(rule, "keys", [&](File& f) { f.metadata.insert(f.metadata.end(), pairs.begin(), pairs.end()); });
  };
  keys(rule::split_number, {{"split.no", Value::u32(0)}, {"split.count", Value::u16(2)}});
  keys(rule::split_number, {{"split.count", Value::u16(2)}});
  keys(rule::split_number, {{"split.no", Value::u16(2)}, {"split.count", Value::u16(2)}});
  keys(rule::split_count, {{"split.no", Value::u16(0)}, {"split.count", Value::u32(2)}});
  keys(rule::split_tensors_count, {{"split.tensors.count", Value::u32(2)}});
  keys(rule::split_tensors_count, {{"split.tensors.count", Value::i32(-1)}});
  keys(rule::split_tensors_count, {{"split.tensors.count", Value::i32(3)}});
}

}  // namespace

ChunkSource chunks_of(const Bytes& bytes, size_t size) {
  auto position = std::make_shared<size_t>(0);
  return [&bytes, size, position](std::byte* buffer, size_t room) {
    const size_t n = std::min({size, room, bytes.size() - *position});
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(*position), n, buffer);
    *position += n;
    return n;
  };
}

std::string describe(const Findings& findings) {
  std::string out;
  for (const Finding& f : findings.all())
    out += std::string(rule_at(f.rule).name) + (f.root ? "" : " (follows)") + " at " + std::to_string(f.offset) + ": " +
           f.message + "\n";
  return out;
}

File sound_model() {
  File file;
  file.set("general.architecture", Value::string("test"));
  file.set("x.u8", Value::u8(7));
  file.set("x.shorts", Value::array(ValueType::uint16, {Value::u16(1), Value::u16(2), Value::u16(3)}));
  file.tensors.push_back(f32_tensor("a", {8}));
  file.tensors.push_back(f32_tensor("b", {4}));
  return file;
}

std::vector<Fault> faults() {
  FaultList list;
  header_faults(list);
  string_faults(list);
  key_faults(list);
  value_faults(list);
  array_faults(list);
  alignment_faults(list);
  tensor_faults(list);
  offset_faults(list);
  data_faults(list);
  layout_faults(list);
  architecture_faults(list);
  tokenizer_faults(list);
  split_faults(list);
  return list.take();
}

}  // namespace gcts
