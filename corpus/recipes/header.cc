// Recipes for the header: magic, version and the two counts.

#include "corpus/models.h"
#include "corpus/recipe.h"
#include "reference/tensor_type.h"

namespace gcts {
namespace {

using namespace std::string_view_literals;

Fault magic(std::string_view bytes) {
  return [bytes](Written& w) { overwrite(w, 0, bytes); };
}

Fault version(uint64_t value) {
  return [value](Written& w) { patch(w, FieldKind::version, 0, value); };
}

Fault end_at(uint64_t size) {
  return [size](Written& w) { cut(w, size); };
}

Fault tensor_count(uint64_t value) {
  return [value](Written& w) { patch(w, FieldKind::tensor_count, 0, value); };
}

Fault metadata_count(uint64_t value) {
  return [value](Written& w) { patch(w, FieldKind::metadata_count, 0, value); };
}

}  // namespace

RECIPE(magic_is_gguf) {
  r.valid("minimal", minimal(), "the smallest file with an architecture");
  r.broken("abcd", "minimal", "four letters that are no format's magic", magic("ABCD"));
  r.broken("one_bit_off", "minimal", "one bit of the last letter is flipped", magic("GGUG"));
  r.broken("zeros", "minimal", "a hole in a sparse or preallocated file reads as zeros", magic("\0\0\0\0"sv));
  r.broken("one_byte_late", "minimal", "the magic begins at byte 1",
           [](Written& w) { w.bytes.insert(w.bytes.begin(), std::byte{0x20}); });
  r.broken("after_byte_order_mark", "minimal", "a text editor put a byte order mark before the magic",
           [](Written& w) {
             w.bytes.insert(w.bytes.begin(), {std::byte{0xef}, std::byte{0xbb}, std::byte{0xbf}});
           });
}

RECIPE(magic_reversed) {
  r.valid("minimal", minimal(), "the magic in its only legal order");
  r.valid("tensors", two_tensors(), "the magic in its only legal order, before tensors");
  r.broken("minimal_fugg", "minimal", "readers that list both orders take it", magic("FUGG"));
  r.broken("tensors_fugg", "tensors", "readers that list both orders take it and load the tensors",
           magic("FUGG"));
}

RECIPE(magic_reversed_big_endian) {
  r.valid("minimal", in_order(minimal(), ByteOrder::big), "a big-endian file has the magic of all others")
      .breaks(rule::big_endian_version_3);
  r.valid("tensors", in_order(two_tensors(), ByteOrder::big), "a big-endian file has the magic of all others")
      .breaks(rule::big_endian_version_3);
  r.broken("minimal_fugg", "minimal", "a spelling that was proposed and never accepted", magic("FUGG"));
  r.broken("tensors_fugg", "tensors", "readers that expect this spelling load it", magic("FUGG"));
}

RECIPE(magic_present) {
  r.valid("minimal", minimal(), "the magic is there, and all that follows");
  r.broken("no_bytes", "minimal", "an empty file, as interrupted downloads leave behind", end_at(0));
  r.broken("one_byte", "minimal", "a file of one byte", end_at(1));
  r.broken("two_bytes", "minimal", "a file of two bytes", end_at(2));
  r.broken("three_bytes", "minimal", "a file one byte short of the magic", end_at(3));
}

RECIPE(header_complete) {
  r.valid("minimal", minimal(), "all 24 bytes of the header are there");
  for (const uint64_t size : {4, 5, 8, 9, 12, 15, 16, 17, 20, 23})
    r.broken("cut_at_" + std::to_string(size), "minimal",
             "a reader that fills its buffer with zeros takes the stub for an empty model", end_at(size));
}

RECIPE(version_2_readable) {
  r.valid("minimal", in_version(minimal(), 2), "files of 2023 carry version 2");
  r.valid("tensors", in_version(two_tensors(), 2), "version 2 has the same tensor infos and data");
  r.valid("rich", in_version(rich(), 2), "version 2 has all value types");
}

RECIPE(version_not_zero) {
  r.valid("minimal", minimal(), "version 3");
  r.valid("tensors", two_tensors(), "version 3 with tensors");
  r.broken("zero", "minimal", "readers with a default branch parse it as the newest version", version(0));
  r.broken("zero_tensors", "tensors", "readers with a default branch load its tensors", version(0));
}

RECIPE(version_not_newer) {
  r.valid("minimal", minimal(), "version 3, the newest there is");
  r.broken("four", "minimal", "the next version: its layout is unknown", version(4));
  r.broken("five", "minimal", "a version after the next", version(5));
  r.broken("99", "minimal", "a version far from all known ones", version(99));
  r.broken("16_bits", "minimal", "the largest version in 16 bits", version(0xffff));
  r.broken("high_half", "minimal", "its low 16 bits are 3, which a reader that masks takes for version 3",
           version(0x00010003));
  r.broken("sign_bit", "minimal", "negative when read as a signed number, hence smaller than 3",
           version(0x80000001));
  r.broken("all_ones", "minimal", "-1 when read as a signed number", version(0xffffffff));
}

RECIPE(version_order_known) {
  r.valid("minimal", minimal(), "little-endian version 3");
  r.broken("65536", "minimal", "the low 16 bits are zero, and swapped it is 256", version(0x00010000));
  r.broken("0x630000", "minimal", "the low 16 bits are zero, and swapped it is 0x6300", version(0x00630000));
  r.broken("0xff000000", "minimal", "swapped it is 255", version(0xff000000));
}

RECIPE(tensor_count_range) {
  r.valid("minimal", minimal(), "no tensors");
  r.valid("tensors", two_tensors(), "two tensors");
  r.broken("two_to_63", "minimal", "the smallest count that is negative as an int64",
           tensor_count(uint64_t{1} << 63));
  r.broken("all_ones", "minimal", "-1 as an int64: loops over it do nothing", tensor_count(~uint64_t{0}));
  r.broken("two_to_63_more", "tensors", "the right count with the top bit set",
           tensor_count((uint64_t{1} << 63) + 2));
}

RECIPE(metadata_count_range) {
  r.valid("minimal", minimal(), "one pair");
  r.valid("tensors", two_tensors(), "one pair before two tensors");
  r.broken("two_to_63", "minimal", "the smallest count that is negative as an int64",
           metadata_count(uint64_t{1} << 63));
  r.broken("all_ones", "minimal", "-1 as an int64: loops over it do nothing", metadata_count(~uint64_t{0}));
  r.broken("two_to_63_more", "tensors", "the right count with the top bit set",
           metadata_count((uint64_t{1} << 63) + 1));
}

RECIPE(counts_fit_file) {
  r.valid("minimal", minimal(), "counts that fit");
  r.broken("tensors_two_to_40", "minimal", "a trillion tensor infos in a file of 70 bytes",
           tensor_count(uint64_t{1} << 40));
  r.broken("pairs_two_to_40", "minimal", "a trillion pairs in a file of 70 bytes",
           metadata_count(uint64_t{1} << 40));
  r.broken("tensors_two_to_62", "minimal", "times the size of an info it wraps 64 bits",
           tensor_count(uint64_t{1} << 62));
  r.broken("pairs_two_to_62", "minimal", "times the size of a pair it wraps 64 bits",
           metadata_count(uint64_t{1} << 62));
  r.broken("tensors_two_to_32", "minimal", "cut to 32 bits it is zero", tensor_count(uint64_t{1} << 32));
  r.broken("pairs_two_to_32", "minimal", "cut to 32 bits it is zero",
           metadata_count((uint64_t{1} << 32) + 1));
}

RECIPE(metadata_count_met) {
  r.valid("minimal", minimal(), "one pair, and one is claimed");
  r.valid(
      "three_pairs",
      [] {
        File file = with("gcts.a", Value::u8(1));
        file.set("gcts.b", Value::u8(2));
        return file;
      }(),
      "three pairs, and three are claimed");
  r.broken("one_more", "minimal", "two pairs are claimed and the file ends after one", metadata_count(2));
  r.broken("four_more", "minimal", "a buffer filled with zeros yields four pairs with empty keys",
           metadata_count(5));
  r.broken("one_more_of_three", "three_pairs", "four pairs are claimed and the file ends after three",
           metadata_count(4));
}

RECIPE(smallest_pair_at_end) {
  r.valid("one_byte_value", with("a.b", Value::u8(7)),
          "the last pair takes 16 bytes, fewer than some readers ask for");
  r.valid("bool_value", with("a.b", Value::boolean(true)), "the last pair ends in a bool");
  r.valid("empty_string", with("a.b", Value::string("")),
          "the last pair ends in the length of an empty string");
  File smallest;
  smallest.set("a", Value::u8(7));
  r.valid("one_byte_key", smallest, "the smallest pair there can be, 14 bytes, in a file of 38 bytes")
      .breaks(rule::architecture_present)
      .either("undefined");
}

RECIPE(empty_model) {
  WriteOptions padded;
  padded.pad_without_tensors = true;
  Model model{File{}};
  r.valid("24_bytes", model, "the header alone").breaks(rule::architecture_present);
  r.valid("version_2", in_version(File{}, 2), "the header alone, version 2")
      .breaks(rule::architecture_present);
  model.options = padded;
  r.valid("padded", model, "the header padded to 32 bytes").breaks(rule::architecture_present);
}

RECIPE(tensors_without_metadata) {
  const auto bare = [](std::vector<Tensor> tensors) {
    File file;
    file.tensors = std::move(tensors);
    return file;
  };
  r.valid("one_tensor", bare({filled("weight", tensor::f32, {8})}), "a tensor info directly after the header")
      .breaks(rule::architecture_present);
  r.valid("two_tensors", bare({filled("a", tensor::i8, {3}), filled("b", tensor::f16, {2, 2})}),
          "two tensors and nothing else")
      .breaks(rule::architecture_present);
  r.valid("version_2", in_version(bare({filled("weight", tensor::f32, {8})}), 2), "the same in version 2")
      .breaks(rule::architecture_present);
}

RECIPE(tensor_count_first) {
  File file = two_tensors();
  r.valid("one_pair_two_tensors", file, "swapped counts run into the tensor infos");
  file = one_tensor();
  file.set("gcts.a", Value::u8(1));
  file.set("gcts.b", Value::u8(2));
  r.valid("three_pairs_one_tensor", file, "swapped counts leave pairs unread");
  r.valid("two_pairs_no_tensors", with("gcts.a", Value::u8(1)),
          "swapped counts read the first pair as a tensor info");
}

}  // namespace gcts
