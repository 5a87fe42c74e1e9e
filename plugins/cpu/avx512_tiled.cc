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
#include "x86_integers.h"

// Codes times scales, for types where that fits in a byte: what is then added to them.
template <typename T>
inline constexpr int kFolded = -1;
template <>
inline constexpr int kFolded<q2_k> = 0;
template <>
inline constexpr int kFolded<q3_k> = 124;  // scales of -32 to 31 times codes of -4 to 3
template <>
inline constexpr int kFolded<tq1_0> = 1;
template <>
inline constexpr int kFolded<tq2_0> = 1;

// Minima as floats, or as pairs of integers and what these are times; of a tile, what they are
// multiplied with.
template <bool kFloat, int kRows>
struct FloatMinima {
  float minimum[kRows];
};
template <int kRows>
struct FloatMinima<false, kRows> {};
template <int kPairs, int kRows>
struct IntegerMinima {
  int16_t minima[kPairs][kRows][2];
};
template <int kRows>
struct IntegerMinima<0, kRows> {};

// A step: 32 elements, or 256 where activations are scaled by so many.  kLength: elements of one
// integer sum; kPairs: of minima that are integers.
template <int kStep, int kLength, bool kOffset, bool kMinimum, int kPairs>
struct Step {
  static constexpr int kElements = kStep, kEach = kLength, kSums = kStep / kLength, kMinima = kPairs;
  static constexpr bool kRaised = kOffset, kFloatMinimum = kMinimum;

  // Codes stand as dpbusd takes them, four of a row in one lane, and are made non-negative by
  // what tiles start less by.
  struct alignas(64) Panel : FloatMinima<kMinimum || kPairs != 0, kPanelRows>, IntegerMinima<kPairs, kPanelRows> {
    float scale[kSums][kPanelRows];
    uint8_t codes[kStep / 4][kPanelRows][4];
  };
  struct alignas(64) Tile : FloatMinima<kMinimum, kTileRows>, IntegerMinima<kPairs, kTileRows> {
    float scale[kTileRows];
    int32_t start[kSums][kTileRows];            // what the offset adds, taken off
    int8_t codes[kStep / 4][kTileRows][4];  // elements 4 s to 4 s + 3 of each row
  };
};

template <typename T>
inline constexpr int kAdded = kFolded<T> >= 0 ? kFolded<T> : T::kOffset;
template <typename T, typename A, int kGroup>
using StepOf = Step<A::kElements, (kFolded<T> >= 0 ? 256 : kGroup), kAdded<T> != 0, T::kMinimum && A::kElements == 32,
                    (T::kMinimum && A::kElements == 256 ? 128 / kGroup : 0)>;

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

#include "avx512_tiles.h"

// Raised codes of elements 32 g to 32 g + 31, times their scales where that is folded in.
struct Factors {
  __m256i of[3];
};
template <typename T>
static inline Factors factors(const T*, const Integers&) { return {}; }
template <typename T>
static inline __m256i raised(const T*, const uint8_t* b, int g, const Factors&) {
  return _mm256_add_epi8(T::codes(b, g), _mm256_set1_epi8(static_cast<char>(T::kOffset)));
}
// Products fit in a byte, so that one of 16 bits makes two.
static inline Factors factors(const q2_k*, const Integers& n) { return {{by_halves(n.scale)}}; }
static inline __m256i raised(const q2_k*, const uint8_t* b, int g, const Factors& f) {
  return _mm256_mullo_epi16(q2_k::codes(b, g), scales_of(f.of[0], g));
}
// The same for negative scales s, by way of the code c = 7 - raised: s (code) = |s| (c - 3).
static inline Factors factors(const q3_k*, const Integers& n) {
  const __m256i negative = _mm256_srai_epi16(n.scale, 15), size = _mm256_abs_epi16(n.scale);
  const __m256i taken = _mm256_mullo_epi16(size, _mm256_add_epi16(_mm256_set1_epi16(4), negative));
  const __m256i start = _mm256_mullo_epi16(_mm256_sub_epi16(_mm256_set1_epi16(kFolded<q3_k>), taken), _mm256_set1_epi16(0x0101));
  return {{by_halves(size), by_halves(_mm256_and_si256(negative, _mm256_set1_epi8(7))), by_halves(start)}};
}
static inline __m256i raised(const q3_k*, const uint8_t* b, int g, const Factors& f) {
  const __m256i code = _mm256_xor_si256(_mm256_add_epi8(q3_k::codes(b, g), _mm256_set1_epi8(4)), scales_of(f.of[1], g));
  return _mm256_add_epi8(_mm256_mullo_epi16(code, scales_of(f.of[0], g)), scales_of(f.of[2], g));
}

