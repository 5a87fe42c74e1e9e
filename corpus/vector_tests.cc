// Edges of number formats, of packed codes, and of quantizers.

#include "corpus/vector_tests.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "reference/codec.h"
#include "reference/generator.h"

namespace gcts {
namespace {

// A number worth testing, in one format.
struct Special {
  uint64_t bits;
  std::string_view flag;
  std::string_view comment;
};

constexpr Special kF16[] = {
    {0x8000, "negative_zero", "-0"},
    {0x0001, "subnormal", "the smallest subnormal, 2^-24"},
    {0x83ff, "subnormal", "minus the largest subnormal"},
    {0x0400, "ordinary", "the smallest normal number, 2^-14"},
    {0xfbff, "largest", "-65504, the largest finite magnitude"},
    {0x7c00, "infinite", "infinity"},
    {0xfc00, "infinite", "minus infinity"},
    {0x7e00, "nan", "NaN"},
    {0xfc01, "nan", "a signalling NaN with the sign set"},
};
constexpr Special kBf16[] = {
    {0x0000, "zero", "0"},
    {0x8000, "negative_zero", "-0"},
    {0x0001, "subnormal", "the smallest subnormal, 2^-133"},
    {0x807f, "subnormal", "minus the largest subnormal"},
    {0x0080, "ordinary", "the smallest normal number"},
    {0x3f81, "ordinary", "1 + 2^-7"},
    {0xff7f, "largest", "the largest finite magnitude, negative"},
    {0x7f80, "infinite", "infinity"},
    {0xff80, "infinite", "minus infinity"},
    {0x7fc0, "nan", "NaN"},
    {0x7f81, "nan", "a signalling NaN"},
};
constexpr Special kF32[] = {
    {0x00000000, "zero", "0"},
    {0x80000000, "negative_zero", "-0"},
    {0x00000001, "subnormal", "the smallest subnormal, 2^-149"},
    {0x3f9d70a4, "ordinary", "1.23"},
    {0xff7fffff, "largest", "the largest finite magnitude, negative"},
    {0x7f800000, "infinite", "infinity"},
    {0xff800000, "infinite", "minus infinity"},
    {0x7fc00000, "nan", "NaN"},
    {0x7f800001, "nan", "a signalling NaN"},
};
constexpr Special kF64[] = {
    {0x0000000000000000, "zero", "0"},
    {0x8000000000000000, "negative_zero", "-0"},
    {0x3ff0000000000000, "ordinary", "1"},
    {0x3ff0000010000000, "tie", "1 + 2^-24: half-way between two f32, to the even one"},
    {0x3ff0000030000000, "tie", "1 + 3 * 2^-24: half-way between two f32, to the even one"},
    {0x3ff0000010000001, "ordinary", "just above half-way between two f32"},
    {0x36a0000000000000, "subnormal", "2^-149, the smallest f32"},
    {0x3690000000000000, "subnormal", "2^-150: half-way between 0 and the smallest f32"},
    {0x0000000000000001, "underflow", "the smallest f64: 0 in f32"},
    {0x47efffffe0000000, "largest", "the largest f32"},
    {0x47efffffefffffff, "largest", "the largest f64 that rounds to a finite f32"},
    {0xc7effffff0000000, "overflow", "half-way between the largest f32 and 2^128, negative: infinite in f32"},
    {0x7e37e43c8800759c, "overflow", "1e300: infinite in f32"},
    {0x7ff0000000000000, "infinite", "infinity"},
    {0x7ff8000000000000, "nan", "NaN"},
};
constexpr Special kE8m0[] = {
    {0, "subnormal", "byte 0: half of it, 2^-128, is subnormal in f32"},
    {1, "subnormal", "byte 1: half of it, 2^-127, is subnormal in f32"},
    {2, "ordinary", "byte 2: half of it is the smallest normal f32"},
    {127, "ordinary", "byte 127: 1"},
    {252, "largest", "byte 252: the largest for which all codes are finite"},
    {253, "largest", "byte 253: codes of magnitude 4 and 6 overflow"},
    {254, "largest", "byte 254: codes of magnitude 2 and more overflow"},
    {255, "reserved_scale", "byte 255: NaN in the OCP definition, 2^128 here"},
};
constexpr Special kUe4m3[] = {
    {0x00, "zero", "byte 00: 0"},
    {0x01, "subnormal", "byte 01: the smallest subnormal, 2^-9"},
    {0x07, "subnormal", "byte 07: the largest subnormal"},
    {0x08, "ordinary", "byte 08: the smallest normal number"},
    {0x38, "ordinary", "byte 38: 1"},
    {0x7e, "largest", "byte 7e: 448"},
    {0x7f, "reserved_scale", "byte 7f: 0 here, NaN elsewhere"},
    {0x80, "reserved_scale", "byte 80: bit 7 is ignored, 0"},
    {0xb8, "reserved_scale", "byte b8: bit 7 is ignored, 1; elsewhere -1"},
    {0xff, "reserved_scale", "byte ff: 480 here, NaN or 0 elsewhere"},
};
constexpr Special kIntegers[] = {
    {0, "zero", "0"},
    {1, "ordinary", "1"},
    {~uint64_t{0}, "ordinary", "-1"},
    {0x0102030405060708, "ordinary", "bytes in order"},
    {0x8000000080008080, "largest", "a one in the highest bit of each width"},
    {0x7fffffff7fff7f7f, "largest", "the largest of each width"},
    {0x0000000001000001, "tie", "2^24 + 1 where it fits: half-way between two f32"},
    {0x0000000001000003, "tie", "2^24 + 3 where it fits: half-way between two f32"},
};

std::span<const Special> specials_of(NumberFormat format) {
  switch (format) {
    case NumberFormat::f16:
      return kF16;
    case NumberFormat::bf16:
      return kBf16;
    case NumberFormat::f32:
      return kF32;
    case NumberFormat::f64:
      return kF64;
    case NumberFormat::e8m0:
      return kE8m0;
    case NumberFormat::ue4m3:
      return kUe4m3;
    case NumberFormat::u16:
      return kF16;  // as a scale: an f16 spread over four words
    default:
      return kIntegers;
  }
}

// The bits of 1 in a scale's format.
uint64_t one_in(NumberFormat format) {
  switch (format) {
    case NumberFormat::f32:
      return 0x3f800000;
    case NumberFormat::e8m0:
      return 127;
    case NumberFormat::ue4m3:
      return 0x38;
    default:
      return 0x3c00;
  }
}

void put(std::byte* at, uint64_t bits, uint32_t width) {
  for (uint32_t i = 0; i < width; ++i) at[i] = static_cast<std::byte>(bits >> (8 * i));
}

// Writes all numbers of a field.  A scale that is spread over words goes into their
// top four bits.
void set(std::byte* block, const BlockField& field, uint64_t bits) {
  const uint32_t width = number_bytes(field.format);
  for (uint32_t i = 0; i < field.count; ++i) {
    std::byte* at = block + field.offset + i * width;
    if (field.role == FieldRole::scale && field.format == NumberFormat::u16) {
      at[1] = static_cast<std::byte>((std::to_integer<uint32_t>(at[1]) & 15u) | (bits >> (4 * i) & 15) << 4);
    } else {
      put(at, bits, width);
    }
  }
}

bool holds_number(const BlockField& field) {
  return field.role == FieldRole::scale || field.role == FieldRole::min || field.role == FieldRole::sum;
}

class BlockTests {
 public:
  explicit BlockTests(const TensorType& type) : type_(type), generator_(1, type.name) {}

