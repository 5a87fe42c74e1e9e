// Checks of the functions that write a file.

#include <string.h>

#include "check.h"

namespace peer {
namespace {

std::string metadata_of(Check& c, const Gguf* g) {
  std::string out(c.api.gguf_get_meta_size(g), '\0');
  c.api.gguf_get_meta_data(g, out.data());
  return out;
}

// A context with pairs of all kinds and two tensors.
Built full(Check& c) {
  Built b = build(c);
  const char* words[] = {"a", "", "bc"};
  const double numbers[] = {0.5, -1e300};
  c.api.gguf_set_val_str(b.gguf, "name", "text");
  c.api.gguf_set_val_bool(b.gguf, "flag", true);
  c.api.gguf_set_arr_str(b.gguf, "words", words, 3);
  c.api.gguf_set_arr_data(b.gguf, "numbers", GCTS_FLOAT64, numbers, 2);
  return b;
}

std::string data_of(const Built& b) {
  std::string out(reinterpret_cast<const char*>(b.first.data()), 256);
  return out.append(reinterpret_cast<const char*>(b.second.data()), 256);
}

}  // namespace

void check_strategies_agree(Check& c) {
  const Built b = full(c);
  const std::string whole = written(c, b.gguf, false);
  const std::string appended = written(c, b.gguf, true) + data_of(b);
  const std::string filled_in = metadata_of(c, b.gguf) + data_of(b);
  c.expect(whole == appended, "metadata first and data appended give another file");
  c.expect(whole == filled_in, "metadata filled in last give another file");
}

void check_meta_is_prefix(Check& c) {
  const Built b = full(c);
  const std::string whole = written(c, b.gguf, false), meta = written(c, b.gguf, true);
  c.expect_equal("the size of the metadata modulo the alignment", meta.size() % 32, 0);
  c.expect(whole.compare(0, meta.size(), meta) == 0, "the whole file begins otherwise");
  c.expect(metadata_of(c, b.gguf) == meta, "gguf_get_meta_data gives something else");
}

void check_meta_of_empty(Check& c) {
  Gguf* g = c.api.gguf_init_empty();
  c.expect_equal("the size", c.api.gguf_get_meta_size(g), 32);
  Bytes header;
  header.header(3, 0, 0).pad(32);
  c.expect(metadata_of(c, g) == header.str(), "it is no header and zeros");
}

void check_last_tensor_padded(Check& c) {
  Built b = build(c);
  c.api.gguf_set_tensor_type(b.gguf, "second", 8);
  const size_t ends = c.api.gguf_get_meta_size(b.gguf) + 256 + 68;
  c.expect_equal("the size of the file", written(c, b.gguf, false).size(), (ends + 31) / 32 * 32);
}

void check_write_reads_back(Check& c) {
  const Built b = full(c);
  const TemporaryFile file;
  c.expect(c.api.gguf_write_to_file(b.gguf, file.path(), false), "gguf_write_to_file gives false");
  Context* tensors = nullptr;
  Gguf* g = c.api.gguf_init_from_file(file.path(), {false, &tensors});
  c.expect(g, "its own file is refused");
  if (!g) return;
  c.expect_equal("the number of pairs", c.api.gguf_get_n_kv(g), 4);
  c.expect_text("a word", c.api.gguf_get_arr_str(g, c.api.gguf_find_key(g, "words"), 2), "bc");
  c.expect(memcmp(c.api.ggml_get_data(c.api.ggml_get_tensor(tensors, "second")), b.second.data(), 256) == 0, "the data of a tensor are others");
}

void check_rewrite_identical(Check& c) {
  const Sample s = sample();
  Gguf* g = open_sample(c);
  if (!g) return;
  c.expect(metadata_of(c, g) == s.bytes.substr(0, s.metadata_size), "the metadata are written otherwise than they were read");
}

void check_rewrite_keeps_version(Check& c) {
  Gguf* g = open_bytes(c, sample(2).bytes);
  c.expect(g || !c.missing().empty(), "a file of version 2 is refused");
  if (!g) return;
  uint32_t version = 0;
  memcpy(&version, metadata_of(c, g).data() + 4, sizeof(version));
  c.expect_equal("the version", version, 2);
}

void check_write_loaded_whole(Check& c) {
  Context* tensors = nullptr;
  Gguf* g = open_sample(c, &tensors);
  if (!g) return;
  const TemporaryFile file;
  if (c.api.gguf_write_to_file(g, file.path(), false)) c.expect(file.read() == sample().bytes, "another file is written");
}

void check_write_bad_path(Check& c) {
  c.expect(!c.api.gguf_write_to_file(build(c).gguf, "/nonexistent/model.gguf", false), "gguf_write_to_file gives true");
}

void check_write_full_disk(Check& c) {
  c.expect(!c.api.gguf_write_to_file(build(c).gguf, "/dev/full", false), "gguf_write_to_file gives true for /dev/full");
}

void check_write_ptr_null(Check& c) {
  if (c.has(c.api.gguf_write_to_file_ptr, "gguf_write_to_file_ptr")) c.api.gguf_write_to_file_ptr(c.api.gguf_init_empty(), nullptr, true);
}

void check_write_strided(Check& c) {
  const Built b = build(c);
  const int64_t dims[4] = {64, 4, 1, 1};
  Tensor* view = c.api.ggml_view_2d(b.context, c.api.ggml_new_tensor(b.context, 0, 2, dims), 32, 4, 256, 0);
  c.api.ggml_set_name(view, "apart");
  c.api.gguf_add_tensor(b.gguf, view);
  c.api.gguf_set_tensor_data(b.gguf, "apart", b.first.data());
  const TemporaryFile file;
  c.api.gguf_write_to_file(b.gguf, file.path(), false);
}

}  // namespace peer
