// Shares panels out to threads; rows of activations that use the same expert share tiles.

#include "tiled.h"

#include <stdint.h>
#include <stdlib.h>

#include <algorithm>
#include <memory>
#include <new>
#include <numeric>
#include <system_error>
#include <thread>
#include <vector>

namespace cpu {
namespace {

struct Free {
  void operator()(void* p) const { free(p); }
};
using Buffer = std::unique_ptr<uint8_t, Free>;

Buffer allocate(uint64_t bytes) { return Buffer(static_cast<uint8_t*>(aligned_alloc(64, (bytes + 127) / 64 * 64))); }

// Up to 8 rows of activations, packed; all of them meet the same matrix.
struct Tile {
  uint64_t first = 0;  // its rows are order[first] and on
  uint64_t rows = 0;
  const uint8_t* weights = nullptr;
};

class Product {
 public:
  Product(const TiledPlan& plan, const gcts_matmul& args)
      : plan_(plan), a_(args), panel_bytes_((args.k + plan.step - 1) / plan.step * plan.panel_bytes),
        tile_bytes_((args.k + plan.step - 1) / plan.step * plan.tile_bytes) {}

  bool pack_activations() {
    order_.resize(a_.m);
    std::iota(order_.begin(), order_.end(), 0);
    if (a_.ids) std::stable_sort(order_.begin(), order_.end(), [this](uint64_t x, uint64_t y) { return a_.ids[x] < a_.ids[y]; });
    for (uint64_t i = 0; i < a_.m; ++i) {
      const uint8_t* weights = weights_of(order_[i]);
      if (tiles_.empty() || tiles_.back().weights != weights || tiles_.back().rows == kTileRows) tiles_.push_back({i, 0, weights});
      ++tiles_.back().rows;
    }
    packed_ = allocate(tiles_.size() * tile_bytes_);
    const uint64_t row_bytes = a_.k / plan_.activation_elements * plan_.activation_bytes;
    const Buffer rows = allocate(kTileRows * row_bytes + 64);
    if (!packed_ || !rows) return false;
    for (size_t t = 0; t < tiles_.size(); ++t) {
      const uint8_t* each[kTileRows];
      for (uint64_t i = 0; i < kTileRows; ++i) {  // a row that is missing stands in for by the last
        each[i] = rows.get() + std::min(i, tiles_[t].rows - 1) * row_bytes;
        if (i >= tiles_[t].rows) continue;
        const uint8_t* row = static_cast<const uint8_t*>(a_.activations) + order_[tiles_[t].first + i] * a_.activation_stride;
        plan_.quantize(nullptr, reinterpret_cast<const float*>(row), nullptr, rows.get() + i * row_bytes, a_.k);
      }
      plan_.pack_tile(each, packed_.get() + t * tile_bytes_, a_.k);
    }
    return true;
  }

  uint64_t panels() const { return (a_.n + kPanelRows - 1) / kPanelRows; }

  // Panels [first, last); `scratch` holds kPanels of them.
  void run(uint64_t first, uint64_t last, uint8_t* scratch) const {
    for (uint64_t p = first; p < last; p += kPanels) {
      const uint64_t panels = std::min<uint64_t>(kPanels, last - p);
      const uint8_t* packed = nullptr;
      for (size_t t = 0; t < tiles_.size(); ++t) {
        if (tiles_[t].weights != packed) {
          packed = tiles_[t].weights;
          for (uint64_t i = 0; i < panels; ++i) pack(packed, (p + i) * kPanelRows, scratch + i * panel_bytes_);
        }
        alignas(64) float output[kPanels][kTileRows * kPanelRows] = {};
        multiply(panels, scratch, packed_.get() + t * tile_bytes_, output);
        for (uint64_t i = 0; i < panels; ++i) store(tiles_[t], (p + i) * kPanelRows, output[i]);
      }
    }
  }

  Buffer scratch() const { return allocate(kPanels * panel_bytes_); }

 private:
  const uint8_t* weights_of(uint64_t m) const {
    const uint8_t* weights = static_cast<const uint8_t*>(a_.weights);
    return a_.ids ? weights + static_cast<uint64_t>(a_.ids[m]) * a_.expert_stride : weights;
  }

  // Rows beyond the last are not read: the last stands in for them.
  void pack(const uint8_t* weights, uint64_t n, uint8_t* panel) const {
    const uint8_t* rows[kPanelRows];
    for (uint64_t i = 0; i < kPanelRows; ++i) rows[i] = weights + std::min(n + i, a_.n - 1) * a_.weight_stride;
    plan_.pack_panel(rows, panel, a_.k);
  }

  void multiply(uint64_t panels, const uint8_t* panel, const uint8_t* tile, float (*output)[kTileRows * kPanelRows]) const {
    for (uint64_t k = 0; k < a_.k; k += plan_.part) {
      const uint64_t steps = k / plan_.step, count = std::min<uint64_t>(plan_.part, a_.k - k);
      for (uint64_t i = 0; i < panels; ++i)
        plan_.multiply(panel + i * panel_bytes_ + steps * plan_.panel_bytes, tile + steps * plan_.tile_bytes, output[i], count);
    }
  }

  void store(const Tile& tile, uint64_t n, const float* output) const {
    const uint64_t columns = std::min<uint64_t>(kPanelRows, a_.n - n);
    for (uint64_t i = 0; i < tile.rows; ++i) {
      uint8_t* row = reinterpret_cast<uint8_t*>(a_.output) + order_[tile.first + i] * a_.output_stride;
      std::copy_n(output + i * kPanelRows, columns, reinterpret_cast<float*>(row) + n);
    }
  }

  const TiledPlan& plan_;
  const gcts_matmul& a_;
  uint64_t panel_bytes_, tile_bytes_;
  std::vector<uint64_t> order_;
  std::vector<Tile> tiles_;
  Buffer packed_;
};

}  // namespace

gcts_status tiled_matmul(void* plan, const gcts_matmul* args) try {
  Product product(*static_cast<const TiledPlan*>(plan), *args);
  if (args->m == 0 || args->n == 0) return GCTS_OK;
  const uint64_t panels = product.panels(), threads = std::max<uint64_t>(1, std::min<uint64_t>(args->threads, panels));
  std::vector<Buffer> scratch;
  for (uint64_t i = 0; i < threads; ++i)
    if (!scratch.emplace_back(product.scratch())) return GCTS_FAILED;
  if (!product.pack_activations()) return GCTS_FAILED;
  std::vector<std::thread> others;
  others.reserve(threads);
  uint64_t started = 1;
  for (; started < threads; ++started) {
    try {
      others.emplace_back([&product, memory = scratch[started].get(), first = panels * started / threads, last = panels * (started + 1) / threads] {
        product.run(first, last, memory);
      });
    } catch (const std::system_error&) {
      break;  // the panels that found no thread are done here
    }
  }
  product.run(0, panels / threads, scratch[0].get());
  if (started < threads) product.run(panels * started / threads, panels, scratch[0].get());
  for (std::thread& t : others) t.join();
  return GCTS_OK;
} catch (const std::bad_alloc&) {
  return GCTS_FAILED;
}

}  // namespace cpu
