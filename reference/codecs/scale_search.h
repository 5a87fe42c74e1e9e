// Chooses scales and codes for types whose value is d * level * code: one f16 d a block, one
// integer level a run of values, one code a value (Q3_K, Q6_K, IQ4_XS).
//
// 1. Each run by itself: for every trial scale the nearest codes, and for these codes the
//    scale of least squares; the scale with the least error is the run's ideal.
// 2. The block: trial values of d put the largest ideal at one of several levels.  For each
//    d every run takes, of the levels around its ideal, the one with the least error.
// 3. From the best trial on, d is fitted to the codes by least squares and the levels are
//    chosen anew, as long as the error falls.
//
// All in f32, in a fixed order; d has been rounded to f16 wherever an error is taken.

#ifndef GCTS_REFERENCE_CODECS_SCALE_SEARCH_H_
#define GCTS_REFERENCE_CODECS_SCALE_SEARCH_H_

#include <array>
#include <cmath>
#include <limits>

#include "reference/codecs/lanes.h"
#include "reference/codecs/search_block.h"

namespace gcts {

// Codes that are the integers from kLow to kHigh.
template <int kLow, int kHigh>
struct IntegerCodes {
  static constexpr float kLargestMagnitude = kHigh > -kLow ? kHigh : -kLow;
  static float nearest(float ratio) {
    ratio = ratio > static_cast<float>(kLow) ? ratio : static_cast<float>(kLow);
    ratio = ratio < static_cast<float>(kHigh) ? ratio : static_cast<float>(kHigh);
    return nearest_integer(ratio);
  }
  static uint8_t code(float ratio) { return static_cast<uint8_t>(static_cast<int>(nearest(ratio)) - kLow); }
};

struct ScaleSearchOptions {
  int level_low;  // the levels a block can store
  int level_high;
  int reach;         // levels tried on each side of the ideal
  float trial_step;  // step between trial scales, in codes
  int trials;        // trial scales on each side of the one that uses all codes
  int top_levels;    // trial values of d
};

template <size_t kRun, class Codes>
class ScaleSearch {
 public:
  static constexpr size_t kRuns = 256 / kRun;

  ScaleSearch(const SearchBlock& block, const ScaleSearchOptions& options)
      : block_(block), options_(options) {}

  // The best d, a level a run.
  struct Result {
    SearchBlock::Scale d;
    std::array<int, kRuns> levels;
    double error = std::numeric_limits<double>::infinity();
  };

  Result run() {
    for (size_t k = 0; k < kRuns; ++k) ideal_[k] = ideal_scale(k);
    const float largest = largest_signed(ideal_.data(), kRuns);
    Result best = {};
    const int top = -options_.level_low > options_.level_high ? options_.level_low : options_.level_high;
    for (int i = 0; i < options_.top_levels; ++i) {
      const int level = top < 0 ? top + i : top - i;
      const Result trial = choose_levels(block_.nearest_scale(largest / static_cast<float>(level)));
      if (trial.error < best.error) best = trial;
    }
    for (int i = 0; i < 4; ++i) {
      const Result trial = choose_levels(block_.nearest_scale(fitted_scale(best)));
      if (!(trial.error < best.error)) break;
      best = trial;
    }
    return best;
  }

  // The codes of run k at scale d * level.
  void codes(size_t k, float scale, uint8_t* out) const {
    const float inverse = search_inverse(scale);
    for (size_t j = 0; j < kRun; ++j) out[j] = Codes::code(block_.x[kRun * k + j] * inverse);
  }

 private:
  float error_at(size_t k, float scale) const {
    const float* x = block_.x + kRun * k;
    const float* w = block_.w + kRun * k;
    const float inverse = search_inverse(scale);
    Lanes error;
    for (size_t j = 0; j < kRun; j += 8) {
      for (size_t n = 0; n < 8; ++n) {
        const float rest = x[j + n] - scale * Codes::nearest(x[j + n] * inverse);
        error.lane[n] += w[j + n] * rest * rest;
      }
    }
    return error.sum();
  }

  // The sums of w x q and w q^2 over run k, for the codes q at this scale.
  struct Moments {
    float xq;
    float qq;
  };
  Moments moments_at(size_t k, float scale) const {
    const float* x = block_.x + kRun * k;
    const float* w = block_.w + kRun * k;
    const float inverse = search_inverse(scale);
    Lanes xq, qq;
    for (size_t j = 0; j < kRun; j += 8) {
      for (size_t n = 0; n < 8; ++n) {
        const float q = Codes::nearest(x[j + n] * inverse);
        const float wq = w[j + n] * q;
        xq.lane[n] += wq * x[j + n];
        qq.lane[n] += wq * q;
      }
    }
    return {xq.sum(), qq.sum()};
  }

  // The error of codes with these moments at their best scale is sum w x^2 - xq^2 / qq.
  float ideal_scale(size_t k) const {
    float largest = 0;
    for (size_t j = 0; j < kRun; ++j) largest = std::fmax(largest, std::fabs(block_.x[kRun * k + j]));
    if (largest < 0x1p-60f) return 0;
    float best_gain = 0;
    float best = 0;
    for (int trial = -options_.trials; trial <= options_.trials; ++trial) {
      const float codes = Codes::kLargestMagnitude + options_.trial_step * static_cast<float>(trial);
      for (const float scale : {-largest / codes, largest / codes}) {
        const Moments sums = moments_at(k, scale);
        if (!(sums.qq > 0)) continue;
        const float gain = sums.xq / sums.qq * sums.xq;
        if (gain > best_gain) {
          best_gain = gain;
          best = sums.xq / sums.qq;
        }
      }
    }
    return best;
  }

  Result choose_levels(SearchBlock::Scale d) const {
    Result result = {d, {}, 0};
    if (d.value == 0) return {d, {}, std::numeric_limits<double>::infinity()};
    for (size_t k = 0; k < kRuns; ++k) {
      const float ratio = ideal_[k] / d.value;
      const int centre = static_cast<int>(nearest_integer(std::fmin(std::fmax(ratio, -200.0f), 200.0f)));
      float least = std::numeric_limits<float>::infinity();
      for (int level = centre - options_.reach; level <= centre + options_.reach; ++level) {
        const int legal = level < options_.level_low    ? options_.level_low
                          : level > options_.level_high ? options_.level_high
                                                        : level;
        const float error = error_at(k, d.value * static_cast<float>(legal));
        if (error < least) {
          least = error;
          result.levels[k] = legal;
        }
      }
      result.error += least;
    }
    return result;
  }

  float fitted_scale(const Result& result) const {
    double xq = 0;
    double qq = 0;
    for (size_t k = 0; k < kRuns; ++k) {
      const float level = static_cast<float>(result.levels[k]);
      const Moments sums = moments_at(k, result.d.value * level);
      xq += sums.xq * level;
      qq += sums.qq * level * level;
    }
    return qq > 0 ? static_cast<float>(xq / qq) : result.d.value;
  }

  const SearchBlock& block_;
  const ScaleSearchOptions options_;
  std::array<float, kRuns> ideal_;
};

}  // namespace gcts

#endif  // GCTS_REFERENCE_CODECS_SCALE_SEARCH_H_
