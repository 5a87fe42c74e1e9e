// gguf-cts fuzz: runs, triages, minimises, and makes regressions.

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/planted.h"
#include "fuzz/campaign/promote.h"
#include "fuzz/campaign/told.h"
#include "harness/options.h"

namespace gcts {
namespace {

namespace fs = std::filesystem;

struct FuzzArguments {
  std::vector<std::string> targets;
  bool campaign = false, planted = false, without_mutator = false;
  std::string engines, folder, profile, known, promote, input, table;
  std::vector<std::string> plugins, only;
  uint64_t seconds = 60, jobs = 1, memory = 2048, max_size = 4096, minimise = 20;
  uint64_t seeds = 3, easy = 60, hard = 600, bytes = 60;
};

void declare(Options& options, FuzzArguments& a) {
  options.positional("TARGET", a.targets, "targets of fuzz/targets.inc", 0);
  options.flag("campaign", a.campaign, "all targets, or with --plugin those that watch plugins; then a report");
  options.flag("planted", a.planted, "how fast deliberate bugs are found, with the mutator and without");
  options.number("time,t", a.seconds, "SECONDS", "for each target (default 60)");
  options.number("jobs,j", a.jobs, "N", "processes at a time (default 1)");
  options.number("memory", a.memory, "MB", "of one process (default 2048)");
  options.number("max-size", a.max_size, "BYTES", "of an input (default 4096)");
  options.number("minimise", a.minimise, "SECONDS", "for each new finding (default 20)");
  options.values("plugin", a.plugins, "LIB", "a plugin to watch; several vote");
  options.value("profile", a.profile, "NAME", "the profile that decides (default spec)");
  options.value("known", a.known, "FILE", "signatures that are no news, one a line");
  options.value("input", a.input, "FILE", "run the target on this alone: a file, or hex:DIGITS");
  options.value("promote", a.promote, "FINDING", "make a regression of a finding: its name in the report");
  options.value("folder", a.folder, "DIR", "where campaigns lie (default: build/fuzz/campaign of the source tree)");
  options.value("engines", a.engines, "DIR", "where fuzz_TARGET are (default: bin of the build folder fuzz)");
  options.value("table", a.table, "FILE", "--planted: write the table there");
  options.values("only", a.only, "BUG", "--planted: this bug or tier; may be given again");
  options.number("seeds", a.seeds, "N", "--planted: seeds for each bug (default 3)");
  options.number("easy", a.easy, "SECONDS", "--planted: processor time for an easy bug (default 60)");
  options.number("hard", a.hard, "SECONDS", "--planted: for a hard one (default 600)");
  options.number("bytes", a.bytes, "SECONDS", "--planted: at most for any without the mutator (default 60)");
  options.flag("no-control-arm", a.without_mutator, "--planted: leave out the runs without the mutator");
  options.note("A campaign that was stopped, by whatever means, goes on when it is started again.");
}

void stop_soon(int) { campaign_stopped = true; }

std::string default_folder() {
  const std::string root = source_root();
  return ((root.empty() ? fs::current_path() : fs::path(root)) / "build" / "fuzz" / "campaign").string();
}

CampaignOptions campaign_options(const FuzzArguments& a) {
  CampaignOptions out;
  out.folder = a.folder;
  out.seconds = static_cast<double>(a.seconds);
  out.jobs = std::max<uint64_t>(1, a.jobs);
  out.memory_mb = a.memory;
  out.max_size = a.max_size;
  out.minimise_seconds = static_cast<double>(a.minimise);
  out.plugins = a.plugins;
  out.profile = a.profile;
  out.known = a.known;
  return out;
}

std::vector<const FuzzTarget*> chosen_targets(const FuzzArguments& a) {
  std::vector<const FuzzTarget*> out;
  for (const FuzzTarget& target : fuzz_targets()) {
    const bool named = std::find(a.targets.begin(), a.targets.end(), target.name) != a.targets.end();
    const bool meant = a.targets.empty() && a.campaign && (a.plugins.empty() || (target.foreign() && target.kind == "files"));
    if (named || meant) out.push_back(&target);
  }
  return out;
}

std::vector<FuzzFinding> findings_of(const Engine& engine, const CampaignOptions& options, std::span<const FuzzTarget* const> targets) {
  std::vector<FuzzFinding> out;
  for (const FuzzTarget* target : targets) {
    const FuzzFindings findings(*target, engine, campaign_folder(options, *target), {});
    out.insert(out.end(), findings.all().begin(), findings.all().end());
  }
  return out;
}

std::vector<const FuzzTarget*> all_targets() {
  std::vector<const FuzzTarget*> out;
  for (const FuzzTarget& target : fuzz_targets()) out.push_back(&target);
  return out;
}

int run_input(const FuzzArguments& a, const Engine& engine, const CampaignOptions& options, const FuzzTarget& target) {
  Bytes bytes;
  std::string path = a.input;
  if (a.input.starts_with("hex:")) {
    if (!bytes_of_hex(std::string_view(a.input).substr(4), bytes)) {
      std::fprintf(stderr, "gguf-cts fuzz: --input hex: takes pairs of hexadecimal digits\n");
      return kUsageError;
    }
    path = (fs::temp_directory_path() / fmt::format("gguf-cts-input-{}", getpid())).string();
    write_whole(path, text_of(bytes));
  }
  const FuzzFindings findings(target, engine, campaign_folder(options, target), campaign_environment(options, target));
  const EngineRun run = findings.run_on(path);
  if (path != a.input) fs::remove(path);
  const Failure failure = failure_of(run.output);
  if (run.succeeded) {
    fmt::print("{}: nothing found\n", target.name);
    return 0;
  }
  std::fputs(run.output.c_str(), stderr);
  fmt::print("{}: {}\n", target.name, failure.signature.empty() ? run.ended : failure.signature);
  return 1;
}

int run_promote(const FuzzArguments& a, const Engine& engine, const CampaignOptions& options) {
  for (const FuzzFinding& finding : findings_of(engine, options, all_targets())) {
    if (fs::path(finding.folder).filename() != a.promote) continue;
    std::string told;
    const bool done = promote(finding, source_root(), told);
    std::fprintf(done ? stdout : stderr, "%s\n", told.c_str());
    return done ? 0 : 1;
  }
  fmt::print(stderr, "gguf-cts fuzz: there is no finding {} under {}\n", a.promote, options.folder);
  return kUsageError;
}

int run_planted_verb(const FuzzArguments& a, const Engine& engine) {
  PlantedOptions options;
  options.folder = (fs::absolute(a.folder) / "planted").string();
  options.seeds = a.seeds;
  options.easy_seconds = a.easy;
  options.hard_seconds = a.hard;
  options.bytes_seconds = a.bytes;
  options.jobs = a.jobs;
  options.only = a.only;
  options.without_mutator = !a.without_mutator;
  std::string error, told;
  const std::vector<PlantedResult> results = run_planted(engine, options, error);
  if (!error.empty()) {
    fmt::print(stderr, "gguf-cts fuzz: {}\n", error);
    return kUsageError;
  }
  const std::string table = planted_table(results);
  std::fputs(table.c_str(), stdout);
  if (!a.table.empty()) std::ofstream(a.table) << table;
  const bool met = planted_goal_met(results, 6, told);
  fmt::print("\n{}\n", told);
  return met ? 0 : 1;
}

int run_targets(const Engine& engine, const CampaignOptions& options, std::span<const FuzzTarget* const> targets) {
  size_t fresh = 0;
  for (const FuzzTarget* target : targets) {
    if (campaign_stopped) break;
    const CampaignResult result = run_campaign(*target, engine, options);
    if (!result.error.empty()) {
      fmt::print(stderr, "gguf-cts fuzz: {}: {}\n", target->name, result.error);
      return kUsageError;
    }
    fresh += result.new_findings;
    fmt::print("{}: {} executions in {:.0f} CPU-seconds, {} a second; {} edges, {} features; {} new findings; so far {} executions, {:.0f} CPU-seconds\n",
               target->name, result.executions, result.cpu_seconds,
               result.cpu_seconds > 0 ? static_cast<uint64_t>(static_cast<double>(result.executions) / result.cpu_seconds) : 0, result.progress.edges,
               result.progress.features, result.new_findings, result.all_executions, result.all_seconds);
    std::fflush(stdout);
  }
  const std::vector<FuzzFinding> findings = findings_of(engine, options, targets);
  const std::string report = (fs::path(options.folder) / "report.md").string();
  write_whole(report, tell_findings(findings, options));
  for (const FuzzFinding& finding : findings) fmt::print("{}\n", one_line(finding));
  fmt::print("{} findings, {} of them new; report: {}\n", findings.size(), fresh, report);
  return findings.empty() ? 0 : 1;
}

}  // namespace

int verb_fuzz(int argc, char** argv) {
  FuzzArguments a;
  Options options("fuzz", "TARGET... | --campaign | --planted | --promote FINDING",
                  "Finds what the corpus does not hold: campaigns with Clang's engine on the reference and on plugins.");
  declare(options, a);
  if (const auto status = options.parse(argc, argv)) return *status;
  for (const std::string& name : a.targets)
    if (!find_fuzz_target(name)) return options.usage_error("there is no target '" + name + "'; fuzz/targets.inc names them");
  if (a.folder.empty()) a.folder = default_folder();
  const std::vector<const FuzzTarget*> targets = chosen_targets(a);
  const Engine engine(a.engines);
  const CampaignOptions campaign = campaign_options(a);
  for (const int signal_number : {SIGINT, SIGTERM}) signal(signal_number, stop_soon);

  if (!a.promote.empty()) return run_promote(a, engine, campaign);
  if (a.planted) return run_planted_verb(a, engine);
  if (targets.empty()) return options.usage_error("name a target, or say --campaign or --planted");
  if (!a.input.empty() && targets.size() != 1) return options.usage_error("--input wants one target");
  std::vector<std::string> programs{"write_seeds", "write_dictionary"};
  for (const FuzzTarget* target : targets) programs.push_back("fuzz_" + std::string(target->name));
  std::string error;
  if (!engine.prepare(programs, error)) {
    fmt::print(stderr, "gguf-cts fuzz: {}\n", error);
    return kUsageError;
  }
  if (!a.input.empty()) return run_input(a, engine, campaign, *targets.front());
  return run_targets(engine, campaign, targets);
}

}  // namespace gcts
