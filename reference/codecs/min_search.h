// Chooses scales, minima and codes for types whose value is d * level * code - dmin * min_level:
// two f16 a block, two integer levels a run of values, one code a value (Q2_K, Q4_K,
// Q5_K).
//
// 1. Each run by itself: for every trial scale the nearest codes, and for these codes the
//    scale and minimum of least squares; those with the least error are the run's ideal.
// 2. The block: trial values of d and dmin put the largest ideal scale and minimum at one
//    of the highest levels.  For each pair every run takes, of the levels around its
//    ideal, those with the least error together.
// 3. From the best trial on, d and dmin are fitted to codes and levels by least squares and
//    the levels are chosen anew, as long as the error falls.
//
// A positive dmin can only extend the codes below zero.  Where a run has no value below or
// at zero, the whole search is also made with a negative dmin, and the better result counts.
//
// All in f32, in a fixed order; d and dmin have been rounded to f16 wherever an error of
// a block is taken.

#ifndef GCTS_REFERENCE_CODECS_MIN_SEARCH_H_
#define GCTS_REFERENCE_CODECS_MIN_SEARCH_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "reference/codecs/lanes.h"
#include "reference/codecs/search_block.h"

namespace gcts {

struct MinSearchOptions {
  int level_high;    // the highest level of scales and minima
  int reach;         // scale levels tried on each side of the ideal
  int min_reach;     // minimum levels tried on each side of what suits a scale level
  float trial_step;  // step between trial scales, in codes
  int trials_below;  // trial scales that use fewer than all codes by that many steps
  int trials_above;  // trial scales whose extreme values are clamped
  int top_levels;    // trial values of d, and of dmin
};

template <size_t kRun, int kHighestCode>
class MinSearch {
 public:
  static constexpr size_t kRuns = 256 / kRun;

  struct Result {
    SearchBlock::Scale d;
    SearchBlock::Scale dmin;
    std::array<int, kRuns> levels;
    std::array<int, kRuns> min_levels;
    double error = std::numeric_limits<double>::infinity();
  };

  MinSearch(const SearchBlock& block, const MinSearchOptions& options) : block_(block), options_(options) {}

  Result run() {
    const Result below = search(1);
    if (!has_positive_run()) return below;
    const Result above = search(-1);
    return above.error < below.error ? above : below;
  }

  // The codes of run k.
  void codes(size_t k, const Result& result, uint8_t* out) const {
    const float scale = result.d.value * static_cast<float>(result.levels[k]);
    const float minimum = result.dmin.value * static_cast<float>(result.min_levels[k]);
    const float inverse = search_inverse(scale);
    for (size_t j = 0; j < kRun; ++j)
      out[j] = static_cast<uint8_t>(nearest_code((block_.x[kRun * k + j] + minimum) * inverse));
  }

 private:
  // y = scale * code - minimum.
  struct Line {
    float scale = 0;
    float minimum = 0;
  };
  // Sums over a run of w, w x, w q, w q^2, w x q for the codes q of a line.
  struct Moments {
    float one, x, q, qq, xq;
  };

  static float nearest_code(float ratio) {
    ratio = ratio > 0 ? ratio : 0;
    ratio = ratio < static_cast<float>(kHighestCode) ? ratio : static_cast<float>(kHighestCode);
    return nearest_integer(ratio);
  }

  bool has_positive_run() const {
    for (size_t k = 0; k < kRuns; ++k)
      if (*std::min_element(block_.x + kRun * k, block_.x + kRun * (k + 1)) > 0) return true;
    return false;
  }

  float error_at(size_t k, Line line) const {
    const float* x = block_.x + kRun * k;
    const float* w = block_.w + kRun * k;
    const float inverse = search_inverse(line.scale);
    Lanes error;
    for (size_t j = 0; j < kRun; j += 8) {
      for (size_t n = 0; n < 8; ++n) {
        const float above = x[j + n] + line.minimum;
        const float rest = above - line.scale * nearest_code(above * inverse);
        error.lane[n] += w[j + n] * rest * rest;
      }
    }
    return error.sum();
  }

  Moments moments_at(size_t k, Line line) const {
    const float* x = block_.x + kRun * k;
    const float* w = block_.w + kRun * k;
    const float inverse = search_inverse(line.scale);
    Lanes one, wx, wq, qq, xq;
    for (size_t j = 0; j < kRun; j += 8) {
      for (size_t n = 0; n < 8; ++n) {
        const float q = nearest_code((x[j + n] + line.minimum) * inverse);
        const float weighted = w[j + n] * q;
        one.lane[n] += w[j + n];
        wx.lane[n] += w[j + n] * x[j + n];
        wq.lane[n] += weighted;
        qq.lane[n] += weighted * q;
        xq.lane[n] += weighted * x[j + n];
      }
    }
    return {one.sum(), wx.sum(), wq.sum(), qq.sum(), xq.sum()};
  }

  // The line of least squares for given codes, its minimum of the given sign or zero.
  static Line fitted_line(const Moments& sums, float sign) {
    const double determinant = double{sums.one} * sums.qq - double{sums.q} * sums.q;
    if (determinant > 1e-7 * sums.one * sums.qq) {
      const double scale = (double{sums.one} * sums.xq - double{sums.x} * sums.q) / determinant;
      const double minimum = (double{sums.q} * sums.xq - double{sums.qq} * sums.x) / determinant;
      if (scale > 0 && minimum * sign >= 0) return {static_cast<float>(scale), static_cast<float>(minimum)};
    }
    return {sums.qq > 0 && sums.xq > 0 ? sums.xq / sums.qq : 0.0f, 0.0f};
  }

