// Both readings work on the parts between dashes, from the tail: what follows the
// version is short, so a version has at most six places where it can stand.

#include "reference/filename.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <vector>

namespace gcts {
namespace {

constexpr std::string_view kExtension = ".gguf";
constexpr size_t kShardDigits = 5;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
bool is_plain(char c) { return is_letter(c) || is_digit(c) || is_space(c); }

bool all(std::string_view text, bool (*is)(char)) { return std::all_of(text.begin(), text.end(), is); }

// Takes digits off the front; how many.
size_t take_digits(std::string_view& text) {
  size_t n = 0;
  while (n < text.size() && is_digit(text[n])) ++n;
  text.remove_prefix(n);
  return n;
}

using Parts = std::span<const std::string_view>;

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t dash = text.find('-');
    parts.push_back(text.substr(0, dash));
    if (dash == std::string_view::npos) return parts;
    text.remove_prefix(dash + 1);
  }
}

// The text from the first part to the last, dashes included: parts are views of one name.
std::string join(Parts parts) {
  if (parts.empty()) return {};
  return {parts.front().data(),
          static_cast<size_t>(parts.back().data() + parts.back().size() - parts.front().data())};
}

bool is_sidecar(std::string_view part) { return part == "mmproj" || part == "mtp"; }
bool is_type(std::string_view part) { return part == "LoRA" || part == "vocab"; }

// [digits x] [digits .] digits, then what is left.
bool take_size_number(std::string_view& text) {
  std::string_view rest = text;
  if (take_digits(rest) == 0) return false;
  if (rest.starts_with('x')) {
    std::string_view after = rest.substr(1);
    if (take_digits(after) > 0) rest = after;
  }
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    if (take_digits(rest) == 0) return false;
  }
  text = rest;
  return true;
}

bool is_scale(std::string_view text) {
  return text.size() == 1 && std::string_view("QTBMK").find(text[0]) != std::string_view::npos;
}

// A size of either reading: a number, then one letter.
bool is_size(std::string_view part, NameReading reading) {
  if (!take_size_number(part)) return false;
  return reading == NameReading::prose ? is_scale(part) : part.size() == 1 && is_letter(part[0]);
}

// letters, [digits .] digits, letters: the "A3B" of "30B-A3B".
bool is_size_attribute(std::string_view part, NameReading reading) {
  size_t letters = 0;
  while (letters < part.size() && is_letter(part[letters])) ++letters;
  part.remove_prefix(letters);
  if (letters == 0 || take_digits(part) == 0) return false;
  if (part.starts_with('.')) {
    part.remove_prefix(1);
    if (take_digits(part) == 0) return false;
  }
  return reading == NameReading::prose ? is_scale(part) : !part.empty() && all(part, is_letter);
}

// v, digits, any number of ".digits" (prose: exactly one).
bool is_version(std::string_view part, NameReading reading) {
  if (!part.starts_with('v')) return false;
  part.remove_prefix(1);
  if (take_digits(part) == 0) return false;
  size_t dots = 0;
  for (; part.starts_with('.'); ++dots) {
    part.remove_prefix(1);
    if (take_digits(part) == 0) return false;
  }
  return part.empty() && (reading == NameReading::expression || dots == 1);
}

bool is_five_digits(std::string_view part) { return part.size() == kShardDigits && all(part, is_digit); }

// Takes the three parts of a shard off the end.
bool take_shard(Parts& tail, std::string& shard) {
  if (tail.size() < 3) return false;
  const Parts last = tail.last(3);
  if (!is_five_digits(last[0]) || last[1] != "of" || !is_five_digits(last[2])) return false;
  shard = join(last);
  tail = tail.first(tail.size() - 3);
  return true;
}

bool is_encoding(std::string_view part) {
  return !part.empty() && all(part, is_word) && !part.starts_with("LoRA") && !part.starts_with("vocab");
}

// [-Encoding][-Type][-Shard], the whole of what follows a version.
bool parse_tail(Parts tail, FileName& name) {
  take_shard(tail, name.shard);
  if (!tail.empty() && is_type(tail.back())) {
    name.type = tail.back();
    tail = tail.first(tail.size() - 1);
  }
  if (tail.empty()) return true;
  name.encoding = tail[0];
  return tail.size() == 1 && is_encoding(tail[0]);
}
// Parts that a tail can have: encoding, type, three of a shard.
constexpr size_t kMaxTail = 5;

