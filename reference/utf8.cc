// Validates UTF-8, eight ASCII bytes at a time.

#include "reference/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace gcts {
namespace {

// Bytes of the well-formed sequence that begins at s[i], or 0.  The ranges of the
// second byte exclude overlong forms (E0, F0), surrogates (ED) and what lies above
// U+10FFFF (F4).
size_t sequence(std::string_view s, size_t i) {
  const auto at = [&](size_t k) { return i + k < s.size() ? static_cast<uint8_t>(s[i + k]) : uint8_t{0}; };
  const auto continues = [&](size_t k) { return (at(k) & 0xc0) == 0x80; };
  const uint8_t first = at(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return continues(1) ? 2 : 0;
  const uint8_t low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const uint8_t high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (at(1) < low || at(1) > high) return 0;
  if (first >= 0xe0 && first <= 0xef) return continues(2) ? 3 : 0;
  if (first >= 0xf0 && first <= 0xf4) return continues(2) && continues(3) ? 4 : 0;
  return 0;
}

// Whether the 1 to 8 bytes from s[i] on are ASCII.
bool is_ascii(std::string_view s, size_t i) {
  uint64_t word = 0;
  if (i + sizeof word <= s.size())
    std::memcpy(&word, s.data() + i, sizeof word);
  else
    for (; i < s.size(); ++i) word |= static_cast<uint8_t>(s[i]);
  return (word & 0x8080808080808080u) == 0;
}

}  // namespace

size_t find_invalid_utf8(std::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    if (is_ascii(text, i)) {
      i = std::min(i + sizeof(uint64_t), text.size());
      continue;
    }
    const size_t length = sequence(text, i);
    if (length == 0) return i;
    i += length;
  }
  return text.size();
}

}  // namespace gcts
