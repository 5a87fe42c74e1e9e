// Measuring, bug by bug.

#include "fuzz/campaign/planted.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/signature.h"

namespace gcts {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTarget = "fuzz_differential";
constexpr const char* kMutators[] = {"structure", "bytes"};
constexpr size_t kMaxSize = 16384;  // of an input: room for 270 pairs, or an alignment of 8192

struct Job {
  const PlantedBug* bug;
  uint64_t seed;
  std::string mutator;
  uint64_t limit;
};

bool is_template(const PlantedBug& bug) {
  static const std::set<std::string_view> names = {
#define FAULT(name, target, check, modelled_on) std::string_view(#target) == "template_reader" ? #name : "",
#include "plugins/faulty/faults.inc"
#undef FAULT
      "healthy:template_reader",
  };
  return names.contains(bug.fault);
}

// The twin without the bug.
std::string healthy(const PlantedBug& bug) { return is_template(bug) ? "healthy:template_reader" : "healthy:reader"; }

class Bench {
 public:
  Bench(const Engine& engine, const PlantedOptions& options) : engine_(engine), options_(options) {}

  bool prepare(std::string& error) {
    if (!engine_.prepare({kTarget, "write_seeds", "write_dictionary", "faulty.so"}, error)) return false;
    plugin_ = engine_.plugin("faulty");
    if (plugin_.empty()) {
      error = "the plugin faulty is not built beside " + engine_.folder();
      return false;
    }
    std::error_code ignored;
    fs::create_directories(options_.folder, ignored);
    dictionary_ = options_.folder + "/dictionary";
    Engine::Order order;
    order.words = {"sh", "-c", "\"$0\" >\"$1\" && \"$2\" plain \"$3\"", engine_.program("write_dictionary"), dictionary_, engine_.program("write_seeds"), options_.folder + "/seeds"};
    const EngineRun run = Engine::run(order);
    if (!run.succeeded) error = "seeds cannot be made: " + run.ended + "\n" + run.output;
    for (const auto& entry : fs::directory_iterator(options_.folder + "/seeds", ignored)) seeds_ += (seeds_.empty() ? "" : ",") + entry.path().string();
    return run.succeeded;
  }

  PlantedResult measure(const Job& job) const {
    PlantedResult out{std::string(job.bug->fault), job.seed, job.mutator, false, false, 0, 0, job.limit, ""};
    const fs::path artefacts = fs::path(options_.folder) / fmt::format("found_{}_{}_{}", job.bug->number, job.seed, job.mutator);
    std::error_code error;
    fs::remove_all(artefacts, error);
    fs::create_directories(artefacts, error);
    Engine::Order order;
    order.words = {engine_.program(kTarget), fmt::format("-seed={}", job.seed), fmt::format("-max_len={}", kMaxSize), "-dict=" + dictionary_,
                   "-artifact_prefix=" + artefacts.string() + "/", "-print_final_stats=1", "-timeout=10", "-entropic=0", "-detect_leaks=0", "-rss_limit_mb=2048",
                   "-seed_inputs=" + seeds_};
    order.environment = environment(*job.bug, std::string(job.bug->fault));
    if (job.mutator == "bytes") order.environment.push_back("GCTS_FUZZ_MUTATOR=bytes");
    order.cpu_limit = job.limit;
    order.stop = [] { return campaign_stopped.load(); };
    const EngineRun run = Engine::run(order);
    out.cpu_seconds = run.cpu_seconds;
    out.executions = run.progress.executions;
    for (const auto& entry : fs::directory_iterator(artefacts, error)) {
      out.found = true;
      confirm(*job.bug, entry.path().string(), out);
    }
    if (!out.found || out.confirmed) fs::remove_all(artefacts, error);
    return out;
  }

 private:
  std::vector<std::string> environment(const PlantedBug& bug, const std::string& fault) const {
    return {"GCTS_FUZZ_PLUGINS=" + plugin_, "GCTS_FAULT=" + fault, "GCTS_PROFILE=" + std::string(bug.profile), "ASAN_OPTIONS=handle_abort=0:symbolize=0:detect_leaks=0",
            "GCTS_FUZZ_KNOWN=" + known(fault)};
  }

  // What the twin without a bug leaves out on purpose: UTF-8.
  std::string known(const std::string& fault) const {
    const std::string path = options_.folder + "/known_" + fault;
    std::ofstream(path) << fmt::format("faulty:{0} accepts:string_is_utf8\nfaulty:{0} accepts:tensor_name_is_utf8\n", fault);
    return path;
  }

