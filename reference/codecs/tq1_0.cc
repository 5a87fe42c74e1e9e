// TQ1_0: 256 ternary digits with one scale, 54 bytes.
//
//   bytes  0..47  qs: five digits a byte
//   bytes 48..51  qh: four digits a byte
//   bytes 52..53  d, f16: the scale
//
//   value = (digit - 1) * d         -d, 0, d                  exact in f32
//
// A byte v is a fraction v / 256 whose digits in base 3, most significant first, are
// those of the elements: digit n = (v * 3^n mod 256) * 3 div 256.  Elements in order:
//   32n + m         digit n of qs[m]         n = 0 to 4, m = 0 to 31
//   160 + 16n + m   digit n of qs[32 + m]    n = 0 to 4, m = 0 to 15
//   240 + 4n + m    digit n of qh[m]         n = 0 to 3, m = 0 to 3
//
// Quantizing: d is the largest magnitude, digit = x / d rounded to nearest, ties away
// from zero, plus 1; only the stored d is rounded to f16.  Five digits read as a
// number Q in base 3 give the byte ceil(Q * 256 / 243), the canonical one; qh bytes
// take 0 as their fifth digit.  A block of zeros has d = 0, qs 80, qh 7f.
//
// Illegal: d NaN or infinite.  Strict only: a byte that is not the canonical one for
// its digits, and a qh byte whose fifth digit is not 0: readers agree on its value,
// but no quantizer writes it, so the file is damaged or the work of something else.

#include "reference/block.h"

namespace gcts {
namespace {

struct Block {
  uint8_t qs[48];
  uint8_t qh[4];
  Little16 d;
};
static_assert(sizeof(Block) == 54);
constexpr uint32_t kElements = 256;
constexpr BlockField kFields[] = {
    {"qs", FieldRole::code, NumberFormat::u8, offsetof(Block, qs), 48},
    {"qh", FieldRole::code, NumberFormat::u8, offsetof(Block, qh), 4},
    {"d", FieldRole::scale, NumberFormat::f16, offsetof(Block, d), 1},
};
constexpr uint32_t kBytes = sizeof(Block::qs) + sizeof(Block::qh);

// Where an element's digit is: the byte of the block, and which digit of it.
struct Place {
  uint32_t byte;
  uint32_t digit;
};
constexpr Place place_of(uint32_t element) {
  if (element < 160) return {element % 32, element / 32};
  if (element < 240) return {32 + element % 16, (element - 160) / 16};
  return {48 + element % 4, (element - 240) / 4};
}

constexpr int32_t digit(uint8_t byte, uint32_t n) {
  constexpr uint32_t kPowers[] = {1, 3, 9, 27, 81};
  return static_cast<int32_t>((byte * kPowers[n] & 255) * 3 >> 8);
}

constexpr uint8_t canonical(uint32_t number) { return static_cast<uint8_t>((number * 256 + 242) / 243); }

// A byte v is canonical if some number has ceil(number * 256 / 243) = v: if v * 243 / 256
// has a larger integer part than (v - 1) * 243 / 256, which is when the remainder of
// v * 243 is below 243.  The fifth digit is 0 if the remainder of v * 81 is below a third
// of 256.
constexpr uint32_t kDigits5 = 243;
constexpr uint32_t kDigits4 = 81;
constexpr uint32_t kThird = 86;
constexpr bool is_canonical(uint8_t byte) { return (byte * kDigits5 & 255) < kDigits5; }
constexpr bool has_fifth_digit(uint8_t byte) { return (byte * kDigits4 & 255) >= kThird; }

// Not 0 if a byte of the word, times factor modulo 256, is at least limit.  Every other
// byte has 16 bits to itself: the product fits, and adding 256 - limit to its low half
// carries into the high one.
constexpr uint64_t any_product_from(uint64_t word, uint64_t factor, uint64_t limit) {
  constexpr uint64_t kEach = 0x0001000100010001;
  constexpr uint64_t kLow = 255 * kEach;
  const uint64_t even = (word & kLow) * factor & kLow;
  const uint64_t odd = (word >> 8 & kLow) * factor & kLow;
  const uint64_t add = (256 - limit) * kEach;
  return ((even + add) | (odd + add)) & (kEach << 8);
}

// qs and qh lie together.
const uint8_t* bytes_of(const Block& block) { return reinterpret_cast<const uint8_t*>(&block); }

void dequantize(const std::byte* blocks, float* values, uint64_t count) {
  for (uint64_t i = 0; i < count / kElements; ++i, values += kElements) {
    const Block block = load_block<Block>(blocks, i);
    const float d = f16_to_f32(block.d);
    for (uint32_t j = 0; j < kElements; ++j) {
      const Place place = place_of(j);
      values[j] = static_cast<float>(digit(bytes_of(block)[place.byte], place.digit) - 1) * d;
    }
  }
}

void quantize(const float* values, const float*, std::byte* blocks, uint64_t count) {
  for (uint64_t i = 0; i < count / kElements; ++i, values += kElements) {
    const float d = largest_magnitude(values, kElements);
    const float inverse = inverse_or_zero(d);
    // The digits of a byte come in order of the elements, most significant first.
    uint32_t numbers[kBytes] = {};
    for (uint32_t j = 0; j < kElements; ++j) {
      uint32_t& number = numbers[place_of(j).byte];
      number = number * 3 + static_cast<uint32_t>(round_away(values[j] * inverse, -1, 1) + 1);
    }
    Block block;
    for (uint32_t b = 0; b < sizeof(block.qs); ++b) block.qs[b] = canonical(numbers[b]);
    for (uint32_t b = 0; b < sizeof(block.qh); ++b)
      block.qh[b] = canonical(numbers[sizeof(block.qs) + b] * 3);
    block.d = f32_to_f16(d);
    store_block(block, blocks, i);
  }
}

BlockFault validate(const std::byte* bytes) {
  const BlockFault fault = f16_scale_fault(load_block<Block>(bytes, 0).d, offsetof(Block, d));
  if (fault.what != nullptr) return fault;
  const auto* packed = reinterpret_cast<const uint8_t*>(bytes);
  for (uint32_t b = 0; b < kBytes; ++b) {
    const bool qh = b >= sizeof(Block::qs);
    if (!is_canonical(packed[b]) || (qh && has_fifth_digit(packed[b]))) {
      return {qh ? "byte of qh is not canonical for its four digits"
                 : "byte of qs is not canonical for its digits",
              b, true};
    }
  }
  return {};
}

uint64_t scan(const std::byte* blocks, uint64_t count, bool strict) {
  if (!strict) return scan_f16<sizeof(Block), offsetof(Block, d)>(blocks, count, strict);
  return first_illegal<sizeof(Block)>(blocks, count, [](const std::byte* bytes) {
    const uint64_t four = load_block<Little32>(bytes, sizeof(Block::qs) / sizeof(Little32));
    uint64_t illegal = f16_is_finite(load_block<Block>(bytes, 0).d) ? 0 : 1;
    for (size_t i = 0; i < sizeof(Block::qs) / sizeof(Little64); ++i) {
      illegal |= any_product_from(load_block<Little64>(bytes, i), kDigits5, kDigits5);
    }
    illegal |= any_product_from(four, kDigits5, kDigits5) | any_product_from(four, kDigits4, kThird);
    return illegal != 0;
  });
}

}  // namespace

constinit const Codec codec::tq1_0 = {kFields, dequantize, quantize, validate, scan};

}  // namespace gcts
