// Brings values and weights of a block into the range that searches work in.

#include "reference/codecs/search_block.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace gcts {
namespace {

// The share of the largest weight that every value has at least, so that no least
// squares is without an answer.
constexpr float kLeastWeight = 0x1p-30f;

float ordinary(float value) {
  if (std::isnan(value)) return 0;
  return std::clamp(value, -FLT_MAX, FLT_MAX);
}

}  // namespace

SearchBlock::SearchBlock(const float* values, const float* importance, float share) {
  largest_ = 0;
  for (size_t i = 0; i < 256; ++i) {
    x[i] = ordinary(values[i]);
    largest_ = std::max(largest_, std::fabs(x[i]));
  }
  exponent_ = is_zero() ? 0 : std::ilogb(largest_);
  for (float& value : x) value = std::ldexp(value, -exponent_);
  set_weights(importance, share);
}

void SearchBlock::set_weights(const float* importance, float share) {
  float most = 0;
  for (size_t i = 0; i < 256; ++i) {
    w[i] = importance == nullptr ? 1.0f : std::max(0.0f, ordinary(importance[i]));
    most = std::max(most, w[i]);
  }
  const int exponent = most > 0 ? std::ilogb(most) : 0;
  float squares = 0;
  for (size_t i = 0; i < 256; ++i) squares += x[i] * x[i];
  const float floor = share * squares / 256;
  float heaviest = 0;
  for (size_t i = 0; i < 256; ++i) {
    w[i] = std::ldexp(w[i], -exponent) * (floor + x[i] * x[i]);
    heaviest = std::max(heaviest, w[i]);
  }
  for (float& weight : w) weight = heaviest > 0 ? weight / heaviest + kLeastWeight : 1.0f;
}

SearchBlock::Scale SearchBlock::nearest_scale(float factor) const {
  const float scale = std::isnan(factor) ? 0 : std::clamp(std::ldexp(factor, exponent_), -65504.0f, 65504.0f);
  const uint16_t bits = f32_to_f16(scale);
  return {bits, std::ldexp(f16_to_f32(bits), -exponent_)};
}

}  // namespace gcts
