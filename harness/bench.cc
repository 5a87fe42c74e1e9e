// The verb bench: how fast this machine decodes and multiplies each tensor type, and how
// near that is to what it can do.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>

#include "harness/bench_ceilings.h"
#include "harness/bench_plan.h"
#include "harness/bench_readers.h"
#include "harness/bench_run.h"
#include "harness/bench_twins.h"
#include "harness/clock.h"
#include "harness/device_ceilings.h"
#include "harness/locations.h"
#include "harness/machine.h"
#include "harness/options.h"
#include "harness/provenance.h"
#include "harness/repro.h"
#include "harness/selection.h"
#include "reports/escape.h"

namespace gcts {
namespace {

// So many variants of a kernel are measured, those that ask most of the processor; by tier
// exhaustive, and where the selection names kernels, all.
constexpr size_t kVariants = 3;
// Of tier smoke, in seconds: all kernels together, so that with ceilings, operands and
// checks a run stays below 90 on two slow cores.
constexpr double kSmokeSeconds = 20;
// What was too noisy is measured again, for at most so much of the time that all took.
constexpr double kAgain = 0.5;

// What lies so few seconds apart is one moment.
constexpr double kSameMoment = 0.2;
// Memory that is faster by more than this factor after a measurement than before, or slower,
// has changed meanwhile; kernels with less than this share of it do not notice.
constexpr double kMostChange = 1.15, kWaitsForMemory = 0.5;

struct BenchOptions {
  std::vector<std::string> plugins, run, skip, formats;
  std::string tier = "smoke", baseline, time_budget;
  uint64_t threads = 0;
  bool self_test = false;
};

struct BenchSubject {
  Launch launch;
  Description description;
  std::vector<KernelRow> rows;
  std::unique_ptr<BenchWorker> worker;
  std::optional<DeviceCeilings> device;  // where it has one that can be used
};

// One group, once.
struct Measured {
  std::vector<Result> results;  // of the members, in order; none: not measured
  MemoryNow memory;             // meanwhile
  bool changed = false;         // memory was not the same before and after
  size_t noisy() const;         // so many cannot be used
};

class BenchVerb {
 public:
  BenchVerb(Options& options, BenchOptions& given) : options_(options), given_(given), topology_(topology()), ceilings_(topology_) {}
  int run(int argc, char** argv);

 private:
  std::optional<int> check();
  std::optional<int> open_subjects();
  std::optional<int> measure_ceilings();
  void plan();
  void measure();
  Measured measure_group(const std::vector<BenchMember>& group);
  void measure_again(size_t group);
  void describe_load(const ProcessorTimes& before, double load_before);
  int report();
  void progress(size_t done, size_t total) const;
  void tell_ceilings();
  MemoryNow look_at_memory(const std::vector<BenchMember>& group);
  BenchWorker& worker_of(uint32_t subject) { return *subjects_[subject].worker; }
  uint64_t ring_bytes(const std::vector<BenchMember>& group) const;

