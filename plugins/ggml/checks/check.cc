// The table of the checks, and what they work on.

#include "check.h"

#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

namespace peer {
namespace {

constexpr uint32_t returns = 0, aborts = 6;

using CheckFn = void (*)(Check&);

template <CheckFn check>
gcts_status run(void* context, void (*message)(void* context, const char* text)) {
  Check c;
  check(c);
  if (!c.missing().empty()) {
    message(context, c.missing().c_str());
    return GCTS_UNSUPPORTED;
  }
  if (c.failure().empty()) return GCTS_OK;
  message(context, c.failure().c_str());
  return GCTS_REJECTED;
}

constexpr gcts_api_check kChecks[] = {
#define CHECK(name, ends, promise) {#name, promise, ends, 0, run<check_##name>},
#include "checks.inc"
#undef CHECK
};

uint32_t bits(float value) {
  uint32_t u;
  static_assert(sizeof(u) == sizeof(value));
  __builtin_memcpy(&u, &value, sizeof(u));
  return u;
}

std::string hex(const void* data, size_t size) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (size_t i = 0; i < size; ++i) {
    const auto byte = static_cast<const unsigned char*>(data)[i];
    out += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return out;
}

constexpr size_t kScalarBytes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

std::string value_text(const Base& api, const Gguf* g, int64_t id) {
  const int type = api.gguf_get_kv_type(g, id);
  if (type == GCTS_STRING) return api.gguf_get_val_str(g, id);
  if (type != GCTS_ARRAY) return hex(api.gguf_get_val_data(g, id), kScalarBytes[type]);
  const int element = api.gguf_get_arr_type(g, id);
  const size_t n = api.gguf_get_arr_n(g, id);
  std::string out = std::to_string(element) + "[" + std::to_string(n) + "]";
  if (element != GCTS_STRING) return out + (n ? hex(api.gguf_get_arr_data(g, id), n * kScalarBytes[element]) : "");
  for (size_t i = 0; i < n; ++i) out += std::string(" ") + api.gguf_get_arr_str(g, id, i);
  return out;
}

}  // namespace

const gcts_api_check* check_table() { return kChecks; }
uint64_t check_count() { return sizeof(kChecks) / sizeof(kChecks[0]); }

Sample sample(uint32_t version) {
  Bytes b;
  b.header(version, 2, 7);
  b.text("general.name").put<uint32_t>(GCTS_STRING).text("sample");
  b.text("number").put<uint32_t>(GCTS_UINT32).put<uint32_t>(7);
  b.text("one").put<uint32_t>(GCTS_ARRAY).put<uint32_t>(GCTS_INT32).put<uint64_t>(1).put<int32_t>(-5);
  b.text("list").put<uint32_t>(GCTS_ARRAY).put<uint32_t>(GCTS_UINT16).put<uint64_t>(3);
  b.put<uint16_t>(1).put<uint16_t>(2).put<uint16_t>(3);
  b.text("none").put<uint32_t>(GCTS_ARRAY).put<uint32_t>(GCTS_FLOAT32).put<uint64_t>(0);
  b.text("words").put<uint32_t>(GCTS_ARRAY).put<uint32_t>(GCTS_STRING).put<uint64_t>(2).text("a").text("bc");
  b.text("pair").put<uint32_t>(GCTS_FLOAT64).put<double>(0.5);
  b.text("first").put<uint32_t>(2).put<uint64_t>(4).put<uint64_t>(2).put<uint32_t>(0).put<uint64_t>(0);    // F32 [4, 2]
  b.text("second").put<uint32_t>(1).put<uint64_t>(32).put<uint32_t>(8).put<uint64_t>(32);                  // Q8_0 [32]
  b.pad(32);
  Sample out;
  out.metadata_size = b.str().size();
  for (int i = 0; i < 8; ++i) b.put<float>(static_cast<float>(i) + 0.25f);
  b.put<uint16_t>(0x3c00);  // scale 1
  for (int i = 0; i < 32; ++i) b.put<int8_t>(static_cast<int8_t>(i - 16));
  b.pad(32);
  out.bytes = b.str();
  return out;
}

Gguf* open_bytes(Check& c, const std::string& bytes, Context** tensors, bool no_alloc) {
  if (!c.has(c.api.gguf_init_from_buffer, "gguf_init_from_buffer")) return nullptr;
  return c.api.gguf_init_from_buffer(bytes.data(), bytes.size(), {no_alloc, tensors});
}

Gguf* open_sample(Check& c, Context** tensors) {
  Gguf* g = open_bytes(c, sample().bytes, tensors);
  if (!g && c.missing().empty()) c.expect(false, "a sound file is refused");
  return g;
}

std::string dump(const Base& api, const Gguf* g, Context* tensors) {
  if (!g) return "refused";
  std::string out = "version " + std::to_string(api.gguf_get_version(g)) + " alignment " + std::to_string(api.gguf_get_alignment(g)) +
                    " data at " + std::to_string(api.gguf_get_data_offset(g)) + "\n";
  for (int64_t i = 0; i < api.gguf_get_n_kv(g); ++i) {
    out += std::string(api.gguf_get_key(g, i)) + " " + std::to_string(api.gguf_get_kv_type(g, i)) + " " + value_text(api, g, i) + "\n";
  }
  for (int64_t i = 0; i < api.gguf_get_n_tensors(g); ++i) {
    const char* name = api.gguf_get_tensor_name(g, i);
    const size_t size = api.gguf_get_tensor_size(g, i);
    out += std::string(name) + " " + std::to_string(api.gguf_get_tensor_type(g, i)) + " at " +
           std::to_string(api.gguf_get_tensor_offset(g, i)) + " size " + std::to_string(size);
    if (api.gguf_get_tensor_ne) {
      for (int d = 0; d < 4; ++d) out += " " + std::to_string(api.gguf_get_tensor_ne(g, i)[d]);
    }
    if (Tensor* t = tensors ? api.ggml_get_tensor(tensors, name) : nullptr; t && api.ggml_get_data(t)) {
      out += " " + hex(api.ggml_get_data(t), size);
    }
    out += "\n";
  }
  return out;
}

TemporaryFile::TemporaryFile(const std::string& bytes) {
  const char* folder = getenv("TMPDIR");
  path_ = std::string(folder && *folder ? folder : "/tmp") + "/gcts_ggml_XXXXXX";
  const int fd = mkstemp(path_.data());
  if (fd >= 0) close(fd);
  std::ofstream(path_, std::ios::binary) << bytes;
}
TemporaryFile::~TemporaryFile() { unlink(path_.c_str()); }
std::string TemporaryFile::read() const {
  std::ifstream in(path_, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Built build(Check& c) {
  Built out;
  for (int i = 0; i < 64; ++i) {
    out.first.push_back(static_cast<float>(i) - 31.5f);
    out.second.push_back(static_cast<float>(bits(static_cast<float>(i)) % 97));
  }
  out.gguf = c.api.gguf_init_empty();
  out.context = c.api.ggml_init({8 * c.api.ggml_tensor_overhead(), nullptr, true});
  const int64_t dims[4] = {64, 1, 1, 1};
  for (const char* name : {"first", "second"}) {
    Tensor* tensor = c.api.ggml_new_tensor(out.context, 0, 1, dims);
    c.api.ggml_set_name(tensor, name);
    c.api.gguf_add_tensor(out.gguf, tensor);
  }
  c.api.gguf_set_tensor_data(out.gguf, "first", out.first.data());
  c.api.gguf_set_tensor_data(out.gguf, "second", out.second.data());
  return out;
}

std::string written(Check& c, const Gguf* gguf, bool only_meta) {
  const TemporaryFile file;
  c.expect(c.api.gguf_write_to_file(gguf, file.path(), only_meta), "gguf_write_to_file gives false");
  return file.read();
}

}  // namespace peer
