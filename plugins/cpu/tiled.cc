// Shares panels out to threads; rows of activations that use the same expert share tiles.

#include "tiled.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <memory>
#include <new>
#include <numeric>
#include <vector>

#include "team.h"

namespace cpu {
namespace {

struct Free {
  void operator()(void* p) const { free(p); }
};
using Buffer = std::unique_ptr<uint8_t, Free>;

Buffer allocate(uint64_t bytes) {
  return Buffer(static_cast<uint8_t*>(aligned_alloc(64, (bytes + 127) / 64 * 64)));
}

// Up to 8 rows of activations, packed; all of them meet the same matrix.
struct Tile {
  uint64_t first = 0;  // its rows are order[first] and on
  uint64_t rows = 0;
  const uint8_t* weights = nullptr;
};

class Product {
 public:
  Product(const TiledPlan& plan, const gcts_matmul& args)
      : plan_(plan),
        a_(args),
        panel_bytes_((args.k + plan.step - 1) / plan.step * plan.panel_bytes),
        tile_bytes_((args.k + plan.step - 1) / plan.step * plan.tile_bytes) {}

  // False where there is no memory.
  bool prepare(uint64_t threads) {
    order_.resize(a_.m);
    std::iota(order_.begin(), order_.end(), 0);
    if (a_.ids)
      std::stable_sort(order_.begin(), order_.end(),
                       [this](uint64_t x, uint64_t y) { return a_.ids[x] < a_.ids[y]; });
    for (uint64_t i = 0; i < a_.m; ++i) {
      const uint8_t* weights = weights_of(order_[i]);
      if (tiles_.empty() || tiles_.back().weights != weights || tiles_.back().rows == kTileRows)
        tiles_.push_back({i, 0, weights});
      ++tiles_.back().rows;
    }
    packed_ = allocate(tiles_.size() * tile_bytes_);
    for (uint64_t i = 0; i < threads; ++i)
      if (!scratch_.emplace_back(allocate(kPanels * panel_bytes_)))
        return false;
    return packed_ != nullptr;
  }

  void run() {
    const uint64_t threads = scratch_.size();
    share_out(threads, tiles_.size(), [this](uint64_t t) { pack_tile(t); });
    share_out_ranges(threads, panels(), 1, kPanels, [this](uint64_t thread, uint64_t first, uint64_t last) {
      multiply_panels(first, last - first, scratch_[thread].get());
    });
  }

  uint64_t panels() const { return (a_.n + kPanelRows - 1) / kPanelRows; }

 private:
  void pack_tile(uint64_t t) const {
    const float* rows[kTileRows];
    for (uint64_t i = 0; i < kTileRows; ++i) {  // the last stands in for a row that is missing
      const uint64_t row = order_[tiles_[t].first + std::min(i, tiles_[t].rows - 1)];
      rows[i] = reinterpret_cast<const float*>(static_cast<const uint8_t*>(a_.activations) + row * a_.activation_stride);
    }
    plan_.pack_tile(rows, packed_.get() + t * tile_bytes_, a_.k);
  }

  void multiply_panels(uint64_t first, uint64_t panels, uint8_t* scratch) const {
    const uint8_t* packed = nullptr;
    for (size_t t = 0; t < tiles_.size(); ++t) {
      if (tiles_[t].weights != packed) {
        packed = tiles_[t].weights;
        for (uint64_t i = 0; i < panels; ++i)
          pack(packed, (first + i) * kPanelRows, scratch + i * panel_bytes_);
      }
      alignas(64) float output[kPanels][kTileRows * kPanelRows] = {};
      multiply(panels, scratch, packed_.get() + t * tile_bytes_, output);
      for (uint64_t i = 0; i < panels; ++i) store(tiles_[t], (first + i) * kPanelRows, output[i]);
    }
  }

  const uint8_t* weights_of(uint64_t m) const {
    const uint8_t* weights = static_cast<const uint8_t*>(a_.weights);
    return a_.ids ? weights + static_cast<uint64_t>(a_.ids[m]) * a_.expert_stride : weights;
  }

  // Rows beyond the last are not read: the last stands in for them.
  void pack(const uint8_t* weights, uint64_t n, uint8_t* panel) const {
    const uint8_t* rows[kPanelRows];
    for (uint64_t i = 0; i < kPanelRows; ++i)
      rows[i] = weights + std::min(n + i, a_.n - 1) * a_.weight_stride;
    plan_.pack_panel(rows, panel, a_.k);
  }

  void multiply(uint64_t panels, const uint8_t* panel, const uint8_t* tile,
                float (*output)[kTileRows * kPanelRows]) const {
    for (uint64_t k = 0; k < a_.k; k += plan_.part) {
      const uint64_t steps = k / plan_.step, count = std::min<uint64_t>(plan_.part, a_.k - k);
      for (uint64_t i = 0; i < panels; ++i)
        plan_.multiply(panel + i * panel_bytes_ + steps * plan_.panel_bytes, tile + steps * plan_.tile_bytes,
                       output[i], count);
    }
  }

  void store(const Tile& tile, uint64_t n, const float* output) const {
    const uint64_t columns = std::min<uint64_t>(kPanelRows, a_.n - n);
    for (uint64_t i = 0; i < tile.rows; ++i) {
      uint8_t* row = reinterpret_cast<uint8_t*>(a_.output) + order_[tile.first + i] * a_.output_stride;
      float* to = reinterpret_cast<float*>(row) + n;
      if (columns == kPanelRows) memcpy(to, output + i * kPanelRows, 4 * kPanelRows);  // a register's worth
      else memcpy(to, output + i * kPanelRows, 4 * columns);
    }
  }

  const TiledPlan& plan_;
  const gcts_matmul& a_;
  uint64_t panel_bytes_, tile_bytes_;
  std::vector<uint64_t> order_;
  std::vector<Tile> tiles_;
  Buffer packed_;
  std::vector<Buffer> scratch_;  // of each thread: kPanels panels
};

}  // namespace

gcts_status tiled_matmul(void* plan, const gcts_matmul* args) try {
  Product product(*static_cast<const TiledPlan*>(plan), *args);
  if (args->m == 0 || args->n == 0) return GCTS_OK;
  if (!product.prepare(std::clamp<uint64_t>(args->threads, 1, product.panels()))) return GCTS_FAILED;
  product.run();
  return GCTS_OK;
} catch (const std::bad_alloc&) {
  return GCTS_FAILED;
}

}  // namespace cpu