  Options& options_;
  BenchOptions& given_;
  Tier tier_ = Tier::smoke;
  BenchTerms terms_;
  Topology topology_;
  Ceilings ceilings_;
  std::vector<BenchSubject> subjects_;
  std::vector<BenchReader> readers_;
  std::vector<BenchMeasurement> plan_;
  std::vector<std::vector<BenchMember>> groups_;
  std::vector<Measured> measured_;  // of groups_
  Paces paces_;
  struct {
    double at = 0;  // seconds
    uint32_t threads = 0;
    gcts_op op = GCTS_OP_DEQUANTIZE;
    MemoryNow memory;
  } last_look_;
  std::vector<std::pair<const Format*, std::string>> outputs_;
  Report report_, baseline_;
  Style style_;
  double budget_ = 0, start_ = 0;   // seconds; no budget: 0
  double ceilings_seconds_ = 0;     // that measuring them took; it is done twice
};

std::optional<int> BenchVerb::check() {
  if (!parse_tier(given_.tier, tier_)) return options_.usage_error("--tier is smoke, full or exhaustive, not '" + given_.tier + "'");
  if (given_.threads > worker::kMostThreads) return options_.usage_error(fmt::format("--threads is at most {}", worker::kMostThreads));
  if (given_.threads == 0) given_.threads = std::min<uint64_t>(topology_.processors.size(), worker::kMostThreads);
  if (given_.formats.empty()) given_.formats.push_back("speed");
  for (const std::string& text : given_.formats) {
    const std::string name = text.substr(0, text.find(':'));
    const Format* format = find_format(name);
    if (!format) return options_.usage_error("there is no format '" + escape_terminal(name) + "'; gguf-cts list formats names them");
    outputs_.push_back({format, name.size() < text.size() ? text.substr(name.size() + 1) : ""});
  }
  if (!given_.time_budget.empty() && !parse_duration(given_.time_budget, budget_))
    return options_.usage_error("--time-budget takes a time like 90s, 5m or 1h, not '" + escape_terminal(given_.time_budget) + "'");
  if (given_.baseline.empty()) return std::nullopt;
  std::ifstream in(given_.baseline, std::ios::binary);
  std::string error = "cannot be opened";
  if (!in || !read_jsonl(in, baseline_, error)) return options_.usage_error("--baseline: " + given_.baseline + ": " + error);
  style_.baseline = &baseline_;
  return std::nullopt;
}

std::optional<int> BenchVerb::open_subjects() {
  // The reference and the template are read with; their kernels exist to be right.
  const bool chosen = !given_.plugins.empty();
  if (!chosen) {
    for (const char* name : {"cpu", "ggml", "gpu_cuda", "reference", "template"})
      if (const std::string path = own_plugin(name); !path.empty()) given_.plugins.push_back(path);
    if (given_.plugins.empty()) return options_.usage_error("no plugin was named, and none comes with the program (GCTS_PLUGIN_DIR says where)");
  }
  const Selection selection{given_.run, given_.skip};
  for (const std::string& path : given_.plugins) {
    BenchSubject subject;
    // dlopen looks a bare name up in the system's folders; here it is a file.
    subject.launch.locator = path.find('/') == std::string::npos ? "./" + path : path;
    std::string error;
    if (!gcts::launch(subject.launch)->describe(subject.description, error)) {
      if (!chosen) continue;  // one that comes along and lacks what it stands on
      fmt::print(stderr, "gguf-cts bench: {}: {}\n", escape_terminal(path), escape_terminal(error));
      return kUsageError;
    }
    const DeviceDescription& device = subject.description.device;
    if (!chosen && !device.missing.empty()) continue;
    if (!device.interface.empty()) {
      report_.machine["device of " + subject.description.name] = device_text(device);
      if (device.missing.empty()) subject.device.emplace(device);
    }
    const auto number = static_cast<uint32_t>(subjects_.size());
    const bool kernels = chosen || (path != own_plugin("reference") && path != own_plugin("template"));
    if (kernels)
      for (uint64_t k = 0; k < subject.description.kernels.size(); ++k)
        subject.rows.push_back(kernel_row(subject.description.kernels[k], k));
    if (subject.description.reads && selection.contains(kBenchReadId))
      readers_.push_back({number, subject.description.reader_capabilities});
    subject.worker = std::make_unique<BenchWorker>(subject.launch, topology_.processors);
    report_.subjects.push_back({subject.description.name, subject.description.version, "plugin", subject.launch.locator});
    subjects_.push_back(std::move(subject));
  }
  if (subjects_.empty()) return options_.usage_error("no plugin can be used");
  return std::nullopt;
}

// How many features a kernel asks for; none if this machine lacks one.
size_t features_used(const BenchMember& member) {
  const std::string& features = member.measurement->row->description.features;
  return member.measurement->missing.empty() ? 1 + static_cast<size_t>(std::count(features.begin(), features.end(), ' ')) : 0;
}

// Keeps the most demanding variants of each implementation, in their order.
void keep_few_variants(std::vector<BenchMember>& group) {
  std::vector<BenchMember> by_demand = group;
  std::stable_sort(by_demand.begin(), by_demand.end(), [](const auto& a, const auto& b) { return features_used(a) > features_used(b); });
  std::erase_if(group, [&](const BenchMember& member) {
    size_t before = 0;
    for (const BenchMember& other : by_demand) {
      if (other.measurement == member.measurement) break;
      before += other.measurement->subject == member.measurement->subject;
    }
    return before >= kVariants;
  });
}

void BenchVerb::plan() {
  const Selection selection{given_.run, given_.skip};
  for (uint32_t s = 0; s < subjects_.size(); ++s)
    for (const KernelRow& row : subjects_[s].rows) {
      if (!row.unusable.empty()) continue;
      for (BenchMeasurement& m : bench_measurements(row, s, tier_, static_cast<uint32_t>(given_.threads))) {
        if (!selection.contains(m.id)) continue;
        if (m.device) m.missing = subjects_[s].description.device.missing;
        plan_.push_back(std::move(m));
      }
    }
  std::map<std::string, size_t> known;
  for (const BenchMeasurement& m : plan_) {
    const auto [found, added] = known.try_emplace(m.group, groups_.size());
    if (added) groups_.emplace_back();
    groups_[found->second].push_back({&m, 0});
  }
  if (tier_ == Tier::exhaustive || !given_.run.empty()) return;
  for (std::vector<BenchMember>& group : groups_) keep_few_variants(group);
}

std::optional<int> BenchVerb::measure_ceilings() {
  std::string error;
  // For nothing that can be measured here there is no ceiling to be known.
  if (readers_.empty() && std::none_of(plan_.begin(), plan_.end(), [](const BenchMeasurement& m) { return m.missing.empty(); })) return std::nullopt;
  const bool quick = tier_ == Tier::smoke;
  for (BenchSubject& subject : subjects_)
    if (subject.device) subject.device->measure(*subject.worker, quick);
  if (ceilings_.measure(worker_of(0), bench_thread_counts(tier_, static_cast<uint32_t>(given_.threads)), quick, error)) return std::nullopt;
  fmt::print(stderr, "gguf-cts bench: no ceilings: {}\n", escape_terminal(error));
  return kUsageError;
}

void BenchVerb::progress(size_t done, size_t total) const {
  if (!isatty(STDERR_FILENO)) return;
  if (done < total) fmt::print(stderr, "\r\x1b[Kkernel {}/{}", done, total);
  else fmt::print(stderr, "\r\x1b[K");
}

uint64_t BenchVerb::ring_bytes(const std::vector<BenchMember>& group) const {
  uint64_t least = UINT64_MAX;
  for (const BenchMember& member : group) {
    const BenchMeasurement& m = *member.measurement;
    const std::optional<DeviceCeilings>& device = subjects_[m.subject].device;
    least = std::min(least, m.device && device ? device->ring_bytes(tier_ == Tier::smoke) : ceilings_.ring_bytes());
  }
  return least;
}

// What groups that wait for memory are compared with; of a moment ago, if it is the same.
MemoryNow BenchVerb::look_at_memory(const std::vector<BenchMember>& group) {
  const BenchMeasurement& m = *group.front().measurement;
  if (!m.cold || m.device) return {};
  const bool same = last_look_.threads == m.threads && last_look_.op == m.row->op;
  if (same && now_seconds() - last_look_.at < kSameMoment) return last_look_.memory;
  const MemoryNow now = ceilings_.memory_now(worker_of(0), m, tier_ == Tier::smoke);
  last_look_ = {now_seconds(), m.threads, m.row->op, now};
  return now;
}

bool changed(double before, double after) { return std::max(before, after) > kMostChange * std::min(before, after); }

size_t Measured::noisy() const {
  if (changed) return results.size();
  return static_cast<size_t>(std::count_if(results.begin(), results.end(), [](const Result& r) { return r.outcome == Outcome::inconclusive; }));
}

Measured BenchVerb::measure_group(const std::vector<BenchMember>& group) {
  Measured out;
  const auto workers = [this](uint32_t subject) -> BenchWorker& { return worker_of(subject); };
  const MemoryNow before = look_at_memory(group);
  out.results = run_bench_group(group, workers, ring_bytes(group), terms_, paces_);
  const MemoryNow after = look_at_memory(group);
  out.memory = {std::max(before.read, after.read), std::max(before.write, after.write)};
  out.changed = changed(before.read, after.read) || changed(before.write, after.write);
  return out;
}

// The less noisy of the two counts, but what is wrong once is wrong.
void BenchVerb::measure_again(size_t group) {
  Measured& kept = measured_[group];
  Measured other = measure_group(groups_[group]);
  if (other.noisy() <= kept.noisy()) std::swap(kept, other);
  for (size_t i = 0; i < other.results.size(); ++i) {
    const Outcome outcome = other.results[i].outcome;
    if (is_bad(outcome) && outcome != Outcome::inconclusive) kept.results[i] = std::move(other.results[i]);
  }
}

Result out_of_time(const BenchMeasurement& m) {
  Result r;
  r.subject = m.subject;
  r.case_id = m.id;
  r.rule = "speed";
  r.outcome = r.raw = Outcome::skip;
  r.message = kOutOfTime;
  return r;
}

void BenchVerb::measure() {
  const auto workers = [this](uint32_t subject) -> BenchWorker& { return worker_of(subject); };
  size_t members = 0;
  for (const auto& group : groups_) members += group.size();
  if (tier_ == Tier::smoke) {
    terms_.seconds_each = std::clamp(kSmokeSeconds / static_cast<double>(std::max<size_t>(1, members)), 0.02, 0.5);
    terms_.sample_seconds = std::min(1e-3, terms_.seconds_each / 20);
    terms_.most_call_seconds = 0.25;
  } else {
    terms_ = {.seconds_each = 0.25, .sample_seconds = 2e-3, .wanted_spread = 0.005, .least_rounds = 11, .most_call_seconds = 0.25};
  }
  std::vector<Result> read = run_bench_readers(readers_, workers, terms_);
  report_.results.insert(report_.results.end(), std::make_move_iterator(read.begin()), std::make_move_iterator(read.end()));
  const auto time_is_up = [this] { return budget_ > 0 && now_seconds() - start_ + ceilings_seconds_ > budget_; };
  const double begin = now_seconds();
  measured_.resize(groups_.size());
  for (size_t i = 0; i < groups_.size() && !time_is_up(); ++i) {
    progress(i, groups_.size());
    measured_[i] = measure_group(groups_[i]);
  }
  const double end = now_seconds(), enough = end + kAgain * (end - begin);
  for (size_t i = 0; i < groups_.size() && !time_is_up() && now_seconds() < enough; ++i)
    if (measured_[i].noisy() > 0) measure_again(i);
  progress(groups_.size(), groups_.size());
}

void BenchVerb::describe_load(const ProcessorTimes& before, double load_before) {
  const ProcessorTimes after = ProcessorTimes::now();
  const double all = after.busy + after.idle + after.stolen - before.busy - before.idle - before.stolen;
  report_.machine["drift"] = ceilings_.drift();
  report_.machine["load average"] = fmt::format("{:.2f} before, {:.2f} after", load_before, load_average());
  if (all > 0)
    report_.machine["processors"] = fmt::format("{:.0f} % busy, {:.1f} % taken by the hypervisor", 100 * (after.busy - before.busy) / all,
                                                100 * (after.stolen - before.stolen) / all);
}

// Those of the machine, and of each device, as results of a subject of its own.
void BenchVerb::tell_ceilings() {
  const auto tell = [this](Subject subject, const auto& ceilings) {
    const std::vector<Result> of = ceilings.results(static_cast<uint32_t>(report_.subjects.size()));
    report_.subjects.push_back(std::move(subject));
    report_.results.insert(report_.results.end(), of.begin(), of.end());
  };
  for (size_t group = 0; group < groups_.size(); ++group) {
    Measured& measured = measured_[group];
    for (size_t i = 0; i < groups_[group].size(); ++i) {
      const BenchMeasurement& m = *groups_[group][i].measurement;
      report_.results.push_back(measured.results.empty() ? out_of_time(m) : std::move(measured.results[i]));
      Result& result = report_.results.back();
      const std::optional<DeviceCeilings>& device = subjects_[m.subject].device;
      if (!m.device) tell_share(ceilings_.bound(m, measured.memory), ceilings_.outer_bound(m), result);
      else if (device) tell_share(device->bound(m), device->outer_bound(m), result);
      if (!measured.changed || result.outcome != Outcome::pass || result.measures["share"] < kWaitsForMemory) continue;
      result.outcome = result.raw = Outcome::inconclusive;
      result.message = "too noisy to be used: memory was not as fast after it as before";
    }
  }
  tell({"this machine", "", "machine", ""}, ceilings_);
  for (const BenchSubject& subject : subjects_) {
    const DeviceDescription& d = subject.description.device;
    if (subject.device && !subject.device->problem().empty())
      report_.machine["ceilings of " + subject.description.name] = subject.device->problem();
    if (subject.device) tell({d.name.empty() ? d.interface : d.name, d.driver, "device", subject.launch.locator}, *subject.device);
  }
}

int BenchVerb::report() {
  for (const auto& [format, file] : outputs_) {
    if (file.empty()) {
      Style style = style_;
      style.colour = isatty(STDOUT_FILENO) != 0;
      format->write(report_, std::cout, style);
      std::cout.flush();
      continue;
    }
    std::ofstream out(file, std::ios::binary);
    format->write(report_, out, style_);
    if (out.flush()) continue;
    fmt::print(stderr, "gguf-cts bench: {}: cannot be written\n", escape_terminal(file));
    return kUsageError;
  }
  size_t timed = 0, bad = 0;
  for (const Result& r : report_.results) {
    if (!r.case_id.starts_with("bench/")) continue;
    timed += r.outcome == Outcome::pass;
    bad += is_bad(r.outcome) && r.outcome != Outcome::inconclusive;
  }
  if (bad > 0) return 1;
  if (timed > 0) return 0;
  fmt::print(stderr, "gguf-cts bench: nothing was measured that could be used\n");
  return 3;
}

int BenchVerb::run(int argc, char** argv) {
  if (const auto status = check()) return *status;
  if (const auto status = open_subjects()) return *status;
  const double load = load_average();
  start_ = now_seconds();
  const ProcessorTimes before = ProcessorTimes::now();
  report_.suite_version = GCTS_VERSION;
  report_.profile = "speed";
  report_.tier = tier_name(tier_);
  report_.started = utc_now();
  report_.machine.merge(machine_description());
  report_.command = shell_word(invoked_as());
  for (int i = 0; i < argc; ++i) report_.command += " " + shell_word(argv[i]);
  plan();
  if (plan_.empty() && readers_.empty()) {
    fmt::print(stderr, "gguf-cts bench: no measurement matches the selection\n");
    return 3;
  }
  if (const auto status = measure_ceilings()) return *status;
  ceilings_seconds_ = now_seconds() - start_;
  if (given_.self_test) return run_bench_twins(plan_, [this](uint32_t s) -> BenchWorker& { return worker_of(s); }, ceilings_.ring_bytes(), std::cout);
  measure();
  // Again, unless time is up: the best counts, the difference tells of drift.
  if (budget_ == 0 || now_seconds() - start_ < budget_)
    if (const auto status = measure_ceilings()) return *status;
  tell_ceilings();
  std::stable_sort(report_.results.begin(), report_.results.end(), [](const Result& a, const Result& b) { return a.subject < b.subject; });
  describe_load(before, load);
  report_.wall_seconds = now_seconds() - start_;
  return report();
}

}  // namespace

int verb_bench(int argc, char** argv) {
  BenchOptions given;
  Options options("bench", "[options]", "Measures kernels and readers against what this machine can do.");
  options.values("plugin", given.plugins, "LIB", "a plugin to measure (default: the kernels of cpu and ggml, and all readers)");
  options.values("run", given.run, "GLOB", "what to measure: ids, leading parts of ids, or globs, as bench/vec_dot/q4_0");
  options.values("skip", given.skip, "GLOB", "what to leave out");
  options.value("tier", given.tier, "TIER", "smoke, full or exhaustive (default: smoke)");
  options.number("threads", given.threads, "N", "most threads (default: one a processor)");
  options.value("time-budget", given.time_budget, "T", "start no kernel after T, less what the last look at the ceilings takes: 90s, 5m, 1h");
  options.values("format", given.formats, "NAME[:FILE]", "how to report, and where to (default: speed)");
  options.value("baseline", given.baseline, "FILE", "an earlier run (its JSON Lines) that the html page compares with");
  options.flag("self-test", given.self_test, "compare 20 kernels with themselves and with slower twins, to see what this machine can tell apart");
  std::string formats = "Formats:";
  for (const Format& format : gcts::formats()) formats += fmt::format("\n  {:<10} {}", format.name, format.description);
  options.note(formats);
  options.note("Ends 0 if all is well, 1 if a kernel computes something wrong, crashes or is INVALID, 2 if the run\n"
               "could not be done, 3 if nothing was measured that could be used.");
  if (const auto status = options.parse(argc, argv)) return *status;
  return BenchVerb(options, given).run(argc, argv);
}

}  // namespace gcts
