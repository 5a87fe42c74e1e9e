// Reading, writing, reading: nothing is lost, nothing is made up.

#include <algorithm>
#include <span>

#include "fuzz/promise.h"
#include "reference/reader.h"
#include "reference/writer.h"

using namespace gcts;

namespace {

// A tensor whose bytes are not all there cannot be written as it was.  One without bytes
// may lie anywhere; a file is not filled with zeros up to it.
bool is_there(const TensorView& tensor, const Reading& reading) {
  return tensor.sized && (tensor.size == 0 ? tensor.offset <= reading.file_size : !tensor.data.empty());
}

// A file of version 1 without pairs, in which four NULs follow the length of the first
// tensor's name, is taken for one with the wide counts of later versions, on purpose:
// version_1_widths.  A name of fewer NULs goes on with the bytes of a rank of 0.
bool looks_wide(const File& model, const Bytes& written) {
  constexpr size_t kText = 20;  // where the text of the name begins
  if (model.layout.version != 1 || !model.metadata.empty() || model.tensors.empty() || model.tensors[0].name.empty()) return false;
  const auto text = std::span(written).subspan(kText, 4);
  return std::all_of(text.begin(), text.end(), [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Profile profiles[] = {Profile::builtin(BuiltinProfile::spec), Profile::builtin(BuiltinProfile::ggml)};
  const std::span file(reinterpret_cast<const std::byte*>(data), size);
  const Reading reading = read(file);
  if (!reading.complete) return 0;
  File model = to_file(reading);
  promise(model.metadata.size() == reading.metadata.size() && model.tensors.size() == reading.tensors.size(), "a copy is whole");
  const size_t all = model.tensors.size();
  for (size_t i = all; i > 0; --i) {
    if (!is_there(reading.tensors[i - 1], reading)) model.tensors.erase(model.tensors.begin() + static_cast<ptrdiff_t>(i - 1));
  }

  const Bytes once = write_bytes(model);
  if (looks_wide(model, once)) return 0;
  const Reading again = read(once);
  promise(again.complete, "what was written can be read");
  promise(again.layout == model.layout, "version and byte order are kept");
  const File copy = to_file(again);
  promise(copy.metadata == model.metadata, "metadata are kept");
  promise(copy.tensors == model.tensors, "tensors are kept");
  promise(write_bytes(copy) == once, "writing is a fixpoint");
  promise(write_bytes(copy, {.strategy = WriteStrategy::metadata_first}) == once, "metadata first gives the same bytes");
  promise(write_bytes(copy, {.strategy = WriteStrategy::reserve}) == once, "reserving gives the same bytes");
  if (model.tensors.size() != all) return 0;
  for (const Profile& profile : profiles) {
    if (judge(reading.findings, profile) == Verdict::valid)
      promise(judge(again.findings, profile) == Verdict::valid, "a valid file stays valid");
  }
  return 0;
}
