// The healthy reader and writer, with a place for each hook.

#include "plugins/faulty/hooks.h"

#include "plugins/reference/reader.h"
#include "plugins/reference/writer.h"

namespace gcts {
namespace {

gcts_string view(std::string_view text) { return {text.data(), text.size()}; }
std::string_view text(gcts_string s) { return {s.data, s.size}; }
Reporter& self(void* context) { return *static_cast<Reporter*>(context); }

// Passes strings through a function.
class StringChanger final : public Reporter {
 public:
  StringChanger(const gcts_sink& to, std::function<std::string(std::string_view)> change)
      : Reporter(to), change_(std::move(change)) {}
  void string(std::string_view value) override { Reporter::string(change_(value)); }

 private:
  std::function<std::string(std::string_view)> change_;
};

const Finding* first_not_overlooked(const ReaderHooks& hooks, const SetReading& set) {
  const auto counts = [&](const Finding& finding, const Reading& reading) {
    return breaks_file(finding) && !(hooks.overlook && hooks.overlook(finding, reading));
  };
  for (const Reading& reading : set.shards)
    for (const Finding& finding : reading.findings.all())
      if (counts(finding, reading)) return &finding;
  for (const SetFinding& found : set.findings)
    if (counts(found.finding, set.shards[found.file])) return &found.finding;
  return nullptr;
}

const Finding* first_not_permitted(const WriterHooks& hooks, const Findings& findings) {
  for (const Finding& finding : findings.all())
    if (is_refusal(finding) && !(hooks.permit && hooks.permit(finding))) return &finding;
  return nullptr;
}

}  // namespace

void Reporter::header(uint32_t version, int big_endian, uint32_t alignment) {
  to_.header(to_.context, version, big_endian, alignment);
}
void Reporter::key(std::string_view key) { to_.key(to_.context, view(key)); }
void Reporter::scalars(uint32_t type, const void* values, uint64_t count) {
  to_.scalars(to_.context, type, values, count);
}
void Reporter::string(std::string_view value) { to_.string(to_.context, view(value)); }
void Reporter::array_begin(uint32_t element_type, uint64_t count) { to_.array_begin(to_.context, element_type, count); }
void Reporter::array_end() { to_.array_end(to_.context); }
void Reporter::tensor(std::string_view name, uint32_t type, uint32_t rank, const uint64_t* dims, uint64_t offset,
                      const void* data, uint64_t size) {
  to_.tensor(to_.context, view(name), type, rank, dims, offset, data, size);
}

gcts_sink Reporter::sink() {
  return {
      .context = this,
      .header = [](void* c, uint32_t version, int big, uint32_t alignment) { self(c).header(version, big, alignment); },
      .key = [](void* c, gcts_string key) { self(c).key(text(key)); },
      .scalars = [](void* c, uint32_t type, const void* v, uint64_t count) { self(c).scalars(type, v, count); },
      .string = [](void* c, gcts_string value) { self(c).string(text(value)); },
      .array_begin = [](void* c, uint32_t type, uint64_t count) { self(c).array_begin(type, count); },
      .array_end = [](void* c) { self(c).array_end(); },
      .tensor = [](void* c, gcts_string name, uint32_t type, uint32_t rank, const uint64_t* dims, uint64_t offset,
                   const void* data,
                   uint64_t size) { self(c).tensor(text(name), type, rank, dims, offset, data, size); },
      .message = [](void* c, const char* message) { self(c).to_.message(self(c).to_.context, message); },
  };
}

void ReaderHooks::ignore(rule::Index index) {
  overlook = [index](const Finding& finding, const Reading&) { return finding.rule == index || !finding.root; };
}

void ReaderHooks::change_strings(std::function<std::string(std::string_view)> change) {
  reporter = [change](const gcts_sink& to) { return std::make_unique<StringChanger>(to, change); };
}

gcts_status read_with(const ReaderHooks& hooks, const gcts_read_request& request, const gcts_sink& sink) {
  Input input;
  std::string why_not;
  if (!input.open(request, why_not)) {
    sink.message(sink.context, why_not.c_str());
    return GCTS_FAILED;
  }
  std::vector<NamedFile> files = input.files();
  std::vector<Bytes> taken_for;
  if (hooks.misread) {
    for (const NamedFile& file : files) hooks.misread(taken_for.emplace_back(file.bytes.begin(), file.bytes.end()));
    for (size_t i = 0; i < files.size(); ++i) files[i].bytes = taken_for[i];
  }
  if (hooks.before)
    if (const auto decided = hooks.before(files.front().bytes)) return *decided;
  const bool with_bytes = request.stage == GCTS_STAGE_DATA;
  SetReading set = read_files(files, input.is_named(), with_bytes ? Stage::data : Stage::metadata);
  for (size_t i = 0; hooks.misunderstand && i < files.size(); ++i) hooks.misunderstand(set.shards[i], files[i].bytes);
  if (hooks.misjoin) hooks.misjoin(set.shards);
  if (const Finding* broken = first_not_overlooked(hooks, set)) {
    if (hooks.on_reject)
      if (const auto decided = hooks.on_reject(*broken, files.front().bytes)) return *decided;
    sink.message(sink.context, explain(*broken).c_str());
    return GCTS_REJECTED;
  }
  if (!hooks.reporter) {
    report(set.shards, with_bytes, sink);
    return GCTS_OK;
  }
  const auto reporter = hooks.reporter(sink);
  report(set.shards, with_bytes, reporter->sink());
  return GCTS_OK;
}

gcts_status write_with(const WriterHooks& hooks, const gcts_write_request& request, const gcts_output& output) {
  File model;
  std::string why_not;
  const auto strategy = static_cast<WriteStrategy>(request.strategy);
  if (!model_of(request, model, why_not)) {
    if (!hooks.force) {
      output.message(output.context, why_not.c_str());
      return GCTS_REJECTED;
    }
    hooks.force(request, model);
  }
  if (hooks.misunderstand) hooks.misunderstand(model);
  Written written = write(model, {.strategy = strategy});
  const Reading reading = read(written.bytes);
  if (const Finding* refusal = first_not_permitted(hooks, reading.findings)) {
    output.message(output.context, explain(*refusal).c_str());
    return GCTS_REJECTED;
  }
  if (hooks.miswrite) hooks.miswrite(written, strategy);
  if (hooks.put ? hooks.put(written, strategy, output) : put(written, strategy, output)) return GCTS_OK;
  output.message(output.context, "the output refused bytes");
  return GCTS_FAILED;
}

}  // namespace gcts
