// The counter-based random generator.
#include "reference/generator.h"

#include <cmath>
#include <cstring>

namespace gcts {
namespace {

// An odd constant without structure: the fractional bits of the golden ratio.
constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;

// A bijection of 64 bits in which every input bit moves about half of the output bits.
constexpr uint64_t scramble(uint64_t x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93;
  x ^= x >> 32;
  x *= 0xa0761d6478bd642f;
  x ^= x >> 29;
  return x;
}

constexpr uint64_t hash_text(std::string_view text) {
  uint64_t hash = scramble(text.size() + kGolden);
  for (const char c : text) hash = scramble(hash ^ static_cast<unsigned char>(c)) + kGolden;
  return hash;
}

}  // namespace

Generator::Generator(uint64_t seed, std::string_view case_id)
    : before_(scramble(seed + kGolden)), between_(scramble(hash_text(case_id) ^ ~seed)) {}

Generator Generator::stream(uint64_t number) const {
  const uint64_t mark = scramble(number * kGolden + 1);
  return Generator(scramble(before_ ^ mark), scramble(between_ + mark + kGolden));
}

Generator Generator::stream(std::string_view name) const { return stream(hash_text(name)); }

uint64_t Generator::at(uint64_t index) const {
  return scramble(scramble(index * kGolden ^ before_) + between_);
}

uint64_t Generator::below(uint64_t n) {
  // The upper 64 bits of next() * n, from 32-bit halves.
  const uint64_t x = next();
  const uint64_t low = (x & 0xffffffff) * (n & 0xffffffff);
  const uint64_t cross = (x >> 32) * (n & 0xffffffff) + (low >> 32);
  const uint64_t other = (x & 0xffffffff) * (n >> 32) + (cross & 0xffffffff);
  return (x >> 32) * (n >> 32) + (cross >> 32) + (other >> 32);
}

int64_t Generator::between(int64_t low, int64_t high) {
  return low + static_cast<int64_t>(below(static_cast<uint64_t>(high - low) + 1));
}

float Generator::unit() { return static_cast<float>(next() >> 40) * 0x1p-24f; }

float Generator::normal() {
  // Twelve 16-bit numbers, and 16 bits below them so that the result is not on a grid.
  int64_t sum = 0;
  for (int word = 0; word < 3; ++word) {
    const uint64_t x = next();
    for (int shift = 0; shift < 64; shift += 16) sum += static_cast<int64_t>(x >> shift & 0xffff);
  }
  const auto fine = static_cast<int64_t>(next() >> 48);
  return static_cast<float>(((sum - 6 * 0xffff) << 16) + fine) * 0x1p-32f;
}

float Generator::heavy_tailed() {
  const float uniform = static_cast<float>((next() >> 40) + 1) * 0x1p-24f;
  return normal() / std::sqrt(uniform);
}

float Generator::spread(int low, int high) {
  const auto power = static_cast<int>(between(low, high));
  return std::ldexp(normal(), power);
}

void Generator::fill(std::byte* bytes, size_t size) {
  while (size > 0) {
    const uint64_t x = next();
    // Byte by byte, so that the bytes do not depend on the byte order of the machine.
    for (size_t i = 0; i < 8 && size > 0; ++i, --size) *bytes++ = static_cast<std::byte>(x >> 8 * i);
  }
}

}  // namespace gcts
