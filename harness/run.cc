// The verb run: cases on implementations, judged, reported.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <mutex>
#include <thread>

#include "harness/api_suite.h"
#include "harness/exit_status.h"
#include "harness/format_suite.h"
#include "harness/kernel_kill_matrix.h"
#include "harness/kernel_suite.h"
#include "harness/locations.h"
#include "harness/machine.h"
#include "harness/model_weights.h"
#include "harness/options.h"
#include "harness/peer.h"
#include "harness/provenance.h"
#include "harness/repro.h"
#include "harness/kill_matrix.h"
#include "harness/worker_channel.h"
#include "harness/xfail.h"

namespace gcts {
namespace {

struct RunOptions {
  std::vector<std::string> plugins, processes, commands, peers, run, skip, formats, limits, xfail;
  std::string emulator, profile = "spec", tier = "smoke", time_budget, shard, reject_pattern, weights;
  uint64_t seed = 0;
  uint64_t jobs = std::max(1u, std::thread::hardware_concurrency());
  bool all_peers = false, strict = false, isolate = false, update_xfail = false, allow_skip = false, self_test = false;
};

void declare(Options& options, RunOptions& o) {
  options.values("plugin", o.plugins, "LIB", "a plugin to test (default: those that come with the program)");
  options.values("process", o.processes, "CMD", "an adapter to test: a command line that speaks the protocol of plugins/process");
  options.values("command", o.commands, "CMD", "a tool to test: a command line with {file} in it");
  options.values("peer", o.peers, "NAME", "an implementation by its name: reference, ggml, or an adapter of ./dev peers; its expected-failure file comes along");
  options.flag("all-peers", o.all_peers, "every one that is there; those that are not are named");
  options.value("reject-pattern", o.reject_pattern, "REGEX", "what the output of --command says when it rejects");
  options.value("emulator", o.emulator, "CMD", "start the plugins' worker under CMD; GCTS_WORKER names a worker of another architecture");
  options.value("profile", o.profile, "P", "spec, ggml, or a profile file (default: spec)");
  options.flag("strict", o.strict, "`should` rules count");
  options.values("run", o.run, "GLOB", "cases to run: ids, leading parts of ids, or globs");
  options.values("skip", o.skip, "GLOB", "cases to leave out");
  options.value("tier", o.tier, "TIER", "smoke, full or exhaustive (default: smoke)");
  options.value("time-budget", o.time_budget, "T", "start no case after T: 90s, 5m, 1h");
  options.values("limit", o.limits, "NAME=VALUE", "what a case may take: wall=10s, cpu=5s, memory=1024 (MiB)");
  options.flag("isolate", o.isolate, "every case in a process of its own");
  options.number("seed", o.seed, "N", "for generated data (default: 0)");
  options.value("shard", o.shard, "I/N", "the I-th of N parts of the cases");
  options.number("jobs,j", o.jobs, "N", "workers at a time (default: one a processor)");
  options.values("xfail", o.xfail, "FILE", "the outcomes that are expected to be bad, of one implementation");
  options.flag("update-xfail", o.update_xfail, "rewrite these files to what this run came to");
  options.value("weights", o.weights, "FILE", "a GGUF file whose tensors the kernels are tried on too");
  options.flag("allow-skip", o.allow_skip, "nothing but skips is good too");
  options.values("format", o.formats, "NAME[:FILE]", "how to report, and where to (default: console)");
  options.flag("self-test", o.self_test, "also run every deliberate bug and print the kill matrix");
  std::string formats = "Formats:";
  for (const Format& format : gcts::formats()) formats += fmt::format("\n  {:<10} {}", format.name, format.description);
  options.note(formats);
  options.note("Ends 0 if all is well, 1 if a case came to anything else, 2 if the run could not be done or is "
               "void,\n3 if nothing was tested.");
}

// One line on the terminal that overwrites itself; nothing where there is no terminal.
class Progress {
 public:
  std::function<void(size_t, size_t)> on(std::string what) {
    if (!isatty(STDERR_FILENO)) return {};
    return [this, what](size_t done, size_t total) {
      const std::lock_guard lock(mutex_);
      if (done < total && now_seconds() - shown_ < 0.1) return;
      shown_ = now_seconds();
      std::string line = "\r\x1b[K";
      if (done < total) line += fmt::format("{} {}/{}", what, done, total);
      std::fputs(line.c_str(), stderr);  // fmt::print would throw, in any thread
    };
  }

 private:
  std::mutex mutex_;
  double shown_ = 0;
};

struct Output {
  const Format* format;
  std::string file;  // "": standard output
};

class RunVerb {
 public:
  RunVerb(Options& options, RunOptions& given) : options_(options), given_(given) {}
  int run(int argc, char** argv);

