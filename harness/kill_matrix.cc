// Two passes over the faults: the named cases, which decide, then all the others, which
// fill the matrix and stop early where a fault makes every case hang.

#include "harness/kill_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/fault_table.h"
#include "harness/format_suite.h"

namespace gcts {
namespace {

// A case of the self-test is small: a fault that hangs is told by a second of CPU time
// and one that takes memory by 256 MiB.  Wall time is longer, for a machine under load.
constexpr Limits kLimits{.wall_seconds = 5, .cpu_seconds = 1, .memory_bytes = 256u << 20};
constexpr uint64_t kMostCostly = 2;       // hangs of one fault: more tell nothing new
constexpr size_t kControlsPerTarget = 3;  // faults, of those that are told by a verdict
constexpr size_t kControlCases = 8;

bool is_format(const FaultRow& fault) { return fault.check.starts_with("format/"); }

class SelfTest {
 public:
  SelfTest(const SelfTestOptions& options, std::vector<const FaultRow*> faults)
      : options_(options), faults_(std::move(faults)) {
    for (const FaultRow* fault : faults_) {
      if (std::find(targets_.begin(), targets_.end(), fault->target) == targets_.end()) targets_.push_back(fault->target);
    }
    // Mutated files change with the seed: what they catch is no promise about a fault.
    CaseRequest everything;
    everything.selection.skip = {"format/mutated"};
    everything.tier = Tier::full;
    collect_cases(everything, cases_);
  }

  bool prepare(std::string& error);
  void run_named(size_t most_cases = SIZE_MAX);
  void run_others();
  std::vector<FaultResult> results() const;

 private:
  // Subjects: the faults, then the healthy twins.
  size_t twin_of(const FaultRow& fault) const {
    const auto at = std::find(targets_.begin(), targets_.end(), fault.target) - targets_.begin();
    return faults_.size() + static_cast<size_t>(at);
  }
  void run();
  std::vector<const Case*> named_cases(const FaultRow& fault, size_t most) const;

