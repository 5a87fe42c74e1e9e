// Compares two runs; see compare.h.

#include "reports/compare.h"

#include <algorithm>
#include <map>
#include <ostream>
#include <set>

#include <fmt/format.h>

#include "reports/escape.h"

namespace gcts {
namespace {

// How bad an outcome is; equal ranks are neither better nor worse than each other.
int badness(Outcome outcome) {
  if (!is_bad(outcome)) return 0;
  if (outcome == Outcome::xpass) return 1;
  if (outcome == Outcome::untrusted || outcome == Outcome::inconclusive) return 2;
  if (outcome == Outcome::fail) return 3;
  return 4;  // no answer: crash, timeout, memory, protocol
}

using Key = std::pair<std::string, std::string>;  // subject, case

std::map<Key, const Result*> by_case(const Report& report) {
  std::map<Key, const Result*> out;
  for (const Result& result : report.results) {
    if (result.case_id.starts_with("ceiling/")) continue;
    if (result.subject < report.subjects.size()) out[{report.subjects[result.subject].name, result.case_id}] = &result;
  }
  return out;
}

// Whether and how fast something was timed is for compare_speed.h; what counts here is a
// kernel that became wrong or died.
bool speed_alone(const Result& result) {
  return result.case_id.starts_with("bench/") && (!is_bad(result.outcome) || result.outcome == Outcome::inconclusive);
}

CaseChange change(const Key& key, const Result* before, const Result* after) {
  const Result& told = after != nullptr ? *after : *before;
  CaseChange out;
  out.subject = key.first;
  out.case_id = key.second;
  out.rule = told.rule_id + (told.rule_id.empty() || told.rule.empty() ? "" : " ") + told.rule;
  if (before != nullptr) out.before = before->outcome;
  if (after != nullptr) out.after = after->outcome;
  out.message = told.message;
  out.repro = told.repro;
  return out;
}

void compare_frames(const Report& before, const Report& after, Comparison& out) {
  auto note = [&](std::string_view what, std::string_view x, std::string_view y) {
    if (x != y) out.notes.push_back(fmt::format("{} differs: \"{}\" before, \"{}\" after", what, x, y));
  };
  note("suite version", before.suite_version, after.suite_version);
  note("profile", before.profile, after.profile);
  note("tier", before.tier, after.tier);
  note("seed", fmt::format("{}", before.seed), fmt::format("{}", after.seed));
  for (const Report* report : {&before, &after}) {
    if (report->void_reason.empty()) continue;
    out.is_void = true;
    out.notes.push_back(fmt::format("the {} run is void: {}", report == &before ? "first" : "second", report->void_reason));
  }
  std::set<std::string> first, second;
  for (const Subject& subject : before.subjects) first.insert(subject.name);
  for (const Subject& subject : after.subjects) second.insert(subject.name);
  std::set_difference(first.begin(), first.end(), second.begin(), second.end(), std::back_inserter(out.subjects_gone));
  std::set_difference(second.begin(), second.end(), first.begin(), first.end(), std::back_inserter(out.subjects_added));
}

void compare_faults(const Report& before, const Report& after, Comparison& out) {
  std::map<std::string, bool> caught;
  for (const FaultResult& fault : before.faults) caught[fault.fault] = fault.caught;
  for (const FaultResult& fault : after.faults) {
    const auto found = caught.find(fault.fault);
    const bool known = found != caught.end();
    if (!fault.caught && (!known || found->second)) out.faults_lost.push_back(fault.fault);
    if (fault.caught && known && !found->second) out.faults_won.push_back(fault.fault);
  }
}

std::string_view plural(size_t n) { return n == 1 ? "" : "s"; }

struct Section {
  std::string_view title;
  const std::vector<CaseChange>& changes;
  bool has_before, has_after;
  std::string_view colour;
};

void write_section(const Section& section, const Style& style, std::ostream& out) {
  if (section.changes.empty()) return;
  out << '\n' << section.colour << section.title << ": " << section.changes.size() << " case" << plural(section.changes.size())
      << (section.colour.empty() ? "" : "\x1b[0m") << '\n';
  size_t left = style.max_failures;
  for (const CaseChange& change : section.changes) {
    if (left-- == 0) {
      out << "  … and " << section.changes.size() - style.max_failures << " more\n";
      return;
    }
    std::string outcomes;
    if (section.has_before) outcomes += outcome_name(change.before);
    if (section.has_before && section.has_after) outcomes += " -> ";
    if (section.has_after) outcomes += outcome_name(change.after);
    out << fmt::format("  {:<20} {} {}", outcomes, escape_terminal(change.subject), escape_terminal(change.case_id));
    if (!change.rule.empty()) out << "  (" << escape_terminal(change.rule) << ')';
    out << '\n';
    const bool bad = section.has_after && is_bad(change.after);
    if (bad && !change.message.empty()) out << "      " << escape_terminal(change.message) << '\n';
    if (bad && !change.repro.empty()) out << "      " << escape_terminal(change.repro) << '\n';
  }
}

void write_names(std::string_view title, const std::vector<std::string>& names, std::ostream& out) {
  if (names.empty()) return;
  out << '\n' << title << ':';
  for (const std::string& name : names) out << ' ' << escape_terminal(name);
  out << '\n';
}

}  // namespace

Comparison compare(const Report& before, const Report& after) {
  Comparison out;
  compare_frames(before, after, out);
  compare_faults(before, after, out);
  const auto first = by_case(before), second = by_case(after);
  for (const auto& [key, result] : first) {
    const auto found = second.find(key);
    if (found == second.end()) {
      if (speed_alone(*result)) continue;
      out.vanished.push_back(change(key, result, nullptr));
      continue;
    }
    const Result& later = *found->second;
    if (later.outcome == result->outcome || (speed_alone(later) && speed_alone(*result))) {
      ++out.same;
      continue;
    }
    const int step = badness(later.outcome) - badness(result->outcome);
    (step > 0 ? out.worse : step < 0 ? out.better : out.changed).push_back(change(key, result, &later));
  }
  for (const auto& [key, result] : second) {
    if (!first.contains(key) && !speed_alone(*result)) out.appeared.push_back(change(key, nullptr, result));
  }
  return out;
}

bool Comparison::regressed() const {
  const bool bad_appeared = std::any_of(appeared.begin(), appeared.end(), [](const CaseChange& c) { return is_bad(c.after); });
  const bool good_vanished = std::any_of(vanished.begin(), vanished.end(), [](const CaseChange& c) { return c.before == Outcome::pass; });
  return !worse.empty() || bad_appeared || good_vanished || !faults_lost.empty();
}

void write_comparison(const Comparison& comparison, const Style& style, std::ostream& out) {
  for (const std::string& note : comparison.notes) out << "note: " << escape_terminal(note) << '\n';
  const std::string_view red = style.colour ? "\x1b[31m" : "", green = style.colour ? "\x1b[32m" : "";
  write_section({"worse", comparison.worse, true, true, red}, style, out);
  write_section({"better", comparison.better, true, true, green}, style, out);
  write_section({"changed, neither better nor worse", comparison.changed, true, true, ""}, style, out);
  write_section({"new", comparison.appeared, false, true, ""}, style, out);
  write_section({"gone", comparison.vanished, true, false, ""}, style, out);
  write_names("faults that are no longer caught", comparison.faults_lost, out);
  write_names("faults that are caught again", comparison.faults_won, out);
  write_names("subjects that are gone", comparison.subjects_gone, out);
  write_names("new subjects", comparison.subjects_added, out);
  out << fmt::format("\n{} worse, {} better, {} changed, {} new, {} gone, {} the same: {}\n", comparison.worse.size(),
                     comparison.better.size(), comparison.changed.size(), comparison.appeared.size(), comparison.vanished.size(),
                     comparison.same, comparison.regressed() ? "worse" : "not worse");
}

}  // namespace gcts
