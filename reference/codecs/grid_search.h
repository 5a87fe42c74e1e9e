// Chooses scales, points and signs for types whose values are points of a grid (IQ1, IQ2,
// IQ3): value = D * (2 * level + 1) * coordinate, one D a block, one integer level a run,
// one point of a grid for each four or eight values (point_search.h).
//
// 1. Each run by itself: the best of sixteen trial scales is its ideal.
// 2. The block: trial values of D put the largest ideal near the highest levels.  For each
//    D every run takes the best of the eight levels around its ideal.
// 3. From the best trial on, D is fitted to the points and levels by least squares and they
//    are chosen anew, as long as the error falls.
//
// All in f32, in a fixed order; D comes from a d that has been rounded to f16.

#ifndef GCTS_REFERENCE_CODECS_GRID_SEARCH_H_
#define GCTS_REFERENCE_CODECS_GRID_SEARCH_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <vector>

#include "reference/codecs/lanes.h"
#include "reference/codecs/point_search.h"
#include "reference/codecs/search_block.h"

namespace gcts {

// What a block stores for eight values.
struct CellChoice {
  uint16_t points[2] = {};  // the second only where points have four values
  uint8_t signs = 0;        // bit j set where value j is negative
  uint8_t shift = 0;        // which of the shifts
  float product = 0;
  float square = 0;
};

// Eight values of a type with signs: one point of eight or two of four.
template <size_t kPoints, size_t kWidth, bool kEvenSigns>
class SignedCell {
 public:
  static constexpr size_t kShifts = 1;
  using Split = SplitGrid<kPoints, kWidth>;

  void set(const Split& grid, const float* x, const float* w) {
    float magnitudes[8];
    for (size_t j = 0; j < 8; ++j) {
      magnitudes[j] = std::fabs(x[j]);
      if (x[j] < 0) signs_ = static_cast<uint8_t>(signs_ | 1 << j);
    }
    for (size_t p = 0; p < kCount; ++p) points_[p].set(grid, magnitudes + kWidth * p, w + kWidth * p, 0);
  }

  Eight least_cost(const Eight& scales, size_t) const {
    const auto last = points_[kCount - 1].least_costs(scales, must_flip());
    if constexpr (kCount == 1) return must_flip() ? last.flipped : last.plain;
    const auto first = points_[0].least_costs(scales, must_flip());
    if (!must_flip()) return first.plain + last.plain;
    return least(first.plain + last.flipped, first.flipped + last.plain);
  }

  CellChoice choose(float scale, size_t) const {
    if constexpr (kCount == 1) return combine({points_[0].choose(scale, must_flip())});
    const PointChoice plain[2] = {points_[0].choose(scale, false), points_[kCount - 1].choose(scale, false)};
    if (!must_flip()) return combine({plain[0], plain[1]});
    const PointChoice flipped[2] = {points_[0].choose(scale, true), points_[kCount - 1].choose(scale, true)};
    if (flipped[0].cost + plain[1].cost < plain[0].cost + flipped[1].cost)
      return combine({flipped[0], plain[1]});
    return combine({plain[0], flipped[1]});
  }

 private:
  using Search = PointSearch<kPoints, kWidth>;
  static constexpr size_t kCount = 8 / kWidth;

  bool must_flip() const { return kEvenSigns && std::popcount(signs_) % 2 != 0; }

  CellChoice combine(std::initializer_list<PointChoice> chosen) const {
    CellChoice cell;
    cell.signs = signs_;
    size_t p = 0;
    for (const PointChoice& choice : chosen) {
      cell.points[p] = static_cast<uint16_t>(choice.point);
      cell.product += choice.product;
      cell.square += choice.square;
      if (choice.flipped >= 0)
        cell.signs =
            static_cast<uint8_t>(cell.signs ^ 1 << (kWidth * p + static_cast<size_t>(choice.flipped)));
      ++p;
    }
    return cell;
  }

  Search points_[kCount];
  uint8_t signs_ = 0;
};

// Eight values of a type without signs, whose coordinates are shifted up or down.
template <size_t kPoints>
class ShiftedCell {
 public:
  static constexpr size_t kShifts = 2;
  using Split = SplitGrid<kPoints, 8>;

  void set(const Split& grid, const float* x, const float* w) {
    shifted_[0].set(grid, x, w, kIq1Delta);
    shifted_[1].set(grid, x, w, -kIq1Delta);
  }
  Eight least_cost(const Eight& scales, size_t shift) const {
    return shifted_[shift].least_costs(scales, false).plain;
  }
  CellChoice choose(float scale, size_t shift) const {
    const PointChoice choice = shifted_[shift].choose(scale, false);
    CellChoice cell;
    cell.points[0] = static_cast<uint16_t>(choice.point);
    cell.shift = static_cast<uint8_t>(shift);
    cell.product = choice.product;
    cell.square = choice.square;
    return cell;
  }

 private:
  PointSearch<kPoints, 8> shifted_[2];
};

struct GridSearchOptions {
  int levels;              // 8 or 16
  float stored_per_scale;  // d / D
  float largest;           // the largest coordinate
  bool shift_of_run;       // one shift a run, else one a cell
  int trials;              // trial values of D
  float first_top;         // the level at which the first trial puts the largest ideal
  float top_step;          // how much lower the next ones put it
};

// kRunCells cells of eight values share a level.
template <class Cell, size_t kRunCells>
class GridSearch {
 public:
  static constexpr size_t kRuns = 32 / kRunCells;

  struct Result {
    SearchBlock::Scale d;
    std::array<uint8_t, kRuns> levels;
    std::array<uint8_t, 32> shifts;
    double cost = 0;  // above that of a block of zeros, which is what d = 0 makes
  };

