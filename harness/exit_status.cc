// The exit status, decided in one place.

#include "harness/exit_status.h"

#include <algorithm>

namespace gcts {

int exit_status(const Report& report, const ExitTerms& terms) {
  constexpr int kGood = 0, kBad = 1, kVoid = 2, kNothingTested = 3;
  if (!report.void_reason.empty()) return kVoid;
  const auto& results = report.results;
  const auto bad = [](const Result& r) { return is_bad(r.outcome); };
  if (std::any_of(results.begin(), results.end(), bad)) return kBad;
  const auto missed = [](const FaultResult& f) { return !f.caught; };
  if (std::any_of(report.faults.begin(), report.faults.end(), missed)) return kBad;
  if (terms.selected == 0 && report.faults.empty()) return kNothingTested;
  const auto skipped = [](const Result& r) { return r.outcome == Outcome::skip; };
  const bool only_skips = !results.empty() && std::all_of(results.begin(), results.end(), skipped);
  return only_skips && !terms.allow_skip ? kNothingTested : kGood;
}

}  // namespace gcts
