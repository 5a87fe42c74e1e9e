// What every codec promises, and the small domains in full.

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "reference/block.h"
#include "reference/codec.h"
#include "reference/tensor_type.h"

namespace gcts {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<std::byte> random_bytes(size_t size, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() >> 24);
  return bytes;
}

// Sums of uniform numbers: bell-shaped, and the same with every standard library.
std::vector<float> bell_shaped(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float& value : values) {
    int32_t sum = 0;
    for (int i = 0; i < 4; ++i) sum += static_cast<int32_t>(random() >> 16) - 32768;
    value = static_cast<float>(sum) * 0x1p-16f;
  }
  return values;
}

std::vector<float> decode(const TensorType& type, const std::vector<std::byte>& blocks) {
  const uint64_t count = blocks.size() / type.block_bytes * type.block_elements;
  std::vector<float> values(count);
  type.codec->dequantize(blocks.data(), values.data(), count);
  return values;
}

std::vector<std::byte> encode(const TensorType& type, const std::vector<float>& values) {
  std::vector<std::byte> blocks(values.size() / type.block_elements * type.block_bytes);
  type.codec->quantize(values.data(), nullptr, blocks.data(), values.size());
  return blocks;
}

std::string hex(const std::vector<std::byte>& bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    for (const int shift : {4, 0}) text += "0123456789abcdef"[static_cast<unsigned>(byte) >> shift & 15];
  }
  return text;
}

const TensorType& type_named(std::string_view name) {
  const TensorType* type = find_tensor_type(name);
  BOOST_REQUIRE(type != nullptr);
  return *type;
}

