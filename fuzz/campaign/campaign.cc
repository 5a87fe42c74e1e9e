// The folder, the engine, the progress line.

#include "fuzz/campaign/campaign.h"

#include <signal.h>
#include <sys/file.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "harness/child.h"

namespace gcts {

std::atomic<bool> campaign_stopped{false};

namespace {

namespace fs = std::filesystem;

bool stopped() { return campaign_stopped.load(); }

bool is_unit(const fs::directory_entry& entry) {
  std::error_code error;
  return entry.is_regular_file(error);
}

// What the jobs of a killed campaign had found, and nobody had taken over.
void adopt_scratch(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(folder / "scratch", error)) {
    if (!is_unit(entry)) continue;
    // Jobs keep their corpora in C<n>, and their features, which are no inputs, in F<n>.
    const std::string parent = entry.path().parent_path().filename().string();
    if (parent.empty() || parent[0] != 'C') continue;
    const fs::path to = folder / "corpus" / entry.path().filename();
    if (!fs::exists(to, error)) fs::copy_file(entry.path(), to, error);
  }
  fs::remove_all(folder / "scratch", error);
  fs::create_directories(folder / "scratch", error);
}

// A distillation that was killed between its two moves.
void finish_swap(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder / "corpus", error) && fs::exists(folder / "corpus.before", error)) fs::rename(folder / "corpus.before", folder / "corpus", error);
  fs::remove_all(folder / "corpus.before", error);
  fs::remove_all(folder / "corpus.distilled", error);
}

// Jobs of the engine that outlived a killed campaign: they name its folder.
void end_orphans(const fs::path& folder) {
  std::error_code error;
  const std::string mark = "-artifact_prefix=" + (folder / "found").string() + "/";
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream in(entry.path() / "cmdline", std::ios::binary);
    std::stringstream words;
    words << in.rdbuf();
    if (words.str().find(mark) != std::string::npos && std::stol(name) != getpid()) ::kill(static_cast<pid_t>(std::stol(name)), SIGKILL);
  }
}

// One campaign at a time in a folder; let go of when the process ends, however it does.
class Lock {
 public:
  explicit Lock(const fs::path& folder) : file_(::open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    held_ = file_ >= 0 && flock(file_, LOCK_EX | LOCK_NB) == 0;
  }
  ~Lock() {
    if (file_ >= 0) ::close(file_);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  bool held() const { return held_; }

 private:
  int file_;
  bool held_ = false;
};

bool prepare_inputs(const Engine& engine, const FuzzTarget& target, const fs::path& folder, std::string& error) {
  std::error_code ignored;
  fs::remove_all(folder / "seeds", ignored);
  Engine::Order seeds;
  seeds.words = {engine.program("write_seeds"), std::string(target.kind), (folder / "seeds").string()};
  const EngineRun written = Engine::run(seeds);
  if (!written.succeeded) {
    error = "write_seeds: " + written.ended + "\n" + written.output;
    return false;
  }
  Engine::Order dictionary;
  dictionary.words = {"sh", "-c", "exec \"$0\" >\"$1\"", engine.program("write_dictionary"), (folder / "dictionary").string()};
  if (Engine::run(dictionary).succeeded) return true;
  error = "write_dictionary failed";
  return false;
}

// Regressions that are committed are seeds too.
std::string regressions_of(const FuzzTarget& target) {
  const fs::path folder = fs::path(source_root()) / "fuzz" / "regressions" / target.name;
  std::error_code error;
  return !source_root().empty() && fs::is_directory(folder, error) ? folder.string() : "";
}

class ProgressLine {
 public:
  ProgressLine(const FuzzTarget& target, const fs::path& folder, bool quiet)
      : target_(target), found_(folder / "found"), shown_(!quiet && isatty(STDERR_FILENO)) {}
  ~ProgressLine() {
    if (any_) std::fprintf(stderr, "\r\x1b[K");
  }

  void show(const EngineProgress& p) {
    if (!shown_) return;
    std::error_code error;
    size_t artefacts = 0;
    for (const auto& entry : fs::directory_iterator(found_, error)) artefacts += entry.path().extension() != ".txt";
    fmt::print(stderr, "\r\x1b[K{}: {} executions, {}/s, {} edges, {} inputs, {} artefacts", target_.name, p.executions, p.per_second,
               p.edges, p.corpus, artefacts);
    std::fflush(stderr);
    any_ = true;
  }

