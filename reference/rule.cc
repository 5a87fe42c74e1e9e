// The table of rules, and look-ups in it.

#include "reference/rule.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace gcts {
namespace {

constexpr Rule kRules[] = {
#define RULE(id, name, area, level, kind, spec, ggml, source, statement, effect)                       \
  {id, #name, #area, Level::level, RuleKind::kind, Severity::spec, Severity::ggml, source, statement, effect},
#include "reference/rules.inc"
#undef RULE
};
static_assert(std::size(kRules) == rule::kCount);

using Entry = std::pair<std::string_view, const Rule*>;

// Names and ids, sorted.
const std::vector<Entry>& directory() {
  static const std::vector<Entry> entries = [] {
    std::vector<Entry> all;
    for (const Rule& r : kRules) {
      all.emplace_back(r.id, &r);
      all.emplace_back(r.name, &r);
    }
    std::sort(all.begin(), all.end());
    return all;
  }();
  return entries;
}

}  // namespace

std::span<const Rule> rules() { return kRules; }

const Rule* find_rule(std::string_view name_or_id) {
  const std::vector<Entry>& entries = directory();
  const auto it = std::lower_bound(entries.begin(), entries.end(), name_or_id,
                                   [](const Entry& e, std::string_view key) { return e.first < key; });
  return it != entries.end() && it->first == name_or_id ? it->second : nullptr;
}

const Rule& rule_at(rule::Index index) { return kRules[index]; }

std::string_view level_name(Level level) {
  static constexpr std::string_view kNames[] = {"must", "should", "de_facto", "undefined"};
  return kNames[static_cast<size_t>(level)];
}

std::string_view severity_name(Severity severity) {
  static constexpr std::string_view kNames[] = {"off", "should", "must"};
  return kNames[static_cast<size_t>(severity)];
}

std::string_view rule_kind_name(RuleKind kind) {
  static constexpr std::string_view kNames[] = {"decode", "check", "set", "permit", "writer", "api", "resource"};
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace gcts
