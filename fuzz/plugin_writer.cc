// Writing, and reading what was written.

#include "fuzz/plugin_writer.h"

#include <algorithm>
#include <cstring>

#include "fuzz/guarded_input.h"
#include "harness/contents_diff.h"
#include "harness/model.h"
#include "harness/reference_contents.h"
#include "harness/undecided.h"
#include "harness/worker/model.h"
#include "reference/writer.h"

namespace gcts {
namespace {

// Collects what a writer puts out; what was never written is zero, as in a file.
struct Output {
  Bytes bytes;
  uint64_t most = 0;
  bool beyond = false;
  std::string message;

  static int write_at(void* context, uint64_t offset, const void* data, size_t size) {
    auto& self = *static_cast<Output*>(context);
    if (size == 0) return 0;
    if (offset > self.most || size > self.most - offset) {
      self.beyond = true;
      return 1;
    }
    if (offset + size > self.bytes.size()) self.bytes.resize(offset + size);
    std::memcpy(self.bytes.data() + offset, data, size);
    return 0;
  }
  static void explain(void* context, const char* text) {
    auto& self = *static_cast<Output*>(context);
    if (text && self.message.empty()) self.message.assign(text, strnlen(text, ContentsWriter::kMaxMessage));
  }
};

// The model, if it is one that every writer has to write.
std::optional<File> model_of(const FuzzedPlugin& plugin, const Reading& reading) {
  const uint32_t can = plugin.tables.writer.capabilities;
  if (reading.layout.order == ByteOrder::big && !(can & GCTS_WRITES_BIG_ENDIAN)) return std::nullopt;
  for (const TensorView& tensor : reading.tensors)
    if (!tensor.sized || tensor.data.size() != tensor.size) return std::nullopt;
  File model = to_file(reading);
  for (Tensor& tensor : model.tensors) tensor.offset.reset();
  if (model.layout.order == ByteOrder::little && !(can & GCTS_WRITES_OLD_VERSIONS)) model.layout.version = kNewestVersion;
  return model;
}

Sighting sighting(const FuzzedPlugin& plugin, std::string kind, std::string what, std::string sentence, std::string rule = "") {
  return {plugin.name, std::move(kind), std::move(what), std::move(rule), std::move(sentence)};
}

std::optional<Sighting> judge_bytes(const FuzzedPlugin& plugin, const Reading& want, const Bytes& bytes) {
  const Reading got = read(bytes, {.stage = Stage::data, .lint = false});
  for (const Finding& finding : got.findings.all()) {
    if (fuzz_profile().severity(finding.rule) != Severity::must || want.findings.has(finding.rule)) continue;
    const std::string name(rule_at(finding.rule).name);
    return sighting(plugin, "writes", name, "writes an invalid file: " + name + " at offset " + std::to_string(finding.offset) + ": " + finding.message, name);
  }
  const std::vector<uint8_t> expected = encode_reading(want, true), actual = encode_reading(got, true);
  if (expected == actual) return std::nullopt;
  const ContentsDifference difference = first_difference(expected, actual);
  const std::string place = difference.where.substr(0, difference.where.find(' '));
  return sighting(plugin, "writes_other", place + " " + words_of(difference.expected, 16) + " for " + words_of(difference.actual, 16),
                  "writes another model: " + difference.sentence());
}

std::optional<Sighting> judge_own_reader(FuzzedPlugin& plugin, const Bytes& bytes) {
  if (!plugin.tables.reader.read) return std::nullopt;
  static GuardedInput place;
  const bool in_memory = plugin.tables.reader.capabilities & GCTS_READS_MEMORY;
  const std::span<const uint8_t> file = in_memory ? place.place(bytes) : std::span<const uint8_t>();
  const std::string path = in_memory ? "" : place.as_file(bytes);
  const gcts_read_request request{GCTS_STAGE_DATA, in_memory ? nullptr : path.c_str(), in_memory ? file.data() : nullptr, file.size()};
  const Reaction own = react(plugin, request, bytes.size(), true);
  if (const auto accident = judge_conduct(plugin, own)) return accident;
  if (own.status == GCTS_OK || own.status == GCTS_UNSUPPORTED) return std::nullopt;
  return sighting(plugin, "own_rejects", words_of(own.message), "rejects what its own writer wrote: " + own.message);
}

}  // namespace

std::optional<Sighting> judge_writer(FuzzedPlugin& plugin, const Expected& expected) {
  if (!plugin.tables.writer.write || expected.verdict != Expectation::valid || !expected.reading.complete) return std::nullopt;
  const std::optional<File> model = model_of(plugin, expected.reading);
  if (!model) return std::nullopt;
  const Bytes canonical = write_bytes(*model);
  if (canonical.size() > GuardedInput::kMost / 2) return std::nullopt;
  const Reading want = read(canonical, {.stage = Stage::data, .lint = false});
  // A value that no field can hold, such as a bool of 2, may be read under a lenient
  // profile, but nobody has to write it.
  static const Profile spec = Profile::builtin(BuiltinProfile::spec);
  const bool firm = judge(want.findings, fuzz_profile()) == Verdict::valid && judge(want.findings, spec) == Verdict::valid &&
                    undecided(want, nesting(canonical)).empty();
  const std::vector<uint8_t> encoded = encode_model(*model, WriteStrategy::whole);
  worker::Model request;
  if (!firm || !request.decode(encoded)) return std::nullopt;

  Output output;
  output.most = 2 * canonical.size() + (1 << 16);
  const gcts_output out{&output, Output::write_at, Output::explain};
  gcts_status status = GCTS_FAILED;
  const Accident accident = watched_call(plugin.name, "writer_", (uint64_t{16} << 20) + 128 * canonical.size(),
                                         [&] { status = plugin.tables.writer.write(&request.request(), &out); });
  if (!accident.kind.empty()) return sighting(plugin, "writer_" + accident.kind, accident.what, "writing: " + accident.sentence);
  if (output.beyond) return sighting(plugin, "writes_beyond", "", "writes far beyond the end of any file of this model");
  if (status == GCTS_UNSUPPORTED) return std::nullopt;
  if (status != GCTS_OK) return sighting(plugin, "refuses", words_of(output.message), "does not write a valid model: " + output.message);
  if (auto wrong = judge_bytes(plugin, want, output.bytes)) return wrong;
  return judge_own_reader(plugin, output.bytes);
}

}  // namespace gcts
