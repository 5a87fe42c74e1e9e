// Checks of the functions that open a file, and of what they leave behind.

#include <malloc.h>
#include <string.h>
#include <sys/resource.h>

#include <algorithm>

#include "check.h"

namespace peer {
namespace {

// A source for gguf_init_from_callback that counts what it is asked.
struct Source {
  std::string bytes;
  size_t largest = 0, furthest = 0, calls = 0;
  bool asked_nothing = false;
  size_t most_given = SIZE_MAX;  // a single call gives no more
  size_t extra_claimed = 0, claimed_from = 0;  // by calls for that many bytes or more

  static size_t read(void* user, void* to, uint64_t offset, size_t size) {
    auto& self = *static_cast<Source*>(user);
    ++self.calls;
    self.largest = std::max(self.largest, size);
    self.furthest = std::max<size_t>(self.furthest, offset + size);
    self.asked_nothing |= size == 0;
    if (offset >= self.bytes.size()) return 0;
    const size_t given = std::min({size, self.bytes.size() - static_cast<size_t>(offset), self.most_given});
    memcpy(to, self.bytes.data() + offset, given);
    return given + (size >= self.claimed_from ? self.extra_claimed : 0);
  }
};

constexpr size_t kUnknownSize = SIZE_MAX;

Gguf* open_source(Check& c, Source& source, size_t most_at_once, size_t size, Context** tensors = nullptr) {
  if (!c.has(c.api.gguf_init_from_callback, "gguf_init_from_callback")) return nullptr;
  return c.api.gguf_init_from_callback(Source::read, &source, most_at_once, size, {false, tensors});
}

// A file with one I8 tensor of this shape, and no data.
std::string one_tensor(std::initializer_list<uint64_t> dims) {
  Bytes b;
  b.header(3, 1, 0).text("t").put<uint32_t>(static_cast<uint32_t>(dims.size()));
  for (uint64_t d : dims) b.put(d);
  b.put<uint32_t>(24).put<uint64_t>(0).pad(32);
  return b.str();
}

std::string truncated(const Sample& s) { return s.bytes.substr(0, s.metadata_size + 8); }

}  // namespace

void check_type_names(Check& c) {
  constexpr const char* kNames[] = {"u8", "i8", "u16", "i16", "u32", "i32", "f32", "bool", "str", "arr", "u64", "i64", "f64"};
  for (int t = 0; t < 13; ++t) c.expect_text("the name of type " + std::to_string(t), c.api.gguf_type_name(t), kNames[t]);
  c.expect(c.api.gguf_type_name(13) == nullptr, "type 13 has a name");
  c.expect(c.api.gguf_type_name(-1) == nullptr, "type -1 has a name");
}

void check_empty_context(Check& c) {
  Gguf* g = c.api.gguf_init_empty();
  c.expect_equal("the version", c.api.gguf_get_version(g), 3);
  c.expect_equal("the alignment", c.api.gguf_get_alignment(g), 32);
  c.expect_equal("the number of pairs", c.api.gguf_get_n_kv(g), 0);
  c.expect_equal("the number of tensors", c.api.gguf_get_n_tensors(g), 0);
  c.api.gguf_free(g);
}

void check_free_null(Check& c) { c.api.gguf_free(nullptr); }

void check_file_missing(Check& c) {
  c.expect(!c.api.gguf_init_from_file("/nonexistent/model.gguf", {true, nullptr}), "a context came back");
}

void check_file_ptr_null(Check& c) {
  if (!c.has(c.api.gguf_init_from_file_ptr, "gguf_init_from_file_ptr")) return;
  c.expect(!c.api.gguf_init_from_file_ptr(nullptr, {true, nullptr}), "a context came back");
}

void check_file_ptr_position(Check& c) {
  if (!c.has(c.api.gguf_init_from_file_ptr, "gguf_init_from_file_ptr")) return;
  const Sample s = sample();
  const TemporaryFile file(std::string(32, 'x') + s.bytes + "behind");
  FILE* f = fopen(file.path(), "rb");
  fseek(f, 32, SEEK_SET);
  Context* tensors = nullptr;
  Gguf* g = c.api.gguf_init_from_file_ptr(f, {false, &tensors});
  c.expect(g, "a file that begins at the position is refused");
  if (g) c.expect_equal("the position behind it", static_cast<size_t>(ftell(f)), 32 + s.bytes.size());
  fclose(f);
}

void check_file_ptr_base(Check& c) {
  if (!c.has(c.api.gguf_init_from_file_ptr, "gguf_init_from_file_ptr")) return;
  const Sample s = sample();
  const TemporaryFile file(std::string(16, 'x') + s.bytes + std::string(32, '\0'));
  FILE* f = fopen(file.path(), "rb");
  fseek(f, 16, SEEK_SET);
  Context *tensors = nullptr, *direct = nullptr;
  Gguf* g = c.api.gguf_init_from_file_ptr(f, {false, &tensors});
  Gguf* same = open_bytes(c, s.bytes, &direct);
  fclose(f);
  c.expect(g && same, "a file that begins at the position is refused");
  if (!g || !same) return;
  const auto value = [&](Context* context) { return *static_cast<const float*>(c.api.ggml_get_data(c.api.ggml_get_tensor(context, "first"))); };
  if (value(tensors) != value(direct)) {
    c.expect(false, "16 bytes into a FILE the first tensor begins with " + std::to_string(value(tensors)) + ", not " + std::to_string(value(direct)));
  }
}

void check_buffer_null(Check& c) {
  if (!c.has(c.api.gguf_init_from_buffer, "gguf_init_from_buffer")) return;
  c.expect(!c.api.gguf_init_from_buffer(nullptr, 24, {true, nullptr}), "a context came from null");
  c.expect(!c.api.gguf_init_from_buffer("GGUF", 0, {true, nullptr}), "a context came from no bytes");
}

void check_buffer_may_go(Check& c) {
  std::string bytes = sample().bytes;
  Context* tensors = nullptr;
  Gguf* g = open_bytes(c, bytes, &tensors);
  if (!g) return c.expect(!c.missing().empty(), "a sound file is refused");
  const std::string before = dump(c.api, g, tensors);
  bytes.assign(bytes.size(), '\xee');
  c.expect(dump(c.api, g, tensors) == before, "what was read changes with the buffer");
}

void check_metadata_leaves_data(Check& c) {
  Gguf* g = open_bytes(c, truncated(sample()));
  c.expect(g, "a file whose data are cut off is refused");
}

void check_no_alloc_leaves_data(Check& c) {
  Context* tensors = nullptr;
  Gguf* g = open_bytes(c, truncated(sample()), &tensors, true);
  c.expect(g && tensors, "a file whose data are cut off is refused");
  if (!g || !tensors) return;
  Tensor* first = c.api.ggml_get_tensor(tensors, "first");
  c.expect(first, "the tensor is not in the context");
  if (first) c.expect(!c.api.ggml_get_data(first), "the tensor has data");
}

void check_blob_precedes_tensors(Check& c) {
  const Sample s = sample();
  Context* tensors = nullptr;
  Gguf* g = open_sample(c, &tensors);
  if (!g) return;
  Tensor* blob = c.api.ggml_get_first_tensor(tensors);
  c.expect_text("the first tensor", c.api.ggml_get_name(blob), "GGUF tensor data binary blob");
  c.expect_equal("its size", c.api.ggml_nbytes(blob), s.bytes.size() - s.metadata_size);
  Tensor* next = c.api.ggml_get_next_tensor(tensors, blob);
  c.expect_text("the next tensor", c.api.ggml_get_name(next), "first");
  const auto* base = static_cast<const char*>(c.api.ggml_get_data(blob));
  c.expect(c.api.ggml_get_data(c.api.ggml_get_tensor(tensors, "second")) == base + s.second_offset, "the second tensor does not point into it");
}

void check_failure_leaves_no_tensors(Check& c) {
  Sample s = sample();
  const auto* untouched = reinterpret_cast<Context*>(&s);
  const auto after = [&](const std::string& bytes) {
    auto* tensors = reinterpret_cast<Context*>(&s);
    c.expect(!open_bytes(c, bytes, &tensors), "a broken file is accepted");
    return tensors;
  };
  std::string version = s.bytes;
  version[4] = 9;
  const Context* early = after(version);
  const Context* late = after(truncated(s));
  c.expect(!early || early == untouched, "a wrong version leaves a context");
  c.expect(!late || late == untouched, "data that are cut off leave a context");
}

void check_inputs_agree(Check& c) {
  const Sample s = sample();
  const TemporaryFile file(s.bytes);
  Context *a = nullptr, *b = nullptr, *d = nullptr;
  const std::string by_file = dump(c.api, c.api.gguf_init_from_file(file.path(), {false, &a}), a);
  const std::string by_buffer = dump(c.api, open_bytes(c, s.bytes, &b), b);
  Source source{s.bytes};
  const std::string by_callback = dump(c.api, open_source(c, source, 0, s.bytes.size(), &d), d);
  c.expect(by_file != "refused", "a sound file is refused");
  c.expect(by_file == by_buffer, "file and buffer differ");
  c.expect(by_file == by_callback, "file and callback differ");
}

void check_failures_keep_nothing(Check& c) {
  const Sample s = sample();
  std::string version = s.bytes;
  version[4] = 9;
  for (const std::string& bytes : {version, truncated(s), s.bytes.substr(0, 100), one_tensor({4, 4})}) {
    size_t before = 0;
    for (int i = 0; i < 24; ++i) {
      if (i == 12) before = mallinfo2().uordblks;
      Context* tensors = nullptr;
      c.expect(!open_bytes(c, bytes, &tensors), "a broken file is accepted");
      take_log();
    }
    const size_t after = mallinfo2().uordblks;
    c.expect(after < before + 12 * 16, "each call keeps " + std::to_string((after - before) / 12) + " bytes");
  }
}

void check_size_wraps(Check& c) {
  Context* tensors = nullptr;
  Gguf* g = open_bytes(c, one_tensor({uint64_t{1} << 62, 2}), &tensors);
  c.expect(!g, "2^62 x 2 bytes are loaded");
}

void check_elements_wrap(Check& c) {
  Context* tensors = nullptr;
  Gguf* g = open_bytes(c, one_tensor({uint64_t{1} << 32, uint64_t{1} << 32}), &tensors, true);
  c.expect(!g, "2^32 x 2^32 elements are accepted, of size " + (g ? std::to_string(c.api.gguf_get_tensor_size(g, 0)) : ""));
}

void check_callback_null(Check& c) {
  if (!c.has(c.api.gguf_init_from_callback, "gguf_init_from_callback")) return;
  c.expect(!c.api.gguf_init_from_callback(nullptr, nullptr, 0, 100, {true, nullptr}), "a context came back");
}

void check_callback_chunks(Check& c) {
  const Sample s = sample();
  std::string whole;
  for (size_t most : {0, 1, 3, 7, 17}) {
    Source source{s.bytes};
    Context* tensors = nullptr;
    const std::string got = dump(c.api, open_source(c, source, most, s.bytes.size(), &tensors), tensors);
    if (!c.missing().empty()) return;
    if (most == 0) whole = got;
    c.expect(got != "refused" && got == whole, "reads of at most " + std::to_string(most) + " bytes give something else");
    if (most > 0) c.expect(source.largest <= most, "of at most " + std::to_string(most) + " bytes " + std::to_string(source.largest) + " were asked for at once");
    c.expect(!source.asked_nothing, "0 bytes were asked for");
  }
}

void check_callback_size(Check& c) {
  const Sample s = sample();
  for (size_t size : {size_t{0}, size_t{50}, s.metadata_size - 40, s.metadata_size, kUnknownSize}) {
    Source source{s.bytes};
    const bool opened = open_source(c, source, 0, size) != nullptr;
    if (!c.missing().empty()) return;
    c.expect(opened == (size >= s.metadata_size), "an expected size of " + std::to_string(size) + (opened ? " suffices" : " does not suffice"));
    c.expect(source.furthest <= size, "bytes beyond an expected size of " + std::to_string(size) + " were asked for");
  }
}

void check_callback_short_read(Check& c) {
  const Sample s = sample();
  Source source{s.bytes};
  source.most_given = 5;
  const bool opened = open_source(c, source, 0, s.bytes.size()) != nullptr;
  c.expect(!opened, "a file is accepted although its reads came short");
}

void check_callback_too_much(Check& c) {
  Source source{sample().bytes};
  source.extra_claimed = 1;
  c.expect(!open_source(c, source, 0, source.bytes.size()), "a file is accepted");
}

// The one string of the file takes several reads of the most that is allowed.
void check_callback_too_much_in_pieces(Check& c) {
  constexpr size_t kMost = 16;
  Bytes b;
  b.header(3, 0, 1).text("k").put<uint32_t>(GCTS_STRING).text(std::string(40, 't'));
  Source source{b.str()};
  source.extra_claimed = 30;
  source.claimed_from = kMost;
  open_source(c, source, kMost, source.bytes.size());
}

void check_callback_allocation(Check& c) {
  constexpr size_t kClaimed = 96u << 20, kRoom = 32u << 20;
  Bytes b;
  b.header(3, 0, 1).text("k").put<uint32_t>(GCTS_STRING).put<uint64_t>(kClaimed).raw("abc", 3);
  Source source{b.str()};
  const auto peak = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<size_t>(usage.ru_maxrss) * 1024;
  };
  const size_t before = peak();
  c.expect(!open_source(c, source, 0, kUnknownSize), "a string that is not there is accepted");
  const size_t grown = peak() - before;
  c.expect(grown < kRoom, "a length of 96 MiB in a file of " + std::to_string(b.str().size()) + " bytes took " + std::to_string(grown >> 20) + " MiB");
}

}  // namespace peer
