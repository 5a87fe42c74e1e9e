// ggml_loads FILE…: does a real libggml load these files, tensor data checked?
// ggml_loads --make FILE: writes a small F32 model with its writer.
//
// What the round trips in ctest ask.  Ends 0 if all load, 1 if one does not; where there
// is no libggml it says "skipped: " and why.

#include <string.h>

#include <cmath>
#include <vector>

#include "library.h"

namespace {

using namespace peer;

// Why the file is not loaded; "" if it is.
std::string load(const Base& api, const char* path) {
  Context* tensors = nullptr;
  Gguf* gguf = api.gguf_init_from_file(path, {false, &tensors});
  if (!gguf) return "refused: " + take_log();
  std::string why;
  for (int64_t i = 0; i < api.gguf_get_n_tensors(gguf) && why.empty(); ++i) {
    const char* name = api.gguf_get_tensor_name(gguf, i);
    const void* data = api.ggml_get_data(api.ggml_get_tensor(tensors, name));
    if (!api.ggml_validate_row_data(api.gguf_get_tensor_type(gguf, i), data, api.gguf_get_tensor_size(gguf, i))) {
      why = std::string("tensor ") + name + " is not valid: " + take_log();
    }
  }
  api.gguf_free(gguf);
  api.ggml_free(tensors);
  return why;
}

// Rows of 512 elements: whole blocks of every type.
bool make(const Base& api, const char* path) {
  constexpr int64_t kDims[2] = {512, 6};
  std::vector<float> values(kDims[0] * kDims[1]);
  for (size_t i = 0; i < values.size(); ++i) values[i] = 0.1f + 2 * std::cos(static_cast<float>(i));
  Gguf* gguf = api.gguf_init_empty();
  Context* context = api.ggml_init({4 * api.ggml_tensor_overhead(), nullptr, true});
  api.gguf_set_val_str(gguf, "general.architecture", "llama");
  for (const char* name : {"blk.0.attn_q.weight", "blk.0.ffn_up.weight"}) {
    Tensor* tensor = api.ggml_set_name(api.ggml_new_tensor(context, 0, 2, kDims), name);
    api.gguf_add_tensor(gguf, tensor);
    api.gguf_set_tensor_data(gguf, name, values.data());
  }
  const bool made = api.gguf_write_to_file(gguf, path, false);
  api.gguf_free(gguf);
  api.ggml_free(context);
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: ggml_loads FILE… | --make FILE\n");
    return 2;
  }
  if (!library().why_not.empty()) {
    printf("skipped: %s\n", library().why_not.c_str());
    return 0;
  }
  const Base& api = library().base;
  if (argc == 3 && strcmp(argv[1], "--make") == 0) return make(api, argv[2]) ? 0 : 1;
  int status = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string why = load(api, argv[i]);
    if (why.empty()) continue;
    printf("%s: %s\n", argv[i], why.c_str());
    status = 1;
  }
  return status;
}
