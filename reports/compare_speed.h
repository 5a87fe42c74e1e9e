// Compares speeds: of two runs, or of two implementations in one run.
//
// Runs are matched by implementation and id; a ratio has the interval of unpaired samples.
// Implementations in one run are matched by what was measured, the fastest usable variant of
// each; they took turns, and the ratio has the interval of pairs.  A ratio is of times:
// above 1 the second is slower.

#ifndef GCTS_REPORTS_COMPARE_SPEED_H_
#define GCTS_REPORTS_COMPARE_SPEED_H_

#include <iosfwd>
#include <string>
#include <vector>

#include "reports/report.h"
#include "reports/statistics.h"

namespace gcts {

struct SpeedChange {
  std::string name;     // implementation and id
  SpeedVerdict verdict = SpeedVerdict::noisy;
  Estimate ratio;
  double before_ns = 0, after_ns = 0;
};

struct SpeedComparison {
  double threshold = 0.05;
  std::string first, second;          // what the two are called
  std::vector<SpeedChange> changes;   // the slowest first
  std::vector<std::string> lost;      // a speed before, none after
  std::vector<std::string> notes;

  bool empty() const { return changes.empty() && lost.empty(); }
  size_t count(SpeedVerdict verdict) const;
  // Geometric mean of the ratios that are not too noisy; 0 if there are none.
  double mean_ratio() const;
  bool regressed() const { return count(SpeedVerdict::slower) > 0 || !lost.empty(); }
};

SpeedComparison compare_speeds(const Report& before, const Report& after, double threshold);

// Implementations by name, by "name version", or by number: "#0".  False and why if
// there is none or more than one.
bool compare_implementations(const Report& run, const std::string& first, const std::string& second, double threshold,
                             SpeedComparison& out, std::string& error);

void write_speed_comparison(const SpeedComparison& comparison, const Style& style, std::ostream& out);

}  // namespace gcts

#endif  // GCTS_REPORTS_COMPARE_SPEED_H_
