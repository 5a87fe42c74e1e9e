// The format suite: cases of reading, writing and resources on implementations.
//
// Every selected case runs on every subject.  A case that must be rejected brings its
// valid parent along: the parent runs first, once a subject, and where it is not
// accepted a reject proves nothing and is inconclusive.  Results come in the order of
// subjects and case ids, whatever ran where.

#ifndef GCTS_HARNESS_FORMAT_SUITE_H_
#define GCTS_HARNESS_FORMAT_SUITE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/case_source.h"
#include "harness/clock.h"
#include "harness/implementation.h"
#include "reports/report.h"

namespace gcts {

struct SuiteSubject {
  Launch launch;
  Description description;
  std::string repro_prefix;  // the command line up to "--run ID"
  std::vector<const Case*> cases;  // of this subject alone, beside those of the run
};

inline constexpr double kCostlySeconds = 0.2;

struct SuiteOptions {
  Profile profile = Profile::builtin(BuiltinProfile::spec);
  bool strict = false;
  uint64_t jobs = 1;
  double time_budget = 0;  // seconds from `started`, of all suites together; 0: none
  double started = now_seconds();
  // After this many bad cases that took kCostlySeconds a subject's other cases are
  // skipped; 0: never.
  uint64_t most_costly = 0;
  bool isolate = false;  // every case, after its parent, in a process of its own
  std::function<void(size_t done, size_t total)> progress;  // from any thread

  bool out_of_time() const { return time_budget > 0 && now_seconds() - started > time_budget; }
};

// Runs `cases` on `subjects`.  One Result each, Result::subject being the index into
// `subjects`.  Parents that are not among `cases` run but are not reported.
std::vector<Result> run_format_suite(const std::vector<SuiteSubject>& subjects,
                                     const std::vector<const Case*>& cases, const SuiteOptions& options);

// The environment in which an implementation sees a run: the profile that it is judged
// by, for readers that know more than one.
std::vector<std::string> suite_environment(const std::string& profile, bool strict);

}  // namespace gcts

#endif  // GCTS_HARNESS_FORMAT_SUITE_H_
