// A campaign on one target: the engine within a budget, then triage.
//
// Everything that a campaign knows lies in its folder, and is there as soon as it is known:
//
//   corpus/     what the engine grew; distilled at the end
//   seeds/      what it began with, made anew every time
//   found/      artefacts of the engine and of the target
//   findings/   what triage made of them (findings.h)
//   scratch/    of the engine's jobs; what a killed campaign left there joins the corpus
//   log.tsv     one line a session: seconds, executions
//
// So a campaign that ends, by itself or by SIGKILL, is gone on with by starting it again.

#ifndef GCTS_FUZZ_CAMPAIGN_CAMPAIGN_H_
#define GCTS_FUZZ_CAMPAIGN_CAMPAIGN_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/campaign/engine.h"
#include "fuzz/campaign/findings.h"
#include "fuzz/campaign/targets.h"

namespace gcts {

struct CampaignOptions {
  std::string folder;                 // of all campaigns
  double seconds = 60;                // for each target
  uint64_t jobs = 1;
  uint64_t memory_mb = 2048;          // of one job
  uint64_t max_size = 4096;           // of an input
  double minimise_seconds = 20;       // for each new finding
  std::vector<std::string> plugins;   // for the targets that watch some
  std::string profile;                // "": spec
  std::string known;                  // a file of signatures that are no news
  bool quiet = false;
};

struct CampaignResult {
  EngineProgress progress;
  double wall_seconds = 0, cpu_seconds = 0;
  uint64_t executions = 0;      // of this session
  uint64_t all_executions = 0;  // of all sessions so far
  double all_seconds = 0;       // of processor time, likewise
  size_t new_findings = 0;
  std::string error;            // not empty: the engine did not run
};

// Set by signals: everything comes to its end soon.
extern std::atomic<bool> campaign_stopped;

// What the processes of a target are told beside their command line.
std::vector<std::string> campaign_environment(const CampaignOptions& options, const FuzzTarget& target);
std::string campaign_folder(const CampaignOptions& options, const FuzzTarget& target);

CampaignResult run_campaign(const FuzzTarget& target, const Engine& engine, const CampaignOptions& options);

}  // namespace gcts

#endif  // GCTS_FUZZ_CAMPAIGN_CAMPAIGN_H_