bool faulty(const TensorType& type, const std::byte* block, bool strict) {
  const BlockFault fault = type.codec->validate(block);
  return fault.what != nullptr && (strict || !fault.strict_only);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(codecs)

BOOST_AUTO_TEST_CASE(fields_cover_each_block_without_gaps) {
  for (const TensorType& type : tensor_types()) {
    if (type.codec == nullptr) continue;
    BOOST_TEST_CONTEXT(type.name) {
      uint32_t end = 0;
      for (const BlockField& field : type.codec->fields) {
        BOOST_TEST(field.offset == end);
        end += field.count * number_bytes(field.format);
      }
      BOOST_TEST(end == type.block_bytes);
    }
  }
}

BOOST_AUTO_TEST_CASE(swapping_reverses_each_number_and_undoes_itself) {
  for (const TensorType& type : tensor_types()) {
    if (type.codec == nullptr) continue;
    BOOST_TEST_CONTEXT(type.name) {
      const std::vector<std::byte> blocks = random_bytes(3 * type.block_bytes, type.id);
      std::vector<std::byte> swapped = blocks;
      swap_fields(*type.codec, swapped.data(), 3);
      for (const BlockField& field : type.codec->fields) {
        const uint32_t width = number_bytes(field.format);
        const uint32_t last = 2 * type.block_bytes + field.offset + (field.count - 1) * width;
        for (uint32_t i = 0; i < width; ++i) BOOST_TEST((swapped[last + i] == blocks[last + width - 1 - i]));
      }
      swap_fields(*type.codec, swapped.data(), 3);
      BOOST_TEST((swapped == blocks));
    }
  }
}

// Random bytes hold every kind of fault that validate() can find, and scan() finds the
// same ones from wherever it starts.
BOOST_AUTO_TEST_CASE(scan_stops_where_validate_finds_the_first_fault) {
  constexpr uint64_t kBlocks = 6000;
  for (const TensorType& type : tensor_types()) {
    if (type.codec == nullptr) continue;
    const std::vector<std::byte> blocks = random_bytes(kBlocks * type.block_bytes, 7 + type.id);
    for (const bool strict : {false, true}) {
      uint64_t faults = 0;
      for (uint64_t start = 0; start < kBlocks;) {
        uint64_t expected = start;
        while (expected < kBlocks && !faulty(type, &blocks[expected * type.block_bytes], strict)) ++expected;
        const uint64_t found = type.codec->scan(&blocks[start * type.block_bytes], kBlocks - start, strict);
        BOOST_REQUIRE_MESSAGE(start + found == expected,
                              type.name << ": " << start + found << ", not " << expected);
        faults += expected < kBlocks ? 1 : 0;
        start = expected + 1;
      }
      const bool integer = type.codec->fields[0].role == FieldRole::value &&
                           type.codec->fields[0].format >= NumberFormat::i8 &&
                           type.codec->fields[0].format <= NumberFormat::i64;
      const bool strict_only = type.id == tensor::mxfp4 || type.id == tensor::nvfp4;
      BOOST_CHECK_MESSAGE((faults > 0) == (!integer && (strict || !strict_only)), type.name);
    }
  }
}

BOOST_AUTO_TEST_CASE(validate_names_the_field_and_its_byte) {
  struct Fault {
    const char* type;
    uint32_t byte;
    std::vector<uint8_t> bytes;  // put there; the rest of the block is 0
    const char* what;
    uint32_t at;
    bool strict_only;
  };
  const Fault kFaults[] = {
      {"f32", 0, {0, 0, 0xc0, 0x7f}, "value is NaN", 0, false},
      {"f32", 0, {0, 0, 0x80, 0xff}, "value is infinite", 0, false},
      {"f16", 0, {1, 0x7c}, "value is NaN", 0, false},
      {"bf16", 0, {0x80, 0xff}, "value is infinite", 0, false},
      {"f64", 0, {0, 0, 0, 0, 0, 0, 0xf0, 0x7f}, "value is infinite", 0, false},
      {"f64", 0, {0, 0, 0, 0, 0, 0, 0xf8, 0x7f}, "value is NaN", 0, false},
      {"f64", 0, {0, 0, 0, 0xf0, 0xff, 0xff, 0xef, 0xc7}, "value is beyond the range of f32", 0, true},
      {"f64", 0, {0xff, 0xff, 0xff, 0xef, 0xff, 0xff, 0xef, 0x47}, nullptr, 0, false},
      {"q4_0", 0, {0, 0x7c}, "scale d is infinite", 0, false},
      {"q4_0", 0, {0xff, 0xfb}, nullptr, 0, false},
      {"q4_1", 2, {0, 0x7e}, "offset m is NaN", 2, false},
      {"q5_1", 2, {0, 0xfc}, "offset m is infinite", 2, false},
      {"q8_1", 2, {0, 0xfc}, "sum s is infinite", 2, false},
      {"tq1_0", 52, {1, 0x7c}, "scale d is NaN", 52, false},
      {"tq1_0", 5, {20}, "byte of qs is not canonical for its digits", 5, true},
      {"tq1_0", 50, {2}, "byte of qh is not canonical for its four digits", 50, true},
      {"tq2_0", 64, {0, 0x7c}, "scale d is infinite", 64, false},
      {"mxfp4", 0, {254}, nullptr, 0, false},
      {"mxfp4", 0, {255}, "scale byte is 255, NaN in the OCP definition", 0, true},
      {"nvfp4", 2, {0x7f}, "scale byte is 7f, NaN to some decoders", 2, true},
      {"nvfp4", 3, {0x80}, "scale byte has bit 7 set", 3, true},
      {"nvfp4", 3, {0x7e}, nullptr, 0, false},
      {"q8_0", 2, {0x80}, nullptr, 0, false},
  };
  for (const Fault& fault : kFaults) {
    BOOST_TEST_CONTEXT(fault.type << " byte " << fault.byte) {
      const TensorType& type = type_named(fault.type);
      std::vector<std::byte> block(type.block_bytes);
      for (size_t i = 0; i < fault.bytes.size(); ++i) block[fault.byte + i] = std::byte{fault.bytes[i]};
      const BlockFault found = type.codec->validate(block.data());
      BOOST_TEST(std::string(found.what != nullptr ? found.what : "") ==
                 (fault.what != nullptr ? fault.what : ""));
      BOOST_TEST(found.byte == fault.at);
      BOOST_TEST(found.strict_only == fault.strict_only);
    }
  }
}

// Every scale with every code, for the types whose scale is one f16: the value is the
// exact product, computed here in double.
BOOST_AUTO_TEST_CASE(all_f16_scales_with_all_codes) {
  struct Type {
    const char* name;
    int codes;
    void (*fill)(std::vector<std::byte>& block,
                 int first_code);  // code of element i: first_code + i, mod codes
    double (*factor)(int code);
  };
  const auto fill_nibbles = [](std::vector<std::byte>& block, int first) {
    for (int j = 0; j < 16; ++j) {
      block[block.size() - 16 + j] =
          static_cast<std::byte>(((first + j) & 15) | ((first + j + 16) & 15) << 4);
    }
  };
  const auto fill_fives = [](std::vector<std::byte>& block, int first) {
    uint32_t high = 0;
    for (int j = 0; j < 32; ++j) high |= static_cast<uint32_t>((first + j) >> 4 & 1) << j;
    for (int j = 0; j < 16; ++j) {
      block[block.size() - 16 + j] =
          static_cast<std::byte>(((first + j) & 15) | ((first + j + 16) & 15) << 4);
    }
    for (int b = 0; b < 4; ++b) block[block.size() - 20 + b] = static_cast<std::byte>(high >> (8 * b));
  };
  const auto fill_bytes = [](std::vector<std::byte>& block, int first) {
    for (int j = 0; j < 32; ++j) block[block.size() - 32 + j] = static_cast<std::byte>(first + j);
  };
  const Type kTypes[] = {
      {"q4_0", 16, fill_nibbles, [](int code) { return code - 8.0; }},
      {"q4_1", 16, fill_nibbles, [](int code) { return code * 1.0; }},
      {"q5_0", 32, fill_fives, [](int code) { return code - 16.0; }},
      {"q5_1", 32, fill_fives, [](int code) { return code * 1.0; }},
      {"q8_0", 256, fill_bytes, [](int code) { return code < 128 ? code : code - 256.0; }},
      {"q8_1", 256, fill_bytes, [](int code) { return code < 128 ? code : code - 256.0; }},
      {"iq4_nl", 16, fill_nibbles,
       [](int code) {
         constexpr double kTable[] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                      1,    13,   25,  38,  53,  69,  89,  113};
         return kTable[code];
       }},
  };
  std::vector<double> scales(65536);
  for (uint32_t bits = 0; bits < 65536; ++bits) scales[bits] = f16_to_f32(static_cast<uint16_t>(bits));
  for (const Type& kind : kTypes) {
    const TensorType& type = type_named(kind.name);
    const bool offset = type.codec->fields[1].role == FieldRole::min;
    std::vector<std::byte> block(type.block_bytes);
    std::vector<double> factors;
    for (int code = 0; code < kind.codes; ++code) factors.push_back(kind.factor(code));
    uint64_t wrong = 0;
    for (int first = 0; first < kind.codes; first += 32) {
      kind.fill(block, first);
      for (uint32_t bits = 0; bits < 65536; ++bits) {
        block[0] = static_cast<std::byte>(bits);
        block[1] = static_cast<std::byte>(bits >> 8);
        // The offset runs through all f16 as well, in another order.
        const uint32_t m_bits = offset ? bits * 40503 & 0xffff : 0;
        if (offset) {
          block[2] = static_cast<std::byte>(m_bits);
          block[3] = static_cast<std::byte>(m_bits >> 8);
        }
        float values[32];
        type.codec->dequantize(block.data(), values, 32);
        for (int i = 0; i < 32; ++i) {
          const double product = scales[bits] * factors[(first + i) % kind.codes];
          // Two numbers of at most 16 and 11 bits, with exponents at most 40 apart, so
          // that the sum in double is exact and rounds once.
          const auto expected = static_cast<float>(offset ? product + scales[m_bits] : product);
          const bool same = std::bit_cast<uint32_t>(values[i]) == std::bit_cast<uint32_t>(expected);
          wrong += same || (std::isnan(values[i]) && std::isnan(expected)) ? 0 : 1;
        }
      }
    }
    BOOST_CHECK_MESSAGE(wrong == 0, kind.name << ": " << wrong << " values");
  }
}