 private:
  const FuzzTarget& target_;
  fs::path found_;
  bool shown_, any_ = false;
};

Engine::Order fuzz_order(const FuzzTarget& target, const Engine& engine, const CampaignOptions& options, const fs::path& folder) {
  Engine::Order order;
  order.words = {engine.program("fuzz_" + std::string(target.name)),
                 fmt::format("-fork={}", options.jobs),
                 "-ignore_crashes=1", "-ignore_ooms=1", "-ignore_timeouts=1",
                 fmt::format("-max_total_time={}", static_cast<uint64_t>(options.seconds)),
                 fmt::format("-max_len={}", options.max_size),
                 "-timeout=10", "-report_slow_units=2",
                 fmt::format("-rss_limit_mb={}", options.memory_mb), "-malloc_limit_mb=256",
                 "-dict=" + (folder / "dictionary").string(),
                 "-artifact_prefix=" + (folder / "found").string() + "/",
                 (folder / "corpus").string(), (folder / "seeds").string()};
  if (target.foreign()) order.words.insert(order.words.begin() + 1, {"-close_fd_mask=3", "-detect_leaks=0", "-entropic=0"});
  if (const std::string regressions = regressions_of(target); !regressions.empty()) order.words.push_back(regressions);
  order.environment = campaign_environment(options, target);
  order.environment.push_back("TMPDIR=" + (folder / "scratch").string());
  if (target.foreign()) order.environment.push_back("GCTS_FUZZ_COLLECT=" + (folder / "found").string());
  order.wall_limit = options.seconds * 2 + 120;  // the engine ends by itself long before
  order.log = (folder / "engine.log").string();
  order.stop = stopped;
  return order;
}

// The smallest inputs that together reach all that the corpus reaches.
void distil(const FuzzTarget& target, const Engine& engine, const CampaignOptions& options, const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder / "corpus.distilled", error);
  Engine::Order order;
  order.words = {engine.program("fuzz_" + std::string(target.name)), "-merge=1", "-timeout=10", fmt::format("-max_len={}", options.max_size),
                 fmt::format("-rss_limit_mb={}", options.memory_mb), "-malloc_limit_mb=256", (folder / "corpus.distilled").string(), (folder / "corpus").string()};
  if (target.foreign()) order.words.insert(order.words.begin() + 1, {"-close_fd_mask=3", "-detect_leaks=0"});
  // Artefacts of inputs that fail while they are merged belong with the others.
  order.words.insert(order.words.begin() + 1, "-artifact_prefix=" + (folder / "found").string() + "/");
  order.environment = campaign_environment(options, target);
  order.environment.push_back("TMPDIR=" + (folder / "scratch").string());
  if (target.foreign()) order.environment.push_back("GCTS_FUZZ_COLLECT=" + (folder / "found").string());
  order.wall_limit = 300;
  order.stop = stopped;
  const EngineRun run = Engine::run(order);
  if (!run.succeeded || fs::is_empty(folder / "corpus.distilled", error)) {
    fs::remove_all(folder / "corpus.distilled", error);
    return;
  }
  fs::rename(folder / "corpus", folder / "corpus.before", error);
  fs::rename(folder / "corpus.distilled", folder / "corpus", error);
  fs::remove_all(folder / "corpus.before", error);
}

void add_to_log(const fs::path& folder, CampaignResult& result) {
  std::ofstream(folder / "log.tsv", std::ios::app) << fmt::format("{}\t{:.1f}\t{:.1f}\t{}\n", static_cast<long long>(std::time(nullptr)),
                                                                 result.wall_seconds, result.cpu_seconds, result.executions);
  std::ifstream in(folder / "log.tsv");
  for (std::string line; std::getline(in, line);) {
    long long when = 0;
    double wall = 0, cpu = 0;
    unsigned long long executions = 0;
    if (std::sscanf(line.c_str(), "%lld\t%lf\t%lf\t%llu", &when, &wall, &cpu, &executions) != 4) continue;
    result.all_executions += executions;
    result.all_seconds += cpu;
  }
}

}  // namespace

std::string campaign_folder(const CampaignOptions& options, const FuzzTarget& target) {
  return (fs::absolute(options.folder) / target.name).lexically_normal().string();
}

std::vector<std::string> campaign_environment(const CampaignOptions& options, const FuzzTarget& target) {
  // An allocation beyond all reason is refused, as an allocator would; what the library
  // makes of that is seen.
  std::vector<std::string> out{"GGML_NO_BACKTRACE=1",  // an abort that starts a debugger takes a second
                               "ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=4096:handle_abort=0:symbolize=1"};
  // A call that was left keeps what it held; look_for_leaks() finds the others.
  if (target.foreign()) out.back() += ":detect_leaks=0";
  if (!options.profile.empty()) out.push_back("GCTS_PROFILE=" + options.profile);
  if (!options.known.empty()) out.push_back("GCTS_FUZZ_KNOWN=" + fs::absolute(options.known).string());
  if (target.foreign() && !options.plugins.empty()) {
    std::string list;
    for (const std::string& plugin : options.plugins) list += (list.empty() ? "" : ":") + fs::absolute(plugin).string();
    out.push_back("GCTS_FUZZ_PLUGINS=" + list);
  }
  return out;
}

CampaignResult run_campaign(const FuzzTarget& target, const Engine& engine, const CampaignOptions& options) {
  CampaignResult result;
  const fs::path folder = campaign_folder(options, target);
  std::error_code error;
  for (const char* part : {"corpus", "found", "findings", "scratch"}) {
    if (std::string_view(part) == "corpus") finish_swap(folder);
    fs::create_directories(folder / part, error);
  }
  const Lock lock(folder);
  if (!lock.held()) {
    result.error = folder.string() + ": another campaign is at work here";
    return result;
  }
  end_orphans(folder);
  adopt_scratch(folder);
  if (!prepare_inputs(engine, target, folder, result.error)) return result;

  FuzzFindings findings(target, engine, folder.string(), campaign_environment(options, target));
  // What an earlier campaign found and had no time to look at.
  result.new_findings += findings.triage(options.minimise_seconds, stopped);
  Engine::Order order = fuzz_order(target, engine, options, folder);
  {
    ProgressLine line(target, folder, options.quiet);
    order.on_progress = [&](const EngineProgress& p) { line.show(p); };
    const EngineRun run = Engine::run(order);
    result.progress = run.progress;
    result.executions = run.progress.executions;
    result.wall_seconds = run.wall_seconds;
    result.cpu_seconds = run.cpu_seconds;
    if (run.progress.executions == 0 && !run.succeeded && !stopped()) result.error = "the engine did not run: " + run.ended + "\n" + run.output.substr(0, 4000);
  }
  adopt_scratch(folder);
  if (!stopped() && result.error.empty()) distil(target, engine, options, folder);
  result.new_findings += findings.triage(options.minimise_seconds, stopped);
  add_to_log(folder, result);
  return result;
}

}  // namespace gcts