// Codes of 8 rows to lanes `half` and on.
template <typename T, typename S>
static inline void store_raised(typename S::Panel* panel, const uint8_t* const* rows, uint64_t at, int half, int g, const Factors* f) {
  __m256i codes[8], columns[8];
  for (int r = 0; r < 8; ++r) codes[r] = raised(static_cast<const T*>(nullptr), rows[half + r] + at, g, f[half + r]);
  transpose8(codes, columns);
  for (int s = 0; s < 8; ++s) {
    const int place = 8 * g + s;  // among those of the block, which may be several steps
    _mm256_store_si256(reinterpret_cast<__m256i*>(panel[place / (S::kElements / 4)].codes[place % (S::kElements / 4)][half]), columns[s]);
  }
}

// Types in blocks of 256: scales of all rows are turned over as pairs of 16-bit integers.
template <typename T, typename S>
static inline void store_integers(typename S::Panel& panel, const Integers* n, int half) {
  alignas(32) float d[8], dmin[8];
  __m256i rows[8], pairs[8];
  for (int r = 0; r < 8; ++r) d[r] = n[r].d, rows[r] = n[r].scale;
  const __m256 by = _mm256_load_ps(d);
  if constexpr (S::kSums == 1) {
    _mm256_store_ps(panel.scale[0] + half, by);
  } else {
    transpose8(rows, pairs);
    for (int i = 0; i < 8; ++i) {
      const __m256i even = _mm256_srai_epi32(_mm256_slli_epi32(pairs[i], 16), 16), odd = _mm256_srai_epi32(pairs[i], 16);
      _mm256_store_ps(panel.scale[i * S::kSums / 8] + half, _mm256_mul_ps(_mm256_cvtepi32_ps(even), by));
      if constexpr (S::kSums == 16) _mm256_store_ps(panel.scale[2 * i + 1] + half, _mm256_mul_ps(_mm256_cvtepi32_ps(odd), by));
    }
  }
  if constexpr (S::kMinima > 0) {
    for (int r = 0; r < 8; ++r) dmin[r] = -n[r].dmin, rows[r] = n[r].minimum;
    _mm256_store_ps(panel.minimum + half, _mm256_load_ps(dmin));
    transpose8(rows, pairs);
    for (int i = 0; i < S::kMinima; ++i) {
      const __m256i pair = S::kMinima == 8 ? pairs[i] : _mm256_blend_epi16(pairs[2 * i], pairs[2 * i + 1], 0xaa);
      _mm256_store_si256(reinterpret_cast<__m256i*>(panel.minima[i][half]), pair);
    }
  }
}

