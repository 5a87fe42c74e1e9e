// The names of outcomes and formats, and counting.

#include "reports/report.h"

#include <algorithm>

namespace gcts {

#define FORMAT(name, description) \
  void write_##name(const Report& report, const Style& style, std::ostream& out);
#include "reports/formats.inc"
#undef FORMAT

namespace {

constexpr std::string_view kOutcomes[kOutcomeCount] = {
    "pass", "fail", "crash", "timeout", "memory", "protocol", "inconclusive", "untrusted", "skip", "xfail", "xpass"};

constexpr Format kFormats[] = {
#define FORMAT(name, description) {#name, description, write_##name},
#include "reports/formats.inc"
#undef FORMAT
};

}  // namespace

std::string_view outcome_name(Outcome outcome) {
  const auto index = static_cast<size_t>(outcome);
  return index < kOutcomeCount ? kOutcomes[index] : "unknown";
}

bool parse_outcome(std::string_view name, Outcome& out) {
  const auto found = std::find(std::begin(kOutcomes), std::end(kOutcomes), name);
  if (found == std::end(kOutcomes)) return false;
  out = static_cast<Outcome>(found - std::begin(kOutcomes));
  return true;
}

bool is_bad(Outcome outcome) {
  return outcome != Outcome::pass && outcome != Outcome::xfail && outcome != Outcome::skip;
}

std::span<const Format> formats() { return kFormats; }

const Format* find_format(std::string_view name) {
  const auto found = std::find_if(std::begin(kFormats), std::end(kFormats),
                                  [&](const Format& format) { return format.name == name; });
  return found == std::end(kFormats) ? nullptr : found;
}

std::array<uint64_t, kOutcomeCount> count_outcomes(const Report& report, uint32_t subject) {
  std::array<uint64_t, kOutcomeCount> counts{};
  for (const Result& result : report.results) {
    if (result.subject == subject) ++counts[static_cast<size_t>(result.outcome)];
  }
  return counts;
}

}  // namespace gcts