BOOST_AUTO_TEST_CASE(all_mxfp4_and_nvfp4_scales_with_all_codes) {
  constexpr double kE2m1[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6};
  for (const char* name : {"mxfp4", "nvfp4"}) {
    const TensorType& type = type_named(name);
    const bool mx = type.id == tensor::mxfp4;
    std::vector<std::byte> block(type.block_bytes);
    for (size_t j = 0; j < type.block_bytes; ++j)
      block[j] = static_cast<std::byte>((j - (mx ? 1 : 4)) % 8 * 0x22 + 0x10);
    for (uint32_t scale = 0; scale < 256; ++scale) {
      for (size_t s = 0; s < (mx ? 1u : 4u); ++s) block[s] = static_cast<std::byte>((scale + s * 64) & 255);
      std::vector<float> values = decode(type, block);
      for (uint32_t i = 0; i < type.block_elements; ++i) {
        const uint32_t group = mx ? 32 : 16;
        const uint32_t j = i % group % (group / 2);
        const bool high = i % group >= group / 2;
        const auto packed = static_cast<uint32_t>(block[mx ? 1 + j : 4 + i / 16 * 8 + j]);
        const double factor = kE2m1[high ? packed >> 4 : packed & 15];
        const double power = mx ? std::ldexp(1.0, static_cast<int>(scale) - 127)
                                : 2.0 * ue4m3_half(static_cast<uint8_t>(scale + i / 16 * 64));
        BOOST_REQUIRE_EQUAL(std::bit_cast<uint32_t>(values[i]),
                            std::bit_cast<uint32_t>(static_cast<float>(factor * power)));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(all_tq1_0_bytes) {
  const TensorType& type = type_named("tq1_0");
  std::set<int> unusual;
  for (int byte = 0; byte < 256; ++byte) {
    std::vector<std::byte> block(54, static_cast<std::byte>(byte));
    block[52] = std::byte{0x00};
    block[53] = std::byte{0x3c};  // d = 1
    const std::vector<float> values = decode(type, block);
    // The digits of byte / 256 in base 3: multiply, take the integer part, go on.
    int rest = byte;
    for (int n = 0; n < 5; ++n) {
      const int digit = rest * 3 / 256;
      rest = rest * 3 % 256;
      BOOST_REQUIRE_EQUAL(values[32 * n + 31], digit - 1);
      BOOST_REQUIRE_EQUAL(values[160 + 16 * n], digit - 1);
      if (n < 4) BOOST_REQUIRE_EQUAL(values[240 + 4 * n + 3], digit - 1);
    }
    // qs alone: are these the bytes that the quantizer gives for these values?
    const std::vector<std::byte> again = encode(type, values);
    if (again[0] != block[0]) unusual.insert(byte);
    BOOST_REQUIRE((decode(type, again) == values));
    const BlockFault fault = type.codec->validate(block.data());
    const bool canonical = std::equal(again.begin(), again.begin() + 52, block.begin());
    BOOST_TEST((fault.what == nullptr) == canonical);
  }
  const std::set<int> expected = {1, 20, 40, 60, 79, 99, 119, 138, 158, 178, 197, 217, 237};
  // A block of digits 1 alone is a zero block and keeps its bytes; all others have d = 1.
  BOOST_TEST((unusual == expected));
}

BOOST_AUTO_TEST_CASE(zero_blocks) {
  struct Zero {
    const char* type;
    const char* block;
  };
  const Zero kZeros[] = {
      {"q4_0", "008088888888888888888888888888888888"},
      {"q4_1", "0000000000000000000000000000000000000000"},
      {"q5_0", "0080ffffffff00000000000000000000000000000000"},
      {"iq4_nl", "000088888888888888888888888888888888"},
      {"q1_0", "0000ffffffffffffffffffffffffffffffff"},
      {"q2_0", "000055555555555555555555555555555555"},
      {"mxfp4", "0000000000000000000000000000000000"},
  };
  for (const Zero& zero : kZeros) {
    const TensorType& type = type_named(zero.type);
    BOOST_TEST(hex(encode(type, std::vector<float>(type.block_elements))) == zero.block);
  }
  for (const TensorType& type : tensor_types()) {
    if (type.codec == nullptr || type.codec->quantize == nullptr) continue;
    const std::vector<std::byte> block = encode(type, std::vector<float>(type.block_elements));
    for (const float value : decode(type, block)) BOOST_TEST(value == 0.0f);
    BOOST_TEST(type.codec->validate(block.data()).what == nullptr);
  }
}

// Whatever goes in, a quantizer ends, stays in its block, and gives the same bytes
// again.  Finite input of ordinary size gives legal blocks.
BOOST_AUTO_TEST_CASE(quantizers_are_total_and_deterministic) {
  for (const TensorType& type : tensor_types()) {
    if (type.codec == nullptr || type.codec->quantize == nullptr) continue;
    const uint32_t count = 2 * 256;
    std::vector<std::vector<float>> inputs;
    inputs.push_back(bell_shaped(count, type.id));
    const std::vector<float> bell = inputs.front();
    for (const float factor : {1e-44f, 1e-38f, 1e-20f, 1e-6f, 1e4f, 1e20f, 3e38f}) {
      inputs.push_back(bell);
      for (float& value : inputs.back()) value *= factor;
    }
    for (const float odd : {kNan, -kNan, kInfinity, -kInfinity, 3.4e38f, 1e-45f, -0.0f}) {
      inputs.push_back(bell);
      for (size_t i = 0; i < count; i += 61) inputs.back()[i] = odd;
      inputs.emplace_back(count, odd);
    }
    for (size_t n = 0; n < inputs.size(); ++n) {
      const uint64_t bytes = count / type.block_elements * type.block_bytes;
      std::vector<std::byte> first(bytes + 1, std::byte{0x5a});
      std::vector<std::byte> second(bytes + 1, std::byte{0xa5});
      type.codec->quantize(inputs[n].data(), nullptr, first.data(), count);
      type.codec->quantize(inputs[n].data(), nullptr, second.data(), count);
      BOOST_TEST((first.back() == std::byte{0x5a}));
      first.pop_back();
      second.pop_back();
      BOOST_CHECK_MESSAGE(first == second, type.name << " input " << n);
      if (n == 0 || n == 4) {
        BOOST_CHECK_MESSAGE(
            type.codec->scan(first.data(), bytes / type.block_bytes, true) == bytes / type.block_bytes,
            type.name << " input " << n);
      }
    }
  }
}

// A NaN is lost or kept as the types say: the other elements keep their codes.
BOOST_AUTO_TEST_CASE(nan_among_the_input) {
  for (const char* name :
       {"q4_0", "q4_1", "q5_0", "q5_1", "q8_0", "q8_1", "q2_0", "tq1_0", "tq2_0", "mxfp4", "nvfp4"}) {
    const TensorType& type = type_named(name);
    std::vector<float> values = bell_shaped(256, 5);
    const std::vector<float> without = decode(type, encode(type, values));
    // An element inside the range, so that it decides no scale.
    values[3] = kNan;
    const std::vector<float> with = decode(type, encode(type, values));
    for (size_t i = 0; i < with.size(); ++i) {
      BOOST_TEST(std::isfinite(with[i]));
      if (i != 3) BOOST_TEST(with[i] == without[i]);
    }
  }
  std::vector<float> values = bell_shaped(128, 5);
  values[3] = kNan;
  for (const float value : decode(type_named("q1_0"), encode(type_named("q1_0"), values)))
    BOOST_TEST(std::isnan(value));
  for (const float value :
       decode(type_named("iq4_nl"), encode(type_named("iq4_nl"), {values.begin(), values.begin() + 32}))) {
    BOOST_TEST(value == 0.0f);
  }
}

// The types whose blocks survive decoding and encoding again, byte for byte.
BOOST_AUTO_TEST_CASE(quantizing_twice_changes_nothing) {
  for (const char* name : {"f32", "f16", "bf16", "f64", "q1_0", "q2_0", "q4_0", "q4_1", "q5_0", "q5_1",
                           "q8_0", "mxfp4", "nvfp4", "tq1_0", "tq2_0", "iq4_nl"}) {
    const TensorType& type = type_named(name);
    const std::vector<std::byte> once = encode(type, bell_shaped(256 * 64, type.id + 100));
    BOOST_CHECK_MESSAGE(encode(type, decode(type, once)) == once, name);
  }
}

// The MXFP4 scale: floor of the logarithm rounded to f32, here by way of double, where
// no case is close to a tie.
BOOST_AUTO_TEST_CASE(mxfp4_scale_just_below_powers_of_two) {
  const TensorType& type = type_named("mxfp4");
  for (int k = -124; k <= 128; ++k) {
    for (int ulps = 0; ulps < 100; ++ulps) {
      const auto largest = static_cast<float>(std::ldexp(1.0 - ulps * 0x1p-24, k));
      if (std::isinf(largest)) continue;
      std::vector<float> values(32);
      values[7] = -largest;
      const auto logarithm = static_cast<float>(std::log2(static_cast<double>(largest)));
      const int expected = std::max(static_cast<int>(std::floor(logarithm)) - 2 + 127, 0);
      BOOST_REQUIRE_EQUAL(static_cast<int>(encode(type, values)[0]), expected);
    }
  }
}

BOOST_AUTO_TEST_CASE(integers_decode_to_the_nearest_float) {
  const auto decoded = [](std::string_view name, std::vector<uint8_t> bytes) {
    float value = 0;
    type_named(name).codec->dequantize(reinterpret_cast<const std::byte*>(bytes.data()), &value, 1);
    return value;
  };
  BOOST_TEST(decoded("i8", {0x80}) == -128);
  BOOST_TEST(decoded("i16", {0xff, 0x7f}) == 32767);
  BOOST_TEST(decoded("i16", {0x00, 0x80}) == -32768);
  BOOST_TEST(decoded("i32", {0x01, 0x00, 0x00, 0x01}) == 16777216);  // 2^24 + 1, tie to even
  BOOST_TEST(decoded("i32", {0x03, 0x00, 0x00, 0x01}) == 16777220);
  BOOST_TEST(decoded("i64", {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}) == -1);
  BOOST_TEST(decoded("i64", {0, 0, 0, 0, 0, 0, 0, 0x80}) == -0x1p63f);
  BOOST_TEST(decoded("f64", {0, 0, 0, 0, 0, 0, 0xf0, 0x3f}) == 1);
  BOOST_TEST(decoded("f64", {0, 0, 0, 0x10, 0, 0, 0xf0, 0x3f}) == 1);  // a tie, to even
  BOOST_TEST(decoded("f64", {1, 0, 0, 0x10, 0, 0, 0xf0, 0x3f}) == std::nextafter(1.0f, 2.0f));
  BOOST_TEST(decoded("f64", {0, 0, 0, 0xf0, 0xff, 0xff, 0xef, 0x47}) == kInfinity);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace gcts
