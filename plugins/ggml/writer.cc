// ggml's own writer, by each of its three strategies.
//
// Its interface takes typed values and NUL-terminated strings.  What cannot be handed to
// it at all (a value too wide for its type, mixed arrays, bytes of another size) is
// refused here, as a compiler would; what it has no words for (a NUL in a string, nested
// arrays) is unsupported.  Everything else it gets, and what it does then is its own doing.

#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "library.h"
#include "plugin_parts.h"

namespace peer {
namespace {

struct Refusal {
  gcts_status status;
  std::string why;
};

std::string c_string(gcts_string s) {
  if (s.size > 0 && std::memchr(s.data, 0, s.size)) throw Refusal{GCTS_UNSUPPORTED, "the interface ends strings at a NUL"};
  return s.size > 0 ? std::string(s.data, s.size) : std::string();
}

// Bytes of a scalar type; 0 for strings, arrays and what is no type.
size_t scalar_bytes(uint32_t type) {
  static constexpr uint8_t kBytes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
  return type < sizeof(kBytes) ? kBytes[type] : 0;
}

uint64_t fitting_bits(const gcts_value& value) {
  const size_t bytes = scalar_bytes(value.type);
  if (bytes == 0) throw Refusal{GCTS_REJECTED, "there is no value type " + std::to_string(value.type)};
  if (bytes < 8 && value.bits >> (8 * bytes) != 0) throw Refusal{GCTS_REJECTED, "the value is too wide for its type"};
  if (value.type == GCTS_BOOL && value.bits > 1) throw Refusal{GCTS_REJECTED, "no bool has this value"};
  return value.bits;
}

template <typename T>
T as(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

class Model {
 public:
  explicit Model(const Base& api) : api_(api), gguf_(api.gguf_init_empty()) {}
  ~Model() {
    api_.gguf_free(gguf_);
    if (context_) api_.ggml_free(context_);
  }
  Model(const Model&) = delete;
  const Gguf* gguf() const { return gguf_; }

  void add(const gcts_key_value& pair) {
    const std::string key = c_string(pair.key);
    if (pair.value.type == GCTS_STRING) {
      api_.gguf_set_val_str(gguf_, key.c_str(), c_string({static_cast<const char*>(pair.value.data), pair.value.count}).c_str());
    } else if (pair.value.type == GCTS_ARRAY) {
      add_array(key.c_str(), pair.value);
    } else {
      add_scalar(key.c_str(), pair.value);
    }
  }

  void add_tensors(const gcts_write_request& request) {
    context_ = api_.ggml_init({(request.tensor_count + 1) * api_.ggml_tensor_overhead(), nullptr, true});
    for (uint64_t i = 0; i < request.tensor_count; ++i) add_tensor(request.tensors[i]);
  }

 private:
  void add_scalar(const char* key, const gcts_value& value) {
    const uint64_t bits = fitting_bits(value);
    switch (value.type) {
      case GCTS_UINT8: return api_.gguf_set_val_u8(gguf_, key, as<uint8_t>(bits));
      case GCTS_INT8: return api_.gguf_set_val_i8(gguf_, key, as<int8_t>(bits));
      case GCTS_UINT16: return api_.gguf_set_val_u16(gguf_, key, as<uint16_t>(bits));
      case GCTS_INT16: return api_.gguf_set_val_i16(gguf_, key, as<int16_t>(bits));
      case GCTS_UINT32: return api_.gguf_set_val_u32(gguf_, key, as<uint32_t>(bits));
      case GCTS_INT32: return api_.gguf_set_val_i32(gguf_, key, as<int32_t>(bits));
      case GCTS_FLOAT32: return api_.gguf_set_val_f32(gguf_, key, as<float>(bits));
      case GCTS_BOOL: return api_.gguf_set_val_bool(gguf_, key, bits != 0);
      case GCTS_UINT64: return api_.gguf_set_val_u64(gguf_, key, bits);
      case GCTS_INT64: return api_.gguf_set_val_i64(gguf_, key, as<int64_t>(bits));
      default: return api_.gguf_set_val_f64(gguf_, key, as<double>(bits));
    }
  }

  void add_array(const char* key, const gcts_value& value) {
    const auto* elements = static_cast<const gcts_value*>(value.data);
    for (uint64_t i = 0; i < value.count; ++i)
      if (elements[i].type != value.element_type) throw Refusal{GCTS_REJECTED, "an array holds an element of another type"};
    if (value.element_type == GCTS_ARRAY) throw Refusal{GCTS_UNSUPPORTED, "the interface has no arrays of arrays"};
    if (value.element_type == GCTS_STRING) {
      std::vector<std::string> texts;
      std::vector<const char*> pointers;
      for (uint64_t i = 0; i < value.count; ++i)
        texts.push_back(c_string({static_cast<const char*>(elements[i].data), elements[i].count}));
      for (const std::string& text : texts) pointers.push_back(text.c_str());
      return api_.gguf_set_arr_str(gguf_, key, pointers.data(), pointers.size());
    }
    const size_t bytes = scalar_bytes(value.element_type);
    if (bytes == 0) throw Refusal{GCTS_REJECTED, "there is no value type " + std::to_string(value.element_type)};
    std::vector<char> packed(value.count * bytes);
    for (uint64_t i = 0; i < value.count; ++i) {
      const uint64_t bits = fitting_bits(elements[i]);
      std::memcpy(packed.data() + i * bytes, &bits, bytes);
    }
    api_.gguf_set_arr_data(gguf_, key, static_cast<int>(value.element_type), packed.data(), value.count);
  }

  void add_tensor(const gcts_tensor& from) {
    const std::string name = c_string(from.name);
    int64_t dims[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    for (uint32_t i = 0; i < from.rank && i < 4; ++i) {
      dims[i] = static_cast<int64_t>(from.dims[i]);
      if (dims[i] < 0) throw Refusal{GCTS_REJECTED, "a dimension of the interface is an int64_t"};
    }
    Tensor* tensor = api_.ggml_new_tensor(context_, static_cast<int>(from.type), from.rank == 0 ? 1 : static_cast<int>(from.rank), dims);
    api_.ggml_set_name(tensor, name.c_str());
    if (api_.ggml_nbytes(tensor) != from.size) throw Refusal{GCTS_REJECTED, "tensor " + name + ": type, dimensions and bytes do not agree"};
    api_.gguf_add_tensor(gguf_, tensor);
    api_.gguf_set_tensor_data(gguf_, api_.ggml_get_name(tensor), from.data);
  }

  const Base& api_;
  Gguf* gguf_;
  Context* context_ = nullptr;
};

// A FILE that the library writes and the output stores.
class OutputFile {
 public:
  explicit OutputFile(const gcts_output& output) : output_(output) {
    cookie_io_functions_t io{};
    io.write = [](void* cookie, const char* data, size_t size) -> ssize_t {
      auto& self = *static_cast<OutputFile*>(cookie);
      if (self.output_.write_at(self.output_.context, self.at_, data, size) != 0) return 0;
      self.at_ += size;
      return static_cast<ssize_t>(size);
    };
    file_ = fopencookie(this, "w", io);
  }
  ~OutputFile() {
    if (file_) fclose(file_);
  }
  FILE* file() const { return file_; }
  bool close() {
    FILE* file = file_;
    file_ = nullptr;
    return fclose(file) == 0;
  }

 private:
  const gcts_output& output_;
  FILE* file_;
  uint64_t at_ = 0;
};

// Every tensor's bytes, each padded to the alignment, as a program does that writes them itself.
bool put_data(const Base& api, const Gguf* gguf, const gcts_write_request& request, uint64_t start, const gcts_output& output) {
  const uint64_t alignment = api.gguf_get_alignment(gguf);
  const std::vector<char> zeros(alignment);
  for (uint64_t i = 0; i < request.tensor_count; ++i) {
    const gcts_tensor& tensor = request.tensors[i];
    const uint64_t at = start + api.gguf_get_tensor_offset(gguf, static_cast<int64_t>(i));
    if (output.write_at(output.context, at, tensor.data, tensor.size) != 0) return false;
    const uint64_t pad = (alignment - tensor.size % alignment) % alignment;
    if (pad > 0 && output.write_at(output.context, at + tensor.size, zeros.data(), pad) != 0) return false;
  }
  return true;
}

bool put(const Base& api, const Gguf* gguf, const gcts_write_request& request, const gcts_output& output) {
  if (request.strategy != GCTS_WRITE_RESERVE) {
    const bool only_meta = request.strategy == GCTS_WRITE_METADATA_FIRST;
    OutputFile file(output);
    const bool told = api.gguf_write_to_file_ptr(gguf, file.file(), only_meta);
    const bool stored = file.close();
    if (!told || !stored) return false;
    return !only_meta || put_data(api, gguf, request, api.gguf_get_meta_size(gguf), output);
  }
  std::vector<char> metadata(api.gguf_get_meta_size(gguf));
  if (!put_data(api, gguf, request, metadata.size(), output)) return false;
  api.gguf_get_meta_data(gguf, metadata.data());
  return output.write_at(output.context, 0, metadata.data(), metadata.size()) == 0;
}

}  // namespace

gcts_status write_file(const gcts_write_request* request, const gcts_output* output) noexcept try {
  const Base& api = library().base;
  take_log();
  Model model(api);
  for (uint64_t i = 0; i < request->metadata_count; ++i) model.add(request->metadata[i]);
  model.add_tensors(*request);
  if (put(api, model.gguf(), *request, *output)) return GCTS_OK;
  output->message(output->context, (take_log() + "the output refused bytes").c_str());
  return GCTS_FAILED;
} catch (const Refusal& refusal) {
  output->message(output->context, refusal.why.c_str());
  return refusal.status;
} catch (const std::exception& failure) {
  output->message(output->context, failure.what());
  return GCTS_FAILED;
}

}  // namespace peer
