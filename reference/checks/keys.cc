// Checks of keys.

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "reference/check.h"
#include "reference/checks/fields.h"
#include "reference/duplicates.h"
#include "reference/quote.h"
#include "reference/survey.h"

namespace gcts {
namespace {

// The pairs whose keys are not of the ordinary form.
auto odd_keys(const Reading& reading) {
  return reading.survey->odd_keys | std::views::transform([&](uint64_t i) -> const KeyValueView& { return reading.metadata[i]; });
}

constexpr size_t kLongestKey = 65535;

bool allowed(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.'; }
bool ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

// A key with a NUL, or with bytes that are not ASCII, breaks that rule alone.
bool has_nul(std::string_view key) { return key.find('\0') != key.npos; }
size_t first_not_ascii(std::string_view key) {
  const auto it = std::find_if_not(key.begin(), key.end(), ascii);
  return static_cast<size_t>(it - key.begin());
}

}  // namespace

void check_key_not_empty(const Reading& reading, Findings& findings) {
  for (const KeyValueView& pair : odd_keys(reading))
    if (pair.key.empty()) findings.add(rule::key_not_empty, pair.offset, "a key is empty");
}

void check_key_charset(const Reading& reading, Findings& findings) {
  for (const KeyValueView& pair : odd_keys(reading)) {
    const auto bad = std::find_if_not(pair.key.begin(), pair.key.end(), allowed);
    if (bad == pair.key.end() || has_nul(pair.key) || first_not_ascii(pair.key) < pair.key.size()) continue;
    findings.add(rule::key_charset, key_offset(pair) + static_cast<uint64_t>(bad - pair.key.begin()),
                 fmt::format("the key {} holds {}; keys are lower-case letters, digits, underscores and dots",
                             quote(pair.key), quote({&*bad, 1})));
  }
}

void check_key_is_ascii(const Reading& reading, Findings& findings) {
  for (const KeyValueView& pair : odd_keys(reading)) {
    const size_t bad = first_not_ascii(pair.key);
    if (bad == pair.key.size() || has_nul(pair.key)) continue;
    findings.add(rule::key_is_ascii, key_offset(pair) + bad,
                 fmt::format("the key {} holds bytes that are not ASCII", quote(pair.key)));
  }
}

void check_key_length(const Reading& reading, Findings& findings) {
  for (const KeyValueView& pair : odd_keys(reading))
    if (pair.key.size() > kLongestKey)
      findings.add(rule::key_length, pair.offset,
                   fmt::format("a key has {} bytes; at most {} are allowed: {}", pair.key.size(), kLongestKey,
                               quote(pair.key)));
}

void check_key_unique(const Reading& reading, Findings& findings) {
  NameList keys(reading.metadata.size());
  for (const KeyValueView& pair : reading.metadata) keys.add(pair.key);
  for (const Duplicate& d : find_duplicates(keys.all()))
    findings.add(rule::key_unique, reading.metadata[d.index].offset,
                 fmt::format("the key {} occurs again; it stands first at offset {}", quote(reading.metadata[d.index].key),
                             reading.metadata[d.first].offset));
}

void check_key_without_nul(const Reading& reading, Findings& findings) {
  for (const KeyValueView& pair : odd_keys(reading)) {
    const size_t nul = pair.key.find('\0');
    if (nul == pair.key.npos) continue;
    findings.add(rule::key_without_nul, key_offset(pair) + nul,
                 fmt::format("the key {} holds a NUL byte; as a C string it would be {}", quote(pair.key),
                             quote(pair.key.substr(0, nul))));
  }
}

void check_key_segments_not_empty(const Reading& reading, Findings& findings) {
  for (const KeyValueView& pair : odd_keys(reading)) {
    const std::string_view key = pair.key;
    if (key.empty()) continue;
    size_t bad = key.npos;
    if (key.front() == '.')
      bad = 0;
    else if (const size_t twice = key.find(".."); twice != key.npos)
      bad = twice + 1;
    else if (key.back() == '.')
      bad = key.size() - 1;
    if (bad == key.npos) continue;
    findings.add(rule::key_segments_not_empty, key_offset(pair) + bad,
                 fmt::format("the key {} has an empty segment", quote(key)));
  }
}

}  // namespace gcts
