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

// Floats of 16 bits.  A panel keeps them as they are, element by element of all its rows; a
// tile holds its activations as f32.
struct F16 {
  static inline __m512 load16(const uint8_t* p) { return _mm512_cvtph_ps(load(p)); }
  static inline __m256i to_f32(__m128i v) { return _mm256_castps_si256(_mm256_cvtph_ps(v)); }
};
struct BF16 {
  static inline __m512 load16(const uint8_t* p) { return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(load(p)), 16)); }
  static inline __m256i to_f32(__m128i v) { return _mm256_slli_epi32(_mm256_cvtepu16_epi32(v), 16); }
};

// `count` of 16 elements at p, then zeros.
static inline __m256i load_some(const uint8_t* p, uint64_t count) {
  const auto mask = static_cast<__mmask16>(count >= 16 ? 0xffff : (1u << count) - 1);
  return _mm256_maskz_loadu_epi16(mask, p);
}
static inline void store8(uint16_t* to, __m256i words) { _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_cvtepi32_epi16(words)); }

static void pack_halves(const uint8_t* const* rows, void* to, uint64_t count) {
  uint16_t* panel = static_cast<uint16_t*>(to);
  for (uint64_t i = 0; i < count; i += 16)
    for (int half = 0; half < kPanelRows; half += 8) {
      __m256i r[8], columns[8];
      for (int k = 0; k < 8; ++k) r[k] = load_some(rows[half + k] + 2 * i, count - i);
      transpose8(r, columns);
      for (uint64_t s = 0; s < 8 && i + 2 * s < count; ++s) {  // two elements of each row
        store8(panel + (i + 2 * s) * kPanelRows + half, columns[s]);
        if (i + 2 * s + 1 < count) store8(panel + (i + 2 * s + 1) * kPanelRows + half, _mm256_srli_epi32(columns[s], 16));
      }
    }
}

template <typename T>
static void pack_floats(const uint8_t* const* rows, void* to, uint64_t count) {
  float* tile = static_cast<float*>(to);
  for (uint64_t i = 0; i < count; i += 8) {
    __m256i r[8], columns[8];
    for (int k = 0; k < 8; ++k) r[k] = T::to_f32(_mm256_castsi256_si128(load_some(rows[k] + 2 * i, count - i < 8 ? count - i : 8)));
    transpose8(r, columns);
    for (uint64_t s = 0; s < 8 && i + s < count; ++s) _mm256_store_si256(reinterpret_cast<__m256i*>(tile + (i + s) * kTileRows), columns[s]);
  }
}

template <typename T>
static void multiply_floats(const void* weights, const void* activations, float* output, uint64_t count) {
  const uint8_t* panel = static_cast<const uint8_t*>(weights);
  const float* tile = static_cast<const float*>(activations);
  __m512 sum[kTileRows];
  EACH_ROW sum[r] = _mm512_load_ps(output + r * kPanelRows);
  for (uint64_t i = 0; i < count; ++i, panel += 2 * kPanelRows, tile += kTileRows) {
    const __m512 w = T::load16(panel);
    EACH_ROW sum[r] = _mm512_fmadd_ps(w, _mm512_set1_ps(tile[r]), sum[r]);
  }
  EACH_ROW _mm512_store_ps(output + r * kPanelRows, sum[r]);
}
#undef EACH_ROW

// The activations: to nearest, ties to even; a NaN stays one.
static gcts_status quantize_f16(void*, const float* x, const float*, void* blocks, uint64_t count) {
  uint8_t* b = static_cast<uint8_t*>(blocks);
  for (uint64_t i = 0; i < count; i += 16) {
    const auto mask = static_cast<__mmask16>(count - i >= 16 ? 0xffff : (1u << (count - i)) - 1);
    const __m256i halves = _mm512_cvtps_ph(_mm512_maskz_loadu_ps(mask, x + i), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    _mm256_mask_storeu_epi16(b + 2 * i, mask, halves);
  }
  return GCTS_OK;
}
static gcts_status quantize_bf16(void*, const float* x, const float*, void* blocks, uint64_t count) {
  uint8_t* b = static_cast<uint8_t*>(blocks);
  for (uint64_t i = 0; i < count; i += 16) {
    const auto mask = static_cast<__mmask16>(count - i >= 16 ? 0xffff : (1u << (count - i)) - 1);
    const __m512i v = _mm512_maskz_loadu_epi32(mask, x + i), top = _mm512_srli_epi32(v, 16);
    const __m512i odd = _mm512_and_si512(top, _mm512_set1_epi32(1));
    const __m512i rounded = _mm512_srli_epi32(_mm512_add_epi32(v, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff))), 16);
    const __mmask16 nan = _mm512_cmpgt_epi32_mask(_mm512_and_si512(v, _mm512_set1_epi32(0x7fffffff)), _mm512_set1_epi32(0x7f800000));
    const __m512i words = _mm512_mask_or_epi32(rounded, nan, top, _mm512_set1_epi32(0x40));
    _mm256_mask_storeu_epi16(b + 2 * i, mask, _mm512_cvtepi32_epi16(words));
  }
  return GCTS_OK;
}

static constexpr uint32_t kFloats = 256;  // a panel's part of 8 KB and a tile's of 8 KB
const TiledPlan plan_f16{quantize_f16, 1, 2, 1, kFloats, 2 * kPanelRows, 4 * kTileRows, pack_halves, pack_floats<F16>, multiply_floats<F16>};
const TiledPlan plan_bf16{quantize_bf16, 1, 2, 1, kFloats, 2 * kPanelRows, 4 * kTileRows, pack_halves, pack_floats<BF16>, multiply_floats<BF16>};

// Pairs of bfloat16, as the instruction for their dot products takes them.
static void pack_pairs(const uint8_t* const* rows, int count_of_rows, uint32_t* to, uint64_t count) {
  for (uint64_t i = 0; i < count; i += 16)
    for (int half = 0; half < count_of_rows; half += 8) {
      __m256i r[8], columns[8];
      for (int k = 0; k < 8; ++k) r[k] = load_some(rows[half + k] + 2 * i, count - i);
      transpose8(r, columns);
      for (uint64_t s = 0; s < 8 && i + 2 * s < count; ++s)
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + (i / 2 + s) * static_cast<uint64_t>(count_of_rows) + half), columns[s]);
    }
}
static void pack_pair_panel(const uint8_t* const* rows, void* to, uint64_t count) { pack_pairs(rows, kPanelRows, static_cast<uint32_t*>(to), count); }
static void pack_pair_tile(const uint8_t* const* rows, void* to, uint64_t count) { pack_pairs(rows, kTileRows, static_cast<uint32_t*>(to), count); }

const TiledPlan plan_bf16_pairs{avx512_bf16::quantize_bf16, 1, 2, 2, kFloats, 4 * kPanelRows, 4 * kTileRows, pack_pair_panel, pack_pair_tile,
                                avx512_bf16::multiply_pairs};

}  // namespace cpu::avx512_tiled
TARGET_END
#endif
