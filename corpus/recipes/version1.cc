// Recipes for version 1, where counts, lengths and dimensions have 32 bits.

#include "corpus/models.h"
#include "corpus/recipe.h"
#include "reference/tensor_type.h"

namespace gcts {
namespace {

using namespace std::string_literals;

File v1(File file) { return in_version(std::move(file), 1); }

// Values of types that version 1 has.
File old_values() {
  File file = minimal();
  file.set("gcts.number", Value::i32(-7));
  file.set("gcts.words", Value::strings({"a", "", "bc"}));
  file.set("gcts.floats", Value::array(ValueType::float32, {Value::f32(0.5f), Value::f32(-1)}));
  return file;
}

}  // namespace

RECIPE(version_1) {
  r.valid("version_3", minimal(), "the twin in version 3");
  r.valid("version_3_tensors", two_tensors(), "the twin in version 3, with tensors");
  r.valid("version_3_values", old_values(), "the twin in version 3, with strings and arrays");
  const auto first = [](File& f) { f.layout.version = 1; };
  for (const std::string_view twin : {"version_3", "version_3_tensors", "version_3_values"})
    r.broken("1" + std::string(twin.substr(9)), twin, "read, or refused as version 1, and never misread",
             first)
        .either("undefined")
        .tag("version:1");
}

RECIPE(version_1_terminators) {
  r.valid("without", v1(with("gcts.a", Value::u32(1))), "strings as writers of version 1 wrote them")
      .breaks(rule::version_1)
      .either("undefined")
      .tag("version:1");
  r.valid("with", v1(with("gcts.a\0"s, Value::u32(1))),
          "a key with a terminator that its length counts, as one reader expects")
      .breaks(rule::key_without_nul)
      .child_of("version_1.version_3")
      .tag("version:1");
  r.valid("value_without", v1(with("gcts.a", Value::string("text"))), "a string value without a terminator")
      .breaks(rule::version_1)
      .either("undefined")
      .tag("version:1");
}

RECIPE(version_1_value_types) {
  r.valid("version_3", with("gcts.a", Value::u64(1)), "the twin in version 3");
  for (const Value& value : {Value::u64(1), Value::i64(-1), Value::f64(0.5)})
    r.broken(value_type_name(value.type), "version_3", "a type that came with version 2",
             [value](File& f) {
               f.layout.version = 1;
               f.metadata[1].value = value;
             })
        .either("undefined")
        .tag("version:1");
}

RECIPE(version_1_widths) {
  const auto mislabelled = [](Written& w) { patch(w, FieldKind::version, 0, 1); };
  r.valid("one_tensor", one_tensor(), "version 3 with counts of 64 bits, and a tensor");
  r.valid("tensors", two_tensors(), "version 3 with counts of 64 bits, and tensors");
  r.valid("rich", rich(), "version 3 with counts of 64 bits, every kind of field");
  r.broken("one_tensor_as_1", "one_tensor", "with counts of 32 bits there are one tensor and no pairs",
           mislabelled)
      .tag("version:1");
  r.broken("tensors_as_1", "tensors", "with counts of 32 bits there are two tensors and no pairs",
           mislabelled)
      .tag("version:1");
  r.broken("rich_as_1", "rich", "with counts of 32 bits the parse goes on at a wrong place", mislabelled)
      .tag("version:1");
}

RECIPE(version_2_same_layout) {
  r.valid("minimal", in_version(minimal(), 2), "the same bytes but for the version");
  r.valid("tensors", in_version(two_tensors(), 2), "the same bytes but for the version, with tensors");
  File file = two_tensors();
  file.set(kAlignmentKey, Value::u32(64));
  r.valid("alignment", in_version(file, 2), "a declared alignment in version 2");
}

}  // namespace gcts
