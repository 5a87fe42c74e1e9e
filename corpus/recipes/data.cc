// Recipes for the data section: padding, completeness, bytes.

#include <algorithm>

#include "corpus/models.h"
#include "corpus/recipe.h"
#include "reference/tensor_type.h"

namespace gcts {
namespace {

Model unpadded(File file) {
  Model model(std::move(file));
  model.options.pad_last_tensor = false;
  return model;
}

// A model whose tensor infos end `offset` bytes past a multiple of 32.
File infos_ending_at(uint64_t offset, File file) {
  file.set("gcts.filler", Value::string(""));
  const auto last = static_cast<uint32_t>(file.tensors.size() - 1);
  const uint64_t end = write(file).find(FieldKind::tensor_offset, last)->offset + 8;
  file.set("gcts.filler", Value::string(std::string((offset + 64 - end % 32) % 32, 'f')));
  return file;
}

// Fills a padding, or one byte of it.
Fault padding(uint32_t item, uint32_t part, uint64_t first, uint64_t count) {
  return [=](Written& w) {
    const Field& f = field(w, FieldKind::padding, item, part);
    overwrite(w, f.offset + std::min(first, f.size - 1), std::string(std::min(count, f.size), '\xaa'));
  };
}

Fault short_by(uint64_t bytes) {
  return [bytes](Written& w) { cut(w, w.bytes.size() - bytes); };
}

}  // namespace

RECIPE(padding_before_data_zero) {
  r.valid("31_bytes", infos_ending_at(1, one_tensor()), "31 bytes of padding before the data, all zero");
  r.broken("all_set", "31_bytes", "memory that was never cleared ends up in files", padding(0, 0, 0, 31));
  r.broken("first_set", "31_bytes", "the first byte is not zero", padding(0, 0, 0, 1));
  r.broken("last_set", "31_bytes", "the last byte is not zero", padding(0, 0, 30, 1));
}

RECIPE(data_start_aligned) {
  for (const uint64_t offset : {0u, 1u, 16u, 31u})
    r.valid("infos_end_at_" + std::to_string(offset), infos_ending_at(offset, one_tensor()),
            "0, 31, 16 and 1 bytes of padding before the data");
}

RECIPE(no_padding_without_tensors) {
  r.valid("unpadded", minimal(), "the file ends with the last pair, as every published vocabulary file does");
  r.valid("odd_length", with("gcts.text", Value::string("x")), "the file ends at an odd offset");
  Model padded(with("gcts.text", Value::string("x")));
  padded.options.pad_without_tensors = true;
  r.valid("padded", padded, "the same file padded to the alignment, as ggml writes it");
}

RECIPE(data_start_in_file) {
  File empty = infos_ending_at(1, with_tensors({filled("none", tensor::f32, {0})}));
  r.valid("padded", empty, "one tensor without bytes; the file reaches the start of the data");
  r.broken("unpadded", "padded", "the file ends with the tensor info", short_by(31)).either("undefined");
  r.broken("half_padded", "padded", "the file ends inside the padding", short_by(15)).either("undefined");
}

RECIPE(tensor_data_complete) {
  r.valid("two", with_tensors({filled("first", tensor::f32, {8}), filled("second", tensor::f32, {8})}),
          "all bytes of both tensors are there");
  r.broken("one_byte_short", "two", "the last byte is missing", short_by(1));
  r.broken("half_of_second", "two", "half of the last tensor is missing", short_by(16));
  r.broken("second_missing", "two", "the last tensor is missing", short_by(32));
  r.broken("half_of_first", "two", "the last tensor and half of the first are missing", short_by(48));
  r.valid("quantized", with_tensors({filled("weight", tensor::q4_0, {32, 16})}), "sixteen blocks");
  r.broken("last_block_cut", "quantized", "the last block is one byte short", short_by(1));
}

RECIPE(last_tensor_padded) {
  File odd = with_tensors({filled("weight", tensor::i8, {28})});
  r.valid("padded", odd, "28 bytes and 4 of padding");
  r.broken("unpadded", "padded", "the file ends with the last byte of the tensor, as the document allows",
           [](Model& m) { m.options.pad_last_tensor = false; });
  r.valid("two_padded", two_tensors(), "the second tensor has 16 bytes and 16 of padding");
  r.broken("two_unpadded", "two_padded", "the file ends with the last byte of the second tensor",
           [](Model& m) { m.options.pad_last_tensor = false; });
  r.broken("half_padded", "padded", "two of four bytes of padding are there", short_by(2));
}

RECIPE(no_trailing_bytes) {
  r.valid("exact", one_tensor(), "the file ends with the last tensor");
  r.broken("36_bytes", "exact", "something was appended to the file",
           [](Written& w) { append(w, "thirty-six bytes behind the last one"); });
  r.broken("one_byte", "exact", "a line end was appended to the file", [](Written& w) { append(w, "\n"); });
  r.broken("page_of_zeros", "exact", "the file was padded to a page",
           [](Written& w) { append(w, std::string(4096, '\0')); });
  r.valid("padded", two_tensors(), "the file ends with padding");
  r.broken("after_padding", "padded", "bytes after the padding of the last tensor",
           [](Written& w) { append(w, "appended"); });
}

RECIPE(tensor_padding_zero) {
  r.valid("between", with_tensors({filled("first", tensor::i8, {5}), filled("second", tensor::i8, {32})}),
          "27 zero bytes between two tensors");
  r.broken("between_all_set", "between", "memory that was never cleared ends up in files",
           padding(0, 1, 0, 27));
  r.broken("between_last_set", "between", "the byte before the second tensor is not zero",
           padding(0, 1, 26, 1));
  r.valid("last", with_tensors({filled("weight", tensor::i8, {5})}), "27 zero bytes behind the last tensor");
  r.broken("last_set", "last", "the padding behind the last tensor is not zero", padding(0, 1, 0, 27));
}

RECIPE(metadata_only) {
  r.valid("full", one_tensor(), "metadata and data");
  const auto to_data_start = [](Written& w) { cut(w, field(w, FieldKind::tensor_data, 0).offset); };
  const auto to_infos_end = [](Written& w) {
    cut(w, field(w, FieldKind::tensor_offset,
                 static_cast<uint32_t>(w.read(field(w, FieldKind::tensor_count))) - 1)
                   .offset +
               8);
  };
  r.broken("padded", "full", "what a writer leaves that was asked for the metadata alone", to_data_start);
  r.broken("unpadded", "full", "the metadata without the padding before the data", to_infos_end);
  r.valid("two", two_tensors(), "metadata and the data of two tensors");
  r.broken("two_padded", "two", "the metadata of two tensors", to_data_start);
}

RECIPE(file_length_free) {
  r.valid("odd", unpadded(with_tensors({filled("weight", tensor::i8, {27})})),
          "the length of the file is odd")
      .breaks(rule::last_tensor_padded);
  r.valid("even", with_tensors({filled("weight", tensor::i8, {27})}),
          "the length of the file is a multiple of 32");
  r.valid("odd_without_tensors", with("gcts.text", Value::string("x")),
          "no tensors, and the length of the file is odd");
}

RECIPE(prefix_rejected) {
  r.valid("31_bytes", infos_ending_at(1, one_tensor()), "31 bytes of padding before the data");
  r.broken("30_bytes_left", "31_bytes", "the file ends one byte before the data",
           [](Written& w) { cut(w, field(w, FieldKind::tensor_data).offset - 1); });
  r.broken("16_bytes_left", "31_bytes", "the file ends inside the padding",
           [](Written& w) { cut(w, field(w, FieldKind::tensor_data).offset - 15); });
  r.broken("1_byte_left", "31_bytes", "the file ends after one byte of padding",
           [](Written& w) { cut(w, field(w, FieldKind::padding).offset + 1); });
}

RECIPE(tensor_address_aligned) {
  r.valid("default",
          with_tensors(
              {filled("a", tensor::i8, {5}), filled("b", tensor::i8, {5}), filled("c", tensor::f32, {8})}),
          "three tensors at multiples of 32 of the file");
  File file = with_tensors({filled("a", tensor::i8, {5}), filled("b", tensor::f64, {4})});
  file.set(kAlignmentKey, Value::u32(4096));
  r.valid("page", file, "tensors at multiples of a page of the file");
  file.set(kAlignmentKey, Value::u32(8));
  r.valid("8", file, "tensors at multiples of 8 of the file");
}

RECIPE(tensor_bytes_unchanged) {
  File file = with_tensors({filled("weight", tensor::i8, {256})});
  for (size_t i = 0; i < 256; ++i) file.tensors[0].data[i] = static_cast<std::byte>(i);
  r.valid("every_byte", file, "all byte values in order");
  file = with_tensors({filled("weight", tensor::f32, {4})});
  const uint8_t special[16] = {1, 0, 0xc0, 0x7f, 1, 0, 0x80, 0x7f, 0, 0, 0, 0x80, 1, 0, 0, 0};
  for (size_t i = 0; i < 16; ++i) file.tensors[0].data[i] = static_cast<std::byte>(special[i]);
  r.valid("float_bits", file, "a NaN with a payload, a signalling NaN, minus zero and a subnormal");
  file = with_tensors({filled("weight", tensor::i8, {64})});
  for (std::byte& byte : file.tensors[0].data) byte = std::byte{0xff};
  r.valid("all_ones", file, "bytes of 0xff");
}

}  // namespace gcts
