// Quantizes and rounds activations as accuracy classes say.
#include "reference/activations.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

#include "reference/block.h"
#include "reference/codec.h"
#include "reference/terms.h"

namespace gcts {
namespace {

double at_least_one(double x) { return std::max(1.0, std::fabs(x)); }

// What an activation type or a class quantizes to, if it is one of the block types.
const TensorType* quantized_type(const TensorType& given, Activation activation) {
  if (has_scales(given)) return &given;
  switch (activation) {
    case Activation::q8_0:
      return find_tensor_type(tensor::q8_0);
    case Activation::q8_1:
      return find_tensor_type(tensor::q8_1);
    case Activation::q8_k:
      return find_tensor_type(tensor::q8_k);
    default:
      return nullptr;
  }
}

ActivationRow from_values(std::span<const float> values, FloatFormat round) {
  ActivationRow row;
  for (const float x : values) {
    const double value = round_to(x, round);
    row.value.push_back(value);
    row.growth.push_back(at_least_one(value));
    row.finite &= std::isfinite(value);
  }
  return row;
}

ActivationRow from_blocks(const TensorType& type, const std::byte* blocks, uint64_t k) {
  RowTerms terms = row_terms(type, blocks, k);
  ActivationRow row;
  row.value = std::move(terms.product);
  row.growth = std::move(terms.growth);
  row.largest_scale = terms.largest_scale;
  row.finite = terms.finite;
  row.factors = 2;
  return row;
}

// Symmetric int8 groups with an f32 scale of their own.
ActivationRow from_groups(std::span<const float> values, uint32_t group) {
  ActivationRow row;
  row.factors = 2;
  row.scale_roundings = 2;
  for (size_t begin = 0; begin < values.size(); begin += group) {
    const auto part = values.subspan(begin, std::min<size_t>(group, values.size() - begin));
    const float amax = largest_magnitude(part.data(), static_cast<uint32_t>(part.size()));
    const float d = amax / 127.0f;
    row.largest_scale = std::max(row.largest_scale, at_least_one(d));
    for (const float x : part) {
      const double code = d == 0 ? 0 : std::nearbyint(double{x} * 127 / amax);
      row.value.push_back(d * code);
      row.growth.push_back(at_least_one(d) * at_least_one(code));
      row.finite &= std::isfinite(x);
    }
  }
  return row;
}

struct Ends {
  float least, greatest;
};
Ends ends_of(std::span<const float> values) {
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  return {*least, *greatest};
}

// Groups of codes 0 to 255 above the least value.
ActivationRow from_offset_groups(std::span<const float> values, uint32_t group) {
  ActivationRow row;
  row.factors = 2;
  row.scale_roundings = 2;
  for (size_t begin = 0; begin < values.size(); begin += group) {
    const auto part = values.subspan(begin, std::min<size_t>(group, values.size() - begin));
    const Ends ends = ends_of(part);
    const float d = (ends.greatest - ends.least) / 255.0f;
    row.largest_scale = std::max({row.largest_scale, at_least_one(d), at_least_one(ends.least)});
    for (const float x : part) {
      const double code = d == 0 ? 0 : std::nearbyint((double{x} - ends.least) / d);
      row.value.push_back(d * code);
      row.offset.push_back(ends.least);
      row.growth.push_back(std::max(at_least_one(d) * at_least_one(code), at_least_one(ends.least)));
      row.finite &= std::isfinite(x);
    }
  }
  return row;
}

// The block sums of a row of Q8_1 blocks under a class that does not sum the codes.
void set_row_sums(ActivationRow& row, const std::byte* blocks, std::span<const float> values, BlockSum kind) {
  if (kind == BlockSum::exact) return;
  const TensorType& type = *find_tensor_type(tensor::q8_1);
  for (size_t block = 0; block < row.value.size() / type.block_elements; ++block) {
    const auto part =
        values.empty() ? values : values.subspan(block * type.block_elements, type.block_elements);
    if (kind == BlockSum::f16_codes || values.empty()) {
      row.sum.push_back(f16_to_f32(load_block<Little16>(blocks + block * type.block_bytes + 2, 0)));
      row.sum_slack.push_back(0);
      continue;
    }
    double exact = 0;
    for (const float x : part) exact += x;
    const double sum = round_to(exact, FloatFormat::f16);
    // An f32 sum in another order may fall to the other side of a tie.
    const double ulp = std::max(0x1p-24, std::ldexp(1.0, (sum == 0 ? -14 : std::ilogb(sum)) - 10));
    row.sum.push_back(sum);
    row.sum_slack.push_back(ulp);
  }
}

// x moved so that x / d leaves the neighbourhood of a tie, toward zero.
float off_tie(float x, double d) {
  const double ratio = std::fabs(x) / d;
  const double from_tie = ratio - std::floor(ratio) - 0.5;
  if (std::fabs(from_tie) >= 0x1p-10 * 1.5) return x;
  return static_cast<float>(std::copysign((ratio - 0x1p-7) * d, x));
}

// A group's amax moved so that f16(amax / 127) is the same however the quotient is rounded.
float scale_off_tie(float amax) {
  for (int step = 0; step < 8; ++step) {
    const double d = double{amax} / 127;
    const double ulp = std::max(0x1p-24, std::ldexp(1.0, std::ilogb(d) - 10));
    const double position = d / ulp - std::floor(d / ulp) - 0.5;
    if (std::fabs(position) > 0x1p-5) break;
    amax = static_cast<float>(amax + 127 * ulp * 0x1p-4);
  }
  return amax;
}

}  // namespace

uint32_t activation_group(const TensorType& activation_type, const AccuracyClass& accuracy, uint64_t k) {
  if (const TensorType* type = quantized_type(activation_type, accuracy.activation))
    return type->block_elements;
  if (accuracy.activation == Activation::group) return accuracy.activation_group;
  if (accuracy.activation == Activation::row) return static_cast<uint32_t>(k);
  return 0;
}

ActivationRow activation_row(const TensorType& activation_type, const std::byte* blocks, uint64_t k,
                             const AccuracyClass& accuracy) {
  if (has_scales(activation_type)) {
    ActivationRow row = from_blocks(activation_type, blocks, k);
    if (activation_type.id == tensor::q8_1) set_row_sums(row, blocks, {}, accuracy.block_sum);
    return row;
  }
  std::vector<float> values(k);
  activation_type.codec->dequantize(blocks, values.data(), k);
  if (const TensorType* type = quantized_type(activation_type, accuracy.activation)) {
    std::vector<std::byte> quantized(k / type->block_elements * type->block_bytes);
    type->codec->quantize(values.data(), nullptr, quantized.data(), k);
    ActivationRow row = from_blocks(*type, quantized.data(), k);
    row.scale_roundings = type->id == tensor::q8_k ? 2 : 0;
    if (type->id == tensor::q8_1) set_row_sums(row, quantized.data(), values, accuracy.block_sum);
    for (const float x : values) row.finite &= std::isfinite(x);
    return row;
  }
  switch (accuracy.activation) {
    case Activation::group:
    case Activation::row: {
      const auto group =
          accuracy.activation == Activation::row ? static_cast<uint32_t>(k) : accuracy.activation_group;
      return accuracy.activation_offset ? from_offset_groups(values, group) : from_groups(values, group);
    }
    case Activation::f16:
      return from_values(values, FloatFormat::f16);
    case Activation::bf16:
      return from_values(values, FloatFormat::bf16);
    default:
      return from_values(values, FloatFormat::exact);
  }
}

void clear_of_int8_ties(std::span<float> values, uint32_t group) {
  for (size_t begin = 0; begin < values.size(); begin += group) {
    const auto part = values.subspan(begin, std::min<size_t>(group, values.size() - begin));
    float largest = 0;
    for (const float x : part) largest = std::max(largest, std::fabs(x));
    if (largest == 0 || !std::isfinite(largest)) continue;
    const float amax = scale_off_tie(largest);
    for (float& x : part) {
      if (!std::isfinite(x)) continue;
      x = std::fabs(x) == largest ? std::copysign(amax, x) : off_tie(x, double{amax} / 127);
    }
  }
}

void clear_of_offset_ties(std::span<float> values, uint32_t group) {
  for (size_t begin = 0; begin < values.size(); begin += group) {
    const auto part = values.subspan(begin, std::min<size_t>(group, values.size() - begin));
    const Ends ends = ends_of(part);
    const double d = (double{ends.greatest} - ends.least) / 255;
    if (!(d > 0) || !std::isfinite(d)) continue;
    for (float& x : part) {
      const double ratio = (double{x} - ends.least) / d;
      if (std::fabs(ratio - std::floor(ratio) - 0.5) < 0x1p-9)
        x = static_cast<float>(ends.least + (ratio - 0x1p-6) * d);
    }
  }
}

void clear_of_float_ties(std::span<float> values, FloatFormat format) {
  for (float& x : values) {
    if (x == 0 || !std::isfinite(x)) continue;
    const double rounded = round_to(x, format);
    if (!std::isfinite(rounded) || rounded == x) continue;
    const double other = 2 * double{x} - rounded;  // the same distance on the other side
    if (round_to(other, format) == other) x = std::nextafter(x, 0.0f);
  }
}

void clear_of_power_of_two(std::span<float> values, uint32_t group) {
  for (size_t begin = 0; begin < values.size(); begin += group) {
    for (float& x : values.subspan(begin, std::min<size_t>(group, values.size() - begin))) {
      if (x == 0 || !std::isfinite(x)) continue;
      // Every value, so that the largest is clear whichever it is.  64 ulps are the margin.
      const uint32_t fraction = std::bit_cast<uint32_t>(x) & 0x7fffff;
      if (fraction > 0x7fffff - 64) x = std::bit_cast<float>(std::bit_cast<uint32_t>(x) - 128);
    }
  }
}

void set_block_sums(const TensorType& type, std::byte* block) {
  const auto code = [&](size_t at) { return static_cast<int>(static_cast<int8_t>(block[at])); };
  const auto put = [&](size_t at, uint16_t bits) {
    Little16 field{};
    field = bits;
    store_block(field, block + at, 0);
  };
  if (type.id == tensor::q8_1) {
    int sum = 0;
    for (size_t i = 0; i < 32; ++i) sum += code(4 + i);
    const float d = f16_to_f32(load_block<Little16>(block, 0));
    put(2, f32_to_f16(static_cast<float>(sum) * d));
  } else if (type.id == tensor::q8_k) {
    for (size_t run = 0; run < 16; ++run) {
      int sum = 0;
      for (size_t i = 0; i < 16; ++i) sum += code(4 + 16 * run + i);
      put(260 + 2 * run, static_cast<uint16_t>(sum));
    }
  }
}

}  // namespace gcts
