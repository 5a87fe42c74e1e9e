// Evaluates the criteria of ggml's own tests.
#include "reference/thresholds.h"

#include <cfloat>
#include <cmath>

namespace gcts::thresholds {
namespace {

struct Row {
  uint32_t type;
  Limits limits;
};
// clang-format off
constexpr Row kLimits[] = {
    {tensor::q2_k,    {0.0075, 0.04}},
    {tensor::q3_k,    {0.0040, 0.02}},
    {tensor::iq2_xxs, {0.0020, 0.04}},
    {tensor::iq2_xs,  {0.0020, 0.04}},
    {tensor::iq2_s,   {0.0075, 0.04}},
    {tensor::iq3_xxs, {0.0050, 0.04}},
    {tensor::iq3_s,   {0.0040, 0.04}},
    {tensor::tq1_0,   {0.0100, 0.15}},
    {tensor::tq2_0,   {0.0100, 0.15}},
    {tensor::q2_0,    {0.0100, 0.15}},
    {tensor::q1_0,    {0.0250, 0.40}},
    {tensor::nvfp4,   {0.0030, 0.03}},
};
// clang-format on
constexpr Limits kDefault = {0.002, 0.02};

bool is_infinite(double x) { return std::isinf(x) || std::fabs(x) >= FLT_MAX; }

}  // namespace

std::vector<float> cosine(size_t count, float offset) {
  std::vector<float> values;
  for (size_t i = 0; i < count; ++i)
    values.push_back(static_cast<float>(0.1 + 2 * std::cos(static_cast<double>(i) + double{offset})));
  return values;
}

double distance(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double difference = double{a[i]} - double{b[i]};
    sum += difference * difference;
  }
  return std::sqrt(sum) / static_cast<double>(a.size());
}

Limits limits(const TensorType& type) {
  for (const Row& row : kLimits) {
    if (row.type == type.id) return row.limits;
  }
  return kDefault;
}

bool dot_passes(const TensorType& type, double result, double reference, size_t count) {
  return std::fabs(result - reference) / static_cast<double>(count) < limits(type).dot;
}

double nmse(std::span<const double> expected, std::span<const double> actual) {
  double difference = 0, square = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double d = static_cast<float>(actual[i]) - static_cast<float>(expected[i]);
    difference += d * d;
    square += expected[i] * expected[i];
  }
  return difference / square;
}

bool nmse_passes(std::span<const double> expected, std::span<const double> actual, double limit) {
  for (size_t i = 0; i < expected.size(); ++i) {
    const double a = expected[i], b = actual[i];
    if (std::isnan(a) || std::isnan(b)) return false;
    if (is_infinite(a) != is_infinite(b)) return false;
    if (is_infinite(a) && std::signbit(a) != std::signbit(b)) return false;
  }
  return !(nmse(expected, actual) > limit);
}

}  // namespace gcts::thresholds
