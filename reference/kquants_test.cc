// The quantizers that search: what they promise for any input, how small their error is, and
// that it is the same bytes everywhere.

#include <openssl/evp.h>

#include <array>
#include <bit>
#include <boost/test/unit_test.hpp>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "reference/block.h"
#include "reference/codec.h"
#include "reference/codecs/k_scales.h"
#include "reference/generator.h"
#include "reference/tensor_type.h"

namespace gcts {
namespace {

using Values = std::vector<float>;
using Bytes = std::vector<std::byte>;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// What 16 blocks of normal data become: squared error as a share of the squares, both plain and
// with every term times x^2; and the SHA-256 of the bytes.
struct Expectation {
  uint32_t id;
  double error;
  double weighted_error;
  const char* digest;
};

// The errors are what was measured, rounded up in the third digit.
// clang-format off
constexpr Expectation kExpectations[] = {
    {tensor::q2_k,    0.0721, 0.0196, "8312b6f8bb5e63657ad697615796af0f18ca898fec4d2f982e98d27ea1e97c21"},
    {tensor::q3_k,    0.0211, 0.00595, "233446d7713cfecc7cd4c5410a9287d5ed872ed48f2dc4bb9388844a6a7b5c6d"},
    {tensor::q4_k,    0.00496, 0.00146, "bf3f4fb1d7efee905a566d59f6ca8e4a5055f322b38b50d7ec3326f7691faa18"},
    {tensor::q5_k,    0.00116, 0.000344, "1c91ebe64df18df537b1bb62c289d7787b4d5c615c9c557d217ccd213f13fa0e"},
    {tensor::q6_k,    0.000288, 0.0000749, "8f5cd0597da36134fc99907f33ea7d002a37da0b5863ac3ef080351918b1c873"},
    {tensor::iq1_s,   0.216, 0.0925, "3435116b20a987f77a585e781b44210bbfc6f87e70d8528b53adbfac66da55cd"},
    {tensor::iq1_m,   0.184, 0.0679, "cafcf73b307b641733bcbecdcf4467e8e8f2ffbc32ee893fdea9983e9521df55"},
    {tensor::iq2_xxs, 0.114, 0.0379, "387b9730d51cea3b8bf19bcd00aa175fce1083962b1e96ffcfe02a0ec1c6bb1a"},
    {tensor::iq2_xs,  0.0829, 0.0245, "317a38dae146b94dde0745980088cc0ad4ac7e6d2c93ca679c2039dd704de565"},
    {tensor::iq2_s,   0.0607, 0.0184, "61db5508c89cd6c05095a531820119f0604d368fd3d7b0d7faaf892328eb34e1"},
    {tensor::iq3_xxs, 0.0374, 0.00812, "c3590b1157fa069f7bb85a6925a3d78b092c9b46c93b84bb547b9b3a3f6b7514"},
    {tensor::iq3_s,   0.0186, 0.00503, "e4fc08b2a21383367859254dd41e4117530dc69e83dbf33847f50a7218410def"},
    {tensor::iq4_xs,  0.00551, 0.00227, "b6c9afd2588882ed02caa6836958ef634a4a399b4b64c547a7d17350c08f1040"},
};
// clang-format on

std::string sha256(const Bytes& bytes) {
  unsigned char digest[32];
  unsigned int size = 0;
  BOOST_REQUIRE(EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(), nullptr) == 1);
  std::string hex;
  for (const unsigned char byte : digest) {
    hex += "0123456789abcdef"[byte >> 4];
    hex += "0123456789abcdef"[byte & 15];
  }
  return hex;
}

Bytes encode(const TensorType& type, const Values& values, const float* importance = nullptr) {
  Bytes bytes(values.size() / 256 * type.block_bytes, std::byte{0xcc});
  type.codec->quantize(values.data(), importance, bytes.data(), values.size());
  return bytes;
}

Values decode(const TensorType& type, const Bytes& bytes) {
  Values values(bytes.size() / type.block_bytes * 256);
  type.codec->dequantize(bytes.data(), values.data(), values.size());
  return values;
}

bool is_legal(const TensorType& type, const Bytes& bytes) {
  const uint64_t count = bytes.size() / type.block_bytes;
  return type.codec->scan(bytes.data(), count, true) == count;
}

Values normal_values(size_t count, const char* name) {
  Generator random(1, name);
  Values values(count);
  for (float& value : values) value = random.normal();
  return values;
}

double squared_error(const Values& from, const Values& to, size_t begin, size_t end) {
  double error = 0;
  for (size_t i = begin; i < end; ++i) error += (double{to[i]} - from[i]) * (double{to[i]} - from[i]);
  return error;
}

template <class Check>
void for_each_type(Check check) {
  for (const Expectation& expected : kExpectations) {
    const TensorType& type = *find_tensor_type(expected.id);
    BOOST_REQUIRE(type.codec->quantize != nullptr);
    BOOST_TEST_CONTEXT(type.name) { check(type, expected); }
  }
}

// Blocks that a search can stumble over, by name.
struct Oddity {
  const char* name;
  Values values;
};

std::vector<Oddity> oddities() {
  std::vector<Oddity> all;
  const auto filled = [&all](const char* name, auto value_at) {
    Values values(256);
    for (size_t i = 0; i < 256; ++i) values[i] = value_at(i);
    all.push_back({name, values});
  };
  const Values normal = normal_values(256, "oddities");
  filled("minus zeros", [](size_t) { return -0.0f; });
  filled("one value", [](size_t i) { return i == 77 ? -3.0f : 0.0f; });
  filled("constant", [](size_t) { return 0.7f; });
  filled("constant below zero", [](size_t) { return -0.7f; });
  filled("alternating", [](size_t i) { return i % 2 == 0 ? 5.0f : -5.0f; });
  filled("far from zero", [&](size_t i) { return 100 + normal[i]; });
  filled("least subnormals", [](size_t i) { return i % 3 == 0 ? FLT_TRUE_MIN : -FLT_TRUE_MIN; });
  filled("subnormals", [&](size_t i) { return std::ldexp(normal[i], -130); });
  filled("too small for f16", [&](size_t i) { return std::ldexp(normal[i], -60); });
  filled("subnormal in f16", [&](size_t i) { return std::ldexp(normal[i], -18); });
  filled("at the end of f16", [&](size_t i) { return std::ldexp(normal[i], 15); });
  filled("beyond f16", [&](size_t i) { return std::ldexp(normal[i], 40); });
  filled("largest finite", [](size_t i) { return i % 2 == 0 ? FLT_MAX : -FLT_MAX; });
  filled("one largest finite", [&](size_t i) { return i == 200 ? FLT_MAX : normal[i]; });
  filled("every magnitude", [&](size_t i) { return std::ldexp(normal[i], static_cast<int>(i) - 140); });
  filled("NaN", [](size_t) { return kNan; });
  filled("NaN among numbers", [&](size_t i) { return i % 5 == 0 ? kNan : normal[i]; });
  filled("infinite", [](size_t i) { return i % 2 == 0 ? kInfinity : -kInfinity; });
  filled("infinite among numbers", [&](size_t i) { return i == 3 ? -kInfinity : normal[i]; });
  return all;
}

BOOST_AUTO_TEST_SUITE(kquants)

BOOST_AUTO_TEST_CASE(errors_and_bytes_are_as_recorded) {
  const Values values = normal_values(16 * 256, "errors");
  for_each_type([&](const TensorType& type, const Expectation& expected) {
    const Bytes bytes = encode(type, values);
    BOOST_TEST(is_legal(type, bytes));
    const Values read = decode(type, bytes);
    double error = 0, weighted = 0, squares = 0, fourths = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      const double x = values[i];
      const double rest = read[i] - x;
      error += rest * rest;
      weighted += x * x * rest * rest;
      squares += x * x;
      fourths += x * x * x * x;
    }
    BOOST_TEST(error / squares <= expected.error);
    BOOST_TEST(weighted / fourths <= expected.weighted_error);
    BOOST_TEST(sha256(bytes) == expected.digest);
  });
}

