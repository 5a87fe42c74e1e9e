// Recipes for tensor infos: names, dimensions, types, sizes.

#include <string>

#include "corpus/models.h"
#include "corpus/recipe.h"
#include "reference/tensor_type.h"

namespace gcts {
namespace {

using namespace std::string_literals;

constexpr uint64_t kTwo63 = uint64_t{1} << 63, kTwo62 = uint64_t{1} << 62, kTwo61 = uint64_t{1} << 61,
                   kTwo32 = uint64_t{1} << 32;

// One tensor of a whole alignment unit under this name.
File named(std::string_view name) { return with_tensors({filled(name, tensor::f32, {8})}); }

File pair_named(std::string_view one, std::string_view two) {
  return with_tensors({filled(one, tensor::f32, {8}), filled(two, tensor::f32, {8})});
}

Fault renamed(std::string name, size_t index = 0) {
  return [name = std::move(name), index](File& f) { f.tensors[index].name = name; };
}

File shaped(uint32_t type, std::vector<uint64_t> dims) {
  return with_tensors({filled("weight", type, std::move(dims))});
}

// Other dimensions of the same rank, over the same bytes.
Fault dims(std::vector<uint64_t> values) {
  return [values](Written& w) {
    for (uint32_t d = 0; d < values.size(); ++d) patch_part(w, FieldKind::dimension, 0, d, values[d]);
  };
}

Fault type(uint64_t id) {
  return [id](Written& w) { patch(w, FieldKind::tensor_type, 0, id); };
}

Fault rank(uint64_t value) {
  return [value](Written& w) { patch(w, FieldKind::rank, 0, value); };
}

std::string number(uint64_t value) {
  std::string text = std::to_string(value);
  return std::string(7 - text.size(), '0') + text;
}

Bytes many(uint64_t n, std::string_view prefix) {
  File file = minimal();
  for (uint64_t i = 0; i < n; ++i)
    file.tensors.push_back({std::string(prefix) + number(i), tensor::i8, {1}, Bytes(1, std::byte{1}), {}});
  return write_bytes(file);
}

}  // namespace

RECIPE(tensor_name_64_bytes) {
  r.valid("63_bytes", named(std::string(63, 'n')), "the longest name that every reader takes");
  r.broken("64_bytes", "63_bytes", "the longest name of the document: ggml needs the last byte for a NUL",
           renamed(std::string(64, 'n')));
  r.broken("64_bytes_of_utf8", "63_bytes", "64 bytes that are 32 characters", renamed([] {
             std::string name;
             for (int i = 0; i < 32; ++i) name += "\xc3\xa9";
             return name;
           }()));
}

RECIPE(tensor_name_length) {
  r.valid("63_bytes", named(std::string(63, 'n')), "the longest name that every reader takes");
  r.broken("65_bytes", "63_bytes", "one byte more than the document allows", renamed(std::string(65, 'n')));
  r.broken("66_bytes", "63_bytes", "33 characters of two bytes: the limit counts bytes", renamed([] {
             std::string name;
             for (int i = 0; i < 33; ++i) name += "\xc3\xa9";
             return name;
           }()));
  r.broken("128_bytes", "63_bytes", "twice the limit", renamed(std::string(128, 'n')));
  r.broken("100_000_bytes", "63_bytes", "a name that no fixed buffer holds",
           renamed(std::string(100'000, 'n')));
}

RECIPE(tensor_name_not_empty) {
  r.valid("named", named("weight"), "a tensor with a name");
  r.broken("empty", "named", "readers differ: not found, found, or out of step", renamed(""))
      .either("undefined");
  r.valid("two_named", pair_named("first", "second"), "two tensors with names");
  r.broken("first_empty", "two_named", "an empty name before another tensor", renamed(""))
      .either("undefined");
}

RECIPE(tensor_name_unique) {
  r.valid("distinct", pair_named("first", "second"), "two names");
  r.broken("twice", "distinct", "readers give the first, the last or both", renamed("first", 1))
      .either("divergence");
  r.valid("three",
          with_tensors(
              {filled("a", tensor::f32, {8}), filled("b", tensor::f16, {16}), filled("c", tensor::i8, {32})}),
          "three names");
  r.broken("apart", "three", "the two occurrences do not stand side by side", renamed("a", 2))
      .either("divergence");
  r.broken("other_shape", "three", "the same name with another type and shape", renamed("a", 1))
      .either("divergence");
}

RECIPE(tensor_name_without_nul) {
  r.valid("plain", named("weight"), "a name without NUL");
  r.broken("inside", "plain", "as a C string it is \"w\"", renamed("w\0eight"s)).either("undefined");
  r.broken("trailing", "plain", "a writer counted the terminator", renamed("weight\0"s)).either("undefined");
  r.valid("pair", pair_named("t", "u"), "two names");
  r.broken("first_of_pair", "pair", "as a C string it is still \"t\"", renamed("t\0a"s)).either("undefined");
}

RECIPE(tensor_name_is_utf8) {
  r.valid("ascii", named("weight"), "an ASCII name");
  r.valid("utf8", named("gewicht.\xc3\xa4\xe2\x82\xac"), "a name of sound UTF-8");
  r.broken("stray_byte", "ascii", "a byte that UTF-8 never has", renamed("weight\xff"));
  r.broken("truncated", "ascii", "the last character is cut", renamed("weight\xe2\x82"));
  r.broken("overlong", "ascii", "NUL in two bytes", renamed("weight\xc0\x80"));
}

RECIPE(tensor_name_free) {
  r.valid("conventional", named("blk.0.attn_q.weight"), "a name of the document's list");
  r.valid("single_letter", named("w"), "a name of no list");
  r.valid("unusual", named("a b/c:d[0]{%s}\\n\"'"),
          "characters that paths, formats and quotes give a meaning");
  r.valid("path", named("../../etc/passwd"), "a name that must not become a path");
}

RECIPE(tensor_rank) {
  r.valid("four", shaped(tensor::f32, {2, 2, 2, 1}), "four dimensions, the most there may be");
  r.valid("one", shaped(tensor::f32, {8}), "one dimension");
  const auto dimensions = [](size_t n) { return [n](File& f) { f.tensors[0].dims.resize(n, 1); }; };
  r.broken("five", "four", "a fixed array of four is overrun", dimensions(5));
  r.broken("eight", "four", "one reader allows as many", dimensions(8));
  r.broken("nine", "four", "nine dimensions of which five are 1", dimensions(9));
}

RECIPE(tensor_rank_zero) {
  const auto scalar = [](uint32_t type) {
    File file = shaped(type, {1});
    file.tensors[0].dims.clear();
    return file;
  };
  r.valid("f32", scalar(tensor::f32), "one element of four bytes").either("undefined");
  r.valid("i8", scalar(tensor::i8), "one element of one byte").either("undefined");
  File file = scalar(tensor::f64);
  file.tensors.push_back(filled("next", tensor::f32, {8}));
  r.valid("then_tensor", file, "the next tensor's offset shows the size that was meant").either("undefined");
}

RECIPE(tensor_rank_fits_file) {
  r.valid("one", one_tensor(), "one dimension");
  r.valid("two_tensors", two_tensors(), "one dimension each");
  r.broken("all_ones", "one", "a reader that allocates first takes 32 GiB", rank(0xffffffff));
  r.broken("million", "one", "a million dimensions in a file of a few hundred bytes", rank(1'000'000));
  r.broken("sign_bit", "two_tensors", "negative when read as a signed number", rank(0x80000000));
}

RECIPE(dimensions_innermost_first) {
  r.valid("2_by_3", shaped(tensor::f32, {2, 3}), "a reader that reverses gives 3 by 2");
  r.valid("32_by_3", shaped(tensor::q8_0, {32, 3}), "reversed, a row of 3 is no whole block");
  r.valid("2_3_4_5", shaped(tensor::i16, {2, 3, 4, 5}), "four different dimensions");
  r.valid("wide", shaped(tensor::i8, {1, 70'000}), "a dimension that needs more than 16 bits, the second");
}

RECIPE(trailing_dimension_one) {
  r.valid("rank_4", shaped(tensor::f32, {2, 2, 2, 1}), "a reader that drops the 1 writes rank 3 back");
  r.valid("rank_2", shaped(tensor::f32, {8, 1}), "a row as a matrix");
  r.valid("all_ones", shaped(tensor::f32, {1, 1, 1, 1}), "one element with four dimensions");
  r.valid("inner_ones", shaped(tensor::f32, {1, 1, 8}), "ones before the dimension that counts");
}

RECIPE(dimension_zero) {
  r.valid("last", shaped(tensor::f32, {8, 0}), "no rows").either("undefined");
  r.valid("first", shaped(tensor::f32, {0}), "no elements").either("undefined");
  r.valid("then_tensor",
          with_tensors({filled("none", tensor::f32, {8, 0}), filled("weight", tensor::f32, {8})}),
          "the next tensor has the same offset")
      .either("undefined");
  r.valid("quantized", shaped(tensor::q4_0, {0, 2}), "zero blocks").either("undefined");
}

RECIPE(dimension_range) {
  r.valid("small", shaped(tensor::i8, {32}), "a dimension of 32");
  r.valid("matrix", shaped(tensor::i8, {32, 1}), "dimensions of 32 and 1");
  r.broken("two_to_63", "small", "the smallest dimension that is negative as an int64", dims({kTwo63}));
  r.broken("all_ones", "small", "-1 as an int64", dims({~uint64_t{0}}));
  r.broken("beside_zero", "matrix", "negative as an int64, and hidden in a product of 0", dims({0, kTwo63}));
  r.broken("second_two_to_63", "matrix", "the second dimension is negative as an int64", dims({1, kTwo63}));
}

RECIPE(elements_wrap_to_zero) {
  r.valid("f32", shaped(tensor::f32, {4, 2}), "two dimensions");
  r.valid("i8", shaped(tensor::i8, {8, 4}), "two dimensions of bytes");
  r.valid("f32_3d", shaped(tensor::f32, {2, 2, 2}), "three dimensions");
  r.valid("i8_4d", shaped(tensor::i8, {4, 2, 2, 2}), "four dimensions");
  r.broken("f32_two_to_32_squared", "f32", "2^32 times 2^32 is 0 in 64 bits: ggml loads a tensor of no bytes",
           dims({kTwo32, kTwo32}));
  r.broken("i8_two_to_32_squared", "i8", "2^32 times 2^32 is 0 in 64 bits", dims({kTwo32, kTwo32}));
  r.broken("f32_two_to_62_by_4", "f32", "2^62 times 4 is 0 in 64 bits", dims({kTwo62, 4}));
  r.broken("f32_two_to_22_cubed", "f32_3d", "2^22 three times is 0 in 64 bits",
           dims({uint64_t{1} << 22, uint64_t{1} << 22, uint64_t{1} << 22}));
  r.broken("i8_two_to_16_to_the_4", "i8_4d", "2^16 four times is 0 in 64 bits",
           dims({65536, 65536, 65536, 65536}));
}

RECIPE(elements_wrap_negative) {
  r.valid("i8", shaped(tensor::i8, {8, 4}), "two dimensions of bytes");
  r.valid("i8_3d", shaped(tensor::i8, {8, 2, 2}), "three dimensions of bytes");
  r.broken("two_to_62_by_2", "i8", "2^63 elements: ggml reads the metadata and aborts on the data",
           dims({kTwo62, 2}));
  r.broken("two_to_62_by_3", "i8", "3 times 2^62 is negative as an int64", dims({kTwo62, 3}));
  r.broken("two_to_62_by_2_by_1", "i8_3d", "the same with a third dimension", dims({kTwo62, 2, 1}));
}

RECIPE(elements_wrap_small) {
  r.valid("f32", shaped(tensor::f32, {4, 2}), "two dimensions");
  r.valid("i8_3d", shaped(tensor::i8, {2, 4, 4}), "three dimensions of bytes");
  r.broken("8_by_two_to_61_more", "f32", "8 times (2^61 + 1) is 8 in 64 bits, the elements that are there",
           dims({8, kTwo61 + 1}));
  r.broken("two_to_62_more_by_4", "f32", "(2^62 + 2) times 4 is 8 in 64 bits, the elements that are there",
           dims({kTwo62 + 2, 4}));
  r.broken("3d", "i8_3d", "2 times 4 times (2^61 + 4) is 32 in 64 bits, the elements that are there",
           dims({2, 4, kTwo61 + 4}));
}

RECIPE(tensor_bytes_representable) {
  r.valid("f32", shaped(tensor::f32, {8}), "a size of 32 bytes");
  r.valid("f64", shaped(tensor::f64, {4}), "a size of 32 bytes");
  r.valid("f32_2d", shaped(tensor::f32, {4, 2}), "a size of 32 bytes, two dimensions");
  r.broken("f32_two_to_62", "f32", "2^62 elements of 4 bytes are 0 bytes in 64 bits", dims({kTwo62}));
  r.broken("f64_two_to_61", "f64", "2^61 elements of 8 bytes are 0 bytes in 64 bits", dims({kTwo61}));
  r.broken("f32_two_to_62_more", "f32", "the size wraps to 32, the bytes that are there", dims({kTwo62 + 8}));
  r.broken("f32_two_to_31_squared", "f32_2d", "2^62 elements in two dimensions of 2^31",
           dims({uint64_t{1} << 31, uint64_t{1} << 31}));
}

RECIPE(tensor_sizes_sum) {
  r.valid("two", with_tensors({filled("first", tensor::i8, {64}), filled("second", tensor::i8, {64})}),
          "two tensors of 64 bytes");
  const auto huge = [](uint64_t size) {
    return [size](Written& w) {
      patch(w, FieldKind::dimension, 0, size);
      patch(w, FieldKind::dimension, 1, size);
      patch(w, FieldKind::tensor_offset, 1, size);
    };
  };
  r.broken("two_to_63_less_64", "two",
           "the sum of both sizes comes near 2^64, and the start of the data makes it wrap",
           huge(kTwo63 - 64));
  r.broken("two_to_63_less_32", "two", "the sum of both sizes is 64 less than 2^64", huge(kTwo63 - 32));
  r.valid("three",
          with_tensors({filled("first", tensor::i8, {64}), filled("second", tensor::i8, {64}),
                        filled("third", tensor::i8, {64})}),
          "three tensors of 64 bytes");
  r.broken("three_wrap", "three", "three sizes of 2^63 - 64 wrap to a sum that looks small", [](Written& w) {
    for (uint32_t i = 0; i < 3; ++i) patch(w, FieldKind::dimension, i, kTwo63 - 64);
    patch(w, FieldKind::tensor_offset, 1, kTwo63 - 64);
    patch(w, FieldKind::tensor_offset, 2, 2 * (kTwo63 - 64));
  });
}

RECIPE(elements_below_int64_max) {
  r.valid("i8", shaped(tensor::i8, {32}), "32 elements");
  r.valid("i8_2d", shaped(tensor::i8, {7, 1}), "7 elements");
  r.broken("two_to_63_less_1", "i8", "INT64_MAX elements: ggml keeps below it", dims({kTwo63 - 1}));
  r.broken("seven_times", "i8_2d", "7 times a dimension is INT64_MAX", dims({7, (kTwo63 - 1) / 7}));
}

RECIPE(tensor_type_known) {
  r.valid("f32", one_tensor(), "type 0");
  r.valid("bf16", shaped(tensor::bf16, {16}), "type 30");
  const auto first_free = static_cast<uint32_t>(tensor_types().size());
  r.broken(std::to_string(first_free), "f32", "the first id that is not assigned", type(first_free));
  r.broken("99", "f32", "an id far from all others", type(99));
  r.broken("256_more", "f32", "its low byte is a sound id", type(256));
  r.broken("sign_bit", "f32", "negative when read as a signed number", type(0x80000000));
  r.broken("all_ones", "f32", "-1 when read as a signed number", type(0xffffffff));
}

RECIPE(tensor_type_q4_2_q4_3) {
  r.valid("q4_1", shaped(tensor::q4_1, {32}), "type 3, the last before the gap");
  r.broken("4", "q4_1", "q4_2, whose block has no size: a division by zero", type(4));
  r.broken("5", "q4_1", "q4_3, whose block has no size: a division by zero", type(5));
}

RECIPE(tensor_type_repacked) {
  r.valid("bf16", shaped(tensor::bf16, {16}), "type 30, the last before the gap");
  r.valid("tq2_0", shaped(tensor::tq2_0, {256}), "type 35, between the gaps");
  for (const uint64_t id : {31, 32, 33})
    r.broken(std::to_string(id), "bf16", "a repacked q4_0: given up as a file type", type(id));
  for (const uint64_t id : {36, 37, 38})
    r.broken(std::to_string(id), "tq2_0", "a repacked iq4_nl: given up as a file type, reused by forks",
             type(id));
}

RECIPE(tensor_type_newer_than_document) {
  r.valid("mxfp4", shaped(tensor::mxfp4, {32}), "type 39, the last that the document lists");
  const auto only = [](uint32_t id, uint64_t elements) {
    return [id, elements](File& f) { f.tensors[0] = filled("weight", id, {elements}); };
  };
  r.broken("nvfp4", "mxfp4", "type 40 exists in ggml alone", only(tensor::nvfp4, 64));
  r.broken("q1_0", "mxfp4", "type 41 exists in ggml alone", only(tensor::q1_0, 128));
  r.broken("q2_0", "mxfp4", "type 42 exists in ggml alone", only(tensor::q2_0, 64));
}

RECIPE(unsupported_type_inspectable) {
  for (const uint32_t id :
       {tensor::i8, tensor::i64, tensor::f64, tensor::iq4_xs, tensor::tq1_0, tensor::mxfp4}) {
    const TensorType& type = *find_tensor_type(id);
    r.valid(type.name,
            with_tensors({filled("first", tensor::f32, {8}), filled("unusual", id, {256}),
                          filled("last", tensor::f32, {8})}),
            "readers without kernels for the type lose the whole file");
  }
}

RECIPE(row_is_whole_blocks) {
  r.valid("q4_0", shaped(tensor::q4_0, {32, 2}), "rows of one block");
  r.valid("q4_k", shaped(tensor::q4_k, {256, 2}), "rows of one block of 256");
  r.broken("q4_0_16", "q4_0", "two rows make one block, so that the product of dimensions is whole",
           dims({16, 2}));
  r.broken("q4_0_33", "q4_0", "one element more than a block", dims({33, 1}));
  r.broken("q4_0_1", "q4_0", "rows of one element", dims({1, 64}));
  r.broken("q4_k_32", "q4_k", "blocks of 32 are a common misreading of K types", dims({32, 8}));
  r.broken("q4_k_255", "q4_k", "one element less than a block", dims({255, 2}));
}

RECIPE(tensor_bytes) {
  r.valid("three_types",
          with_tensors({filled("first", tensor::q8_0, {64}), filled("second", tensor::q6_k, {256}),
                        filled("third", tensor::f16, {3})}),
          "each offset is the sum of the sizes before it");
  r.valid("rows", with_tensors({filled("first", tensor::q5_1, {32, 3}), filled("second", tensor::f32, {8})}),
          "blocks times rows");
  r.valid("four_dimensions",
          with_tensors({filled("first", tensor::q4_0, {64, 2, 3, 2}), filled("second", tensor::f32, {8})}),
          "blocks times three dimensions");
}

RECIPE(many_tensors) {
  r.family("short_names", "readers that look for duplicates name by name take quadratic time", 25'000,
           [](uint64_t n) { return many(n, "t"); });
  r.family("common_prefix", "names that differ in their last bytes make comparisons dear", 25'000,
           [](uint64_t n) { return many(n, std::string(56, 'p')); });
}

RECIPE(tensor_info_complete) {
  File file = shaped(tensor::f32, {4, 2});
  r.valid("two_dimensions", file, "an info with two dimensions");
  const auto before = [](FieldKind kind, uint32_t part, uint64_t more) {
    return [kind, part, more](Written& w) { cut(w, field(w, kind, 0, part).offset + more); };
  };
  r.broken("before_name_length", "two_dimensions", "the file ends where the info is due",
           before(FieldKind::name_length, 0, 0));
  r.broken("in_rank", "two_dimensions", "the file ends in the number of dimensions",
           before(FieldKind::rank, 0, 2));
  r.broken("before_rank", "two_dimensions", "the file ends after the name", before(FieldKind::rank, 0, 0));
  r.broken("before_dimension", "two_dimensions", "the file ends before the second dimension",
           before(FieldKind::dimension, 1, 0));
  r.broken("in_dimension", "two_dimensions", "the file ends in the second dimension",
           before(FieldKind::dimension, 1, 5));
  r.broken("in_type", "two_dimensions", "the file ends in the type", before(FieldKind::tensor_type, 0, 1));
  r.broken("before_offset", "two_dimensions", "the file ends before the offset",
           before(FieldKind::tensor_offset, 0, 0));
  r.broken("in_offset", "two_dimensions", "the last byte of the offset is missing",
           before(FieldKind::tensor_offset, 0, 7));
}

}  // namespace gcts