  GridSearch(const SearchBlock& block, const typename Cell::Split& grid, const GridSearchOptions& options)
      : block_(block), options_(options), cells_(32) {
    for (size_t i = 0; i < 32; ++i) cells_[i].set(grid, block.x + 8 * i, block.w + 8 * i);
  }

  Result run() {
    float largest = 0;
    for (size_t k = 0; k < kRuns; ++k) {
      ideal_[k] = ideal_scale(k);
      largest = std::max(largest, ideal_[k]);
    }
    Result best = {};
    for (int i = 0; i < options_.trials; ++i) {
      const float level = options_.first_top - options_.top_step * static_cast<float>(i);
      keep_better(best, choose_levels(stored(largest / (2 * level + 1))));
    }
    for (int i = 0; i < 3; ++i)
      if (!keep_better(best, choose_levels(stored(fitted(best))))) break;
    return best;
  }

  CellChoice choose(const Result& result, size_t cell) const {
    return cells_[cell].choose(scale_of(result.d, result.levels[cell / kRunCells]), result.shifts[cell]);
  }

 private:
  static bool keep_better(Result& best, const Result& trial) {
    if (!(trial.cost < best.cost)) return false;
    best = trial;
    return true;
  }

  SearchBlock::Scale stored(float scale) const {
    return block_.nearest_scale(scale * options_.stored_per_scale);
  }
  float scale_of(SearchBlock::Scale d, int level) const {
    return d.value / options_.stored_per_scale * static_cast<float>(2 * level + 1);
  }

  // The costs of run k at eight scales, with the better shift at each; which tells the
  // shift of each cell.
  struct RunCosts {
    Eight cost;
    uint8_t which[kRunCells][8];
  };
  RunCosts run_costs(size_t k, const Eight& scales) const {
    RunCosts costs = {Eight::all(0), {}};
    Eight of_run[2] = {Eight::all(0), Eight::all(0)};
    for (size_t c = 0; c < kRunCells; ++c) {
      Eight of_cell[2] = {};
      for (size_t shift = 0; shift < Cell::kShifts; ++shift) {
        of_cell[shift] = cells_[kRunCells * k + c].least_cost(scales, shift);
        of_run[shift] = of_run[shift] + of_cell[shift];
      }
      if (!options_.shift_of_run) costs.cost = costs.cost + better_shift(of_cell, costs.which[c]);
    }
    if (options_.shift_of_run) {
      costs.cost = better_shift(of_run, costs.which[0]);
      for (size_t c = 1; c < kRunCells; ++c) std::copy_n(costs.which[0], 8, costs.which[c]);
    }
    return costs;
  }

  static Eight better_shift(const Eight (&costs)[2], uint8_t (&which)[8]) {
    if (Cell::kShifts == 1) return costs[0];
    for (size_t n = 0; n < 8; ++n) which[n] = costs[1][n] < costs[0][n];
    return least(costs[0], costs[1]);
  }

  // Trial scales fall from a little above the one that reaches the largest value.
  float ideal_scale(size_t k) const {
    const float* x = block_.x + 8 * kRunCells * k;
    float largest = 0;
    for (size_t j = 0; j < 8 * kRunCells; ++j) largest = std::max(largest, std::fabs(x[j]));
    if (largest < 0x1p-60f) return 0;
    float scale = largest / options_.largest * 1.15f;
    float best = 0;
    float least_cost = 0;
    for (int half = 0; half < 2; ++half) {
      Eight scales;
      for (size_t n = 0; n < 8; ++n) {
        scales.set(n, scale);
        scale *= 0.92f;
      }
      const RunCosts costs = run_costs(k, scales);
      for (size_t n = 0; n < 8; ++n) {
        if (!(costs.cost[n] < least_cost)) continue;
        least_cost = costs.cost[n];
        best = scales[n];
      }
    }
    return best;
  }

  Result choose_levels(SearchBlock::Scale d) const {
    Result result = {d, {}, {}, 0};
    const float unit = scale_of(d, 0);
    for (size_t k = 0; k < kRuns; ++k) {
      const float wanted = (ideal_[k] * search_inverse(unit) - 1) / 2;
      const int first =
          static_cast<int>(std::clamp(wanted - 3.5f, 0.0f, static_cast<float>(options_.levels - 8)));
      Eight scales;
      for (size_t n = 0; n < 8; ++n) scales.set(n, scale_of(d, first + static_cast<int>(n)));
      const RunCosts costs = run_costs(k, scales);
      size_t lane = 0;
      for (size_t n = 1; n < 8; ++n)
        if (costs.cost[n] < costs.cost[lane]) lane = n;
      result.cost += costs.cost[lane];
      result.levels[k] = static_cast<uint8_t>(first + static_cast<int>(lane));
      for (size_t c = 0; c < kRunCells; ++c) result.shifts[kRunCells * k + c] = costs.which[c][lane];
    }
    return result;
  }

  float fitted(const Result& result) const {
    double products = 0;
    double squares = 0;
    for (size_t i = 0; i < 32; ++i) {
      const CellChoice choice = choose(result, i);
      const double odd = 2 * result.levels[i / kRunCells] + 1;
      products += odd * choice.product;
      squares += odd * odd * choice.square;
    }
    return squares > 0 ? static_cast<float>(products / squares) : scale_of(result.d, 0);
  }

  const SearchBlock& block_;
  const GridSearchOptions options_;
  std::vector<Cell> cells_;
  std::array<float, kRuns> ideal_;
};

}  // namespace gcts

#endif  // GCTS_REFERENCE_CODECS_GRID_SEARCH_H_
