// The kernels in plain C++: no intrinsics, any machine.

#include <math.h>

#include "blocks.h"
#include "gcts/plugin.h"
#include "generic_codes.h"
#include "kernels.h"

namespace cpu::generic {
namespace {

template <typename T>
void decode(const uint8_t* b, float* y, uint64_t count) {
  for (uint64_t i = 0; i < count; i += T::kElements, b += T::kBytes) {
    float a[T::kElements / 16], m[T::kElements / 16] = {};
    T::scales(b, a, m);
    for (int g = 0; g < T::kElements / 32; ++g) {
      int8_t c[32];
      T::codes(b, g, c);
      for (int j = 0; j < 32; ++j) {
        const int k = 2 * g + j / 16;
        float v = static_cast<float>(c[j]) * a[k];
        if constexpr (T::kMinimum) v = v + m[k];
        *y++ = v;
      }
    }
  }
}

int dot16(const int8_t* c, const int8_t* q) {
  int sum = 0;
  for (int j = 0; j < 16; ++j) sum += static_cast<int>(c[j]) * static_cast<int>(q[j]);
  return sum;
}

template <typename T, typename A, int kGroup>
float dot(const uint8_t* b, const uint8_t* y, uint64_t count) {
  float sum = 0;
  for (uint64_t i = 0; i < count; i += T::kElements, b += T::kBytes) {
    float a[T::kElements / 16], m[T::kElements / 16] = {};
    T::scales(b, a, m);
    for (int g = 0; g < T::kElements / 32; ++g) {
      const uint64_t at = i + 32 * static_cast<uint64_t>(g);
      const uint8_t* block = y + at / A::kElements * A::kBytes;
      const int8_t* q = reinterpret_cast<const int8_t*>(block) + A::kCodes + at % A::kElements;
      const float d = A::scale(block);
      int8_t c[32];
      T::codes(b, g, c);
      const int low = dot16(c, q), high = dot16(c + 16, q + 16);
      if constexpr (kGroup == 16) {
        sum += static_cast<float>(low) * (a[2 * g] * d) + static_cast<float>(high) * (a[2 * g + 1] * d);
      } else {
        sum += static_cast<float>(low + high) * (a[2 * g] * d);
      }
      if constexpr (T::kMinimum) {
        if constexpr (A::kElements == 32) {
          sum += m[2 * g] * A::scaled_sum(block);
        } else {
          for (int h = 0; h < 2; ++h) {
            int total = 0;
            for (int j = 0; j < 16; ++j) total += q[16 * h + j];
            sum += static_cast<float>(total) * (m[2 * g + h] * d);
          }
        }
      }
    }
  }
  return sum;
}

// Nearest integer, ties to even, of a value that fits in 22 bits.
int nearest(float v) { return static_cast<int>(lrintf(v)); }

float largest(const float* x, int n) {
  float amax = 0;
  for (int i = 0; i < n; ++i) amax = fabsf(x[i]) > amax ? fabsf(x[i]) : amax;
  return amax;
}

int8_t clamp8(float v) {
  if (!(v > -128.0f)) return v == v ? -128 : 0;
  return static_cast<int8_t>(v >= 127.0f ? 127 : nearest(v));
}

// Codes and scale of 32 elements; the sum of the codes.
int quantize32(const float* x, float& d, int8_t* q) {
  d = largest(x, 32) / 127.0f;
  const float inverse = d != 0 ? 1.0f / d : 0.0f;
  int sum = 0;
  for (int j = 0; j < 32; ++j) {
    q[j] = clamp8(x[j] * inverse);
    sum += q[j];
  }
  return sum;
}

void store16(uint8_t* p, uint16_t v) { memcpy(p, &v, 2); }

}  // namespace

#define CPU_TYPE(name, id, act, act_id, group)                                                   \
  gcts_status dequantize_##name(void*, const void* blocks, float* values, uint64_t count) {      \
    decode<name>(static_cast<const uint8_t*>(blocks), values, count);                            \
    return GCTS_OK;                                                                              \
  }                                                                                              \
  gcts_status vec_dot_##name(void*, const void* x, const void* y, float* result, uint64_t count) { \
    *result = dot<name, act_##act, group>(static_cast<const uint8_t*>(x),                        \
                                          static_cast<const uint8_t*>(y), count);                \
    return GCTS_OK;                                                                              \
  }
#include "types.inc"
#undef CPU_TYPE

