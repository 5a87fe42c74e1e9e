// ggml's criteria: the same figures as measured with ggml itself, and what they cannot see.
#include "reference/thresholds.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "reference/codec.h"
#include "reference/operands.h"

using namespace gcts;

BOOST_AUTO_TEST_SUITE(thresholds_of_ggml)

BOOST_AUTO_TEST_CASE(the_absolute_error_is_the_measured_one) {
  struct Measured {
    const char* type;
    double error;
  };
  // Printed by test-quantize-fns for quantizers that have one defined answer.
  constexpr Measured kMeasured[] = {{"f16", 0.000004},    {"bf16", 0.000036},  {"q4_0", 0.001121},
                                    {"q4_1", 0.001144},   {"q5_0", 0.000591},  {"q5_1", 0.000556},
                                    {"q8_0", 0.000074},   {"mxfp4", 0.001881}, {"nvfp4", 0.002337},
                                    {"iq4_nl", 0.001296}, {"tq1_0", 0.008681}, {"tq2_0", 0.008681},
                                    {"q2_0", 0.008672},   {"q1_0", 0.009696}};
  const std::vector<float> values = thresholds::cosine(thresholds::kCosineCount, 0);
  for (const Measured& measured : kMeasured) {
    const TensorType& type = *find_tensor_type(measured.type);
    std::vector<std::byte> blocks(row_bytes(type, values.size()));
    std::vector<float> decoded(values.size());
    type.codec->quantize(values.data(), nullptr, blocks.data(), values.size());
    type.codec->dequantize(blocks.data(), decoded.data(), values.size());
    const double error = thresholds::distance(values, decoded);
    BOOST_TEST_CONTEXT(measured.type) {
      BOOST_TEST(std::fabs(error - measured.error) < 1.5e-6);
      BOOST_TEST(error < thresholds::limits(type).absolute);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_dot_limit_divides_by_the_count) {
  const TensorType& type = *find_tensor_type("q4_0");
  BOOST_TEST(thresholds::dot_passes(type, 81.9, 0, 4096));
  BOOST_TEST(!thresholds::dot_passes(type, 82, 0, 4096));
}

BOOST_AUTO_TEST_CASE(nmse_is_blind_where_it_averages) {
  std::vector<double> expected(4096), actual(4096);
  for (size_t i = 0; i < expected.size(); ++i) expected[i] = actual[i] = std::cos(static_cast<double>(i));
  BOOST_TEST(thresholds::nmse_passes(expected, actual));
  for (double& x : actual) x *= 1.02;  // two per cent everywhere
  BOOST_TEST(thresholds::nmse_passes(expected, actual));
  for (double& x : actual) x *= 1.01;
  BOOST_TEST(!thresholds::nmse_passes(expected, actual));
  actual = expected;
  actual[17] = 0;  // one result lost
  BOOST_TEST(thresholds::nmse_passes(expected, actual));
  actual[17] = std::numeric_limits<double>::quiet_NaN();
  BOOST_TEST(!thresholds::nmse_passes(expected, actual));
  actual[17] = expected[17] = HUGE_VAL;
  BOOST_TEST(thresholds::nmse_passes(expected, actual));
  actual[17] = -HUGE_VAL;
  BOOST_TEST(!thresholds::nmse_passes(expected, actual));
  const std::vector<double> zeros(10);
  BOOST_TEST(std::isnan(thresholds::nmse(zeros, zeros)));
  BOOST_TEST(thresholds::nmse_passes(zeros, zeros));
}

BOOST_AUTO_TEST_SUITE_END()