template <typename T, typename S>
static void pack_panel(const uint8_t* const* rows, void* to, uint64_t count) {
  constexpr int kSteps = T::kElements / S::kElements;
  typename S::Panel* panel = static_cast<typename S::Panel*>(to);
  for (uint64_t i = 0, at = 0; i < count; i += T::kElements, at += T::kBytes, panel += kSteps) {
    Factors f[kPanelRows];
    if constexpr (S::kElements == 256) {
      Integers n[kPanelRows];
      for (int r = 0; r < kPanelRows; ++r) {
        n[r] = integers(static_cast<const T*>(nullptr), rows[r] + at);
        f[r] = factors(static_cast<const T*>(nullptr), n[r]);
      }
      for (int half = 0; half < kPanelRows; half += 8) store_integers<T, S>(*panel, n + half, half);
    } else {
      for (int r = 0; r < kPanelRows; ++r) {
        float a[T::kElements / 16], m[T::kElements / 16] = {};
        T::scales(rows[r] + at, a, m);
        for (int s = 0; s < kSteps; ++s) {
          for (int h = 0; h < S::kSums; ++h) panel[s].scale[h][r] = a[2 * s + h];
          if constexpr (S::kFloatMinimum) panel[s].minimum[r] = m[2 * s];
        }
      }
    }
    for (int half = 0; half < kPanelRows; half += 8)
      for (int g = 0; g < T::kElements / 32; ++g) store_raised<T, S>(panel, rows, at, half, g, f);
  }
}

// What is made of sums over codes: starts, and what integer minima are multiplied with.
template <typename S, int kOffset>
static inline void store_start(typename S::Tile& tile, int at, __m256i sum) {
  _mm256_store_si256(reinterpret_cast<__m256i*>(tile.start[at]), _mm256_mullo_epi32(sum, _mm256_set1_epi32(-kOffset)));
}
template <typename S>
static inline void store_pair(typename S::Tile& tile, int at, __m256i even, __m256i odd) {
  _mm256_store_si256(reinterpret_cast<__m256i*>(tile.minima[at]), _mm256_blend_epi16(even, _mm256_slli_epi32(odd, 16), 0xaa));
}

template <typename S, int kOffset>
static inline void pack_step_32(const float* const* rows, uint64_t i, typename S::Tile& tile) {
  alignas(32) float by[8];
  const __m256 d = scales_of_32(rows, i);
  _mm256_store_ps(by, inverse_of(d));
  _mm256_store_ps(tile.scale, as_half(d));
  const CodeSums sums = store_codes(rows, i, by, 0xff, tile.codes);
  const __m256i all = _mm256_add_epi32(sums.of[0], sums.of[1]);
  for (int h = 0; h < S::kSums; ++h) store_start<S, kOffset>(tile, h, S::kSums == 1 ? all : sums.of[h]);
  if constexpr (S::kFloatMinimum) _mm256_store_ps(tile.minimum, as_half(_mm256_mul_ps(_mm256_cvtepi32_ps(all), d)));
}

template <typename S, int kOffset>
static inline void pack_step_256(const float* const* rows, uint64_t i, typename S::Tile& tile) {
  alignas(32) float by[8];
  const __m256 extreme = extremes_of_256(rows, i);
  const __mmask8 some = _mm256_cmp_ps_mask(extreme, _mm256_setzero_ps(), _CMP_NEQ_OQ);
  const __m256 scale = _mm256_maskz_div_ps(some, _mm256_set1_ps(-127.0f), extreme);
  _mm256_store_ps(by, scale);
  _mm256_store_ps(tile.scale, _mm256_maskz_div_ps(some, _mm256_set1_ps(1.0f), scale));
  __m256i whole = _mm256_setzero_si256(), before = whole;
  for (int g = 0; g < 8; ++g) {
    const CodeSums sums = store_codes(rows, i + 32 * static_cast<uint64_t>(g), by, some, tile.codes + 8 * g);
    const __m256i all = _mm256_add_epi32(sums.of[0], sums.of[1]);
    whole = _mm256_add_epi32(whole, all);
    if constexpr (S::kSums == 8) store_start<S, kOffset>(tile, g, all);
    if constexpr (S::kSums == 16)
      for (int h = 0; h < 2; ++h) store_start<S, kOffset>(tile, 2 * g + h, sums.of[h]);
    if constexpr (S::kMinima == 8) store_pair<S>(tile, g, sums.of[0], sums.of[1]);
    if constexpr (S::kMinima == 4)
      if (g % 2 == 1) store_pair<S>(tile, g / 2, before, all);
    before = all;
  }
  if constexpr (S::kSums == 1) store_start<S, kOffset>(tile, 0, whole);
}

