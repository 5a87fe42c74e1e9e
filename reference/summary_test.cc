// Statistics over known values, whole and in parts.

#include "reference/summary.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "reference/codec.h"

namespace gcts {
namespace {

TensorSummary summary_of(const std::vector<float>& values) {
  TensorSummary summary(*find_tensor_type("f32"));
  summary.add(reinterpret_cast<const std::byte*>(values.data()), values.size());
  return summary;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(summary)

BOOST_AUTO_TEST_CASE(moments_of_known_values) {
  const TensorSummary summary = summary_of({2, 4, 4, 4, 5, 5, 7, 9});
  BOOST_TEST(summary.elements() == 8u);
  BOOST_TEST(summary.min() == 2);
  BOOST_TEST(summary.max() == 9);
  BOOST_TEST(summary.mean() == 5);
  BOOST_TEST(summary.deviation() == 2);
  BOOST_TEST(summary.root_mean_square() == std::sqrt(29.0));
  BOOST_TEST(summary.outlier_threshold() == 64);
  BOOST_TEST(summary.outliers() == 0u);
}

BOOST_AUTO_TEST_CASE(special_values_are_counted_apart) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const TensorSummary summary = summary_of({nan, -0.0f, 0.0f, infinity, -infinity, -3, 1, nan, 1e-42f});
  BOOST_TEST(summary.elements() == 9u);
  BOOST_TEST(summary.finite() == 5u);
  BOOST_TEST(summary.nan() == 2u);
  BOOST_TEST(summary.infinite() == 2u);
  BOOST_TEST(summary.zeros() == 2u);
  BOOST_TEST(summary.min() == -3);
  BOOST_TEST(summary.max() == 1);
}

BOOST_AUTO_TEST_CASE(nothing_and_nothing_finite) {
  for (const std::vector<float>& values : {std::vector<float>{}, std::vector<float>{HUGE_VALF, -HUGE_VALF}}) {
    const TensorSummary summary = summary_of(values);
    BOOST_TEST(summary.elements() == values.size());
    BOOST_TEST(summary.mean() == 0);
    BOOST_TEST(summary.deviation() == 0);
    BOOST_TEST(summary.min() == 0);
    BOOST_TEST(summary.outliers() == 0u);
  }
}

BOOST_AUTO_TEST_CASE(outliers_from_a_power_of_two_on) {
  // 4096 elements of magnitude 1 and one each of 15, 16 and -1000: the root mean square
  // is about 15.7, eight times that is below 128.
  std::vector<float> values(4096, 1.0f);
  for (const float value : {15.0f, 16.0f, -1000.0f}) values.push_back(value);
  const TensorSummary summary = summary_of(values);
  BOOST_TEST(summary.outlier_threshold() == 128);
  BOOST_TEST(summary.outliers() == 1u);
  // All alike: eight times the root mean square is a power of two itself.
  BOOST_TEST(summary_of({1, -1, 1}).outlier_threshold() == 8);
  BOOST_TEST(summary_of(std::vector<float>(8192, 0.0f)).outliers() == 0u);
}

BOOST_AUTO_TEST_CASE(parts_add_up_to_the_whole) {
  std::mt19937 random(5);
  std::vector<float> values(100000);
  for (float& value : values) value = 1000 + static_cast<float>(random() >> 8) * 0x1p-24f;
  const TensorSummary whole = summary_of(values);
  for (const size_t seam : {size_t{0}, size_t{1}, size_t{4096}, size_t{77777}, values.size()}) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(seam);
    TensorSummary parts = summary_of({values.begin(), middle});
    parts.add(summary_of({middle, values.end()}));
    BOOST_TEST(parts.elements() == whole.elements());
    BOOST_TEST(parts.min() == whole.min());
    BOOST_TEST(parts.max() == whole.max());
    BOOST_TEST(std::fabs(parts.mean() - whole.mean()) < 1e-9);
    BOOST_TEST(std::fabs(parts.deviation() - whole.deviation()) < 1e-9);
    BOOST_TEST(parts.zeros() == whole.zeros());
  }
  // Uniform in [0, 1): deviation 1/sqrt(12).
  BOOST_TEST(std::fabs(whole.deviation() - 0.288675) < 0.002);
}

BOOST_AUTO_TEST_CASE(repeated_blocks) {
  const TensorType& type = *find_tensor_type("q8_0");
  std::vector<std::byte> blocks(6 * type.block_bytes);
  blocks[2 * type.block_bytes + 9] = std::byte{1};
  blocks[5 * type.block_bytes + 9] = std::byte{1};
  TensorSummary summary(type);
  summary.add(blocks.data(), 6);  // 0 0 1 0 0 1
  BOOST_TEST(summary.units() == 6u);
  BOOST_TEST(summary.repeated_units() == 2u);
  BOOST_TEST(summary_of(std::vector<float>(128, 3.0f)).repeated_units() == 3u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace gcts
