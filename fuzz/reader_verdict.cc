// Verdicts and contents compared.

#include "fuzz/reader_verdict.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "harness/contents_diff.h"
#include "harness/reference_contents.h"
#include "harness/undecided.h"

namespace gcts {
namespace {

// What makes a file invalid: whichever alignment counts, where it gives several.
std::vector<const Finding*> broken(const Reading& reading) {
  const bool open = alignment_is_open(reading);
  std::vector<const Finding*> out;
  for (const Finding& finding : reading.findings.all())
    if (fuzz_profile().severity(finding.rule) == Severity::must && !(open && follows_from_alignment(finding.rule))) out.push_back(&finding);
  return out;
}

// Of those the one that a reader which accepts the file is told about: the first whose
// acceptance is news.
const Finding& news(const FuzzedPlugin& plugin, const std::vector<const Finding*>& broken) {
  const auto found = std::find_if(broken.begin(), broken.end(), [&](const Finding* finding) {
    return !is_known(Sighting{plugin.name, "accepts", std::string(rule_at(finding->rule).name), "", ""}.signature());
  });
  return found == broken.end() ? *broken.front() : **found;
}

std::string quoted(const std::string& message) { return message.empty() ? "" : ": " + message; }

Sighting accepts(const FuzzedPlugin& plugin, const Expected& expected) {
  const Finding& finding = news(plugin, broken(expected.reading));
  const std::string rule(rule_at(finding.rule).name);
  return {plugin.name, "accepts", rule, rule, "accepts a file that breaks " + rule + ": " + finding.message};
}

Sighting differs(const FuzzedPlugin& plugin, const ContentsDifference& difference) {
  const std::string place = difference.where.substr(0, difference.where.find(' '));
  const std::string what = place + " " + words_of(difference.expected, 24) + " for " + words_of(difference.actual, 24);
  return {plugin.name, "contents", what, "", "reads other contents: " + difference.sentence()};
}

}  // namespace

const Profile& fuzz_profile() {
  static const Profile profile = [] {
    const char* name = std::getenv("GCTS_PROFILE");
    Profile chosen = Profile::builtin(BuiltinProfile::spec);
    std::string error;
    if (name && *name && !Profile::load(name, chosen, error)) {
      std::fprintf(stderr, "GCTS_PROFILE: %s\n", error.c_str());
      std::exit(1);
    }
    return chosen;
  }();
  return profile;
}

Expected expect(std::span<const std::byte> file, Stage stage) {
  Expected out{read(file, {.stage = stage, .lint = false}), Expectation::valid, ""};
  out.reason = undecided(out.reading, nesting(file));
  if (!broken(out.reading).empty()) out.verdict = Expectation::invalid;
  else if (!out.reason.empty()) out.verdict = Expectation::either;
  // A reader may look further than it was asked to.
  else if (stage == Stage::metadata && expect(file, Stage::data).verdict != Expectation::valid) out.verdict = Expectation::either;
  return out;
}

std::optional<Sighting> judge_conduct(const FuzzedPlugin& plugin, const Reaction& reaction) {
  if (!reaction.accident.kind.empty())
    return Sighting{plugin.name, reaction.accident.kind, reaction.accident.what, "", reaction.accident.sentence};
  if (!reaction.misuse.empty()) return Sighting{plugin.name, "misuse", words_of(reaction.misuse), "", "misuses the sink: " + reaction.misuse};
  if (reaction.status < GCTS_OK || reaction.status > GCTS_FAILED)
    return Sighting{plugin.name, "misuse", "status", "", "returns status " + std::to_string(reaction.status) + ", which is none of gcts_status"};
  return std::nullopt;
}

void look_for_leaks(FuzzedPlugin& plugin, const gcts_read_request& request, uint64_t size, std::span<const std::byte> input) {
  constexpr int kCalls = 12;  // what the first ones keep may be a cache
  uint64_t least = UINT64_MAX;
  for (int i = 0; i < kCalls && least > 0; ++i) {
    const uint64_t before = heap_in_use();
    if (!react(plugin, request, size, false).accident.kind.empty()) return;
    const uint64_t after = heap_in_use();
    least = std::min(least, after > before ? after - before : 0);
  }
  if (least > 0) report({plugin.name, "leak", "", "", "every call keeps " + std::to_string(least) + " bytes of heap"}, input);
}

std::optional<Sighting> judge_reaction(const FuzzedPlugin& plugin, const Expected& expected, const Reaction& reaction) {
  if (auto accident = judge_conduct(plugin, reaction)) return accident;
  if (reaction.status == GCTS_UNSUPPORTED) return std::nullopt;  // an honest limit
  if (reaction.status == GCTS_OK) {
    // Whoever does not look at the data need not know where they lie: beyond what stops
    // decoding, the metadata alone prove nothing.
    const bool provable = expected.reading.stage == Stage::data || !expected.reading.complete;
    if (expected.verdict == Expectation::invalid) return provable ? std::optional(accepts(plugin, expected)) : std::nullopt;
    if (expected.reason == "undefined" || !expected.reading.complete) return std::nullopt;  // so are its contents
    const bool digests = expected.reading.stage == Stage::data && (plugin.tables.reader.capabilities & GCTS_READS_TENSOR_BYTES);
    const std::vector<uint8_t> records = encode_reading(expected.reading, digests);
    if (records == reaction.records) return std::nullopt;
    return differs(plugin, first_difference(records, reaction.records));
  }
  if (expected.verdict == Expectation::either) return std::nullopt;
  if (reaction.status == GCTS_FAILED)
    return Sighting{plugin.name, "fails", words_of(reaction.message), "", "reports its own failure, which is no verdict" + quoted(reaction.message)};
  if (expected.verdict == Expectation::invalid) return std::nullopt;
  return Sighting{plugin.name, "rejects", words_of(reaction.message), "", "rejects a valid file" + quoted(reaction.message)};
}

}  // namespace gcts