// A part of a base name after its first: letters first, or digits and space only.
bool is_base_segment(std::string_view part) {
  if (part.empty() || !all(part, is_plain)) return false;
  return is_letter(part[0]) || is_space(part[0]) || std::none_of(part.begin(), part.end(), is_letter);
}

// What follows a base name, [Size[-FineTune]] and the version, as the regular
// expression would find it: the longest fine tune first.
bool parse_after_base(Parts rest, FileName& name) {
  const auto version_at = [&](size_t v) {
    return v < rest.size() && is_version(rest[v], NameReading::expression) &&
           rest.size() - v - 1 <= kMaxTail && parse_tail(rest.subspan(v + 1), name) &&
           (name.version = rest[v], true);
  };
  if (rest.empty()) return false;
  if (rest[0].empty()) return version_at(1);  // no size: two dashes in a row
  if (!is_size(rest[0], NameReading::expression)) return false;
  const bool attribute = rest.size() > 1 && is_size_attribute(rest[1], NameReading::expression);
  for (size_t size_parts = attribute ? 2 : 1; size_parts > 0; --size_parts) {
    const Parts tuned = rest.subspan(size_parts);
    name.size_label = join(rest.first(size_parts));
    const size_t plain =
        std::find_if_not(tuned.begin(), tuned.end(), [](auto part) { return all(part, is_plain); }) -
        tuned.begin();
    const size_t first = rest.size() > kMaxTail + 1 ? rest.size() - kMaxTail - 1 : 0;
    for (size_t v = std::min(size_parts + plain, rest.size() - 1); v > size_parts && v >= first; --v) {
      const std::string fine_tune = join(rest.subspan(size_parts, v - size_parts));
      FileName parts = name;
      std::swap(parts, name);
      if (!fine_tune.empty() && version_at(v)) {
        name.size_label = parts.size_label;
        name.fine_tune = fine_tune;
        return true;
      }
      name = parts;
    }
    FileName kept = name;
    if (version_at(size_parts)) return true;
    name = kept;
  }
  return false;
}

// The longest base name wins, as it does in the regular expression.
bool parse_expression(Parts parts, FileName& name) {
  if (!all(parts[0], is_plain)) return false;
  size_t longest = 1;
  while (longest < parts.size() && is_base_segment(parts[longest])) ++longest;
  for (size_t base = longest; base > 0; --base) {
    FileName attempt = name;
    if (!parse_after_base(parts.subspan(base), attempt)) continue;
    attempt.base_name = join(parts.first(base));
    name = attempt;
    return true;
  }
  return false;
}

ParsedName read_expression(Parts parts) {
  ParsedName parsed;
  if (is_sidecar(parts[0]) && parts.size() > 1) {
    parsed.parts.sidecar = parts[0];
    if (parse_expression(parts.subspan(1), parsed.parts)) {
      parsed.follows = true;
      return parsed;
    }
    parsed.parts.sidecar.clear();
  }
  parsed.follows = parse_expression(parts, parsed.parts);
  if (!parsed.follows) {
    parsed.parts = {};
    const bool versioned = std::any_of(parts.begin(), parts.end(),
                                       [](auto part) { return is_version(part, NameReading::expression); });
    parsed.fault = versioned ? "the parts around the version do not follow the convention"
                             : "no part of the name is a version such as v1.0";
  }
  return parsed;
}

