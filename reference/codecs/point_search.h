// Finds the point of a grid that is nearest to four or eight values, for one scale or for
// eight at once.
//
// With the scale s of a value fixed, the error of a point is, but for a constant,
//
//   sum of w (s^2 v^2 - 2 s x v)
//
// over its coordinates v: a sum over two halves of the point, and halves are few (81
// or 64).  So the costs of all halves are tabulated for eight scales at a time, and the
// best of up to 2048 points is found for each scale exactly, by one addition a point.
//
// Where a type stores only seven of eight signs, and the eighth so that the minus signs
// are even in number, one value may have to take the wrong sign.  It costs 4 s w |x| v more,
// and the cheapest is chosen together with the point.

#ifndef GCTS_REFERENCE_CODECS_POINT_SEARCH_H_
#define GCTS_REFERENCE_CODECS_POINT_SEARCH_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "reference/codebooks.h"
#include "reference/codecs/eight.h"

namespace gcts {

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

}  // namespace gcts

#endif  // GCTS_REFERENCE_CODECS_POINT_SEARCH_H_