  std::vector<BlockTest> make() {
    if (type_.block_elements == 1) {
      plain_values();
    } else {
      add("all bytes zero", "zero", std::vector<std::byte>(type_.block_bytes));
      counting_codes();
      equal_codes();
      extreme_subscales();
      special_numbers();
    }
    return std::move(tests_);
  }

 private:
  bool large() const { return type_.block_elements > 128; }

  void add(std::string comment, std::string_view flag, std::vector<std::byte> blocks) {
    tests_.push_back({std::move(comment), {flag}, std::move(blocks)});
  }

  // Random codes and sub-scales under scales of 1, with the sums that belong to them.
  std::vector<std::byte> ordinary_block() {
    std::vector<std::byte> block(type_.block_bytes);
    generator_.fill(block.data(), block.size());
    for (const BlockField& field : type_.codec->fields) {
      if (holds_number(field)) set(block.data(), field, one_in(field.format));
    }
    tidy_sums(block);
    return block;
  }

  // Integer sums follow from the codes: one for each group of consecutive codes.
  void tidy_sums(std::vector<std::byte>& block) const {
    const auto fields = type_.codec->fields;
    const auto sums = std::find_if(fields.begin(), fields.end(), [](const BlockField& field) {
      return field.role == FieldRole::sum && field.format == NumberFormat::i16;
    });
    if (sums == fields.end()) return;
    const auto codes = std::find_if(fields.begin(), fields.end(),
                                    [](const BlockField& field) { return field.format == NumberFormat::i8; });
    const uint32_t group = codes->count / sums->count;
    for (uint32_t i = 0; i < sums->count; ++i) {
      int32_t sum = 0;
      for (uint32_t j = 0; j < group; ++j) sum += static_cast<int8_t>(block[codes->offset + i * group + j]);
      put(&block[sums->offset + 2 * i], static_cast<uint64_t>(sum), 2);
    }
  }

