// ggml's own reader, told value by value: what its interface keeps of a file.
//
// It keeps no rank (trailing dimensions of 1 are gone) and no byte of a key, name or
// string behind a NUL; what it says is told as it says it.

#include <cstring>
#include <exception>

#include "library.h"
#include "plugin_parts.h"

namespace peer {
namespace {

constexpr int kString = GCTS_STRING, kArray = GCTS_ARRAY;

gcts_string text(const char* s) { return {s, s ? std::strlen(s) : 0}; }

// A file that was read, and the memory of its tensors.
class Opened {
 public:
  Opened(const Base& api, const gcts_read_request& request) : api_(api) {
    const GgufParams params{false, request.stage == GCTS_STAGE_DATA ? &tensors_ : nullptr};
    gguf_ = request.data || !request.path ? api.gguf_init_from_buffer(request.data, request.size, params)
                                          : api.gguf_init_from_file(request.path, params);
  }
  ~Opened() {
    if (gguf_) api_.gguf_free(gguf_);
    if (tensors_) api_.ggml_free(tensors_);
  }
  Opened(const Opened&) = delete;
  const Gguf* gguf() const { return gguf_; }
  // The tensor data in one piece; null where none was asked for.
  const char* data() const {
    if (!tensors_ || api_.gguf_get_n_tensors(gguf_) == 0) return nullptr;
    return static_cast<const char*>(api_.ggml_get_data(api_.ggml_get_first_tensor(tensors_)));
  }

 private:
  const Base& api_;
  Context* tensors_ = nullptr;
  Gguf* gguf_ = nullptr;
};

void tell_value(const Base& api, const Gguf* gguf, int64_t id, const gcts_sink& sink) {
  const int type = api.gguf_get_kv_type(gguf, id);
  if (type == kString) return sink.string(sink.context, text(api.gguf_get_val_str(gguf, id)));
  if (type != kArray) return sink.scalars(sink.context, static_cast<uint32_t>(type), api.gguf_get_val_data(gguf, id), 1);
  const int element = api.gguf_get_arr_type(gguf, id);
  const size_t count = api.gguf_get_arr_n(gguf, id);
  sink.array_begin(sink.context, static_cast<uint32_t>(element), count);
  if (element == kString) {
    for (size_t i = 0; i < count; ++i) sink.string(sink.context, text(api.gguf_get_arr_str(gguf, id, i)));
  } else if (count > 0) {
    sink.scalars(sink.context, static_cast<uint32_t>(element), api.gguf_get_arr_data(gguf, id), count);
  }
  sink.array_end(sink.context);
}

void tell_tensor(const Base& api, const Gguf* gguf, int64_t id, const char* data, const gcts_sink& sink) {
  const int64_t* ne = api.gguf_get_tensor_ne(gguf, id);
  uint64_t dims[4];
  uint32_t rank = 1;
  for (uint32_t i = 0; i < 4; ++i) {
    dims[i] = static_cast<uint64_t>(ne[i]);
    if (ne[i] != 1) rank = i + 1;
  }
  const uint64_t offset = api.gguf_get_tensor_offset(gguf, id);
  sink.tensor(sink.context, text(api.gguf_get_tensor_name(gguf, id)),
              static_cast<uint32_t>(api.gguf_get_tensor_type(gguf, id)), rank, dims, offset, data ? data + offset : nullptr,
              api.gguf_get_tensor_size(gguf, id));
}

}  // namespace

gcts_status read_file(const gcts_read_request* request, const gcts_sink* sink) noexcept try {
  const Base& api = library().base;
  take_log();
  const Opened opened(api, *request);
  const Gguf* gguf = opened.gguf();
  if (!gguf) {
    sink->message(sink->context, take_log().c_str());
    return GCTS_REJECTED;
  }
  // It reads no file of the other byte order.
  sink->header(sink->context, api.gguf_get_version(gguf), 0, static_cast<uint32_t>(api.gguf_get_alignment(gguf)));
  for (int64_t id = 0; id < api.gguf_get_n_kv(gguf); ++id) {
    sink->key(sink->context, text(api.gguf_get_key(gguf, id)));
    tell_value(api, gguf, id, *sink);
  }
  for (int64_t id = 0; id < api.gguf_get_n_tensors(gguf); ++id) tell_tensor(api, gguf, id, opened.data(), *sink);
  return GCTS_OK;
} catch (const std::exception& failure) {
  sink->message(sink->context, failure.what());
  return GCTS_FAILED;
}

}  // namespace peer
