// Maps a file, lets the reference read it, and reports what it found to the host.

#include "plugins/reference/reader.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>

namespace gcts {
namespace {

gcts_string view(std::string_view text) { return {text.data(), text.size()}; }

// Hands a value's parts to the sink, scalars in the byte order of the process.
class ReportValue final : public ValueVisitor {
 public:
  explicit ReportValue(const gcts_sink& sink) : sink_(sink) {}

  void scalars(ValueType type, uint64_t count, std::span<const std::byte> bytes, Layout layout) override {
    const auto id = static_cast<uint32_t>(type);
    const size_t size = scalar_bytes(type);
    const bool host_order = (layout.order == ByteOrder::little) == (std::endian::native == std::endian::little);
    if (host_order || size == 1) return sink_.scalars(sink_.context, id, bytes.data(), count);
    std::byte swapped[4096];
    for (size_t at = 0; at < bytes.size();) {
      const size_t part = std::min(bytes.size() - at, sizeof swapped);  // a multiple of every size
      for (size_t i = 0; i < part; i += size)
        std::reverse_copy(&bytes[at + i], &bytes[at + i] + size, swapped + i);
      sink_.scalars(sink_.context, id, swapped, part / size);
      at += part;
    }
  }
  void string(std::string_view text) override { sink_.string(sink_.context, view(text)); }
  void array_begin(ValueType element_type, uint64_t count) override {
    sink_.array_begin(sink_.context, static_cast<uint32_t>(element_type), count);
  }
  void array_end() override { sink_.array_end(sink_.context); }

 private:
  const gcts_sink& sink_;
};

}  // namespace

bool Mapping::open(const std::string& path, std::unique_ptr<Mapping>& mapping, std::string& why_not) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status = {};
  std::span<const std::byte> bytes;
  bool opened = file >= 0 && fstat(file, &status) == 0;
  if (opened && status.st_size > 0) {
    const auto size = static_cast<size_t>(status.st_size);
    void* begin = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    opened = begin != MAP_FAILED;
    if (opened) bytes = {static_cast<const std::byte*>(begin), size};
  }
  if (!opened) why_not = path + ": " + std::strerror(errno);
  if (file >= 0) close(file);
  if (opened) mapping.reset(new Mapping(bytes));
  return opened;
}

Mapping::~Mapping() {
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

bool Input::open(const gcts_read_request& request, std::string& why_not) {
  if (request.data) {
    files_.push_back({"", {static_cast<const std::byte*>(request.data), request.size}});
    return true;
  }
  if (!request.path) {
    why_not = "neither a path nor memory is offered";
    return false;
  }
  const std::string path = request.path;
  const size_t name_at = path.rfind('/') + 1;  // npos + 1 is 0
  const std::string folder = path.substr(0, name_at), name = path.substr(name_at);
  const auto add = [&](const std::string& file) {
    std::unique_ptr<Mapping> mapping;
    if (!Mapping::open(folder + file, mapping, why_not)) return false;
    files_.push_back({file, mapping->bytes()});
    mappings_.push_back(std::move(mapping));
    return true;
  };
  if (!add(name)) return false;
  for (const std::string& other : shards_beside(path))
    if (other != name) add(other);  // one that cannot be read is for the judgement of the set
  return true;
}

SetReading read_files(std::span<const NamedFile> files, bool named, Stage stage) {
  if (named) return read_set(files, {.stage = stage});
  SetReading set;
  set.shards.push_back(read(files.front().bytes, {.stage = stage}));
  for (const Finding& finding : set.shards.front().findings.all()) set.findings.push_back({0, finding});
  return set;
}

const Profile& chosen_profile() {
  static const Profile profile = [] {
    const char* name = std::getenv("GCTS_PROFILE");
    Profile chosen = Profile::builtin(BuiltinProfile::spec);
    std::string error;
    if (name && *name) Profile::load(name, chosen, error);
    return chosen;
  }();
  return profile;
}

bool breaks_file(const Finding& finding) {
  static const bool strict = std::getenv("GCTS_STRICT") != nullptr;
  const Severity severity = chosen_profile().severity(finding.rule);
  return severity == Severity::must || (strict && severity == Severity::should);
}

std::string explain(const Finding& finding) {
  return "offset " + std::to_string(finding.offset) + ": " + std::string(rule_at(finding.rule).name) + ": " +
         finding.message;
}

void report(std::span<const Reading> shards, bool with_bytes, const gcts_sink& sink) {
  const Reading& first = shards.front();
  sink.header(sink.context, first.layout.version, first.layout.order == ByteOrder::big, first.alignment);
  ReportValue visitor(sink);
  for (const KeyValueView& pair : first.metadata) {
    sink.key(sink.context, view(pair.key));
    visit(pair.value, visitor);
  }
  for (const Reading& shard : shards) {
    for (const TensorView& tensor : shard.tensors) {
      const void* data = with_bytes ? tensor.data.data() : nullptr;
      sink.tensor(sink.context, view(tensor.name), tensor.type, tensor.rank, tensor.dims.data(), tensor.offset, data,
                  tensor.size);
    }
  }
}

gcts_status reference_read(const gcts_read_request* request, const gcts_sink* sink) noexcept try {
  Input input;
  std::string why_not;
  if (!input.open(*request, why_not)) {
    sink->message(sink->context, why_not.c_str());
    return GCTS_FAILED;
  }
  const bool with_bytes = request->stage == GCTS_STAGE_DATA;
  const SetReading set = read_files(input.files(), input.is_named(), with_bytes ? Stage::data : Stage::metadata);
  for (const SetFinding& found : set.findings) {
    if (!breaks_file(found.finding)) continue;
    sink->message(sink->context, explain(found.finding).c_str());
    return GCTS_REJECTED;
  }
  report(set.shards, with_bytes, *sink);
  return GCTS_OK;
} catch (const std::exception& failure) {
  sink->message(sink->context, failure.what());
  return GCTS_FAILED;
}

}  // namespace gcts
