// Reader plugins beside the reference: verdicts, contents, conduct, and what their writers
// make of a model.  Several plugins vote, so that the reference is on trial too.
//
// A library that is not instrumented is guided by the reference's edges, and by which
// rules it was seen to accept and to reject.

#include <optional>
#include <span>

#include "corpus/models.h"
#include "fuzz/guarded_input.h"
#include "fuzz/plugin_writer.h"
#include "fuzz/promise.h"
#include "fuzz/reader_verdict.h"
#include "reference/split.h"
#include "reference/writer.h"

using namespace gcts;

namespace {

using Input = std::span<const std::byte>;

// What the plugin that is linked in leaves out on purpose.
void know_template() {
  for (const char* rule : {"string_is_utf8", "tensor_name_is_utf8"}) add_known(Sighting{"template", "accepts", rule, "", ""}.signature());
}

GuardedInput& place_of_inputs() {
  static GuardedInput place;
  return place;
}

Reaction read_with(FuzzedPlugin& plugin, Input input, Stage stage, bool by_path) {
  GuardedInput& place = place_of_inputs();
  const uint32_t asked = stage == Stage::data ? GCTS_STAGE_DATA : GCTS_STAGE_METADATA;
  const bool digests = stage == Stage::data && (plugin.tables.reader.capabilities & GCTS_READS_TENSOR_BYTES);
  if (by_path) {
    const std::string path = place.as_file(input);
    return react(plugin, {asked, path.c_str(), nullptr, 0}, input.size(), digests);
  }
  const std::span<const uint8_t> file = place.place(input);
  return react(plugin, {asked, nullptr, file.data(), file.size()}, input.size(), digests);
}

void note(const Expected& expected, const Reaction& reaction) {
  const auto status = static_cast<uint32_t>(reaction.status);
  for (const Finding& finding : expected.reading.findings.all()) note_feature(finding.rule, status);
  uint32_t words = 0;
  for (const char c : words_of(reaction.message)) words = words * 31 + static_cast<unsigned char>(c);
  note_feature(words, 1000 + status);
}

// One file; the verdict, where there is one: 1 accepted, 0 rejected, -1 neither.
int check(FuzzedPlugin& plugin, Input file, Input input, const Expected& expected, bool by_path) {
  const Reaction reaction = read_with(plugin, file, expected.reading.stage, by_path);
  note(expected, reaction);
  if (const auto sighting = judge_reaction(plugin, expected, reaction)) report(*sighting, input);
  if (!reaction.accident.kind.empty()) return -1;
  return reaction.status == GCTS_OK ? 1 : reaction.status == GCTS_REJECTED ? 0 : -1;
}

// Where most of three or more readers agree against the reference, it is looked at.
void count_votes(const Expected& expected, int accepted, int rejected, Input input) {
  if (accepted + rejected < 3 || expected.verdict == Expectation::either) return;
  const bool valid = expected.verdict == Expectation::valid;
  if ((valid ? rejected : accepted) <= (valid ? accepted : rejected)) return;
  std::string rule;
  for (const Finding& finding : expected.reading.findings.all())
    if (rule.empty() && fuzz_profile().severity(finding.rule) == Severity::must) rule = rule_at(finding.rule).name;
  report({"reference", "outvoted", rule, rule,
          std::to_string(accepted) + " of " + std::to_string(accepted + rejected) + " readers accept what the reference holds to be " + (valid ? "valid" : "invalid")},
         input);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool prepared = [] {
    know_template();
    return true;
  }();
  static_cast<void>(prepared);
  if (size > GuardedInput::kMost) return 0;
  const Input input = std::as_bytes(std::span(data, size));
  watch_input(input);
  const uint64_t chosen = choice(data, size);
  const Expected expected = expect(input, chosen & 7 ? Stage::data : Stage::metadata);
  int accepted = 0, rejected = 0;
  for (FuzzedPlugin& plugin : fuzzed_plugins()) {
    const uint32_t can = plugin.tables.reader.capabilities;
    if (plugin.tables.reader.read && can != 0) {
      // A name decides about shards; a file in memory has none.
      const bool by_path = !(can & GCTS_READS_MEMORY) || ((can & GCTS_READS_PATH) && (chosen >> 3 & 15) == 0 && !is_shard("model.gguf", expected.reading));
      const int verdict = check(plugin, input, input, expected, by_path);
      accepted += verdict == 1;
      rejected += verdict == 0;
      // A reader that keeps something of a good file shows it on one that is cut.
      if ((chosen >> 7 & 3) == 0 && size > 0) {
        static const Bytes good = write_bytes(one_tensor());
        const Input cut = input.first((chosen >> 16) % size);
        read_with(plugin, good, Stage::data, by_path);
        check(plugin, cut, input, expect(cut, Stage::data), by_path);
      }
      if ((chosen >> 10 & 15) == 0 && (can & GCTS_READS_MEMORY)) {
        const std::span<const uint8_t> file = place_of_inputs().place(input);
        look_for_leaks(plugin, {GCTS_STAGE_DATA, nullptr, file.data(), file.size()}, size, input);
      }
    }
    if ((chosen >> 14 & 7) == 0 && expected.reading.stage == Stage::data) {
      if (const auto sighting = judge_writer(plugin, expected)) report(*sighting, input);
    }
  }
  count_votes(expected, accepted, rejected, input);
  return 0;
}
