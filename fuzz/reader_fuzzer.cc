// The reader on any bytes: however they arrive, the same is found, and nothing that it
// returns lies outside of them.

#include <algorithm>
#include <cstring>
#include <functional>
#include <span>

#include "fuzz/promise.h"
#include "reference/reader.h"

using namespace gcts;

namespace {

using Input = std::span<const std::byte>;

Reading in_chunks(Input file, size_t largest, Stage stage) {
  size_t at = 0;
  const auto next = [&](std::byte* buffer, size_t size) {
    const size_t n = std::min({size, largest, file.size() - at});
    if (n != 0) std::memcpy(buffer, file.data() + at, n);
    at += n;
    return n;
  };
  return read(ChunkSource(std::ref(next)), {.stage = stage});
}

bool same(const Findings& a, const Findings& b) {
  return std::equal(a.all().begin(), a.all().end(), b.all().begin(), b.all().end(), [](const Finding& x, const Finding& y) {
    return x.rule == y.rule && x.offset == y.offset && x.root == y.root && x.message == y.message;
  });
}

bool same(const ValueView& a, const ValueView& b) {
  return a.type == b.type && a.element_type == b.element_type && a.count == b.count && a.offset == b.offset &&
         std::equal(a.bytes.begin(), a.bytes.end(), b.bytes.begin(), b.bytes.end());
}

bool same_contents(const Reading& a, const Reading& b) {
  const auto pair = [](const KeyValueView& x, const KeyValueView& y) {
    return x.key == y.key && x.offset == y.offset && same(x.value, y.value);
  };
  const auto tensor = [](const TensorView& x, const TensorView& y) {
    return x.name == y.name && x.type == y.type && x.rank == y.rank && x.dims == y.dims && x.offset == y.offset &&
           x.sized == y.sized && x.size == y.size;
  };
  return a.layout == b.layout && a.alignment == b.alignment && a.metadata_end == b.metadata_end &&
         a.data_start == b.data_start && a.complete == b.complete &&
         std::equal(a.metadata.begin(), a.metadata.end(), b.metadata.begin(), b.metadata.end(), pair) &&
         std::equal(a.tensors.begin(), a.tensors.end(), b.tensors.begin(), b.tensors.end(), tensor);
}

void check_bounds(const Reading& reading, Input file) {
  const auto inside = [&](const void* data, size_t size) {
    const auto* at = static_cast<const std::byte*>(data);
    return size == 0 || (at >= file.data() && size <= file.size() && at <= file.data() + (file.size() - size));
  };
  // A pair has at least a length, a type and a byte; a tensor info a length, a rank, a
  // type and an offset.
  const uint32_t length = reading.layout.count_bytes();
  promise(reading.metadata.size() <= file.size() / (length + 4 + 1), "there are no more pairs than the file can hold");
  promise(reading.tensors.size() <= file.size() / (length + 4 + 4 + 8), "there are no more tensors than the file can hold");
  for (const KeyValueView& pair : reading.metadata) {
    promise(inside(pair.key.data(), pair.key.size()), "a key lies in the file");
    promise(inside(pair.value.bytes.data(), pair.value.bytes.size()), "a value lies in the file");
    promise(pair.value.count <= file.size(), "an array has no more elements than the file has bytes");
  }
  for (const TensorView& tensor : reading.tensors) {
    promise(inside(tensor.name.data(), tensor.name.size()), "a tensor name lies in the file");
    promise(inside(tensor.data.data(), tensor.data.size()), "tensor data lie in the file");
    promise(tensor.data.empty() || tensor.data.size() == tensor.size, "tensor data are all there or not given");
  }
}

}  // namespace

// An input is read as a map and in one other way.  Its hash says which and to which stage,
// so that an execution stays short and a campaign meets every way with inputs of every
// kind.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Profile profiles[] = {Profile::builtin(BuiltinProfile::spec), Profile::builtin(BuiltinProfile::ggml)};
  const Input file(reinterpret_cast<const std::byte*>(data), size);
  const uint64_t chosen = choice(data, size);
  const Stage stage = chosen % 4 == 0 ? Stage::metadata : Stage::data;
  const Reading mapped = read(file, {.stage = stage});
  check_bounds(mapped, file);
  const bool streams = chosen >> 2 & 1;
  const Reading other = streams ? in_chunks(file, 1 + (chosen >> 3) % (size + 1), stage) : read(file, {.stage = stage, .lint = false});
  if (streams) promise(same(mapped.findings, other.findings), "findings are the same however the bytes arrive");
  promise(same_contents(mapped, other), "contents are the same however the bytes arrive");
  for (const Profile& profile : profiles) {
    const Verdict verdict = judge(mapped.findings, profile);
    promise(judge(other.findings, profile) == verdict, "lint changes no verdict");
    promise(mapped.complete || verdict == Verdict::invalid, "a file that does not decode to its end is invalid");
  }
  return 0;
}
