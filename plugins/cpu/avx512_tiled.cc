// Tiled matrix products for x86 with AVX-512: int8 by VNNI, floats by FMA.

#if defined(__x86_64__)
#include <immintrin.h>

#include "blocks.h"
#include "gcts/plugin.h"
#include "kernels.h"
#include "lattices.h"
#include "target.h"
#include "tiled.h"

TARGET_BEGIN("avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")
namespace cpu::avx512_tiled {

#include "avx512_codes.h"
#include "x86_codes.h"

template <bool kMinimum, int kScales>
struct Minima {};
template <int kScales>
struct Minima<true, kScales> {
  float minimum[kScales][kPanelRows];
};
// 32 elements of a panel.  Codes stand as dpbusd takes them, four of a row in one lane,
// and are made non-negative by kOffset.
template <typename T, int kGroup>
struct alignas(64) PanelGroup : Minima<T::kMinimum, 32 / kGroup> {
  float scale[32 / kGroup][kPanelRows];
  uint8_t codes[8][kPanelRows][4];
};

// Eight rows of eight 32-bit words to eight columns.
static inline void transpose8(const __m256i (&r)[8], __m256i (&columns)[8]) {
  __m256i p[8], q[8];
  for (int i = 0; i < 4; ++i) {
    p[2 * i] = _mm256_unpacklo_epi32(r[2 * i], r[2 * i + 1]);
    p[2 * i + 1] = _mm256_unpackhi_epi32(r[2 * i], r[2 * i + 1]);
  }
  for (int i = 0; i < 2; ++i) {
    q[4 * i] = _mm256_unpacklo_epi64(p[4 * i], p[4 * i + 2]);
    q[4 * i + 1] = _mm256_unpackhi_epi64(p[4 * i], p[4 * i + 2]);
    q[4 * i + 2] = _mm256_unpacklo_epi64(p[4 * i + 1], p[4 * i + 3]);
    q[4 * i + 3] = _mm256_unpackhi_epi64(p[4 * i + 1], p[4 * i + 3]);
  }
  for (int s = 0; s < 4; ++s) {
    columns[s] = _mm256_permute2x128_si256(q[s], q[s + 4], 0x20);
    columns[s + 4] = _mm256_permute2x128_si256(q[s], q[s + 4], 0x31);
  }
}

template <typename T, int kGroup>
static void pack_panel(const uint8_t* const* rows, void* to, uint64_t count) {
  constexpr int kGroups = T::kElements / 32;
  PanelGroup<T, kGroup>* panel = static_cast<PanelGroup<T, kGroup>*>(to);
  for (uint64_t i = 0, at = 0; i < count; i += T::kElements, at += T::kBytes, panel += kGroups) {
    for (int r = 0; r < kPanelRows; ++r) {
      float a[T::kElements / 16], m[T::kElements / 16] = {};
      T::scales(rows[r] + at, a, m);
      for (int g = 0; g < kGroups; ++g)
        for (int h = 0; h < 32 / kGroup; ++h) {
          panel[g].scale[h][r] = a[2 * g + h];
          if constexpr (T::kMinimum) panel[g].minimum[h][r] = m[2 * g + h];
        }
    }
    for (int half = 0; half < kPanelRows; half += 8)
      for (int g = 0; g < kGroups; ++g) {
        __m256i codes[8];
        for (int r = 0; r < 8; ++r)
          codes[r] = _mm256_add_epi8(T::codes(rows[half + r] + at, g), _mm256_set1_epi8(static_cast<char>(T::kOffset)));
        __m256i columns[8];
        transpose8(codes, columns);
        for (int s = 0; s < 8; ++s) _mm256_store_si256(reinterpret_cast<__m256i*>(panel[g].codes[s][half]), columns[s]);
      }
  }
}

template <typename T, typename A, int kGroup>
static void pack_tile(const uint8_t* const* rows, void* to, uint64_t count) {
  TileGroup* tile = static_cast<TileGroup*>(to);
  const __m256i one = _mm256_set1_epi8(1), offset = _mm256_set1_epi32(-T::kOffset);
  for (uint64_t i = 0; i < count; i += 32, ++tile) {
    const uint64_t at = i / A::kElements * A::kBytes;
    __m256i codes[8], columns[8], low = _mm256_setzero_si256(), high = low;  // sums of 16 codes of each row
    for (int r = 0; r < kTileRows; ++r) codes[r] = load(rows[r] + at + A::kCodes + i % A::kElements);
    transpose8(codes, columns);
    for (int s = 0; s < 8; ++s) {
      _mm256_store_si256(reinterpret_cast<__m256i*>(tile->codes[s]), columns[s]);
      if (s < 4) low = _mm256_dpbusd_epi32(low, one, columns[s]);
      else high = _mm256_dpbusd_epi32(high, one, columns[s]);
    }
    const __m256i first = kGroup == 16 ? low : _mm256_add_epi32(low, high);
    _mm256_store_si256(reinterpret_cast<__m256i*>(tile->start[0]), _mm256_mullo_epi32(offset, first));
    _mm256_store_si256(reinterpret_cast<__m256i*>(tile->start[1]), _mm256_mullo_epi32(offset, high));
    for (int r = 0; r < kTileRows; ++r) tile->scale[r] = A::scale(rows[r] + at);
    if constexpr (T::kMinimum && A::kElements == 32) {
      for (int r = 0; r < kTileRows; ++r) tile->sums[0][r] = A::scaled_sum(rows[r] + at);
    } else if constexpr (T::kMinimum) {
      _mm256_store_ps(tile->sums[0], _mm256_cvtepi32_ps(first));
      _mm256_store_ps(tile->sums[1], _mm256_cvtepi32_ps(high));
    }
  }
}

#define EACH_ROW _Pragma("GCC unroll 8") for (int r = 0; r < kTileRows; ++r)

template <typename T, typename A, int kGroup>
static void multiply(const void* weights, const void* activations, float* output, uint64_t count) {
  constexpr bool kSuper = A::kElements == 256;  // then a block's sum is scaled once, at its end
  const PanelGroup<T, kGroup>* panel = static_cast<const PanelGroup<T, kGroup>*>(weights);
  const TileGroup* tile = static_cast<const TileGroup*>(activations);
  __m512 sum[kTileRows], block[kTileRows];
  EACH_ROW {
    sum[r] = _mm512_load_ps(output + r * kPanelRows);
    block[r] = _mm512_setzero_ps();
  }
  for (uint64_t i = 0; i < count; i += 32, ++panel, ++tile) {
    _Pragma("GCC unroll 2") for (int h = 0; h < 32 / kGroup; ++h) {
      __m512i p[kTileRows];
      EACH_ROW p[r] = _mm512_set1_epi32(tile->start[h][r]);
      _Pragma("GCC unroll 8") for (int s = h * kGroup / 4; s < (h + 1) * kGroup / 4; ++s) {
        const __m512i w = _mm512_load_si512(panel->codes[s]);
        EACH_ROW p[r] = _mm512_dpbusd_epi32(p[r], w, _mm512_set1_epi32(static_cast<int>(load32(reinterpret_cast<const uint8_t*>(tile->codes[s][r])))));
      }
      const __m512 a = _mm512_load_ps(panel->scale[h]);
      if constexpr (kSuper) {
        EACH_ROW block[r] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(p[r]), a, block[r]);
      } else {
        EACH_ROW sum[r] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(p[r]), _mm512_mul_ps(a, _mm512_set1_ps(tile->scale[r])), sum[r]);
      }
      if constexpr (T::kMinimum) {
        const __m512 m = _mm512_load_ps(panel->minimum[h]);
        if constexpr (kSuper) {
          EACH_ROW block[r] = _mm512_fmadd_ps(m, _mm512_set1_ps(tile->sums[h][r]), block[r]);
        } else {
          EACH_ROW sum[r] = _mm512_fmadd_ps(m, _mm512_set1_ps(tile->sums[h][r]), sum[r]);
        }
      }
    }
    if constexpr (kSuper) {
      if (i % 256 == 224) {
        EACH_ROW {
          sum[r] = _mm512_fmadd_ps(block[r], _mm512_set1_ps(tile->scale[r]), sum[r]);
          block[r] = _mm512_setzero_ps();
        }
      }
    }
  }
  EACH_ROW _mm512_store_ps(output + r * kPanelRows, sum[r]);
}