  void confirm(const PlantedBug& bug, const std::string& artefact, PlantedResult& out) const {
    const auto alone = [&](const std::string& fault) {
      Engine::Order order;
      order.words = {engine_.program(kTarget), "-rss_limit_mb=2048", artefact};
      order.environment = environment(bug, fault);
      order.wall_limit = 60;
      return Engine::run(order);
    };
    const EngineRun with = alone(std::string(bug.fault));
    out.signature = failure_of(with.output).signature;
    out.confirmed = !with.succeeded && alone(healthy(bug)).succeeded;
  }

  const Engine& engine_;
  const PlantedOptions& options_;
  std::string plugin_, dictionary_, seeds_;
};

bool is_wanted(const PlantedBug& bug, const PlantedOptions& options) {
  if (options.only.empty()) return true;
  return std::any_of(options.only.begin(), options.only.end(), [&](const std::string& o) { return o == bug.fault || o == bug.tier; });
}

std::string key_of(std::string_view fault, uint64_t seed, std::string_view mutator) { return fmt::format("{} {} {}", fault, seed, mutator); }

std::vector<Job> jobs_left(const PlantedOptions& options, const std::vector<PlantedResult>& done) {
  std::set<std::string> there;
  for (const PlantedResult& result : done) there.insert(key_of(result.fault, result.seed, result.mutator));
  std::vector<Job> out;
  for (const char* mutator : kMutators) {
    const bool ours = std::string_view(mutator) == "structure";
    if (!(ours ? options.with_mutator : options.without_mutator)) continue;
    for (const PlantedBug& bug : planted_bugs()) {
      if (!is_wanted(bug, options)) continue;
      const uint64_t own = bug.tier == "hard" ? options.hard_seconds : options.easy_seconds;
      for (uint64_t seed = 1; seed <= options.seeds; ++seed)
        if (!there.contains(key_of(bug.fault, seed, mutator))) out.push_back({&bug, seed, mutator, ours ? own : std::min(own, options.bytes_seconds)});
    }
  }
  return out;
}

const PlantedResult* result_of(std::span<const PlantedResult> results, std::string_view fault, uint64_t seed, std::string_view mutator) {
  for (const PlantedResult& r : results)
    if (r.fault == fault && r.seed == seed && r.mutator == mutator) return &r;
  return nullptr;
}

uint64_t seeds_in(std::span<const PlantedResult> results) {
  uint64_t most = 0;
  for (const PlantedResult& r : results) most = std::max(most, r.seed);
  return most;
}

std::string cell(std::span<const PlantedResult> results, const PlantedBug& bug, std::string_view mutator) {
  std::string out;
  for (uint64_t seed = 1; seed <= seeds_in(results); ++seed) {
    const PlantedResult* r = result_of(results, bug.fault, seed, mutator);
    if (seed > 1) out += ", ";
    if (!r) out += "-";
    else if (!r->found) out += fmt::format("none in {:.0f} s", r->cpu_seconds);
    else out += fmt::format("{:.2f} s / {}{}", r->cpu_seconds, r->executions, r->confirmed ? "" : " (not confirmed)");
  }
  return out;
}

}  // namespace

std::span<const PlantedBug> planted_bugs() {
  static constexpr PlantedBug kBugs[] = {
#define PLANTED(number, tier, fault, profile, what) {number, #tier, #fault, #profile, what},
#include "fuzz/planted.inc"
#undef PLANTED
      {90, "control", "healthy:reader", "spec", "no bug"},
      {91, "control", "healthy:template_reader", "spec", "no bug, an independent reader"},
  };
  return kBugs;
}

std::string result_line(const PlantedResult& r) {
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{:.3f}\t{}\t{}\t{}", r.fault, r.seed, r.mutator, r.found ? "found" : "none",
                     r.confirmed ? "confirmed" : "-", r.cpu_seconds, r.executions, r.limit, r.signature);
}

bool parse_result_line(std::string_view line, PlantedResult& out) {
  std::vector<std::string> fields(1);
  for (const char c : line) {
    if (c == '\t') fields.emplace_back();
    else fields.back() += c;
  }
  const auto number = [](const std::string& text, auto& to) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
    return error == std::errc() && end == text.data() + text.size();
  };
  if (fields.size() != 9) return false;
  out = {};
  out.fault = fields[0];
  out.mutator = fields[2];
  out.found = fields[3] == "found";
  out.confirmed = fields[4] == "confirmed";
  out.signature = fields[8];
  return number(fields[1], out.seed) && number(fields[5], out.cpu_seconds) && number(fields[6], out.executions) && number(fields[7], out.limit);
}

