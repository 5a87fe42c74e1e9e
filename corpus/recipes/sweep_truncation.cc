// The truncation sweep: a model with every kind of field, cut in every field.

#include <string>

#include "corpus/models.h"
#include "corpus/recipe.h"
#include "reference/tensor_type.h"

namespace gcts {
namespace {

// One of each kind of field, and no two alike.
File every_field() {
  File file = with_tensors({filled("weight", tensor::f32, {4, 2}), filled("bias", tensor::i8, {5})});
  file.set("gcts.u8", Value::u8(1));
  file.set("gcts.i64", Value::i64(-2));
  file.set("gcts.text", Value::string("text"));
  file.set("gcts.numbers", Value::array(ValueType::int32, {Value::i32(1), Value::i32(2)}));
  file.set("gcts.words", Value::strings({"one", "two"}));
  return file;
}

// The end of an array of strings if all of them were empty: up to there the count
// alone tells that the array does not fit.  0 for other values.
uint64_t least_of_array(const Written& w, uint32_t item) {
  const Field* count = w.find(FieldKind::element_count, item);
  return count ? count->offset + count->size + 8 * w.read(*count) : 0;
}

// What a cut inside a field, or before it, breaks.  Where the file ends before a pair
// or before the data, that is a rule of its own.
rule::Index broken_by_cut(const Written& w, const Field& field, uint64_t at) {
  const uint64_t data = w.find(FieldKind::tensor_data, 0)->offset;
  if (at < 4) return rule::magic_present;
  if (at < 24) return rule::header_complete;
  const bool before = at == field.offset;
  switch (field.kind) {
    case FieldKind::key_length:
      return before ? rule::metadata_count_met : rule::string_complete;
    case FieldKind::key_bytes:
      return rule::string_complete;
    case FieldKind::string_length:
    case FieldKind::string_bytes:
      return at < least_of_array(w, field.item) ? rule::array_fits_file : rule::string_complete;
    case FieldKind::value_type:
      return rule::scalar_complete;
    case FieldKind::scalar:
      return field.item == 4 ? rule::array_fits_file : rule::scalar_complete;
    case FieldKind::element_type:
    case FieldKind::element_count:
      return rule::array_fits_file;
    case FieldKind::padding:
      return before || at == data ? rule::metadata_only : rule::prefix_rejected;
    case FieldKind::tensor_data:
      return at == data ? rule::metadata_only : rule::tensor_data_complete;
    default:
      return rule::tensor_info_complete;
  }
}

}  // namespace

SWEEP(truncation) {
  r.of(rule::prefix_rejected).valid("base", every_field(), "every kind of field, two tensors");
  const Written w = r.model("base").write();
  const auto cut_at = [&](const Field& field, uint64_t at) {
    std::string place = std::to_string(at);
    place.insert(0, 4 - place.size(), '0');
    r.of(broken_by_cut(w, field, at))
        .broken("at_" + place + "_" + std::string(field_kind_name(field.kind)), "base",
                "a file that ends here is never the whole of a model",
                [at](Written& whole) { cut(whole, at); });
  };
  const Field& last = w.fields.back();  // the padding of the last tensor, which ggml alone asks for
  for (const Field& field : w.fields) {
    if (field.offset == last.offset) break;
    cut_at(field, field.offset);
    if (field.size > 1) cut_at(field, field.offset + field.size / 2);
    if (field.size > 2) cut_at(field, field.offset + field.size - 1);
  }
  for (const uint64_t at : {last.offset, last.offset + 1, last.offset + last.size - 1})
    r.of(rule::last_tensor_padded)
        .broken("at_" + std::string("0") + std::to_string(at) + "_last_padding", "base",
                "nothing but padding is missing: ggml alone asks for it",
                [at](Written& whole) { cut(whole, at); });
}

}  // namespace gcts