  void plain_values() {
    const BlockField& field = type_.codec->fields[0];
    if (field.format == NumberFormat::f16) add_plain(field, {0, "zero", "0"});
    for (const Special& special : specials_of(field.format)) add_plain(field, special);
  }

  void add_plain(const BlockField& field, const Special& special) {
    std::vector<std::byte> block(type_.block_bytes);
    put(block.data(), special.bits, number_bytes(field.format));
    add(std::string(special.comment), special.flag, std::move(block));
  }

  // Code bytes that count up over as many blocks as it takes to have every value, at
  // most five blocks of a large type.
  void counting_codes() {
    uint32_t code_bytes = 0;
    for (const BlockField& field : type_.codec->fields) {
      if (field.role == FieldRole::code) code_bytes += field.count * number_bytes(field.format);
    }
    const uint32_t needed = (256 + code_bytes - 1) / code_bytes;
    const uint32_t count = large() ? std::min(needed, 5u) : needed;
    for (uint32_t n = 0; n < count; ++n) {
      std::vector<std::byte> block = ordinary_block();
      uint32_t next = n * code_bytes;
      for (const BlockField& field : type_.codec->fields) {
        if (field.role != FieldRole::code) continue;
        for (uint32_t i = 0; i < field.count * number_bytes(field.format); ++i) {
          block[field.offset + i] = static_cast<std::byte>(next++);
        }
      }
      tidy_sums(block);
      const bool strict = type_.codec->validate(block.data()).strict_only;
      add("code bytes counting up from " + std::to_string(n * code_bytes % 256),
          strict ? "not_canonical" : "all_codes", std::move(block));
    }
  }

  void set_role(std::vector<std::byte>& block, FieldRole role, uint8_t byte) const {
    for (const BlockField& field : type_.codec->fields) {
      if (field.role != role) continue;
      std::fill_n(block.begin() + field.offset, field.count * number_bytes(field.format), std::byte{byte});
    }
  }

  bool has(FieldRole role) const {
    const auto fields = type_.codec->fields;
    return std::any_of(fields.begin(), fields.end(),
                       [role](const BlockField& field) { return field.role == role; });
  }

  void equal_codes() {
    for (const uint8_t byte : {0x00, 0x80, 0x88, 0xff}) {
      if (large() && (byte == 0x80 || byte == 0x88)) continue;
      std::vector<std::byte> block = ordinary_block();
      set_role(block, FieldRole::code, byte);
      tidy_sums(block);
      add("every code byte " + hex(byte), "extreme_codes", std::move(block));
    }
  }

  void extreme_subscales() {
    if (!has(FieldRole::subscale)) return;
    for (const uint8_t byte : {0x00, 0xff}) {
      std::vector<std::byte> block = ordinary_block();
      set_role(block, FieldRole::subscale, byte);
      add("every sub-scale byte " + hex(byte), "subscales", std::move(block));
    }
  }

  void special_numbers() {
    bool first = true;
    for (const BlockField& field : type_.codec->fields) {
      if (!holds_number(field) || field.format == NumberFormat::i16) continue;
      for (const Special& special : specials_of(field.format)) {
        // The second number of a large block: only what is not ordinary, once each.
        if (!first && large() && special.flag != "infinite" && special.flag != "nan") continue;
        std::vector<std::byte> block = ordinary_block();
        set(block.data(), field, special.bits);
        add(std::string(field.name) + " is " + std::string(special.comment), special.flag, std::move(block));
      }
      first = false;
    }
  }

  static std::string hex(uint8_t byte) {
    constexpr char kDigits[] = "0123456789abcdef";
    return {kDigits[byte >> 4], kDigits[byte & 15]};
  }

  const TensorType& type_;
  Generator generator_;
  std::vector<BlockTest> tests_;
};

// Inputs at the edges of quantizers, one block each.
class InputTests {
 public:
  explicit InputTests(const TensorType& type) : type_(type), generator_(2, type.name) {}

