// Intervals hold what they claim on samples whose truth is known.

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <random>

#include "reports/statistics.h"

namespace gcts {
namespace {

BOOST_AUTO_TEST_SUITE(statistics)

// Times as machines have them: a floor, a little jitter, now and then much more; and a
// drift that two interleaved kernels share.
class Times {
 public:
  explicit Times(uint32_t seed) : random_(seed) {}
  double next(double floor, double drift = 1) {
    std::exponential_distribution<double> jitter(50);  // 2 % in the mean
    std::uniform_real_distribution<double> chance(0, 1);
    return floor * drift * (1 + jitter(random_) + (chance(random_) < 0.05 ? 0.5 * chance(random_) : 0));
  }
  double normal() { return std::normal_distribution<double>()(random_); }

 private:
  std::mt19937 random_;
};

struct Pair {
  std::vector<double> first, second;
};
Pair interleaved(uint32_t seed, double factor, size_t rounds, double drift_step) {
  Times times(seed);
  Pair out;
  double drift = 1;
  for (size_t i = 0; i < rounds; ++i) {
    drift *= 1 + drift_step * times.normal();
    out.first.push_back(times.next(100, drift));
    out.second.push_back(times.next(100 * factor, drift));
  }
  return out;
}

BOOST_AUTO_TEST_CASE(quantiles_interpolate) {
  const std::vector<double> sorted{1, 2, 3, 4, 5};
  BOOST_TEST(quantile(sorted, 0) == 1);
  BOOST_TEST(quantile(sorted, 0.5) == 3);
  BOOST_TEST(quantile(sorted, 0.125) == 1.5);
  BOOST_TEST(quantile(sorted, 1) == 5);
  BOOST_TEST(quantile({}, 0.5) == 0);
}

BOOST_AUTO_TEST_CASE(ranks_are_those_of_the_tables) {
  // Published ranks of the 95 % interval of a median: n = 6: 1, 10: 2, 20: 6, 50: 18.
  for (const auto& [n, rank] : {std::pair<size_t, size_t>{6, 1}, {10, 2}, {20, 6}, {50, 18}}) {
    std::vector<double> samples;
    for (size_t i = 1; i <= n; ++i) samples.push_back(static_cast<double>(i));
    const Estimate e = median(samples);
    BOOST_TEST(e.low == static_cast<double>(rank));
    BOOST_TEST(e.high == static_cast<double>(n + 1 - rank));
  }
}

BOOST_AUTO_TEST_CASE(few_samples_give_all_that_there_is) {
  const Estimate e = median({3, 1, 2});
  BOOST_TEST(e.value == 2);
  BOOST_TEST(e.low == 1);
  BOOST_TEST(e.high == 3);
  BOOST_TEST(median({}).value == 0);
}

BOOST_AUTO_TEST_CASE(the_interval_holds_the_median_nineteen_times_in_twenty) {
  // The median of the exponential distribution with rate 1 is ln 2.
  std::mt19937 random(1);
  std::exponential_distribution<double> draw(1);
  size_t held = 0;
  constexpr size_t kTries = 2000;
  for (size_t i = 0; i < kTries; ++i) {
    std::vector<double> samples(25);
    for (double& s : samples) s = draw(random);
    const Estimate e = median(std::move(samples));
    held += e.low <= std::log(2.0) && std::log(2.0) <= e.high;
  }
  BOOST_TEST(held >= kTries * 94 / 100);
  BOOST_TEST(held <= kTries * 99 / 100);  // and is no wider than it has to be
}

BOOST_AUTO_TEST_CASE(the_interval_of_a_ratio_holds_the_ratio) {
  size_t paired = 0, unpaired = 0;
  constexpr size_t kTries = 500;
  for (uint32_t i = 0; i < kTries; ++i) {
    const Pair p = interleaved(i, 1.03, 25, 0);
    const Estimate a = ratio_of_pairs(p.first, p.second), b = ratio_of_medians(p.first, p.second);
    paired += a.low <= 1.03 && 1.03 <= a.high;
    unpaired += b.low <= 1.03 && 1.03 <= b.high;
  }
  BOOST_TEST(paired >= kTries * 93 / 100);
  BOOST_TEST(unpaired >= kTries * 93 / 100);
}

BOOST_AUTO_TEST_CASE(drift_that_both_share_cancels) {
  // Each round the machine's speed changes by 5 % or so: the medians say little, the pairs much.
  double paired = 0, unpaired = 0;
  for (uint32_t i = 0; i < 50; ++i) {
    const Pair p = interleaved(i, 1, 40, 0.05);
    paired += ratio_of_pairs(p.first, p.second).spread();
    unpaired += ratio_of_medians(p.first, p.second).spread();
  }
  BOOST_TEST(paired < unpaired / 2);
}

BOOST_AUTO_TEST_CASE(a_build_is_the_same_as_itself_and_ten_percent_is_seen) {
  size_t same = 0, slower = 0, faster = 0;
  constexpr size_t kTries = 400;
  for (uint32_t i = 0; i < kTries; ++i) {
    const Pair self = interleaved(i, 1, 40, 0.02), slowed = interleaved(i + kTries, 1.1, 40, 0.02);
    same += verdict(ratio_of_pairs(self.first, self.second), 0.05) == SpeedVerdict::same;
    slower += verdict(ratio_of_pairs(slowed.first, slowed.second), 0.05) == SpeedVerdict::slower;
    faster += verdict(ratio_of_pairs(slowed.second, slowed.first), 0.05) == SpeedVerdict::faster;
  }
  BOOST_TEST(same >= kTries * 19 / 20);
  BOOST_TEST(slower >= kTries * 19 / 20);
  BOOST_TEST(faster >= kTries * 19 / 20);
}

BOOST_AUTO_TEST_CASE(verdicts_at_their_edges) {
  BOOST_TEST((verdict({1.0, 0.98, 1.02}, 0.05) == SpeedVerdict::same));
  BOOST_TEST((verdict({1.04, 1.03, 1.06}, 0.05) == SpeedVerdict::same));     // slower, but not by what matters
  BOOST_TEST((verdict({1.06, 1.01, 1.2}, 0.05) == SpeedVerdict::slower));
  BOOST_TEST((verdict({0.93, 0.9, 0.99}, 0.05) == SpeedVerdict::faster));
  BOOST_TEST((verdict({1.06, 0.97, 1.2}, 0.05) == SpeedVerdict::noisy));     // may be neither
  BOOST_TEST((verdict({1.0, 0.8, 1.25}, 0.05) == SpeedVerdict::noisy));
  BOOST_TEST((verdict(Estimate{}, 0.05) == SpeedVerdict::noisy));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace gcts