gcts_status dequantize_q8_1(void*, const void* blocks, float* values, uint64_t count) {
  decode<q8_1>(static_cast<const uint8_t*>(blocks), values, count);
  return GCTS_OK;
}
gcts_status dequantize_q8_k(void*, const void* blocks, float* values, uint64_t count) {
  decode<q8_k>(static_cast<const uint8_t*>(blocks), values, count);
  return GCTS_OK;
}
gcts_status dequantize_f16(void*, const void* blocks, float* values, uint64_t count) {
  const uint8_t* p = static_cast<const uint8_t*>(blocks);
  for (uint64_t i = 0; i < count; ++i) values[i] = load_half(p + 2 * i);
  return GCTS_OK;
}
gcts_status dequantize_bf16(void*, const void* blocks, float* values, uint64_t count) {
  const uint8_t* p = static_cast<const uint8_t*>(blocks);
  for (uint64_t i = 0; i < count; ++i) values[i] = bf16_to_float(load16(p + 2 * i));
  return GCTS_OK;
}

gcts_status vec_dot_f16(void*, const void* x, const void* y, float* result, uint64_t count) {
  const uint8_t *p = static_cast<const uint8_t*>(x), *q = static_cast<const uint8_t*>(y);
  float sum = 0;
  for (uint64_t i = 0; i < count; ++i) sum += load_half(p + 2 * i) * load_half(q + 2 * i);
  *result = sum;
  return GCTS_OK;
}
gcts_status vec_dot_bf16(void*, const void* x, const void* y, float* result, uint64_t count) {
  const uint8_t *p = static_cast<const uint8_t*>(x), *q = static_cast<const uint8_t*>(y);
  float sum = 0;
  for (uint64_t i = 0; i < count; ++i)
    sum += bf16_to_float(load16(p + 2 * i)) * bf16_to_float(load16(q + 2 * i));
  *result = sum;
  return GCTS_OK;
}
gcts_status vec_dot_f32(void*, const void* x, const void* y, float* result, uint64_t count) {
  const uint8_t *p = static_cast<const uint8_t*>(x), *q = static_cast<const uint8_t*>(y);
  float sum = 0;
  for (uint64_t i = 0; i < count; ++i)
    sum += bits_to_float(load32(p + 4 * i)) * bits_to_float(load32(q + 4 * i));
  *result = sum;
  return GCTS_OK;
}

gcts_status quantize_q8_0(void*, const float* x, const float*, void* blocks, uint64_t count) {
  uint8_t* b = static_cast<uint8_t*>(blocks);
  for (uint64_t i = 0; i < count; i += 32, b += 34) {
    float d;
    quantize32(x + i, d, reinterpret_cast<int8_t*>(b + 2));
    store16(b, float_to_half(d));
  }
  return GCTS_OK;
}
gcts_status quantize_q8_1(void*, const float* x, const float*, void* blocks, uint64_t count) {
  uint8_t* b = static_cast<uint8_t*>(blocks);
  for (uint64_t i = 0; i < count; i += 32, b += 36) {
    float d;
    const int sum = quantize32(x + i, d, reinterpret_cast<int8_t*>(b + 4));
    store16(b, float_to_half(d));
    store16(b + 2, float_to_half(static_cast<float>(sum) * d));
  }
  return GCTS_OK;
}
gcts_status quantize_q8_k(void*, const float* x, const float*, void* blocks, uint64_t count) {
  uint8_t* b = static_cast<uint8_t*>(blocks);
  for (uint64_t i = 0; i < count; i += 256, b += 292) {
    const float amax = largest(x + i, 256);
    memset(b, 0, 292);
    if (amax == 0) continue;
    float extreme = 0;  // the first of the largest, with its sign
    for (int j = 255; j >= 0; --j)
      if (fabsf(x[i + static_cast<uint64_t>(j)]) == amax) extreme = x[i + static_cast<uint64_t>(j)];
    const float scale = -127.0f / extreme, d = 1.0f / scale;
    memcpy(b, &d, 4);
    for (int k = 0; k < 16; ++k) {
      int sum = 0;
      for (int j = 16 * k; j < 16 * k + 16; ++j) {
        const int8_t q = clamp8(x[i + static_cast<uint64_t>(j)] * scale);
        b[4 + j] = static_cast<uint8_t>(q);
        sum += q;
      }
      store16(b + 260 + 2 * k, static_cast<uint16_t>(static_cast<int16_t>(sum)));
    }
  }
  return GCTS_OK;
}

gcts_status quantize_f16(void*, const float* x, const float*, void* blocks, uint64_t count) {
  uint8_t* b = static_cast<uint8_t*>(blocks);
  for (uint64_t i = 0; i < count; ++i) store16(b + 2 * i, float_to_half(x[i]));
  return GCTS_OK;
}
gcts_status quantize_bf16(void*, const float* x, const float*, void* blocks, uint64_t count) {
  uint8_t* b = static_cast<uint8_t*>(blocks);
  for (uint64_t i = 0; i < count; ++i) store16(b + 2 * i, float_to_bf16(x[i]));
  return GCTS_OK;
}

}  // namespace cpu::generic
