// Reads a file: decodes it, looks at its data, runs the checks.

#include "reference/reader.h"

#include <algorithm>
#include <utility>

#include "reference/check.h"
#include "reference/decode.h"
#include "reference/padding.h"
#include "reference/source.h"

namespace gcts {
namespace {

// Where the data start; what the data stage learns from the bytes behind the infos.
void look_at_data(Source& source, std::span<const Extent> extents, Reading& out) {
  PaddingScan scan(out.complete ? find_padding(out, extents) : std::vector<Padding>());
  if (!source.mapped()) {
    out.file_size =
        source.drain(out.metadata_end, [&](uint64_t offset, std::span<const std::byte> bytes) { scan.see(offset, bytes); });
  } else {
    // Only the padding is touched: tensor data may be larger than memory.
    for (const Padding& p : scan.padding()) {
      if (p.begin >= source.size()) break;
      const uint64_t end = std::min(p.end, source.size());
      scan.see(p.begin, {source.data() + p.begin, end - p.begin});
    }
  }
  out.dirty_padding = scan.take();
}

// Collects where tensors lie; of a mapped file that was read whole, points the views
// at the bytes that are there.
std::vector<Extent> place_tensors(const Source& source, Reading& out) {
  std::vector<Extent> extents;
  extents.reserve(out.tensors.size());
  const std::span<const std::byte> file(source.data(), source.size());
  const bool attach = source.mapped() && out.complete && out.data_start <= file.size();
  for (TensorView& t : out.tensors) {
    extents.push_back({t.offset, t.sized ? t.size : Extent::kUnknown});
    if (!attach || !t.sized || t.offset > file.size() - out.data_start) continue;
    const uint64_t start = out.data_start + t.offset;
    if (t.size <= file.size() - start) t.data = file.subspan(start, t.size);
  }
  return extents;
}

Reading read_source(Source& source, const ReadOptions& options) {
  Reading out;
  out.stage = options.stage;
  decode(source, out);
  out.file_size = source.size();
  out.data_start = align_up(out.metadata_end, out.alignment);
  std::vector<Extent> extents = place_tensors(source, out);
  if (options.stage == Stage::data) look_at_data(source, extents, out);
  if (!source.mapped()) {
    auto storage = std::make_shared<const Bytes>(source.take());
    point_views(out, storage->data());
    out.storage = std::move(storage);
  }
  run_checks(out, std::move(extents), options);
  return out;
}

}  // namespace

Reading read(std::span<const std::byte> file, const ReadOptions& options) {
  Source source(file);
  return read_source(source, options);
}

Reading read(const ChunkSource& chunks, const ReadOptions& options) {
  Source source(chunks);
  return read_source(source, options);
}

const KeyValueView* Reading::find(std::string_view key) const {
  for (const KeyValueView& pair : metadata)
    if (pair.key == key) return &pair;
  return nullptr;
}

const TensorView* Reading::find_tensor(std::string_view name) const {
  for (const TensorView& t : tensors)
    if (t.name == name) return &t;
  return nullptr;
}

}  // namespace gcts
