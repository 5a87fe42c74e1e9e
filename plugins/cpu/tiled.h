// Matrix products over packed operands: panels of 16 rows of weights, tiles of 8 rows of
// activations, 128 outputs at a time.
//
// Weights are unpacked once for all rows of activations that meet them, so a product
// with many rows pays little for a format that is slow to unpack.  A row of the output
// is computed the same way whatever else is in its tile.

#ifndef GCTS_PLUGINS_CPU_TILED_H_
#define GCTS_PLUGINS_CPU_TILED_H_

#include <stdint.h>

#include "gcts/plugin.h"

namespace cpu {

inline constexpr int kPanelRows = 16;  // a 512-bit register of outputs
inline constexpr int kTileRows = 8;    // as many sums hide the latency of one
// So many panels meet a tile while a part of it is in the first cache; together they fit in
// the second.
inline constexpr int kPanels = 4;

// One type in one variant; a kernel row's context points to one.
struct TiledPlan {
  uint32_t step;         // elements that pack, pack_tile and multiply go by: 32, or fewer for floats
  uint32_t part;         // elements after which the next panel's turn comes: whole blocks, a part of a
                         // panel and one of a tile fit in the first cache
  uint32_t panel_bytes;  // of a step of a panel
  uint32_t tile_bytes;   // of a step of a tile
  // 16 rows of weights, `count` elements each, to a panel.
  void (*pack_panel)(const uint8_t* const* rows, void* panel, uint64_t count);
  // 8 rows of activations, quantized, to a tile.
  void (*pack_tile)(const float* const* rows, void* tile, uint64_t count);
  // output[8][16] is added to.
  void (*multiply)(const void* panel, const void* tile, float* output, uint64_t count);
};

// The gcts_matmul_fn of every tiled row, with ids or without.
gcts_status tiled_matmul(void* plan, const gcts_matmul* args);

}  // namespace cpu

#endif  // GCTS_PLUGINS_CPU_TILED_H_