  Line ideal_line(size_t k, float sign) const {
    const float* x = block_.x + kRun * k;
    const auto [low, high] = std::minmax_element(x, x + kRun);
    const float start = sign > 0 ? std::min(*low, 0.0f) : std::max(*low, 0.0f);
    const float range = *high - start;
    if (!(range > 0x1p-60f)) return {0, -start};
    Line best;
    float least = std::numeric_limits<float>::infinity();
    for (int trial = -options_.trials_below; trial <= options_.trials_above; ++trial) {
      const float steps = static_cast<float>(kHighestCode) + options_.trial_step * static_cast<float>(trial);
      const Line line = fitted_line(moments_at(k, {range / steps, -start}), sign);
      const float error = error_at(k, line);
      if (error < least) {
        least = error;
        best = line;
      }
    }
    const Line again = fitted_line(moments_at(k, best), sign);
    return error_at(k, again) < least ? again : best;
  }

  Result search(float sign) {
    float largest = 0;
    float largest_min = 0;
    for (size_t k = 0; k < kRuns; ++k) {
      ideal_[k] = ideal_line(k, sign);
      const Moments sums = moments_at(k, ideal_[k]);
      mean_code_[k] = sums.q / sums.one;
      largest = std::max(largest, ideal_[k].scale);
      largest_min = std::max(largest_min, std::fabs(ideal_[k].minimum));
    }
    Result best = {};
    for (int i = 0; i < options_.top_levels; ++i) {
      for (int j = 0; j < options_.top_levels; ++j) {
        const auto d = block_.nearest_scale(largest / static_cast<float>(options_.level_high - i));
        const auto dmin =
            block_.nearest_scale(sign * largest_min / static_cast<float>(options_.level_high - j));
        const Result trial = choose_levels(d, dmin);
        if (trial.error < best.error) best = trial;
      }
    }
    for (int i = 0; i < 4; ++i) {
      const Result trial = refit(best);
      if (!(trial.error < best.error)) break;
      best = trial;
    }
    return best;
  }

  int clamped_level(float ratio, int offset) const {
    const float wanted = nearest_integer(std::clamp(ratio, -1.0f, 100.0f)) + static_cast<float>(offset);
    return std::clamp(static_cast<int>(wanted), 0, options_.level_high);
  }

  // Where the scale level differs from the ideal, the minimum follows so that the mean stays.
  Result choose_levels(SearchBlock::Scale d, SearchBlock::Scale dmin) const {
    Result result = {d, dmin, {}, {}, 0};
    const float per_d = search_inverse(d.value);
    const float per_dmin = search_inverse(dmin.value);
    for (size_t k = 0; k < kRuns; ++k) {
      float least = std::numeric_limits<float>::infinity();
      for (int i = -options_.reach; i <= options_.reach; ++i) {
        const int level = clamped_level(ideal_[k].scale * per_d, i);
        const float scale = d.value * static_cast<float>(level);
        const float minimum = ideal_[k].minimum + (scale - ideal_[k].scale) * mean_code_[k];
        for (int j = -options_.min_reach; j <= options_.min_reach; ++j) {
          const int min_level = clamped_level(minimum * per_dmin, j);
          const float error = error_at(k, {scale, dmin.value * static_cast<float>(min_level)});
          if (error >= least) continue;
          least = error;
          result.levels[k] = level;
          result.min_levels[k] = min_level;
        }
      }
      result.error += least;
    }
    return result;
  }

  // d and dmin of least squares for the codes and levels of a result, and levels anew.
  Result refit(const Result& from) const {
    double aa = 0, ab = 0, bb = 0, ax = 0, bx = 0;
    for (size_t k = 0; k < kRuns; ++k) {
      const double a = from.levels[k];
      const double b = from.min_levels[k];
      const Moments sums =
          moments_at(k, {from.d.value * static_cast<float>(a), from.dmin.value * static_cast<float>(b)});
      aa += a * a * sums.qq;
      ab += a * b * sums.q;
      bb += b * b * sums.one;
      ax += a * sums.xq;
      bx += b * sums.x;
    }
    double d = from.d.value;
    double dmin = from.dmin.value;
    const double determinant = aa * bb - ab * ab;
    if (determinant > 1e-7 * aa * bb) {
      d = (ax * bb - bx * ab) / determinant;
      dmin = (ax * ab - bx * aa) / determinant;
    } else if (aa > 0) {
      d = (ax + dmin * ab) / aa;
    } else if (bb > 0) {
      dmin = -bx / bb;
    }
    return choose_levels(block_.nearest_scale(static_cast<float>(d)),
                         block_.nearest_scale(static_cast<float>(dmin)));
  }

  const SearchBlock& block_;
  const MinSearchOptions options_;
  std::array<Line, kRuns> ideal_;
  std::array<float, kRuns> mean_code_;
};

}  // namespace gcts

#endif  // GCTS_REFERENCE_CODECS_MIN_SEARCH_H_
