// Deliberate bugs as fuzz targets: in how many executions and seconds is each found?
//
// The target `differential` watches the plugin `faulty` with one bug in it, from seeds that
// hold no fault, until it fails or its processor time is over.  What it failed with is
// run again alone, with the bug and without: only an input that fails with it and not
// without it counts.  Results are kept line by line, so that a measurement that is stopped
// goes on where it was.

#ifndef GCTS_FUZZ_CAMPAIGN_PLANTED_H_
#define GCTS_FUZZ_CAMPAIGN_PLANTED_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/campaign/engine.h"

namespace gcts {

struct PlantedBug {
  uint32_t number;
  std::string_view tier;     // "easy", "spare", "hard", "control"
  std::string_view fault;
  std::string_view profile;
  std::string_view what;
};
// The rows of planted.inc, then the controls: healthy readers, with nothing to be found.
std::span<const PlantedBug> planted_bugs();

struct PlantedOptions {
  std::string folder;              // of the results
  uint64_t seeds = 3;
  uint64_t easy_seconds = 60;      // of processor time for one bug and seed
  uint64_t hard_seconds = 600;
  uint64_t bytes_seconds = 60;     // for the engine's own mutations
  uint64_t jobs = 1;
  std::vector<std::string> only;   // faults or tiers; empty: all
  bool with_mutator = true, without_mutator = true;
};

// One bug, one seed, one way of mutating.
struct PlantedResult {
  std::string fault;
  uint64_t seed = 0;
  std::string mutator;             // "structure" or "bytes"
  bool found = false;
  bool confirmed = false;          // fails with the bug alone, and not without it
  double cpu_seconds = 0;
  uint64_t executions = 0;
  uint64_t limit = 0;              // seconds of processor time that it had
  std::string signature;
};
std::string result_line(const PlantedResult& result);
bool parse_result_line(std::string_view line, PlantedResult& out);

// Goes on with what `folder`/planted.tsv does not hold; all results, or an explanation.
std::vector<PlantedResult> run_planted(const Engine& engine, const PlantedOptions& options, std::string& error);

// The table, in Markdown.
std::string planted_table(std::span<const PlantedResult> results);

// Were all easy bugs found with every seed, at least `hard` of the hard ones, and did the
// controls stay silent?
bool planted_goal_met(std::span<const PlantedResult> results, uint64_t hard, std::string& told);

}  // namespace gcts

#endif  // GCTS_FUZZ_CAMPAIGN_PLANTED_H_
