// What can be said about a quantity that was measured many times, and about two.
//
// No distribution is assumed: a machine's times have a long tail to one side.  A median
// has an interval from the order statistics around it; the ratio of two medians has one
// from the ratios of all pairs (Hodges and Lehmann) or, where the two were measured in
// turns, from the ratio of each turn, so that what slows both cancels.

#ifndef GCTS_REPORTS_STATISTICS_H_
#define GCTS_REPORTS_STATISTICS_H_

#include <span>
#include <string_view>
#include <vector>

namespace gcts {

// An estimate and where the true value lies with a confidence of 95 %, or as much of
// it as the number of samples allows.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;

  // Half the width of the interval as a share of the value.
  double spread() const { return value > 0 ? (high - low) / (2 * value) : 0; }
};

// q in [0, 1] of values in ascending order, between neighbours by proportion; 0 of none.
double quantile(std::span<const double> sorted, double q);

Estimate median(std::vector<double> samples);

// second / first.
Estimate ratio_of_pairs(std::span<const double> first, std::span<const double> second);  // sizes are equal
Estimate ratio_of_medians(std::span<const double> first, std::span<const double> second);

// What a ratio of times says, given the change that matters (0.05: 5 %).
enum class SpeedVerdict {
  same,    // surely less than twice the change that matters, and likely less than it
  slower,  // surely slower, and by at least that
  faster,
  noisy,   // the interval is too wide to tell
};
SpeedVerdict verdict(const Estimate& ratio, double threshold);
std::string_view verdict_name(SpeedVerdict verdict);

}  // namespace gcts

#endif  // GCTS_REPORTS_STATISTICS_H_
