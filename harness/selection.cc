// Globs, shards, tiers and durations.

#include "harness/selection.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>

#include "harness/options.h"

namespace gcts {

bool glob_match(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0;
  size_t star = std::string_view::npos, resume = 0;  // the last `*`, and where its run ends
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool selects(std::string_view pattern, std::string_view id) {
  while (pattern.size() > 1 && pattern.back() == '/') pattern.remove_suffix(1);
  if (glob_match(pattern, id)) return true;
  for (size_t at = id.find('/'); at != std::string_view::npos; at = id.find('/', at + 1)) {
    if (glob_match(pattern, id.substr(0, at))) return true;
  }
  return false;
}

bool Selection::contains(std::string_view id) const {
  const auto hits = [&](const std::string& pattern) { return selects(pattern, id); };
  if (!run.empty() && std::none_of(run.begin(), run.end(), hits)) return false;
  return std::none_of(skip.begin(), skip.end(), hits);
}

bool Selection::names(std::string_view id) const {
  return std::find(run.begin(), run.end(), id) != run.end();
}

bool Shard::contains(std::string_view id) const {
  return count <= 1 || XXH3_64bits(id.data(), id.size()) % count == index - 1;
}

bool parse_shard(std::string_view text, Shard& out) {
  const size_t slash = text.find('/');
  Shard shard;
  if (slash == std::string_view::npos || !parse_number(text.substr(0, slash), shard.index) ||
      !parse_number(text.substr(slash + 1), shard.count)) {
    return false;
  }
  if (shard.index < 1 || shard.index > shard.count) return false;
  out = shard;
  return true;
}

bool parse_duration(std::string_view text, double& out) {
  if (text.empty()) return false;
  double unit = 1;
  if (text.back() == 's' || text.back() == 'm' || text.back() == 'h') {
    unit = text.back() == 's' ? 1 : text.back() == 'm' ? 60 : 3600;
    text.remove_suffix(1);
  }
  uint64_t number = 0;
  if (!parse_number(text, number)) return false;
  out = static_cast<double>(number) * unit;
  return true;
}

std::string_view tier_name(Tier tier) {
  return tier == Tier::smoke ? "smoke" : tier == Tier::full ? "full" : "exhaustive";
}

bool parse_tier(std::string_view name, Tier& out) {
  for (Tier tier : {Tier::smoke, Tier::full, Tier::exhaustive}) {
    if (name == tier_name(tier)) {
      out = tier;
      return true;
    }
  }
  return false;
}

}  // namespace gcts
