// Chooses scales, points and signs for types whose values are points of a grid (IQ1, IQ2,
// IQ3): value = D * (2 * level + 1) * coordinate, one D a block, one integer level a run,
// one point of a grid for each four or eight values.
//
// With the scale s of a value fixed, the error of a point is, but for a constant,
//
//   sum of w (s^2 v^2 - 2 s x v)
//
// over its coordinates v: a sum over two halves of the point, and halves are few (81
// or 64).  So the costs of all halves are tabulated for eight scales at a time, and the
// best of up to 2048 points is found for each scale exactly, by one addition a point.
//
// Signs are those of the values.  Where a type stores only seven of eight signs, and the
// eighth so that the minus signs are even in number, the one value is flipped that costs least,
// 4 s w |x| v more, chosen together with the point.
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
#include <cmath>
#include <vector>

#include "reference/codebooks.h"
#include "reference/codecs/lanes.h"
#include "reference/codecs/search_block.h"

namespace gcts {

// Eight numbers, one a trial scale, in two vectors of four: what every 64-bit machine does
// at once.  Lanes never meet, so the bits do not depend on how a machine does it.
struct Eight {
  typedef float Four __attribute__((vector_size(16)));  // GCC's and Clang's vector type
  typedef long long Two __attribute__((vector_size(16)));

  static Eight all(float value) {
    const Four four = {value, value, value, value};
    return {{four, four}};
  }
  float operator[](size_t n) const { return half[n / 4][n % 4]; }
  void set(size_t n, float value) { half[n / 4][n % 4] = value; }

  Four half[2];
};

inline Eight operator+(const Eight& a, const Eight& b) {
  return {{a.half[0] + b.half[0], a.half[1] + b.half[1]}};
}
inline Eight operator-(const Eight& a, const Eight& b) {
  return {{a.half[0] - b.half[0], a.half[1] - b.half[1]}};
}
inline Eight operator*(const Eight& a, const Eight& b) {
  return {{a.half[0] * b.half[0], a.half[1] * b.half[1]}};
}
inline Eight operator*(const Eight& a, float b) { return {{a.half[0] * b, a.half[1] * b}}; }
inline Eight least(const Eight& a, const Eight& b) {
  return {{a.half[0] < b.half[0] ? a.half[0] : b.half[0], a.half[1] < b.half[1] ? a.half[1] : b.half[1]}};
}
inline bool any_less(const Eight& a, const Eight& b) {
  const auto less = (Eight::Two)(a.half[0] < b.half[0]) | (Eight::Two)(a.half[1] < b.half[1]);
  return (less[0] | less[1]) != 0;
}

// A grid with its points cut into halves.
template <size_t kPoints, size_t kWidth>
class SplitGrid {
 public:
  static constexpr size_t kHalf = kWidth / 2;
  static constexpr size_t kHalves = kWidth == 8 ? 81 : 64;  // different ones; where fewer, the rest are zeros

  struct Span {
    size_t high;  // the half that these points end with
    size_t begin, end;
  };

  SplitGrid(const Grid<kPoints, kWidth>& grid) {
    for (size_t i = 0; i < kPoints; ++i) {
      lows_[i] = static_cast<uint8_t>(index_of(grid[i].data()));
      const size_t high = index_of(grid[i].data() + kHalf);
      if (spans_.empty() || spans_.back().high != high) spans_.push_back({high, i, i});
      spans_.back().end = i + 1;
    }
  }

  const std::array<int8_t, kHalf>& half(size_t index) const { return halves_[index]; }
  size_t low(size_t point) const { return lows_[point]; }
  const std::vector<Span>& spans() const { return spans_; }

 private:
  size_t index_of(const int8_t* half) {
    const auto end = halves_.begin() + static_cast<ptrdiff_t>(used_);
    const auto found = std::find_if(halves_.begin(), end, [half](const auto& known) {
      return std::equal(known.begin(), known.end(), half);
    });
    if (found == end) std::copy_n(half, kHalf, halves_[used_++].begin());
    return static_cast<size_t>(found - halves_.begin());
  }

  std::array<std::array<int8_t, kHalf>, kHalves> halves_ = {};
  size_t used_ = 0;
  std::array<uint8_t, kPoints> lows_;
  std::vector<Span> spans_;  // points with the same upper half are neighbours in a sorted grid
};

// What a half costs at scale s: s^2 square - 2 s product, and 4 s flip more with its
// cheapest sign flipped.
struct HalfCost {
  float product;  // sum of w x v
  float square;   // sum of w v^2
  float flip;     // least of w x v
};

struct PointChoice {
  size_t point = 0;
  int flipped = -1;  // the coordinate whose sign is flipped, or none
  float cost = 0;
  float product = 0;  // the sums of the chosen point, for least squares
  float square = 0;
};

// The points of one grid against the values of one place in a block.
template <size_t kPoints, size_t kWidth>
class PointSearch {
 public:
  using Split = SplitGrid<kPoints, kWidth>;

  // x are magnitudes for a grid of magnitudes; shift is added to every coordinate.
  void set(const Split& grid, const float* x, const float* w, float shift) {
    grid_ = &grid;
    for (size_t upper = 0; upper < 2; ++upper) {
      const float* half_x = x + upper * Split::kHalf;
      const float* half_w = w + upper * Split::kHalf;
      for (size_t i = 0; i < Split::kHalves; ++i) {
        HalfCost cost = {0, 0, INFINITY};
        for (size_t j = 0; j < Split::kHalf; ++j) {
          const float v = static_cast<float>(grid.half(i)[j]) + shift;
          const float product = half_w[j] * half_x[j] * v;
          cost.product += product;
          cost.square += half_w[j] * v * v;
          cost.flip = std::min(cost.flip, product);
        }
        costs_[upper][i] = cost;
      }
    }
    std::copy_n(x, kWidth, x_);
    std::copy_n(w, kWidth, w_);
  }

