// Order statistics and what follows from them.

#include "reports/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace gcts {
namespace {

constexpr double kConfidence = 0.95;
constexpr double kNormalQuantile = 1.959964;  // of (1 + kConfidence) / 2

// The largest rank r for which the interval from the r-th smallest to the r-th largest of
// n samples holds the median with the confidence wanted; 0 where even all of them do
// less.  The number of samples below the median is binomial with probability 1/2.
size_t median_rank(size_t n) {
  const double tail = (1 - kConfidence) / 2;
  const double log_half = -static_cast<double>(n) * std::log(2.0);
  double below = 0;
  for (size_t i = 0; i < n; ++i) {
    const double log_ways = std::lgamma(static_cast<double>(n) + 1) - std::lgamma(static_cast<double>(i) + 1) -
                            std::lgamma(static_cast<double>(n - i) + 1);
    below += std::exp(log_ways + log_half);
    if (below > tail) return i;
  }
  return 0;
}

Estimate around_median(std::span<const double> sorted, size_t rank) {
  Estimate out;
  if (sorted.empty()) return out;
  out.value = quantile(sorted, 0.5);
  const size_t from = rank > 0 ? rank - 1 : 0;
  out.low = sorted[from];
  out.high = sorted[sorted.size() - 1 - from];
  return out;
}

}  // namespace

double quantile(std::span<const double> sorted, double q) {
  if (sorted.empty()) return 0;
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(at);
  if (below + 1 >= sorted.size()) return sorted.back();
  const double part = at - static_cast<double>(below);
  return sorted[below] + part * (sorted[below + 1] - sorted[below]);
}

Estimate median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return around_median(samples, median_rank(samples.size()));
}

Estimate ratio_of_pairs(std::span<const double> first, std::span<const double> second) {
  std::vector<double> ratios;
  for (size_t i = 0; i < std::min(first.size(), second.size()); ++i) {
    if (first[i] > 0) ratios.push_back(second[i] / first[i]);
  }
  return median(std::move(ratios));
}

Estimate ratio_of_medians(std::span<const double> first, std::span<const double> second) {
  std::vector<double> ratios;
  ratios.reserve(first.size() * second.size());
  for (const double a : first)
    for (const double b : second)
      if (a > 0) ratios.push_back(b / a);
  std::sort(ratios.begin(), ratios.end());
  // The rank at which the Mann-Whitney statistic leaves its 95 %.
  const double n = static_cast<double>(first.size()), m = static_cast<double>(second.size());
  const double rank = n * m / 2 - kNormalQuantile * std::sqrt(n * m * (n + m + 1) / 12);
  return around_median(ratios, rank > 1 ? static_cast<size_t>(rank) : 0);
}

SpeedVerdict verdict(const Estimate& ratio, double threshold) {
  if (!(ratio.value > 0)) return SpeedVerdict::noisy;
  const double step = 1 + threshold, most = 1 + 2 * threshold;
  if (ratio.low > 1 && ratio.value >= step) return SpeedVerdict::slower;
  if (ratio.high < 1 && ratio.value <= 1 / step) return SpeedVerdict::faster;
  const bool likely = ratio.value < step && ratio.value > 1 / step;
  return likely && ratio.high < most && ratio.low > 1 / most ? SpeedVerdict::same : SpeedVerdict::noisy;
}

std::string_view verdict_name(SpeedVerdict verdict) {
  constexpr std::string_view kNames[] = {"same", "slower", "faster", "too noisy"};
  return kNames[static_cast<size_t>(verdict)];
}

}  // namespace gcts