template <typename S, int kOffset>
static void pack_tile(const float* const* rows, void* to, uint64_t count) {
  typename S::Tile* tile = static_cast<typename S::Tile*>(to);
  for (uint64_t i = 0; i < count; i += S::kElements, ++tile) {
    if constexpr (S::kElements == 32) pack_step_32<S, kOffset>(rows, i, *tile);
    else pack_step_256<S, kOffset>(rows, i, *tile);
  }
}

#define EACH_ROW _Pragma("GCC unroll 8") for (int r = 0; r < kTileRows; ++r)

static inline int four_codes(const int8_t (&codes)[4]) { return static_cast<int>(load32(reinterpret_cast<const uint8_t*>(codes))); }

template <typename S>
static void multiply(const void* weights, const void* activations, float* output, uint64_t count) {
  constexpr int kUnrolled = S::kEach < 32 ? S::kEach / 4 : 8;
  constexpr bool kAtOnce = S::kSums == 1 && S::kMinima == 0;  // else what a step comes to is scaled once, at its end
  const typename S::Panel* panel = static_cast<const typename S::Panel*>(weights);
  const typename S::Tile* tile = static_cast<const typename S::Tile*>(activations);
  __m512 sum[kTileRows], step[kTileRows];
  EACH_ROW sum[r] = _mm512_load_ps(output + r * kPanelRows);
  for (uint64_t i = 0; i < count; i += S::kElements, ++panel, ++tile) {
    EACH_ROW step[r] = _mm512_setzero_ps();
    _Pragma("GCC unroll 8") for (int h = 0; h < S::kSums; ++h) {
      __m512i p[kTileRows];
      EACH_ROW p[r] = S::kRaised ? _mm512_set1_epi32(tile->start[h][r]) : _mm512_setzero_si512();
      for (int from = h * S::kEach / 4; from < (h + 1) * S::kEach / 4; from += kUnrolled)
        _Pragma("GCC unroll 8") for (int s = 0; s < kUnrolled; ++s) {
          const __m512i w = _mm512_load_si512(panel->codes[from + s]);
          EACH_ROW p[r] = _mm512_dpbusd_epi32(p[r], w, _mm512_set1_epi32(four_codes(tile->codes[from + s][r])));
        }
      const __m512 a = _mm512_load_ps(panel->scale[h]);
      if constexpr (kAtOnce) {
        EACH_ROW sum[r] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(p[r]), _mm512_mul_ps(a, _mm512_set1_ps(tile->scale[r])), sum[r]);
      } else {
        EACH_ROW step[r] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(p[r]), a, step[r]);
      }
    }
    if constexpr (S::kMinima > 0) {
      __m512i p[kTileRows];
      EACH_ROW p[r] = _mm512_setzero_si512();
      _Pragma("GCC unroll 8") for (int k = 0; k < S::kMinima; ++k) {
        const __m512i m = _mm512_load_si512(panel->minima[k]);
        EACH_ROW p[r] = _mm512_dpwssd_epi32(p[r], m, _mm512_set1_epi32(static_cast<int>(load32(reinterpret_cast<const uint8_t*>(tile->minima[k][r])))));
      }
      const __m512 m = _mm512_load_ps(panel->minimum);
      EACH_ROW step[r] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(p[r]), m, step[r]);
    }
    if constexpr (S::kFloatMinimum) {
      const __m512 m = _mm512_load_ps(panel->minimum);
      EACH_ROW sum[r] = _mm512_fmadd_ps(m, _mm512_set1_ps(tile->minimum[r]), sum[r]);
    }
    if constexpr (!kAtOnce) {
      EACH_ROW sum[r] = _mm512_fmadd_ps(step[r], _mm512_set1_ps(tile->scale[r]), sum[r]);
    }
  }
  EACH_ROW _mm512_store_ps(output + r * kPanelRows, sum[r]);
}