  const SelfTestOptions& options_;
  std::vector<const FaultRow*> faults_;
  std::vector<std::string_view> targets_;
  CaseList cases_;
  std::vector<SuiteSubject> subjects_;
  std::map<std::pair<size_t, std::string>, Result> outcomes_;  // by subject and case
};

std::vector<const Case*> SelfTest::named_cases(const FaultRow& fault, size_t most) const {
  std::vector<const Case*> named;
  for (const Case* c : cases_.all()) {
    if (named.size() < most && selects(fault.check, c->id)) named.push_back(c);
  }
  return named;
}

bool SelfTest::prepare(std::string& error) {
  const auto add = [&](std::string setting) {
    SuiteSubject subject;
    subject.launch.locator = options_.library;
    subject.launch.environment = suite_environment("spec", false);
    subject.launch.environment.push_back(std::move(setting));
    subject.launch.limits = kLimits;
    subjects_.push_back(std::move(subject));
  };
  for (const FaultRow* fault : faults_) add(fault_setting(*fault));
  for (std::string_view target : targets_) add(healthy_setting(target));
  for (size_t i = 0; i < subjects_.size(); ++i) {
    std::string why;
    if (launch(subjects_[i].launch)->describe(subjects_[i].description, why)) continue;
    // Only the twins have to load: a fault may be that the library does not.
    if (i < faults_.size()) continue;
    error = options_.library + ": " + why;
    return false;
  }
  return true;
}

void SelfTest::run() {
  SuiteOptions suite;
  suite.jobs = options_.jobs;
  suite.most_costly = kMostCostly;
  suite.progress = options_.progress;
  for (Result& result : run_format_suite(subjects_, {}, suite)) {
    outcomes_[{result.subject, result.case_id}] = std::move(result);
  }
}

void SelfTest::run_named(size_t most_cases) {
  std::vector<std::set<const Case*>> of_twin(subjects_.size());
  for (size_t i = 0; i < faults_.size(); ++i) {
    subjects_[i].cases = named_cases(*faults_[i], most_cases);
    of_twin[twin_of(*faults_[i])].insert(subjects_[i].cases.begin(), subjects_[i].cases.end());
  }
  for (size_t i = faults_.size(); i < subjects_.size(); ++i) subjects_[i].cases.assign(of_twin[i].begin(), of_twin[i].end());
  run();
}

void SelfTest::run_others() {
  for (size_t i = 0; i < subjects_.size(); ++i) {
    subjects_[i].cases.clear();
    const std::string_view target = i < faults_.size() ? faults_[i]->target : targets_[i - faults_.size()];
    for (const Case* c : cases_.all()) {
      const bool fits = target == "writer" ? c->kind == CaseKind::write : c->kind == CaseKind::read;
      if (fits && c->size == CaseSize::small && !outcomes_.contains({i, c->id})) subjects_[i].cases.push_back(c);
    }
  }
  run();
}

std::vector<FaultResult> SelfTest::results() const {
  std::vector<FaultResult> out;
  for (size_t i = 0; i < faults_.size(); ++i) {
    const FaultRow& fault = *faults_[i];
    FaultResult result;
    result.fault = fault.name;
    result.named_check = fault.check;
    result.modelled_on = fault.modelled_on;
    std::map<std::string, size_t> rules;
    std::string twin_failure;
    size_t named = 0, failed = 0;
    for (auto at = outcomes_.lower_bound({i, ""}); at != outcomes_.end() && at->first.first == i; ++at) {
      const Result& with_fault = at->second;
      const auto twin = outcomes_.find({twin_of(fault), with_fault.case_id});
      const bool twin_passes = twin != outcomes_.end() && twin->second.raw == Outcome::pass;
      const bool bad = is_bad(with_fault.raw) && with_fault.raw != Outcome::inconclusive;
      if (bad && twin_passes) ++rules[with_fault.rule];
      const bool skipped = with_fault.raw == Outcome::skip && (twin == outcomes_.end() || twin->second.raw == Outcome::skip);
      if (!selects(fault.check, with_fault.case_id) || skipped) continue;
      ++named;
      failed += bad && twin_passes;
      if (!twin_passes && twin_failure.empty()) {
        twin_failure = fmt::format("the healthy twin does not pass {}: {}", with_fault.case_id,
                                   twin == outcomes_.end() ? "not run" : twin->second.message);
      }
    }
    for (const auto& [rule, count] : rules) result.caught_by.push_back(rule);
    result.caught = failed > 0 && twin_failure.empty();
    if (named == 0) result.message = "the check selects no case that runs";
    else if (!twin_failure.empty()) result.message = twin_failure;
    else if (failed == 0) result.message = fmt::format("all {} cases of the check pass with the fault", named);
    else result.message = fmt::format("{} of {} cases of the check fail", failed, named);
    out.push_back(std::move(result));
  }
  return out;
}

}  // namespace

bool run_self_test(const SelfTestOptions& options, std::vector<FaultResult>& out, std::string& error) {
  std::vector<const FaultRow*> faults;
  for (const FaultRow& fault : fault_rows()) {
    if (is_format(fault) && options.faults.contains("fault/" + std::string(fault.name))) faults.push_back(&fault);
  }
  SelfTest test(options, std::move(faults));
  if (!test.prepare(error)) return false;
  test.run_named();
  test.run_others();
  out = test.results();
  return true;
}

std::string run_positive_controls(const std::string& library) {
  std::map<std::string_view, size_t> taken;
  std::vector<const FaultRow*> faults;
  for (const FaultRow& fault : fault_rows()) {
    const bool by_verdict = fault.check.starts_with("format/invalid") || fault.check.starts_with("format/valid") ||
                            fault.check.starts_with("format/write");
    if (by_verdict && taken[fault.target] < kControlsPerTarget) {
      ++taken[fault.target];
      faults.push_back(&fault);
    }
  }
  SelfTestOptions options;
  options.library = library;
  SelfTest test(options, std::move(faults));
  std::string error;
  if (!test.prepare(error)) return "the positive controls cannot run: " + error;
  test.run_named(kControlCases);
  for (const FaultResult& result : test.results()) {
    if (!result.caught) {
      return fmt::format("a positive control was missed: {} by {}: {}", result.fault, result.named_check, result.message);
    }
  }
  return "";
}

}  // namespace gcts
