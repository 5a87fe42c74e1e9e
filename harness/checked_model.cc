// A model as it is given on a command line; see checked_model.h.

#include "harness/checked_model.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "corpus/sha256.h"
#include "reference/filename.h"
#include "reference/tensor_type.h"

namespace gcts {
namespace {

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }
std::string directory(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

// Standard input read once and judged on the way: its head is kept until the
// tensors are known, then the bytes pass by the scan.  A stream without an end is
// judged as if it ended a while after the place where the file must.
class StreamedPart {
 public:
  StreamedPart(const ScanOptions& options, bool look_at_data) : options_(options), look_at_data_(look_at_data) {}

  CheckedFile run() {
    CheckedFile part;
    part.path = "-";
    const Reading known = read([this](std::byte* buffer, size_t size) { return from_input(buffer, size); }, {Stage::metadata, false});
    recording_ = false;
    limit_ = end_of(known);
    std::optional<StreamScan> scan;
    if (known.complete && look_at_data_) scan.emplace(known, options_);
    if (options_.digest && known.complete && known.metadata_end <= head_.size()) {
      part.metadata_sha256 = sha256_of(std::span<const std::byte>(head_).first(known.metadata_end));
    }
    part.reading = read([&](std::byte* buffer, size_t size) {
      const size_t n = replayed_ < head_.size() ? from_head(buffer, size) : delivered_ < limit_ ? from_input(buffer, size) : 0;
      delivered_ += n;
      if (scan) scan->feed({buffer, n});
      return n;
    });
    if (scan) part.scans = scan->finish();
    return part;
  }

 private:
  static constexpr size_t kPiece = 64 << 10;  // so that little more than the metadata is kept
  static constexpr uint64_t kBeyond = uint64_t{1} << 30;

  // Where reading stops: beyond the last tensor, or beyond the place where the metadata break off.
  uint64_t end_of(const Reading& known) const {
    uint64_t end = head_.size();
    for (const TensorView& tensor : known.tensors) {
      uint64_t here = known.data_start;
      const bool wraps = __builtin_add_overflow(here, tensor.offset, &here) || __builtin_add_overflow(here, tensor.size, &here);
      if (known.complete && !wraps) end = std::max(end, here);
    }
    return end > UINT64_MAX - kBeyond ? UINT64_MAX : end + kBeyond;
  }

  size_t from_input(std::byte* buffer, size_t size) {
    ssize_t n = 0;
    do n = ::read(STDIN_FILENO, buffer, std::min(size, kPiece));
    while (n < 0 && errno == EINTR);
    if (n <= 0) return 0;
    if (recording_) head_.insert(head_.end(), buffer, buffer + n);
    return static_cast<size_t>(n);
  }
  size_t from_head(std::byte* buffer, size_t size) {
    const size_t n = std::min(size, head_.size() - replayed_);
    std::memcpy(buffer, head_.data() + replayed_, n);
    replayed_ += n;
    return n;
  }

  const ScanOptions& options_;
  const bool look_at_data_;
  Bytes head_;
  size_t replayed_ = 0;
  uint64_t delivered_ = 0, limit_ = 0;
  bool recording_ = true;
};

bool load_part(const std::string& path, const ScanOptions& scan, bool look_at_data, CheckedFile& out, std::string& error) {
  struct stat input = {};
  const bool stream = path == "-" && (fstat(STDIN_FILENO, &input) != 0 || !S_ISREG(input.st_mode) || lseek(STDIN_FILENO, 0, SEEK_CUR) != 0);
  if (stream) {
    out = StreamedPart(scan, look_at_data).run();
    return true;
  }
  out.path = path;
  out.file = MappedFile::open(path == "-" ? "/dev/stdin" : path, error);
  if (out.file == nullptr) return false;
  out.reading = read(out.file->bytes());
  if (out.reading.complete && look_at_data) out.scans = scan_tensors(*out.file, out.reading, scan);
  if (scan.digest && out.reading.complete && out.reading.metadata_end <= out.file->size()) {
    out.metadata_sha256 = sha256_of(out.file->bytes().first(out.reading.metadata_end));
  }
  return true;
}

// What is wrong with the files as a set, named as on the disk.
void judge_set(CheckedModel& model) {
  if (model.name() == "-") return;  // a stream has no name
  std::vector<std::string> names;
  std::vector<Reading> readings;
  for (CheckedFile& part : model.parts) {
    names.push_back(base_name(part.path));
    readings.push_back(std::move(part.reading));
  }
  model.set_findings = check_set(names, readings);
  for (size_t i = 0; i < model.parts.size(); ++i) model.parts[i].reading = std::move(readings[i]);
}

}  // namespace

bool CheckedModel::changed() const {
  return std::any_of(parts.begin(), parts.end(), [](const CheckedFile& part) { return part.file != nullptr && part.file->changed(); });
}

std::vector<std::vector<std::string>> group_into_models(const std::vector<std::string>& paths) {
  std::vector<std::vector<std::string>> out;
  std::set<std::string> sets;  // of those that stand in `out`
  for (const std::string& path : paths) {
    const auto shard = path == "-" ? std::nullopt : parse_shard_name(base_name(path));
    if (!shard || shard->count < 2) {
      out.push_back({path});
      continue;
    }
    const std::string set = directory(path) + shard_file_name({shard->prefix, 1, shard->count});
    if (!sets.insert(set).second) continue;
    std::vector<std::string>& model = out.emplace_back();
    for (const std::string& name : shards_beside(path)) model.push_back(directory(path) + name);
  }
  return out;
}

bool load_model(const std::vector<std::string>& paths, const ScanOptions& scan, bool look_at_data, CheckedModel& out, std::string& error) {
  out = {};
  for (const std::string& path : paths) {
    std::string why;
    if (!load_part(path, scan, look_at_data, out.parts.emplace_back(), why)) {
      error = path + ": " + why;
      return false;
    }
  }
  judge_set(out);
  return true;
}

ModelManifest manifest_of(const CheckedModel& model) {
  ModelManifest out;
  for (const CheckedFile& part : model.parts) {
    out.files.push_back({base_name(part.path), part.reading.file_size, part.metadata_sha256});
    for (size_t i = 0; i < part.reading.tensors.size(); ++i) {
      const TensorView& tensor = part.reading.tensors[i];
      const TensorType* type = find_tensor_type(tensor.type);
      ModelManifestTensor entry;
      entry.name = tensor.name;
      entry.type = type != nullptr ? std::string(type->name) : "type " + std::to_string(tensor.type);
      entry.dims.assign(tensor.dims.begin(), tensor.dims.begin() + std::min<uint32_t>(tensor.rank, kMaxRank));
      entry.size = tensor.size;
      if (i < part.scans.size()) entry.sha256 = part.scans[i].sha256;
      out.tensors.push_back(std::move(entry));
    }
  }
  return out;
}

}  // namespace gcts
