// Recipes for byte order.

#include <algorithm>

#include "corpus/models.h"
#include "corpus/recipe.h"
#include "reference/tensor_type.h"

namespace gcts {
namespace {

File big(File file) { return in_order(std::move(file), ByteOrder::big); }

// Writes a field's bytes in the other order.
void swap_field(Written& w, const Field& f) {
  std::reverse(w.bytes.begin() + static_cast<ptrdiff_t>(f.offset),
               w.bytes.begin() + static_cast<ptrdiff_t>(f.offset + f.size));
}

// A pair, an array and a tensor.
File mixed() {
  File file = one_tensor();
  file.set("gcts.value", Value::u32(1));
  file.set("gcts.list", Value::array(ValueType::int16, {Value::i16(1), Value::i16(2)}));
  return file;
}

}  // namespace

RECIPE(big_endian_version_3) {
  r.valid("little", minimal(), "the little-endian twin");
  r.valid("little_tensors", two_tensors(), "the little-endian twin with tensors");
  r.valid("little_rich", rich(), "the little-endian twin with every kind of value");
  const auto turned = [](File& f) { f = big(f); };
  r.broken("minimal", "little", "everything but the magic is swapped", turned);
  r.broken("tensors", "little_tensors", "offsets, dimensions and floats are swapped too", turned);
  r.broken("rich", "little_rich", "every kind of value is swapped", turned);
}

RECIPE(little_endian_by_default) {
  r.valid("minimal", minimal(), "nothing in the file says that it is little-endian");
  r.valid("rich", rich(), "every kind of value, little-endian");
  r.valid("palindromes", with("gcts.value", Value::u32(0x01000001)),
          "numbers that read the same in either order");
}

RECIPE(big_endian_version) {
  r.valid("version_3", big(minimal()), "big-endian files exist from version 3 on")
      .breaks(rule::big_endian_version_3);
  r.valid("version_3_tensors", big(two_tensors()), "big-endian files exist from version 3 on")
      .breaks(rule::big_endian_version_3);
  const auto version = [](uint32_t number) { return [number](File& f) { f.layout.version = number; }; };
  r.broken("version_2", "version_3", "big-endian files were not defined before version 3", version(2))
      .either("undefined");
  r.broken("version_2_tensors", "version_3_tensors", "big-endian files were not defined before version 3",
           version(2))
      .either("undefined");
  r.broken("version_2_padded", "version_3_tensors", "the same with a declared alignment", [](File& f) {
     f.layout.version = 2;
     f.set(kAlignmentKey, Value::u32(64));
   }).either("undefined");
}

RECIPE(byte_order_uniform) {
  r.valid("little", mixed(), "one byte order throughout");
  r.valid("big", big(mixed()), "one byte order throughout, big-endian").breaks(rule::big_endian_version_3);
  r.broken("header_little", "big", "the header is little-endian, the rest is big-endian", [](Written& w) {
    for (const FieldKind kind : {FieldKind::version, FieldKind::tensor_count, FieldKind::metadata_count})
      swap_field(w, field(w, kind));
  });
  r.broken("header_big", "little", "the header is big-endian, the rest is little-endian", [](Written& w) {
    for (const FieldKind kind : {FieldKind::version, FieldKind::tensor_count, FieldKind::metadata_count})
      swap_field(w, field(w, kind));
  });
  r.broken("tensor_infos_big", "little", "the pairs are little-endian, the tensor infos are big-endian",
           [](Written& w) {
             for (const Field& f : w.fields)
               if (f.kind >= FieldKind::name_length && f.kind <= FieldKind::tensor_offset &&
                   f.kind != FieldKind::name_bytes)
                 swap_field(w, f);
           });
  r.broken("value_type_big", "little", "a type is big-endian",
           [](Written& w) { swap_field(w, field(w, FieldKind::value_type, 1)); });
  r.broken("rank_big", "little", "the number of dimensions is big-endian",
           [](Written& w) { swap_field(w, field(w, FieldKind::rank)); });
  r.broken("element_type_big", "little", "the element type of an array is big-endian",
           [](Written& w) { swap_field(w, field(w, FieldKind::element_type, 2)); });
  r.broken("counts_big", "little", "the version is little-endian, the counts are big-endian", [](Written& w) {
     swap_field(w, field(w, FieldKind::tensor_count));
     swap_field(w, field(w, FieldKind::metadata_count));
   }).breaks(rule::counts_fit_file);
  r.broken("version_big", "little", "the version is big-endian, the rest is little-endian", [](Written& w) {
     swap_field(w, field(w, FieldKind::version));
   }).breaks(rule::counts_fit_file);
}

RECIPE(block_byte_order) {
  for (const uint32_t id : {tensor::q8_0, tensor::q4_0, tensor::q4_k, tensor::q6_k})
    r.valid(find_tensor_type(id)->name, big(with_tensors({filled("weight", id, {256})})),
            "whether the scales inside a block are swapped is open")
        .breaks(rule::big_endian_version_3)
        .either("undefined");
}

RECIPE(bytes_not_swapped) {
  const auto turned = [&](std::string_view suffix, File file, std::string_view comment) {
    r.valid(suffix, big(std::move(file)), comment).breaks(rule::big_endian_version_3);
  };
  turned("bool", with("gcts.value", Value::boolean(true)), "one byte has no order");
  turned("string", with("gcts.value", Value::string("abcd")), "a string has no order, its length has");
  turned("bytes",
         with("gcts.value",
              Value::array(ValueType::uint8, {Value::u8(1), Value::u8(2), Value::u8(3), Value::u8(4)})),
         "bytes in an array keep their places");
  turned("strings", with("gcts.value", Value::strings({"ab", "cdef"})),
         "strings in an array keep their places");
}

RECIPE(little_endian_on_any_host) {
  r.valid("rich", rich(), "a big-endian host that reads natively finds version 50331648");
  r.valid("wide_values", with("gcts.value", Value::u64(0x0102030405060708)),
          "a number whose bytes all differ");
  r.valid("tensor", with_tensors({filled("weight", tensor::i32, {8})}), "tensor data are little-endian too");
}

RECIPE(headers_swapped) {
  const auto turned = [&](std::string_view suffix, File file, std::string_view comment) {
    r.valid(suffix, big(std::move(file)), comment).breaks(rule::big_endian_version_3);
  };
  turned("array",
         with("gcts.value", Value::array(ValueType::int32, {Value::i32(1), Value::i32(-2), Value::i32(3)})),
         "element type, count and elements are swapped");
  turned("tensor_3d", with_tensors({filled("weight", tensor::f16, {4, 3, 2})}),
         "rank, dimensions, type and offset are swapped");
  turned(
      "both",
      [] {
        File file = with_tensors({filled("first", tensor::f32, {2, 3}), filled("second", tensor::i16, {5})});
        file.set("gcts.words", Value::strings({"a", "bc"}));
        file.set(kAlignmentKey, Value::u32(64));
        return file;
      }(),
      "an array, a declared alignment and two tensors");
}

}  // namespace gcts