 private:
  std::optional<int> check();
  std::optional<int> check_outputs();
  std::optional<int> open_subjects();
  std::optional<int> open_subject(Launch launch, std::vector<std::string> words, std::string given, std::string* error = nullptr);
  std::optional<int> open_peers();
  std::optional<int> self_test();
  std::optional<int> settle_xfail();
  std::optional<int> apply_xfails();
  std::optional<int> report();
  void run_cases();

  Options& options_;
  RunOptions& given_;
  Tier tier_ = Tier::smoke;
  Shard shard_;
  std::unique_ptr<ModelWeights> weights_;
  Limits limits_;
  SuiteOptions suite_;
  std::vector<std::pair<std::string, XfailFile>> xfails_;  // path, contents
  std::vector<Output> outputs_;
  std::vector<SuiteSubject> subjects_;
  Selection fault_selection_;  // --run fault/NAME
  Progress progress_;
  Report report_;
  ExitTerms terms_;
};

std::optional<int> RunVerb::check() {
  std::string error;
  if (!parse_tier(given_.tier, tier_)) return options_.usage_error("--tier is smoke, full or exhaustive, not '" + given_.tier + "'");
  if (!given_.shard.empty() && !parse_shard(given_.shard, shard_)) {
    return options_.usage_error("--shard takes I/N with 1 <= I <= N, not '" + given_.shard + "'");
  }
  if (!given_.time_budget.empty() && !parse_duration(given_.time_budget, suite_.time_budget)) {
    return options_.usage_error("--time-budget takes a time like 90s, 5m or 1h, not '" + given_.time_budget + "'");
  }
  if (given_.jobs < 1 || given_.jobs > 1024) return options_.usage_error("--jobs is between 1 and 1024");
  if (!Profile::load(given_.profile, suite_.profile, error)) return options_.usage_error("--profile: " + error);
  const bool any_peer = given_.all_peers || !given_.peers.empty();
  if (given_.update_xfail && given_.xfail.empty() && !any_peer) return options_.usage_error("--update-xfail needs --xfail FILE");
  if (!given_.reject_pattern.empty() && given_.commands.empty()) {
    return options_.usage_error("--reject-pattern needs --command");
  }
  const auto is_fault = [](const std::string& glob) { return glob.starts_with("fault/"); };
  std::copy_if(given_.run.begin(), given_.run.end(), std::back_inserter(fault_selection_.run), is_fault);
  if (!fault_selection_.run.empty() && !given_.self_test) return options_.usage_error("faults run with --self-test only");
  if (!given_.weights.empty() && !(weights_ = ModelWeights::open(given_.weights, error))) {
    fmt::print(stderr, "gguf-cts run: --weights: {}\n", error);
    return kUsageError;
  }
  for (const std::string& limit : given_.limits) {
    if (!parse_limit(limit, limits_)) return options_.usage_error("--limit takes wall=TIME, cpu=TIME or memory=MIB, not '" + limit + "'");
  }
  suite_.strict = given_.strict;
  suite_.isolate = given_.isolate;
  suite_.jobs = given_.jobs;
  return check_outputs();
}

std::optional<int> RunVerb::check_outputs() {
  if (given_.formats.empty()) given_.formats.push_back("console");
  for (const std::string& text : given_.formats) {
    const std::string name = text.substr(0, text.find(':'));
    const Format* format = find_format(name);
    if (!format) return options_.usage_error("there is no format '" + name + "'; gguf-cts list formats names them");
    outputs_.push_back({format, name.size() < text.size() ? text.substr(name.size() + 1) : ""});
  }
  return std::nullopt;
}

// `given`: what the report calls its locator.  An implementation that cannot be used ends
// the run, unless the caller takes its `error`.
std::optional<int> RunVerb::open_subject(Launch launch, std::vector<std::string> words, std::string given, std::string* error) {
  SuiteSubject subject;
  launch.environment = suite_environment(given_.profile, given_.strict);
  launch.limits = limits_;
  subject.launch = std::move(launch);
  std::string why;
  const bool usable = gcts::launch(subject.launch)->describe(subject.description, why);
  if (why.empty()) why = subject.description.unavailable;
  if (error && !why.empty()) {
    *error = why;
    return kUsageError;
  }
  if (!usable) {
    fmt::print(stderr, "gguf-cts run: {}: {}\n", given, why);
    return kUsageError;
  }
  if (!why.empty()) fmt::print(stderr, "gguf-cts run: {} cannot be tested here: {}\n", subject.description.name, why);
  words.insert(words.begin(), "run");
  words.insert(words.end(), {"--profile", given_.profile});
  if (given_.strict) words.push_back("--strict");
  if (weights_) words.insert(words.end(), {"--weights", given_.weights});
  for (const std::string& limit : given_.limits) words.insert(words.end(), {"--limit", limit});
  words.insert(words.end(), {"--seed", std::to_string(given_.seed)});
  subject.repro_prefix = repro_prefix({}, words);
  report_.subjects.push_back({subject.description.name, subject.description.version,
                              std::string(launch_kind_name(subject.launch.kind)), std::move(given), subject.repro_prefix});
  subjects_.push_back(std::move(subject));
  return std::nullopt;
}

// The peers that are named, or all that are there; with their expected-failure files.
std::optional<int> RunVerb::open_peers() {
  if (!given_.all_peers && given_.peers.empty()) return std::nullopt;
  const std::vector<Peer> peers = all_peers();
  for (const std::string& name : given_.peers) {
    const auto is_it = [&](const Peer& peer) { return peer.name == name; };
    if (std::none_of(peers.begin(), peers.end(), is_it)) return options_.usage_error("there is no peer '" + name + "'");
  }
  for (const Peer& peer : peers) {
    const bool named = std::find(given_.peers.begin(), given_.peers.end(), peer.name) != given_.peers.end();
    if (!named && !given_.all_peers) continue;
    std::string absent = peer.absent;
    if (absent.empty()) {
      Launch launch;
      launch.kind = peer.kind;
      launch.locator = peer.locator;
      // A plugin may lack the library that it stands for; an adapter was installed to run.
      std::string* const error = peer.kind == Launch::Kind::plugin && !named ? &absent : nullptr;
      const auto status = open_subject(std::move(launch), {"--peer", peer.name}, peer.name, error);
      if (status && !error) return status;
      if (!absent.empty() && !peer.left_out.empty()) absent = peer.left_out + " (" + absent + ")";
    } else if (named) {
      return options_.usage_error("--peer " + peer.name + ": " + absent);
    }
    if (!absent.empty()) report_.absent.push_back({peer.name, absent});
    else if (!peer.xfail.empty()) given_.xfail.push_back(peer.xfail);
  }
  return std::nullopt;
}

std::optional<int> RunVerb::open_subjects() {
  if (const auto status = open_peers()) return status;
  if (given_.plugins.empty() && given_.processes.empty() && given_.commands.empty() && subjects_.empty()) {
    for (const char* name : {"reference", "template", "cpu"}) {
      if (const std::string path = own_plugin(name); !path.empty()) given_.plugins.push_back(path);
    }
    if (given_.plugins.empty()) {
      return options_.usage_error("no plugin was named, and none comes with the program (GCTS_PLUGIN_DIR says where)");
    }
  }
  for (const std::string& path : given_.plugins) {
    Launch launch;
    // dlopen looks a bare name up in the system's folders; here it is a file.
    launch.locator = path.find('/') == std::string::npos ? "./" + path : path;
    launch.emulator = given_.emulator;
    std::vector<std::string> words{"--plugin", path};
    if (!given_.emulator.empty()) words.insert(words.end(), {"--emulator", given_.emulator});
    if (const auto status = open_subject(std::move(launch), std::move(words), path)) return status;
  }
  for (const std::string& command : given_.processes) {
    Launch launch;
    launch.kind = Launch::Kind::process;
    launch.locator = command;
    if (const auto status = open_subject(std::move(launch), {"--process", command}, command)) return status;
  }
  for (const std::string& command : given_.commands) {
    Launch launch;
    launch.kind = Launch::Kind::command;
    launch.locator = command;
    launch.reject_pattern = given_.reject_pattern;
    std::vector<std::string> words{"--command", command};
    if (!given_.reject_pattern.empty()) words.insert(words.end(), {"--reject-pattern", given_.reject_pattern});
    if (const auto status = open_subject(std::move(launch), std::move(words), command)) return status;
  }
  return std::nullopt;
}

void RunVerb::run_cases() {
  // Naming faults alone asks for no cases.
  if (!given_.run.empty() && fault_selection_.run.size() == given_.run.size()) return;
  CaseRequest request;
  request.selection = {given_.run, given_.skip};
  request.tier = tier_;
  request.seed = given_.seed;
  CaseList list;
  collect_cases(request, list);
  terms_.selected = list.all().size();
  std::vector<const Case*> in_shard;
  for (const Case* c : list.all()) {
    if (shard_.contains(c->id)) in_shard.push_back(c);
  }
  suite_.progress = progress_.on("case");
  report_.results = run_format_suite(subjects_, in_shard, suite_);
  suite_.progress = progress_.on("check");
  std::vector<Result> api = run_api_suite(subjects_, request.selection, shard_, suite_);
  terms_.selected += api.size();
  report_.results.insert(report_.results.end(), std::make_move_iterator(api.begin()), std::make_move_iterator(api.end()));
  suite_.progress = progress_.on("kernel");
  std::vector<Result> kernels = run_kernel_suite(subjects_, {request.selection, shard_, tier_, given_.seed, weights_.get()}, suite_);
  terms_.selected += kernels.size();
  report_.results.insert(report_.results.end(), std::make_move_iterator(kernels.begin()), std::make_move_iterator(kernels.end()));
}

std::optional<int> RunVerb::self_test() {
  const std::string faulty = own_plugin("faulty");
  if (given_.self_test) {
    if (faulty.empty()) {
      fmt::print(stderr, "gguf-cts run: --self-test needs the plugin faulty.so beside the others\n");
      return kUsageError;
    }
    SelfTestOptions self;
    self.library = faulty;
    self.faults = fault_selection_;
    self.jobs = given_.jobs;
    self.progress = progress_.on("self-test");
    std::string error;
    const bool done = run_self_test(self, report_.faults, error);
    self.progress = progress_.on("kernel self-test");
    if (!done || !run_kernel_self_test(self, report_.faults, error)) {
      fmt::print(stderr, "gguf-cts run: {}\n", error);
      return kUsageError;
    }
  } else if (!faulty.empty()) {
    report_.void_reason = run_positive_controls(faulty);
    const bool kernels = std::any_of(report_.results.begin(), report_.results.end(),
                                     [](const Result& r) { return r.case_id.starts_with("kernel/"); });
    if (kernels && report_.void_reason.empty()) report_.void_reason = run_kernel_controls(faulty);
  } else {
    report_.machine["positive controls"] = "none: the plugin faulty.so is not installed";
  }
  return std::nullopt;
}

// Reads the files before there is anything to lose.
std::optional<int> RunVerb::settle_xfail() {
  for (const std::string& path : given_.xfail) {
    XfailFile file;
    std::string error;
    if (given_.update_xfail && access(path.c_str(), F_OK) != 0) {
      if (subjects_.size() != 1) return options_.usage_error("--update-xfail makes a new file for one implementation only");
      file.implementation = subjects_[0].description.name;
    } else if (!load_xfail(path, file, error)) {
      return options_.usage_error("--xfail: " + error);
    }
    const auto owns = [&](const Subject& subject) { return subject.name == file.implementation; };
    if (std::none_of(report_.subjects.begin(), report_.subjects.end(), owns)) {
      return options_.usage_error(fmt::format("--xfail: {} is for '{}', which is not tested", path, file.implementation));
    }
    xfails_.push_back({path, std::move(file)});
  }
  return std::nullopt;
}

std::optional<int> RunVerb::apply_xfails() {
  for (auto& [path, file] : xfails_) {
    if (given_.update_xfail) {
      file = updated_xfail(file, report_);
      std::ofstream out(path);
      write_xfail(file, out);
      if (!out.flush()) return options_.usage_error(path + ": cannot be written");
    }
    apply_xfail(file, report_);
  }
  return std::nullopt;
}

std::optional<int> RunVerb::report() {
  for (const Output& output : outputs_) {
    if (output.file.empty()) {
      Style style;
      style.colour = isatty(STDOUT_FILENO);
      output.format->write(report_, std::cout, style);
      std::cout.flush();
      continue;
    }
    std::ofstream file(output.file, std::ios::binary);
    output.format->write(report_, file);
    if (file.flush()) continue;
    fmt::print(stderr, "gguf-cts run: {}: cannot be written\n", output.file);
    return kUsageError;
  }
  return std::nullopt;
}

int RunVerb::run(int argc, char** argv) {
  if (const auto status = check()) return *status;
  if (const auto status = open_subjects()) return *status;
  if (const auto status = settle_xfail()) return *status;
  report_.suite_version = GCTS_VERSION;
  report_.profile = suite_.profile.name();
  report_.tier = tier_name(tier_);
  report_.seed = given_.seed;
  report_.started = utc_now();
  report_.machine = machine_description();
  for (const SuiteSubject& subject : subjects_)
    if (const DeviceDescription& device = subject.description.device; !device.interface.empty())
      report_.machine["device of " + subject.description.name] = device_text(device);
  report_.command = shell_word(invoked_as());
  for (int i = 0; i < argc; ++i) report_.command += " " + shell_word(argv[i]);
  terms_.allow_skip = given_.allow_skip;
  const double start = now_seconds();
  run_cases();
  if (const auto status = self_test()) return *status;
  report_.wall_seconds = now_seconds() - start;
  if (const auto status = apply_xfails()) return *status;
  report_.rules = rule_texts(report_.results);
  if (const auto status = report()) return *status;
  const int status = exit_status(report_, terms_);
  if (status == 3) fmt::print(stderr, "gguf-cts run: nothing was tested\n");
  return status;
}

}  // namespace

int verb_run(int argc, char** argv) {
  RunOptions given;
  Options options("run", "[options]", "Runs the suite on implementations under test and reports.");
  declare(options, given);
  if (auto status = options.parse(argc, argv)) return *status;
  return RunVerb(options, given).run(argc, argv);
}

}  // namespace gcts