  std::vector<InputTest> make() {
    if (type_.block_elements == 1) {
      plain_inputs();
      return std::move(tests_);
    }
    const bool large = type_.block_elements > 128;
    add("bell-shaped", "ordinary", bell(1));
    if (large) {
      if (!type_.codec->searches) add("zeros and numbers half-way between codes", "tie", half_way());
      return std::move(tests_);
    }
    add("zeros", "zero", constant(0));
    add("negative zeros", "negative_zero", constant(-0.0f));
    add("all elements -0.75", "ordinary", constant(-0.75f));
    add("multiples of 1/2, the largest 127", "tie", half_way());
    add("one element", "ordinary", single(2.5f));
    add("bell-shaped times 1e-20", "underflow", bell(1e-20f));
    add("bell-shaped times 1e-6", "subnormal", bell(1e-6f));
    add("bell-shaped times 1e4", "ordinary", bell(1e4f));
    add("bell-shaped times 1e8", "overflow", bell(1e8f));
    add("a NaN among bell-shaped elements", "nan_input", with(std::numeric_limits<float>::quiet_NaN()));
    add("an infinity among bell-shaped elements", "infinite_input",
        with(std::numeric_limits<float>::infinity()));
    return std::move(tests_);
  }

 private:
  void add(std::string comment, std::string_view flag, std::vector<float> input) {
    tests_.push_back({std::move(comment), {flag}, std::move(input)});
    if (type_.codec->searches) tests_.back().flags.push_back("search");
  }

  std::vector<float> constant(float value) const { return std::vector<float>(type_.block_elements, value); }

  std::vector<float> bell(float factor) {
    std::vector<float> values(type_.block_elements);
    for (float& value : values) value = generator_.normal() * factor;
    return values;
  }

  std::vector<float> single(float value) const {
    std::vector<float> values = constant(0);
    values[values.size() / 3] = value;
    return values;
  }

  std::vector<float> with(float odd) {
    std::vector<float> values = bell(1);
    values[values.size() / 2 + 1] = odd;
    return values;
  }

  std::vector<float> half_way() {
    std::vector<float> values(type_.block_elements);
    for (float& value : values) value = static_cast<float>(generator_.between(-254, 254)) * 0.5f;
    values[5] = 0;
    values[type_.block_elements - 2] = 127;
    return values;
  }

  void plain_inputs() {
    struct Edge {
      float value;
      std::string_view flag;
      std::string_view comment;
    };
    const Edge kEdges[] = {
        {0.0f, "zero", "0"},
        {-0.0f, "negative_zero", "-0"},
        {1.2345678f, "ordinary", "an ordinary number"},
        {0x1.002p0f, "tie", "1 + 2^-11: half-way between two f16, to the even one"},
        {0x1.006p0f, "tie", "1 + 3 * 2^-11: half-way between two f16, to the even one"},
        {0x1.01p0f, "tie", "1 + 2^-8: half-way between two bf16, to the even one"},
        {0x1.03p0f, "tie", "1 + 3 * 2^-8: half-way between two bf16, to the even one"},
        {0x1.010002p0f, "ordinary", "just above half-way between two bf16"},
        {0x1p-24f, "subnormal", "2^-24, the smallest f16"},
        {0x1p-25f, "tie", "2^-25: half-way between 0 and the smallest f16"},
        {-0x1.8p-25f, "subnormal", "-1.5 * 2^-25"},
        {0x1.ffcp-15f, "tie", "half-way between the largest subnormal and the smallest normal f16"},
        {0x1p-149f, "underflow", "the smallest f32"},
        {-65504.0f, "largest", "-65504, the largest f16 magnitude"},
        {65519.996f, "largest", "the largest f32 that rounds to a finite f16"},
        {65520.0f, "overflow", "65520: infinite in f16"},
        {0x1.fffffep127f, "overflow", "the largest f32: infinite in bf16"},
        {std::numeric_limits<float>::infinity(), "infinite_input", "infinity"},
        {std::numeric_limits<float>::quiet_NaN(), "nan_input", "NaN"},
    };
    for (const Edge& edge : kEdges) add(std::string(edge.comment), edge.flag, {edge.value});
  }

  const TensorType& type_;
  Generator generator_;
  std::vector<InputTest> tests_;
};

}  // namespace

std::vector<BlockTest> block_tests(const TensorType& type) { return BlockTests(type).make(); }

std::vector<InputTest> input_tests(const TensorType& type) {
  if (type.codec->quantize == nullptr) return {};
  return InputTests(type).make();
}

}  // namespace gcts
