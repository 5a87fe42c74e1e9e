// Checks of include/gguf.h: what each function promises, tried on a library that is
// loaded.
//
// A check is a row of checks.inc and a function here or beside it.  It runs in a process
// of its own, so one that has to abort is one that ends.

#ifndef GCTS_PLUGINS_GGML_CHECKS_CHECK_H_
#define GCTS_PLUGINS_GGML_CHECKS_CHECK_H_

#include <string>
#include <vector>

#include "gcts/plugin.h"
#include "../library.h"

namespace peer {

// One check under way: the library, and what did not hold.
class Check {
 public:
  Check() : api(library().base) {}
  const Base& api;

  // The first thing that does not hold is told.
  void expect(bool holds, const std::string& else_what) {
    if (!holds && failure_.empty()) failure_ = else_what;
  }
  template <typename A, typename B>
  void expect_equal(const std::string& what, A is, B ought) {
    if (!(is == static_cast<A>(ought))) expect(false, what + " is " + std::to_string(is) + ", not " + std::to_string(ought));
  }
  void expect_text(const std::string& what, const char* is, const std::string& ought) {
    if (!is || ought != is) expect(false, what + " is " + (is ? "'" + std::string(is) + "'" : "null") + ", not '" + ought + "'");
  }
  // Does the library have it?  If not, the check is skipped.
  template <typename F>
  bool has(F* function, const char* name) {
    if (!function && missing_.empty()) missing_ = std::string("the library has no ") + name;
    return function != nullptr;
  }

  const std::string& failure() const { return failure_; }
  const std::string& missing() const { return missing_; }

 private:
  std::string failure_, missing_;
};

#define CHECK(name, ends, promise) void check_##name(Check& c);
#include "checks.inc"
#undef CHECK

const gcts_api_check* check_table();
uint64_t check_count();

// ---------------------------------- Material ----------------------------------

// The bytes of a file, put together field by field.
class Bytes {
 public:
  Bytes& raw(const void* data, size_t size) {
    bytes_.append(static_cast<const char*>(data), size);
    return *this;
  }
  template <typename T>
  Bytes& put(T value) {
    return raw(&value, sizeof(value));
  }
  Bytes& text(const std::string& s) { return put<uint64_t>(s.size()).raw(s.data(), s.size()); }
  Bytes& header(uint32_t version, uint64_t tensors, uint64_t pairs) {
    return raw("GGUF", 4).put(version).put(tensors).put(pairs);
  }
  Bytes& pad(size_t alignment) {
    bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment);
    return *this;
  }
  const std::string& str() const { return bytes_; }

 private:
  std::string bytes_;
};

// A small file in canonical form: a text, numbers, arrays and two tensors.
struct Sample {
  static constexpr int64_t kName = 0, kNumber = 1, kOne = 2, kList = 3, kNone = 4, kWords = 5, kPairs = 6;
  static constexpr int64_t kFirst = 0, kSecond = 1, kTensors = 2;
  std::string bytes;
  size_t metadata_size = 0;  // to the start of the tensor data
  size_t second_offset = 32;
};
Sample sample(uint32_t version = 3);

// Reads bytes as a buffer; null where it is refused.
Gguf* open_bytes(Check& c, const std::string& bytes, Context** tensors = nullptr, bool no_alloc = false);
// The same for checks that need the file to be there: a miss is a failure.
Gguf* open_sample(Check& c, Context** tensors = nullptr);

// Everything the getters say of a file, as text: two that are equal hold the same.
std::string dump(const Base& api, const Gguf* gguf, Context* tensors);

// A temporary file, gone with the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& bytes = {});
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  const char* path() const { return path_.c_str(); }
  std::string read() const;

 private:
  std::string path_;
};

// A context with two F32 tensors of 64 elements, "first" and "second", and their data.
struct Built {
  Gguf* gguf = nullptr;
  Context* context = nullptr;
  std::vector<float> first, second;
};
Built build(Check& c);
// What gguf_write_to_file makes of a context.
std::string written(Check& c, const Gguf* gguf, bool only_meta);

}  // namespace peer

#endif  // GCTS_PLUGINS_GGML_CHECKS_CHECK_H_