// A panel's part of 10 KB and a tile's of 7 KB.
static constexpr uint32_t kPart = 512;

#define CPU_TYPE(name, id, act, act_id, group)                                                               \
  const TiledPlan plan_##name{avx512::quantize_##act, act_##act::kElements, act_##act::kBytes, 32, kPart,    \
                              sizeof(PanelGroup<name, group>), sizeof(TileGroup), pack_panel<name, group>,          \
                              pack_tile<name, act_##act, group>, multiply<name, act_##act, group>};
#include "types.inc"
#undef CPU_TYPE

// Floats: both sides as f32, an element of all rows beside each other.
struct F16 {
  static inline float load1(const uint8_t* p) { return _cvtsh_ss(load16(p)); }
};
struct BF16 {
  static inline float load1(const uint8_t* p) { return bf16_to_float(load16(p)); }
};

template <typename T, int kRows>
static void pack_floats(const uint8_t* const* rows, void* to, uint64_t count) {
  float* out = static_cast<float*>(to);
  for (uint64_t i = 0; i < count; ++i, out += kRows)
    for (int r = 0; r < kRows; ++r) out[r] = T::load1(rows[r] + 2 * i);
}

static void multiply_floats(const void* weights, const void* activations, float* output, uint64_t count) {
  const float *panel = static_cast<const float*>(weights), *tile = static_cast<const float*>(activations);
  __m512 sum[kTileRows];
  EACH_ROW sum[r] = _mm512_load_ps(output + r * kPanelRows);
  for (uint64_t i = 0; i < count; ++i, panel += kPanelRows, tile += kTileRows) {
    const __m512 w = _mm512_load_ps(panel);
    EACH_ROW sum[r] = _mm512_fmadd_ps(w, _mm512_set1_ps(tile[r]), sum[r]);
  }
  EACH_ROW _mm512_store_ps(output + r * kPanelRows, sum[r]);
}
#undef EACH_ROW

const TiledPlan plan_f16{generic::quantize_f16, 1, 2, 1, 128, 4 * kPanelRows, 4 * kTileRows, pack_floats<F16, kPanelRows>,
                         pack_floats<F16, kTileRows>, multiply_floats};
const TiledPlan plan_bf16{generic::quantize_bf16, 1, 2, 1, 128, 4 * kPanelRows, 4 * kTileRows, pack_floats<BF16, kPanelRows>,
                          pack_floats<BF16, kTileRows>, multiply_floats};

}  // namespace cpu::avx512_tiled
TARGET_END
#endif
