// Compares two runs: what got better, what worse, which cases are new or gone.
//
// Subjects are matched by name, whatever their version: to compare two versions of
// an implementation is the point.  Each direction is told, and only what got worse
// is a regression:
//
//   worse     good before, bad after; or bad in a worse way (fail before, crash after)
//   better    the other way round
//   changed   another outcome, neither better nor worse (pass to skip, xfail to pass)
//   appeared  only in the second run; a regression if bad
//   vanished  only in the first run; a regression if it was good there, because a
//             gate that loses cases is no gate

#ifndef GCTS_REPORTS_COMPARE_H_
#define GCTS_REPORTS_COMPARE_H_

#include <iosfwd>
#include <string>
#include <vector>

#include "reports/report.h"

namespace gcts {

struct CaseChange {
  std::string subject;
  std::string case_id;
  std::string rule;          // "OFF-002 tensor_offset_aligned"
  Outcome before = Outcome::pass;   // not meaningful where the case appeared
  Outcome after = Outcome::pass;    // not meaningful where the case vanished
  std::string message;       // of the later run, of the earlier where the case vanished
  std::string repro;
};

struct Comparison {
  std::vector<CaseChange> worse, better, changed, appeared, vanished;
  uint64_t same = 0;
  std::vector<std::string> faults_lost;   // caught before, not after
  std::vector<std::string> faults_won;
  std::vector<std::string> subjects_gone;   // in the first run alone
  std::vector<std::string> subjects_added;
  std::vector<std::string> notes;           // the runs differ in profile, tier, seed, ...
  bool is_void = false;                     // one of the runs counts for nothing

  // True if the second run is worse in anything that counts.
  bool regressed() const;
};

Comparison compare(const Report& before, const Report& after);

void write_comparison(const Comparison& comparison, const Style& style, std::ostream& out);

}  // namespace gcts

#endif  // GCTS_REPORTS_COMPARE_H_