// An encoding that can be told from a fine tune where no version stands between
// them: the spellings of tensor types and of their mixtures.
bool is_known_encoding(std::string_view part) {
  if (!all(part, is_word)) return false;
  for (const std::string_view exact : {"F16", "F32", "F64", "BF16"})
    if (part == exact) return true;
  for (const std::string_view stem : {"Q", "IQ", "KQ", "TQ", "MXFP", "NVFP"})
    if (part.starts_with(stem) && part.size() > stem.size() && is_digit(part[stem.size()])) return true;
  return false;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

std::string quoted(std::string_view part) { return "\"" + std::string(part) + "\""; }

// After the size: [FineTune-][Version-][Encoding-][Type-][Shard], version assumed.
std::string parse_prose_tail(Parts rest, FileName& name) {
  if (take_shard(rest, name.shard)) {
    const auto shard = parse_shard_name("-" + name.shard + std::string(kExtension));
    if (shard->number == 0) return "shards are numbered from 00001";
    if (shard->number > shard->count) return "the shard's number is larger than the count of shards";
  }
  if (!rest.empty() && is_type(rest.back())) {
    name.type = rest.back();
    rest = rest.first(rest.size() - 1);
  }
  const auto is_v = [](auto part) { return is_version(part, NameReading::prose); };
  const auto version = std::find_if(rest.begin(), rest.end(), is_v);
  size_t tuned = static_cast<size_t>(version - rest.begin());
  if (version != rest.end()) {
    name.version = *version;
    const Parts after = rest.subspan(tuned + 1);
    if (after.size() > 1)
      return "more than an encoding stands between the version and the type: " + quoted(join(after));
    if (after.size() == 1 && after[0].empty()) return "a dash stands before nothing";
    if (after.size() == 1) name.encoding = after[0];
  } else if (!rest.empty() && is_known_encoding(rest.back())) {
    name.encoding = rest.back();
    --tuned;
  }
  if (equal_ignoring_case(name.encoding, "lora") || equal_ignoring_case(name.encoding, "vocab"))
    return "the type is written LoRA or vocab, not " + quoted(name.encoding);
  if (!name.encoding.empty() && !all(name.encoding, is_word))
    return quoted(name.encoding) + " is no encoding";
  for (const std::string_view part : rest.first(tuned))
    if (part.empty() || is_version(part, NameReading::expression))
      return quoted(part) + " is neither a fine tune nor a version v<major>.<minor>";
  name.fine_tune = join(rest.first(tuned));
  return {};
}

ParsedName read_prose(Parts parts) {
  ParsedName parsed;
  FileName& name = parsed.parts;
  if (is_sidecar(parts[0]) && parts.size() > 1) {
    name.sidecar = parts[0];
    parts = parts.subspan(1);
  }
  size_t size = 1;
  while (size < parts.size() && !is_size(parts[size], NameReading::prose)) ++size;
  if (size >= parts.size()) {
    parsed.fault = "no part after the base name is a size such as 7B or 8x7B";
  } else if (parts[0].empty()) {
    parsed.fault = "the base name is missing";
  } else {
    size_t rest = size + 1;
    while (rest < parts.size() && is_size_attribute(parts[rest], NameReading::prose)) ++rest;
    name.base_name = join(parts.first(size));
    name.size_label = join(parts.subspan(size, rest - size));
    parsed.fault = parse_prose_tail(parts.subspan(rest), name);
  }
  parsed.follows = parsed.fault.empty();
  if (!parsed.follows) name = {};
  return parsed;
}

}  // namespace

ParsedName parse_file_name(std::string_view name, NameReading reading) {
  ParsedName parsed;
  if (!name.ends_with(kExtension)) {
    parsed.fault = "the name does not end in .gguf";
    return parsed;
  }
  if (name.find('/') != std::string_view::npos) {
    parsed.fault = "a file name has no directories";
    return parsed;
  }
  const std::vector<std::string_view> parts = split(name.substr(0, name.size() - kExtension.size()));
  return reading == NameReading::prose ? read_prose(parts) : read_expression(parts);
}

std::optional<ShardName> parse_shard_name(std::string_view name) {
  constexpr size_t kTail = 1 + kShardDigits + 4 + kShardDigits;  // -00001-of-00002
  if (!name.ends_with(kExtension)) return {};
  name.remove_suffix(kExtension.size());
  if (name.size() < kTail) return {};
  const std::string_view tail = name.substr(name.size() - kTail);
  const std::string_view number = tail.substr(1, kShardDigits), count = tail.substr(kTail - kShardDigits);
  if (tail[0] != '-' || tail.substr(1 + kShardDigits, 4) != "-of-" || !is_five_digits(number) ||
      !is_five_digits(count))
    return {};
  const auto value = [](std::string_view digits) {
    uint32_t v = 0;
    for (const char c : digits) v = v * 10 + static_cast<uint32_t>(c - '0');
    return v;
  };
  return ShardName{std::string(name.substr(0, name.size() - kTail)), value(number), value(count)};
}

std::string shard_file_name(const ShardName& shard) {
  std::array<char, 40> tail;
  std::snprintf(tail.data(), tail.size(), "-%05u-of-%05u.gguf", shard.number, shard.count);
  return shard.prefix + tail.data();
}

}  // namespace gcts