  // The least cost at each of eight scales; and the same with one sign flipped, where that
  // is asked for.
  struct Costs {
    Eight plain;
    Eight flipped;
  };
  Costs least_costs(const Eight& scales, bool with_flipped) const {
    Table low, high;
    const Eight least_low = tabulate(0, scales, low);
    tabulate(1, scales, high);
    Costs costs = {Eight::all(INFINITY), Eight::all(INFINITY)};
    search(least_low, low, high, costs.plain);
    if (!with_flipped) return costs;
    Table flipped;
    tabulate_flipped(1, scales, high, flipped);
    search(least_low, low, flipped, costs.flipped);
    const Eight least_flipped = tabulate_flipped(0, scales, low, flipped);
    search(least_flipped, flipped, high, costs.flipped);
    return costs;
  }

  // The first point of least cost at one scale.
  PointChoice choose(float scale, bool flipped) const {
    HalfCosts low, high, low_flipped, high_flipped;
    for (size_t i = 0; i < Split::kHalves; ++i) {
      low[i] = cost_of(costs_[0][i], scale);
      high[i] = cost_of(costs_[1][i], scale);
      low_flipped[i] = low[i] + 4 * scale * costs_[0][i].flip;
      high_flipped[i] = high[i] + 4 * scale * costs_[1][i].flip;
    }
    Found best;
    if (flipped) {
      find(low_flipped, high, 0, best);
      find(low, high_flipped, 1, best);
    } else {
      find(low, high, 0, best);
    }
    PointChoice choice;
    choice.point = best.point;
    choice.cost = best.cost;
    const size_t halves[2] = {grid_->low(best.point), best.high};
    for (size_t upper = 0; upper < 2; ++upper) {
      choice.product += costs_[upper][halves[upper]].product;
      choice.square += costs_[upper][halves[upper]].square;
    }
    if (flipped) {
      choice.flipped = cheapest_flip(halves[best.flipped_half], best.flipped_half);
      choice.product -= 2 * costs_[best.flipped_half][halves[best.flipped_half]].flip;
    }
    return choice;
  }

 private:
  using HalfCosts = std::array<float, Split::kHalves>;
  struct Found {
    size_t point = 0;
    size_t high = 0;
    size_t flipped_half = 0;
    float cost = INFINITY;
  };

  void find(const HalfCosts& low, const HalfCosts& high, size_t flipped_half, Found& best) const {
    const float least_low = *std::min_element(low.begin(), low.end());
    for (const auto& span : grid_->spans()) {
      if (!(least_low + high[span.high] < best.cost)) continue;
      for (size_t i = span.begin; i < span.end; ++i) {
        const float cost = low[grid_->low(i)] + high[span.high];
        if (cost < best.cost) best = {i, span.high, flipped_half, cost};
      }
    }
  }

  using Table = std::array<Eight, Split::kHalves>;

  static float cost_of(const HalfCost& cost, float scale) {
    return scale * (scale * cost.square - 2 * cost.product);
  }

  // The costs of all halves, and the least of them.
  Eight tabulate(size_t upper, const Eight& scales, Table& table) const {
    Eight best = Eight::all(INFINITY);
    for (size_t i = 0; i < Split::kHalves; ++i) {
      const HalfCost& cost = costs_[upper][i];
      table[i] = scales * (scales * cost.square - Eight::all(2 * cost.product));
      best = least(best, table[i]);
    }
    return best;
  }

  Eight tabulate_flipped(size_t upper, const Eight& scales, const Table& table, Table& flipped) const {
    Eight best = Eight::all(INFINITY);
    for (size_t i = 0; i < Split::kHalves; ++i) {
      flipped[i] = table[i] + scales * (4 * costs_[upper][i].flip);
      best = least(best, flipped[i]);
    }
    return best;
  }

  // Points whose upper half, with the least of all lower halves, is nowhere better than
  // what has been found are passed over; rounding is monotone, so the result is the same.
  void search(const Eight& least_low, const Table& low, const Table& high, Eight& best) const {
    const auto& spans = grid_->spans();
    size_t first = 0;
    for (size_t i = 1; i < spans.size(); ++i)
      if (high[spans[i].high][3] < high[spans[first].high][3]) first = i;
    search_span(spans[first], low, high, best);
    for (const auto& span : spans)
      if (any_less(least_low + high[span.high], best)) search_span(span, low, high, best);
  }

  // Two minima at a time: each waits for its last.
  void search_span(const typename Split::Span& span, const Table& low, const Table& high, Eight& best) const {
    Eight even = low[grid_->low(span.begin)];
    Eight odd = low[grid_->low(span.end - 1)];
    for (size_t i = span.begin; i + 1 < span.end; i += 2) {
      even = least(even, low[grid_->low(i)]);
      odd = least(odd, low[grid_->low(i + 1)]);
    }
    best = least(best, least(even, odd) + high[span.high]);
  }

  int cheapest_flip(size_t half, size_t upper) const {
    size_t cheapest = upper * Split::kHalf;
    float least = INFINITY;
    for (size_t j = 0; j < Split::kHalf; ++j) {
      const size_t at = upper * Split::kHalf + j;
      const float product = w_[at] * x_[at] * static_cast<float>(grid_->half(half)[j]);
      if (product < least) {
        least = product;
        cheapest = at;
      }
    }
    return static_cast<int>(cheapest);
  }

  const Split* grid_ = nullptr;
  HalfCost costs_[2][Split::kHalves];
  float x_[kWidth];
  float w_[kWidth];
};

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
