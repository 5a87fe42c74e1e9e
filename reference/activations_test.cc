// Data that quantizers agree on: nothing is left near a tie, and little is changed.
#include "reference/activations.h"

#include <algorithm>
#include <bit>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

#include "reference/codec.h"
#include "reference/float_formats.h"
#include "reference/generator.h"

using namespace gcts;

namespace {

// Data full of ties: halves of a quantization step, next to ordinary numbers.
std::vector<float> tied_values(size_t count, uint32_t group, Generator& g) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) {
    const float half = static_cast<float>(g.between(-253, 253)) * 0.5f;
    values[i] = i % group == 0 ? 127.0f : g.chance(1, 2) ? half : 20 * g.normal();
    values[i] = std::clamp(values[i], -127.0f, 127.0f);
  }
  return values;
}

double from_tie(double x) { return std::fabs(x - std::floor(x) - 0.5); }

}  // namespace

BOOST_AUTO_TEST_SUITE(activations)

BOOST_AUTO_TEST_CASE(int8_ties_are_left) {
  Generator g(1, "int8");
  for (const uint32_t group : {32u, 256u}) {
    for (int trial = 0; trial < 50; ++trial) {
      std::vector<float> values = tied_values(1024, group, g);
      for (float& x : values) x = std::ldexp(x, trial % 7 - 3) * (1 + static_cast<float>(trial) * 0.003f);
      const std::vector<float> before = values;
      clear_of_int8_ties(values, group);
      for (size_t begin = 0; begin < values.size(); begin += group) {
        const float amax =
            std::fabs(*std::max_element(values.begin() + static_cast<ptrdiff_t>(begin),
                                        values.begin() + static_cast<ptrdiff_t>(begin + group),
                                        [](float a, float b) { return std::fabs(a) < std::fabs(b); }));
        const double d = double{amax} / 127;
        const double ulp = std::ldexp(1.0, std::ilogb(d) - 10);
        BOOST_TEST(from_tie(d / ulp) > 0x1p-6);
        for (size_t i = begin; i < begin + group; ++i) {
          BOOST_TEST(from_tie(std::fabs(values[i]) / d) >= 0x1p-10);
          BOOST_TEST(std::fabs(values[i] - before[i]) <= d * 0.07);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(ties_above_an_offset_are_left) {
  Generator g(2, "offset");
  std::vector<float> values(4096);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = i % 64 == 0   ? -100.0f
                : i % 64 == 1 ? 155.0f
                              : static_cast<float>(g.between(-200, 300)) * 0.5f;
  clear_of_offset_ties(values, 64);
  for (const float x : values) BOOST_TEST(from_tie(double{x} + 100) >= 0x1p-10);
}

BOOST_AUTO_TEST_CASE(float_ties_are_left) {
  Generator g(3, "floats");
  for (const FloatFormat format : {FloatFormat::f16, FloatFormat::bf16}) {
    const int dropped = format == FloatFormat::f16 ? 13 : 16;
    std::vector<float> values(1000);
    for (float& x : values) {
      const uint32_t bits = std::bit_cast<uint32_t>(g.uniform(-4, 4));
      const uint32_t tie = (bits & ~((1u << dropped) - 1)) | 1u << (dropped - 1);
      x = std::bit_cast<float>(g.chance(1, 2) ? tie : bits);
    }
    const std::vector<float> before = values;
    clear_of_float_ties(values, format);
    size_t moved = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      BOOST_TEST((std::bit_cast<uint32_t>(values[i]) & ((1u << dropped) - 1)) != 1u << (dropped - 1));
      BOOST_TEST(std::fabs(values[i] - before[i]) <= 0x1p-21);
      moved += values[i] != before[i];
    }
    BOOST_TEST(moved > 300u);
  }
}

BOOST_AUTO_TEST_CASE(powers_of_two_are_left) {
  std::vector<float> values;
  for (int exponent = -100; exponent <= 100; ++exponent) {
    for (uint32_t ulps = 0; ulps < 40; ++ulps)
      values.push_back(std::bit_cast<float>(std::bit_cast<uint32_t>(std::ldexp(1.0f, exponent)) - ulps));
  }
  clear_of_power_of_two(values, 32);
  for (const float x : values) {
    // The two ways to find the exponent agree.
    BOOST_TEST(static_cast<int>(std::floor(std::log2(x))) == std::ilogb(x));
    const uint32_t below = 0x800000 - (std::bit_cast<uint32_t>(x) & 0x7fffff);
    BOOST_TEST((below > 32 || below == 0x800000));
  }
}

BOOST_AUTO_TEST_CASE(sums_of_blocks_are_true) {
  for (const char* name : {"q8_1", "q8_k"}) {
    const TensorType& type = *find_tensor_type(name);
    Generator g(4, name);
    std::vector<float> values(type.block_elements);
    for (float& x : values) x = g.normal();
    std::vector<std::byte> quantized(type.block_bytes);
    type.codec->quantize(values.data(), nullptr, quantized.data(), values.size());
    std::vector<std::byte> rebuilt = quantized;
    const BlockField* sums = nullptr;
    for (const BlockField& field : type.codec->fields) {
      if (field.role == FieldRole::sum) sums = &field;
    }
    BOOST_REQUIRE(sums != nullptr);
    std::fill_n(rebuilt.begin() + sums->offset, sums->count * number_bytes(sums->format), std::byte{0x55});
    set_block_sums(type, rebuilt.data());
    if (type.id == tensor::q8_k) {
      BOOST_TEST((rebuilt == quantized));
      BOOST_TEST(type.codec->validate(rebuilt.data()).what == nullptr);
    } else {
      // The quantizer multiplies by the scale before it is rounded to f16.
      const auto s = [](const std::vector<std::byte>& block) {
        return f16_to_f32(
            static_cast<uint16_t>(static_cast<int>(block[2]) | static_cast<int>(block[3]) << 8));
      };
      BOOST_TEST(std::fabs(s(rebuilt) - s(quantized)) <= std::fabs(s(quantized)) * 0x1p-9);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