std::vector<PlantedResult> run_planted(const Engine& engine, const PlantedOptions& options, std::string& error) {
  Bench bench(engine, options);
  std::vector<PlantedResult> results;
  const std::string path = options.folder + "/planted.tsv";
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    PlantedResult result;
    if (parse_result_line(line, result)) results.push_back(std::move(result));
  }
  const std::vector<Job> jobs = jobs_left(options, results);
  if (jobs.empty() || !bench.prepare(error)) return results;
  std::mutex mutex;
  size_t next = 0;
  const auto work = [&] {
    for (;;) {
      size_t mine;
      {
        const std::lock_guard lock(mutex);
        if (next >= jobs.size() || campaign_stopped) return;
        mine = next++;
      }
      PlantedResult result = bench.measure(jobs[mine]);
      if (campaign_stopped) return;  // it was cut short
      const std::lock_guard lock(mutex);
      std::ofstream(path, std::ios::app) << result_line(result) << "\n";
      if (isatty(STDERR_FILENO))
        fmt::print(stderr, "{}/{} {} seed {} {}: {}\n", mine + 1, jobs.size(), result.fault, result.seed, result.mutator,
                   result.found ? fmt::format("{:.2f} s, {} executions", result.cpu_seconds, result.executions) : "none");
      results.push_back(std::move(result));
    }
  };
  std::vector<std::thread> threads;
  for (uint64_t i = 0; i < std::max<uint64_t>(1, options.jobs); ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  return results;
}

std::string planted_table(std::span<const PlantedResult> results) {
  std::string out = "| | bug | tier | with the mutator: CPU-seconds / executions, seed by seed | without it |\n|---|---|---|---|---|\n";
  for (const PlantedBug& bug : planted_bugs())
    out += fmt::format("| {} | {}: {} | {} | {} | {} |\n", bug.number, bug.fault, bug.what, bug.tier, cell(results, bug, "structure"), cell(results, bug, "bytes"));
  out += "\n| arm | tier | found of runs | found with every seed | mean CPU-seconds, a miss counted as its limit |\n|---|---|---|---|---|\n";
  for (const char* mutator : kMutators) {
    for (const std::string_view tier : {"easy", "spare", "hard", "control"}) {
      uint64_t runs = 0, found = 0, bugs = 0, always = 0;
      double seconds = 0;
      for (const PlantedBug& bug : planted_bugs()) {
        if (bug.tier != tier) continue;
        uint64_t of_bug = 0, found_of_bug = 0;
        for (const PlantedResult& r : results) {
          if (r.fault != bug.fault || r.mutator != mutator) continue;
          ++of_bug;
          found_of_bug += r.confirmed || (tier == "control" && r.found);
          seconds += r.confirmed ? r.cpu_seconds : static_cast<double>(r.limit);
        }
        runs += of_bug;
        found += found_of_bug;
        bugs += of_bug > 0;
        always += of_bug > 0 && found_of_bug == of_bug;
      }
      if (runs > 0) out += fmt::format("| {} | {} | {} of {} | {} of {} | {:.2f} |\n", mutator, tier, found, runs, always, bugs, seconds / static_cast<double>(runs));
    }
  }
  return out;
}

bool planted_goal_met(std::span<const PlantedResult> results, uint64_t hard, std::string& told) {
  uint64_t easy_missed = 0, hard_found = 0, alarms = 0;
  for (const PlantedBug& bug : planted_bugs()) {
    bool always = true, any_run = false;
    for (const PlantedResult& r : results) {
      if (r.fault != bug.fault || r.mutator != "structure") continue;
      any_run = true;
      always = always && r.confirmed;
      alarms += bug.tier == "control" && r.found;
    }
    easy_missed += bug.tier == "easy" && any_run && !always;
    hard_found += bug.tier == "hard" && any_run && always;
  }
  told = fmt::format("{} easy bugs missed by a seed, {} hard ones found with every seed, {} alarms without a bug", easy_missed, hard_found, alarms);
  return easy_missed == 0 && hard_found >= hard && alarms == 0;
}

}  // namespace gcts