BOOST_AUTO_TEST_CASE(any_input_gives_legal_blocks_and_finite_values_where_they_fit) {
  for (const Oddity& oddity : oddities()) {
    BOOST_TEST_CONTEXT(oddity.name) {
      for_each_type([&](const TensorType& type, const Expectation&) {
        const Bytes bytes = encode(type, oddity.values);
        BOOST_TEST(is_legal(type, bytes));
        for (const float value : decode(type, bytes)) BOOST_REQUIRE(std::isfinite(value));
      });
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_number_counts_as_documented) {
  for_each_type([&](const TensorType& type, const Expectation&) {
    Values odd = normal_values(256, "no number");
    Values plain = odd;
    odd[17] = kNan;
    plain[17] = 0;
    BOOST_TEST((encode(type, odd) == encode(type, plain)));
    odd[40] = -kInfinity;
    plain[40] = -FLT_MAX;
    BOOST_TEST((encode(type, odd) == encode(type, plain)));
  });
}

BOOST_AUTO_TEST_CASE(zeros_are_zero_bytes) {
  for_each_type([](const TensorType& type, const Expectation&) {
    const Bytes zero(type.block_bytes);
    BOOST_TEST((encode(type, Values(256, 0.0f)) == zero));
    BOOST_TEST((encode(type, Values(256, -0.0f)) == zero));
    BOOST_TEST((encode(type, Values(256, kNan)) == zero));
    BOOST_TEST((encode(type, Values(256, 1e-30f)) == zero));  // every scale underflows f16
  });
}

// Nothing carries over from one block to the next.
BOOST_AUTO_TEST_CASE(blocks_are_independent) {
  const Values values = normal_values(3 * 256, "independent");
  for_each_type([&](const TensorType& type, const Expectation&) {
    const Bytes together = encode(type, values);
    Bytes apart;
    for (size_t i = 0; i < values.size(); i += 256) {
      const Bytes one = encode(type, Values(values.begin() + static_cast<ptrdiff_t>(i),
                                            values.begin() + static_cast<ptrdiff_t>(i) + 256));
      apart.insert(apart.end(), one.begin(), one.end());
    }
    BOOST_TEST((together == apart));
  });
}

// As long as its f16 scales are normal, a block scaled by a power of two is the same but
// for the scales.
BOOST_AUTO_TEST_CASE(powers_of_two_pass_through) {
  const Values values = normal_values(256, "powers");
  for_each_type([&](const TensorType& type, const Expectation&) {
    Values scaled = values;
    for (float& value : scaled) value *= 64;
    for (float& value : scaled) value *= 64;
    Values large = values;
    for (float& value : large) value *= 8192;
    const Values read = decode(type, encode(type, scaled));
    const Values read_large = decode(type, encode(type, large));
    for (size_t i = 0; i < 256; ++i) BOOST_REQUIRE_EQUAL(read[i] * 2, read_large[i]);
  });
}

BOOST_AUTO_TEST_CASE(importance_moves_the_error) {
  const Values values = normal_values(4 * 256, "importance");
  const Values ones(values.size(), 1.0f);
  Values importance = ones;
  for (size_t i = 0; i < importance.size(); ++i) importance[i] = i % 4 == 0 ? 64.0f : 1.0f;
  Values doubled = importance;
  for (float& weight : doubled) weight *= 2;
  const auto important_error = [&](const Values& read) {
    double error = 0;
    for (size_t i = 0; i < values.size(); i += 4) error += squared_error(values, read, i, i + 1);
    return error;
  };
  for_each_type([&](const TensorType& type, const Expectation&) {
    const Bytes plain = encode(type, values);
    const Bytes weighted = encode(type, values, importance.data());
    BOOST_TEST((encode(type, values, ones.data()) == plain));
    BOOST_TEST((encode(type, values, doubled.data()) == weighted));
    BOOST_TEST(important_error(decode(type, weighted)) < 0.9 * important_error(decode(type, plain)));
  });
}

BOOST_AUTO_TEST_CASE(any_importance_gives_legal_blocks) {
  const Values values = normal_values(256, "odd importance");
  const float odd[] = {0, -1, kNan, kInfinity, FLT_MAX, FLT_TRUE_MIN, 1, 1e-20f};
  for_each_type([&](const TensorType& type, const Expectation&) {
    for (const float all : odd) BOOST_TEST(is_legal(type, encode(type, values, Values(256, all).data())));
    Values mixed(256);
    for (size_t i = 0; i < 256; ++i) mixed[i] = odd[i % std::size(odd)];
    const Bytes bytes = encode(type, values, mixed.data());
    BOOST_TEST(is_legal(type, bytes));
    for (const float value : decode(type, bytes)) BOOST_REQUIRE(std::isfinite(value));
    const Bytes no_importance = encode(type, values, Values(256, 0.0f).data());
    BOOST_TEST(squared_error(values, decode(type, no_importance), 0, 256) <
               squared_error(values, Values(256, 0.0f), 0, 256));
  });
}

// A negative dmin lifts the codes of runs that lie above zero.
BOOST_AUTO_TEST_CASE(minima_reach_to_both_sides_of_zero) {
  Values above = normal_values(256, "sides");
  for (float& value : above) value += 20;
  Values below = above;
  for (float& value : below) value = -value;
  for (const uint32_t id : {tensor::q2_k, tensor::q4_k, tensor::q5_k}) {
    const TensorType& type = *find_tensor_type(id);
    BOOST_TEST_CONTEXT(type.name) {
      const double error_above = squared_error(above, decode(type, encode(type, above)), 0, 256);
      const double error_below = squared_error(below, decode(type, encode(type, below)), 0, 256);
      BOOST_TEST(error_above < 0.2 * 256);
      BOOST_TEST(error_above < 2 * error_below);
      BOOST_TEST(error_below < 2 * error_above);
    }
  }
}

BOOST_AUTO_TEST_CASE(packed_scales_read_back) {
  for (uint32_t start = 0; start < 64; ++start) {
    uint8_t bytes[12] = {};
    for (uint32_t run = 0; run < 8; ++run)
      k_scales::put(bytes, run, (start + 9 * run) % 64, (start * 5 + 23 * run) % 64);
    for (uint32_t run = 0; run < 8; ++run) {
      BOOST_TEST(k_scales::scale(bytes, run) == (start + 9 * run) % 64);
      BOOST_TEST(k_scales::minimum(bytes, run) == (start * 5 + 23 * run) % 64);
    }
  }
}

BOOST_AUTO_TEST_CASE(iq1_m_scale_is_judged_whole) {
  const TensorType& type = *find_tensor_type(tensor::iq1_m);
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    std::byte block[56] = {};
    for (size_t word = 0; word < 4; ++word)
      block[49 + 2 * word] = static_cast<std::byte>((bits >> 4 * word & 15) << 4);
    const bool legal = f16_is_finite(static_cast<uint16_t>(bits));
    BOOST_REQUIRE_EQUAL(type.codec->validate(block).what == nullptr, legal);
    BOOST_REQUIRE_EQUAL(type.codec->scan(block, 1, false) == 1, legal);
  }
}

BOOST_AUTO_TEST_CASE(q8_k_sums_are_judged_strictly_only) {
  const TensorType& type = *find_tensor_type(tensor::q8_k);
  Bytes bytes = encode(type, normal_values(256, "sums"));
  BOOST_TEST(is_legal(type, bytes));
  bytes[260 + 2 * 5] ^= std::byte{1};
  const BlockFault fault = type.codec->validate(bytes.data());
  BOOST_REQUIRE(fault.what != nullptr);
  BOOST_TEST(fault.strict_only);
  BOOST_TEST(fault.byte == 260u + 2 * 5);
  BOOST_TEST(type.codec->scan(bytes.data(), 1, true) == 0u);
  BOOST_TEST(type.codec->scan(bytes.data(), 1, false) == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace gcts
