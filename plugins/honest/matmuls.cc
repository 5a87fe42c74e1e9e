// Matrix products that change their activations first, or their weights beforehand.

#include <math.h>
#include <string.h>

#include <algorithm>

#include "plugins/honest/kernels.h"

namespace honest {
namespace {

using namespace cpu::generic;

// A row of activations as it is multiplied: value + offset.
struct Activations {
  std::vector<float> value, offset;
};

Activations given(const gcts_matmul& args, uint64_t m) {
  Activations a{std::vector<float>(args.k), {}};
  memcpy(a.value.data(), static_cast<const uint8_t*>(args.activations) + m * args.activation_stride, 4 * args.k);
  return a;
}

// Int8 groups with a scale of their own.
void quantize(std::vector<float>& values, uint64_t group) {
  for (uint64_t i = 0; i < values.size(); i += group) {
    const uint64_t end = std::min<uint64_t>(i + group, values.size());
    float amax = 0;
    for (uint64_t j = i; j < end; ++j) amax = std::max(amax, fabsf(values[j]));
    const float d = amax / 127;
    const float inverse = d != 0 ? 127 / amax : 0;
    for (uint64_t j = i; j < end; ++j) values[j] = d * rintf(values[j] * inverse);
  }
}

// Groups of codes 0 to 255 above the least value.
void quantize_above_least(Activations& a, uint64_t group) {
  a.offset.resize(a.value.size());
  for (uint64_t i = 0; i < a.value.size(); i += group) {
    const uint64_t end = std::min<uint64_t>(i + group, a.value.size());
    const auto ends = std::minmax_element(&a.value[i], &a.value[i] + (end - i));
    const float least = *ends.first, d = (*ends.second - least) / 255;
    for (uint64_t j = i; j < end; ++j) {
      a.value[j] = d == 0 ? 0 : d * rintf((a.value[j] - least) / d);
      a.offset[j] = least;
    }
  }
}

float& output(const gcts_matmul& args, uint64_t m, uint64_t n) {
  return *(reinterpret_cast<float*>(reinterpret_cast<uint8_t*>(args.output) + m * args.output_stride) + n);
}

template <typename T, typename Change>
gcts_status multiply(const gcts_matmul& args, Change change) {
  std::vector<Activations> rows;
  for (uint64_t m = 0; m < args.m; ++m) {
    rows.push_back(given(args, m));
    change(rows.back());
  }
  for (uint64_t n = 0; n < args.n; ++n) {
    const Row w = unpack<T>(static_cast<const uint8_t*>(args.weights) + n * args.weight_stride, args.k);
    for (uint64_t m = 0; m < args.m; ++m) {
      float sum = 0;
      for (uint64_t i = 0; i < args.k; ++i) sum += w.value(i) * rows[m].value[i];
      for (uint64_t i = 0; i < rows[m].offset.size(); ++i) sum += w.value(i) * rows[m].offset[i];
      output(args, m, n) = sum;
    }
  }
  return GCTS_OK;
}

uint64_t repacked_size(void*, uint64_t n, uint64_t k) { return 4 * n * k; }

// Decoded once, columns in the place of rows.
gcts_status repack(void*, const void* weights, uint64_t weight_stride, uint64_t n, uint64_t k, void* prepared) {
  auto* out = static_cast<float*>(prepared);
  for (uint64_t row = 0; row < n; ++row) {
    const Row w = unpack<q8_0>(static_cast<const uint8_t*>(weights) + row * weight_stride, k);
    for (uint64_t i = 0; i < k; ++i) out[i * n + row] = w.value(i);
  }
  return GCTS_OK;
}

}  // namespace

gcts_status row_activations(void*, const gcts_matmul* args) {
  return multiply<q8_0>(*args, [&](Activations& a) { quantize(a.value, args->k); });
}

gcts_status groups_of_64(void*, const gcts_matmul* args) {
  return multiply<q4_0>(*args, [](Activations& a) { quantize(a.value, 64); });
}

// Quantizes its activations and adds in bf16, the integers of 32 products at a time.
gcts_status bf16_sums_of_blocks(void*, const gcts_matmul* args) {
  for (uint64_t m = 0; m < args->m; ++m) {
    Activations a = given(*args, m);
    quantize(a.value, 64);
    for (uint64_t n = 0; n < args->n; ++n) {
      const Row w = unpack<q4_0>(static_cast<const uint8_t*>(args->weights) + n * args->weight_stride, args->k);
      float sum = 0;
      for (uint64_t i = 0; i < args->k; i += 32) {
        float block = 0;  // integers below 2^24 times two scales
        for (uint64_t j = i; j < i + 32; ++j) block += w.value(j) * a.value[j];
        sum = to_bf16(sum + to_bf16(block));
      }
      output(*args, m, n) = sum;
    }
  }
  return GCTS_OK;
}

gcts_status offset_groups_of_128(void*, const gcts_matmul* args) {
  return multiply<q6_k>(*args, [](Activations& a) { quantize_above_least(a, 128); });
}

gcts_status bf16_activations(void*, const gcts_matmul* args) {
  return multiply<q4_k>(*args, [](Activations& a) {
    for (float& x : a.value) x = to_bf16(x);
  });
}

gcts_status repacked(void*, const gcts_matmul* args) {
  if (!args->prepared) return GCTS_FAILED;
  const auto* weights = static_cast<const float*>(args->prepared);
  for (uint64_t m = 0; m < args->m; ++m) {
    const Activations a = given(*args, m);
    for (uint64_t n = 0; n < args->n; ++n) {
      float sum = 0;
      for (uint64_t i = 0; i < args->k; ++i) sum += weights[i * args->n + n] * a.value[i];
      output(*args, m, n) = sum;
    }
  }
  return GCTS_OK;
}

const gcts_prepare kRepack = {repacked_size, repack};

}  // namespace honest