// A panel's part of about 10 KB and a tile's of about 5 KB.
static constexpr uint32_t kPart = 512;

#define CPU_TYPE(name, id, act, act_id, group)                                                                \
  using Step_##name = StepOf<name, act_##act, group>;                                                         \
  const TiledPlan plan_##name{Step_##name::kElements, kPart, sizeof(Step_##name::Panel), sizeof(Step_##name::Tile), \
                              pack_panel<name, Step_##name>, pack_tile<Step_##name, kAdded<name>>, multiply<Step_##name>};
#include "types.inc"
#undef CPU_TYPE

// Floats of 16 bits.  A panel keeps them as they are, element by element of all its rows; a
// tile holds its activations as f32.
struct F16 {
  static inline __m512 load16(const uint8_t* p) { return _mm512_cvtph_ps(load(p)); }
  static inline __m512 round(__m512 v) { return round_to_f16(v); }
};
struct BF16 {
  static inline __m512 load16(const uint8_t* p) { return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(load(p)), 16)); }
  static inline __m512 round(__m512 v) { return round_to_bf16(v); }
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
static void pack_floats(const float* const* rows, void* to, uint64_t count) {
  float* tile = static_cast<float*>(to);
  for (uint64_t i = 0; i < count; i += 16) {
    const auto mask = static_cast<__mmask16>(count - i >= 16 ? 0xffff : (1u << (count - i)) - 1);
    __m512i v[8];
    for (int r = 0; r < 8; ++r) v[r] = _mm512_castps_si512(T::round(_mm512_maskz_loadu_ps(mask, rows[r] + i)));
    for (uint64_t half = 0; half < 2; ++half) {
      __m256i r[8], columns[8];
      for (int k = 0; k < 8; ++k) r[k] = half == 0 ? _mm512_castsi512_si256(v[k]) : _mm512_extracti64x4_epi64(v[k], 1);
      transpose8(r, columns);
      for (uint64_t s = 8 * half; s < 8 * half + 8 && i + s < count; ++s)
        _mm256_store_si256(reinterpret_cast<__m256i*>(tile + (i + s) * kTileRows), columns[s % 8]);
    }
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

static constexpr uint32_t kFloats = 256;  // a panel's part of 8 KB and a tile's of 8 KB
const TiledPlan plan_f16{1, kFloats, 2 * kPanelRows, 4 * kTileRows, pack_halves, pack_floats<F16>, multiply_floats<F16>};
const TiledPlan plan_bf16{1, kFloats, 2 * kPanelRows, 4 * kTileRows, pack_halves, pack_floats<BF16>, multiply_floats<BF16>};

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
static void pack_pair_tile(const float* const* rows, void* to, uint64_t count) {
  uint8_t halves[kTileRows][2 * kFloats];
  const uint8_t* each[kTileRows];
  for (uint64_t i = 0; i < count; i += kFloats) {
    const uint64_t part = count - i < kFloats ? count - i : kFloats;
    for (int r = 0; r < kTileRows; ++r) {
      each[r] = halves[r];
      avx512_bf16::quantize_bf16(nullptr, rows[r] + i, nullptr, halves[r], part);
    }
    pack_pairs(each, kTileRows, static_cast<uint32_t*>(to) + i / 2 * kTileRows, part);
  }
}

const TiledPlan plan_bf16_pairs{2, kFloats, 4 * kPanelRows, 4 * kTileRows, pack_pair_panel, pack_pair_tile,
                                avx512_bf16::multiply_pairs};

}  // namespace cpu::avx512_tiled
TARGET_END
#endif
