// Recipes for where the tensors' bytes lie.

#include "corpus/models.h"
#include "corpus/recipe.h"
#include "reference/tensor_type.h"

namespace gcts {
namespace {

// Two tensors of whole alignment units: 32 and 64 bytes.
File two_whole() {
  return with_tensors({filled("first", tensor::f32, {8}), filled("second", tensor::f32, {16})});
}

Fault offset(uint32_t item, uint64_t value) {
  return [item, value](Written& w) { patch(w, FieldKind::tensor_offset, item, value); };
}

// Places tensors, bytes and all.
Fault placed(std::vector<uint64_t> offsets) {
  return [offsets](File& f) {
    for (size_t i = 0; i < offsets.size(); ++i) f.tensors[i].offset = offsets[i];
  };
}

}  // namespace

RECIPE(offset_from_data_start) {
  r.valid("two", two_tensors(),
          "a reader that counts from the start of the file reads the header as weights");
  r.valid("three",
          with_tensors(
              {filled("a", tensor::i8, {32}), filled("b", tensor::i8, {32}), filled("c", tensor::i8, {32})}),
          "three tensors of different bytes");
  File file = two_tensors();
  file.set("gcts.filler", Value::string(std::string(500, 'f')));
  r.valid("long_metadata", file, "the data start far from the beginning");
}

RECIPE(tensor_offset_aligned) {
  r.valid("two", two_whole(), "offsets 0 and 32");
  r.valid("one", one_tensor(), "offset 0");
  r.broken("second_33", "two", "one byte past the place where it belongs", offset(1, 33));
  r.broken("second_36", "two", "four bytes past: aligned for floats, not for the format", offset(1, 36));
  r.broken("second_48", "two", "a multiple of 16", offset(1, 48));
  r.broken("first_4", "two", "the first tensor four bytes late", offset(0, 4));
}

RECIPE(offsets_without_gap) {
  r.valid("adjacent", two_whole(), "the second tensor follows the first");
  r.broken("one_unit", "adjacent", "32 bytes that belong to nobody", placed({0, 64}));
  r.broken("large", "adjacent", "a page between the tensors, as page-aligned writers leave",
           placed({0, 4096}));
  File file = with_tensors(
      {filled("a", tensor::i8, {32}), filled("b", tensor::i8, {32}), filled("c", tensor::i8, {32})});
  r.valid("three_adjacent", file, "three tensors without gaps");
  r.broken("before_last", "three_adjacent", "a gap before the last tensor", placed({0, 32, 96}));
}

RECIPE(first_offset_zero) {
  r.valid("zero", one_tensor(), "one tensor at 0");
  r.broken("32", "zero", "one tensor after a gap of 32 bytes", placed({32}));
  r.broken("4096", "zero", "one tensor after a page", placed({4096}));
  r.valid("two", two_whole(), "two tensors from 0 on");
  r.broken("two_from_32", "two", "both tensors are moved by 32 bytes", placed({32, 64}));
}

RECIPE(offsets_in_order) {
  r.valid("in_order", two_whole(), "the first info is that of the first data");
  r.broken("swapped", "in_order", "the second info's data come first", placed({64, 0}));
  File file = with_tensors(
      {filled("a", tensor::i8, {32}), filled("b", tensor::i8, {32}), filled("c", tensor::i8, {32})});
  r.valid("three_in_order", file, "three tensors in order");
  r.broken("last_two_swapped", "three_in_order", "the third info's data come before the second's",
           placed({0, 64, 32}));
  r.broken("rotated", "three_in_order", "the first info's data come last", placed({64, 0, 32}));
}

RECIPE(tensors_do_not_overlap) {
  r.valid("apart", two_whole(), "two tensors side by side");
  r.valid("equal_sizes", with_tensors({filled("a", tensor::i8, {32}), filled("b", tensor::i8, {32})}),
          "two tensors of one size");
  r.broken("same_bytes", "equal_sizes", "tied embeddings might share their bytes so", offset(1, 0))
      .either("undefined");
  r.broken("second_inside_first", "apart", "the second begins where the first does and ends later",
           offset(1, 0))
      .either("undefined");
  File file = with_tensors({filled("a", tensor::i8, {64}), filled("b", tensor::i8, {64})});
  r.valid("two_units_each", file, "two tensors of two units each");
  r.broken("half", "two_units_each", "the second begins in the middle of the first", offset(1, 32))
      .either("undefined");
}

RECIPE(tensor_in_file) {
  r.valid("one", one_tensor(), "a tensor inside the file");
  r.valid("two", two_whole(), "two tensors inside the file");
  r.broken("two_to_40", "two", "a terabyte past the end", offset(1, uint64_t{1} << 40));
  r.broken("at_the_end", "two", "the tensor would begin where the file ends", offset(1, 96));
  r.broken("first_two_to_40", "one", "the only tensor a terabyte past the end", offset(0, uint64_t{1} << 40));
  r.broken("two_to_32", "two", "cut to 32 bits the offset is 0", offset(1, uint64_t{1} << 32));
}

RECIPE(tensor_end_representable) {
  r.valid("one", one_tensor(), "a tensor inside the file");
  r.valid("two", two_whole(), "two tensors inside the file");
  r.broken("two_to_64_less_32", "one", "offset plus size is 0 in 64 bits", offset(0, ~uint64_t{0} - 31));
  r.broken("second_two_to_64_less_64", "two", "offset plus size is 0 in 64 bits",
           offset(1, ~uint64_t{0} - 63));
  r.broken("second_two_to_64_less_128", "two",
           "with the start of the data the offset wraps into the metadata", offset(1, ~uint64_t{0} - 127));
}

RECIPE(empty_tensor_shares_offset) {
  r.valid("first_empty", with_tensors({filled("none", tensor::f32, {0}), filled("weight", tensor::f32, {8})}),
          "a detector of overlaps must skip empty tensors");
  r.valid("middle_empty",
          with_tensors({filled("a", tensor::f32, {8}), filled("none", tensor::f32, {4, 0}),
                        filled("b", tensor::f32, {8})}),
          "the tensor without bytes shares the offset of the next");
  r.valid("two_empty",
          with_tensors({filled("none", tensor::f32, {0}), filled("nothing", tensor::f16, {0, 3}),
                        filled("b", tensor::f32, {8})}),
          "three tensors at one offset");
}

RECIPE(offsets_use_alignment) {
  File file = with_tensors(
      {filled("a", tensor::f32, {1}), filled("b", tensor::f32, {1}), filled("c", tensor::f32, {1})});
  r.valid("padded", file, "tensors of four bytes at 0, 32 and 64");
  r.broken("packed", "padded", "the writer forgot the padding: 0, 4 and 8", placed({0, 4, 8}));
  r.broken("packed_by_8", "padded", "the writer aligned to 8 and did not say so", placed({0, 8, 16}))
      .breaks(rule::tensor_offset_aligned);
  r.valid("pair_padded", with_tensors({filled("a", tensor::f16, {3}), filled("b", tensor::f16, {3})}),
          "tensors of six bytes at 0 and 32");
  r.broken("pair_packed", "pair_padded", "the writer forgot the padding: 0 and 6", placed({0, 6}));
}

}  // namespace gcts
