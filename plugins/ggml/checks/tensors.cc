// Checks of the functions that add tensors and change them.

#include <string.h>

#include "check.h"

namespace peer {
namespace {

constexpr int kF32 = 0, kRemoved = 4, kQ8_0 = 8, kNoType = 1000;

Tensor* new_tensor(Check& c, Context* context, const char* name, int64_t elements) {
  const int64_t dims[4] = {elements, 1, 1, 1};
  return c.api.ggml_set_name(c.api.ggml_new_tensor(context, kF32, 1, dims), name);
}

}  // namespace

void check_add_tensor_offsets(Check& c) {
  Gguf* g = c.api.gguf_init_empty();
  Context* context = c.api.ggml_init({4 * c.api.ggml_tensor_overhead(), nullptr, true});
  c.api.gguf_add_tensor(g, new_tensor(c, context, "a", 3));   // 12 bytes
  c.api.gguf_add_tensor(g, new_tensor(c, context, "b", 16));  // 64
  c.api.gguf_add_tensor(g, new_tensor(c, context, "c", 1));
  constexpr size_t kOffsets[] = {0, 32, 96};
  for (int64_t i = 0; i < 3; ++i) c.expect_equal("offset " + std::to_string(i), c.api.gguf_get_tensor_offset(g, i), kOffsets[i]);
}

void check_add_tensor_copies(Check& c) {
  Gguf* g = c.api.gguf_init_empty();
  Context* context = c.api.ggml_init({4 * c.api.ggml_tensor_overhead(), nullptr, true});
  Tensor* tensor = new_tensor(c, context, "before", 8);
  c.api.gguf_add_tensor(g, tensor);
  c.api.ggml_set_name(tensor, "after");
  c.expect_text("the name", c.api.gguf_get_tensor_name(g, 0), "before");
  c.api.ggml_free(context);
  c.expect_equal("the size", c.api.gguf_get_tensor_size(g, 0), 32);
}

void check_add_tensor_twice(Check& c) {
  Gguf* g = c.api.gguf_init_empty();
  Context* context = c.api.ggml_init({4 * c.api.ggml_tensor_overhead(), nullptr, true});
  c.api.gguf_add_tensor(g, new_tensor(c, context, "same", 8));
  c.api.gguf_add_tensor(g, new_tensor(c, context, "same", 8));
}

void check_add_tensor_null(Check& c) { c.api.gguf_add_tensor(c.api.gguf_init_empty(), nullptr); }

void check_set_tensor_type_moves(Check& c) {
  const Built b = build(c);
  c.expect_equal("the second offset", c.api.gguf_get_tensor_offset(b.gguf, 1), 256);
  c.api.gguf_set_tensor_type(b.gguf, "first", kQ8_0);
  c.expect_equal("the size of 64 elements as q8_0", c.api.gguf_get_tensor_size(b.gguf, 0), 68);
  c.expect_equal("the second offset behind them", c.api.gguf_get_tensor_offset(b.gguf, 1), 96);
  c.api.gguf_set_tensor_type(b.gguf, "first", kF32);
  c.expect_equal("the size as before", c.api.gguf_get_tensor_size(b.gguf, 0), 256);
  c.expect_equal("the second offset as before", c.api.gguf_get_tensor_offset(b.gguf, 1), 256);
}

void check_set_tensor_type_missing(Check& c) { c.api.gguf_set_tensor_type(build(c).gguf, "third", kQ8_0); }
void check_set_tensor_type_removed(Check& c) { c.api.gguf_set_tensor_type(build(c).gguf, "first", kRemoved); }
void check_set_tensor_type_unknown(Check& c) { c.api.gguf_set_tensor_type(build(c).gguf, "first", kNoType); }
void check_set_tensor_data_missing(Check& c) { c.api.gguf_set_tensor_data(build(c).gguf, "third", "data"); }

void check_set_tensor_type_partial(Check& c) {
  Gguf* g = c.api.gguf_init_empty();
  Context* context = c.api.ggml_init({4 * c.api.ggml_tensor_overhead(), nullptr, true});
  c.api.gguf_add_tensor(g, new_tensor(c, context, "t", 48));
  c.api.gguf_set_tensor_type(g, "t", kQ8_0);
}

void check_set_tensor_data(Check& c) {
  Built b = build(c);
  b.first[0] = 123.5f;
  const std::string bytes = written(c, b.gguf, false);
  float first = 0;
  const size_t at = c.api.gguf_get_meta_size(b.gguf);
  if (bytes.size() >= at + sizeof(first)) memcpy(&first, bytes.data() + at, sizeof(first));
  c.expect(first == 123.5f, "what is written is " + std::to_string(first) + ", the data when it was set");
}

}  // namespace peer
