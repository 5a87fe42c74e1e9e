// Joins the shards of one run.

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "reports/report.h"

namespace gcts {
namespace {

// True if the parts can be of one run; else `error` says what differs.
bool belong_together(const Report& a, const Report& b, std::string& error) {
  auto differs = [&](std::string_view what, std::string_view x, std::string_view y) {
    if (x == y) return false;
    error = fmt::format("the parts are not of one run: {} is \"{}\" in one and \"{}\" in another", what, x, y);
    return true;
  };
  return !differs("suite version", a.suite_version, b.suite_version) && !differs("profile", a.profile, b.profile) &&
         !differs("tier", a.tier, b.tier) && !differs("seed", fmt::format("{}", a.seed), fmt::format("{}", b.seed));
}

// Adds what is not there yet by its name.
template <class Named>
void add_new(std::vector<Named>& out, const std::vector<Named>& part) {
  for (const Named& item : part) {
    const auto same = [&](const Named& other) { return other.name == item.name; };
    if (std::none_of(out.begin(), out.end(), same)) out.push_back(item);
  }
}

}  // namespace

bool merge(std::span<const Report> parts, Report& out, std::string& error) {
  out = {};
  if (parts.empty()) {
    error = "there is nothing to merge";
    return false;
  }
  out = parts.front();
  out.subjects.clear();
  out.absent.clear();
  out.rules.clear();
  out.results.clear();
  out.faults.clear();
  out.wall_seconds = 0;
  std::map<std::tuple<std::string, std::string, std::string>, uint32_t> subjects;
  std::map<std::pair<uint32_t, std::string>, size_t> seen;   // subject and case -> result
  std::map<std::string, size_t> faults;
  for (const Report& part : parts) {
    if (!belong_together(parts.front(), part, error)) return false;
    std::vector<uint32_t> renumbered;
    for (const Subject& subject : part.subjects) {
      const auto next = static_cast<uint32_t>(out.subjects.size());
      const auto [at, added] = subjects.try_emplace({subject.name, subject.version, subject.locator}, next);
      if (added) out.subjects.push_back(subject);
      renumbered.push_back(at->second);
    }
    for (const Result& result : part.results) {
      Result copy = result;
      copy.subject = renumbered.at(result.subject);
      const auto [at, added] = seen.try_emplace({copy.subject, copy.case_id}, out.results.size());
      if (added) {
        out.results.push_back(std::move(copy));
      } else if (out.results[at->second].outcome != copy.outcome) {
        error = fmt::format("two parts hold different outcomes for {} of {}: {} and {}", copy.case_id, out.subjects[copy.subject].name,
                            outcome_name(out.results[at->second].outcome), outcome_name(copy.outcome));
        return false;
      }
    }
    add_new(out.absent, part.absent);
    add_new(out.rules, part.rules);
    for (const FaultResult& fault : part.faults) {
      const auto [at, added] = faults.try_emplace(fault.fault, out.faults.size());
      if (added) {
        out.faults.push_back(fault);
      } else if (out.faults[at->second].caught != fault.caught) {
        error = fmt::format("two parts differ on whether the fault {} was caught", fault.fault);
        return false;
      }
    }
    out.started = std::min(out.started, part.started);
    out.wall_seconds = std::max(out.wall_seconds, part.wall_seconds);  // shards run side by side
    if (out.void_reason.empty()) out.void_reason = part.void_reason;
  }
  std::sort(out.results.begin(), out.results.end(), [](const Result& a, const Result& b) {
    return std::tie(a.subject, a.case_id) < std::tie(b.subject, b.case_id);
  });
  return true;
}

}  // namespace gcts
