// What the reference makes of a file, and what a reader's reaction is worth beside it.

#ifndef GCTS_FUZZ_READER_VERDICT_H_
#define GCTS_FUZZ_READER_VERDICT_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "corpus/case.h"
#include "fuzz/finding.h"
#include "fuzz/plugin_call.h"
#include "reference/reader.h"

namespace gcts {

// The profile of the targets: the environment's GCTS_PROFILE, else spec.
const Profile& fuzz_profile();

struct Expected {
  Reading reading;
  Expectation verdict = Expectation::valid;
  std::string reason;  // why either verdict is right
};
Expected expect(std::span<const std::byte> file, Stage stage);

// Nothing, or the one thing that is wrong: an accident before a misuse of the sink before
// the verdict before the contents.
std::optional<Sighting> judge_reaction(const FuzzedPlugin& plugin, const Expected& expected, const Reaction& reaction);

// Only what needs no reference: accidents, and misuse of the sink.
std::optional<Sighting> judge_conduct(const FuzzedPlugin& plugin, const Reaction& reaction);

// Reports what every one of a dozen calls keeps of the heap, where a sanitizer counts it.
void look_for_leaks(FuzzedPlugin& plugin, const gcts_read_request& request, uint64_t size, std::span<const std::byte> input);

}  // namespace gcts

#endif  // GCTS_FUZZ_READER_VERDICT_H_
