// Any reader plugin on any bytes, without a reference: no fault, no hang, memory in
// proportion to the file, nothing kept, the file left alone, and the same answer again.

#include <span>

#include "fuzz/guarded_input.h"
#include "fuzz/promise.h"
#include "fuzz/reader_verdict.h"

using namespace gcts;

namespace {

gcts_read_request in_memory(std::span<const uint8_t> file, uint32_t stage) { return {stage, nullptr, file.data(), file.size()}; }

bool reads(const FuzzedPlugin& plugin, uint32_t how) { return plugin.tables.reader.read && (plugin.tables.reader.capabilities & how); }

bool same(const Reaction& a, const Reaction& b) { return a.status == b.status && (a.status != GCTS_OK || a.records == b.records); }

void check(FuzzedPlugin& plugin, std::span<const std::byte> input) {
  static GuardedInput place;
  const uint64_t chosen = choice(reinterpret_cast<const uint8_t*>(input.data()), input.size());
  const uint32_t stage = chosen & 7 ? GCTS_STAGE_DATA : GCTS_STAGE_METADATA;
  Reaction first;
  bool known = false;  // what the file is in memory
  if (reads(plugin, GCTS_READS_MEMORY)) {
    const gcts_read_request request = in_memory(place.place(input), stage);
    first = react(plugin, request, input.size(), true);
    if (const auto sighting = judge_conduct(plugin, first)) return report(*sighting, input);
    const Reaction again = react(plugin, request, input.size(), true);
    if (const auto sighting = judge_conduct(plugin, again)) return report(*sighting, input);
    if (!same(first, again)) return report({plugin.name, "changes", "", "", "answers the same file differently the second time"}, input);
    if ((chosen >> 3 & 7) == 0) look_for_leaks(plugin, request, input.size(), input);
    known = true;
  }
  if (reads(plugin, GCTS_READS_PATH) && (!known || (chosen >> 6 & 15) == 0)) {
    const std::string path = place.as_file(input);
    const gcts_read_request request{stage, path.c_str(), nullptr, 0};
    const Reaction by_path = react(plugin, request, input.size(), true);
    if (const auto sighting = judge_conduct(plugin, by_path)) return report(*sighting, input);
    if (!known) look_for_leaks(plugin, request, input.size(), input);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > GuardedInput::kMost) return 0;
  const auto input = std::as_bytes(std::span(data, size));
  watch_input(input);
  for (FuzzedPlugin& plugin : fuzzed_plugins()) check(plugin, input);
  return 0;
}
