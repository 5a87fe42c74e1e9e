// Pairs measurements, and tells for each pair whether it is slower, faster, the same or too noisy.

#include "reports/compare_speed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>

#include "reports/escape.h"
#include "reports/speed.h"

namespace gcts {
namespace {

using Key = std::pair<std::string, std::string>;  // implementation, id

bool timed(const Result& r) { return r.case_id.starts_with("bench/") && !r.samples.empty(); }
// A noisy result has its samples, and the comparison says itself whether they are enough.
bool counts(const Result& r) { return timed(r) && (r.outcome == Outcome::pass || r.outcome == Outcome::inconclusive); }

std::string subject_name(const Report& report, uint32_t subject) {
  return subject < report.subjects.size() ? report.subjects[subject].name : "";
}

std::map<Key, const Result*> speeds_by_id(const Report& report) {
  std::map<Key, const Result*> out;
  for (const Result& r : report.results)
    if (counts(r)) out[{subject_name(report, r.subject), r.case_id}] = &r;
  return out;
}

SpeedChange change(std::string name, const Estimate& ratio, const Result& before, const Result& after, double threshold) {
  SpeedChange out;
  out.name = std::move(name);
  out.ratio = ratio;
  out.verdict = verdict(ratio, threshold);
  out.before_ns = median(before.samples).value;
  out.after_ns = median(after.samples).value;
  return out;
}

void slowest_first(std::vector<SpeedChange>& changes) {
  std::stable_sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) { return a.ratio.value > b.ratio.value; });
}

void note_machine(const Report& before, const Report& after, SpeedComparison& out) {
  for (const char* name : {"cpu", "cpus", "kernel", "governor", "compiler", "memory"}) {
    const auto a = before.machine.find(name), b = after.machine.find(name);
    const std::string x = a == before.machine.end() ? "" : a->second, y = b == after.machine.end() ? "" : b->second;
    if (x != y) out.notes.push_back(fmt::format("{} differs: \"{}\" before, \"{}\" after", name, x, y));
  }
}

const Subject* find_subject(const Report& run, const std::string& name, uint32_t& index, std::string& error) {
  std::vector<uint32_t> found;
  for (uint32_t i = 0; i < run.subjects.size(); ++i) {
    const Subject& s = run.subjects[i];
    if (name == s.name || name == s.name + " " + s.version || name == "#" + std::to_string(i)) found.push_back(i);
  }
  if (found.size() == 1) {
    index = found[0];
    return &run.subjects[index];
  }
  error = found.empty() ? "the run has no implementation '" + name + "'"
                        : "the run has several implementations '" + name + "': name one by its number, as #" + std::to_string(found[0]);
  return nullptr;
}

// The fastest usable variant of each question and type.
std::map<std::string, const Speed*> fastest(const Speeds& speeds, uint32_t subject) {
  std::map<std::string, const Speed*> out;
  for (const Speed& s : speeds.kernels) {
    if (s.subject != subject || !counts(*s.result)) continue;
    const Speed*& best = out[s.op + "/" + s.type + "/" + s.where + "/" + s.detail];
    if (best == nullptr || s.measure("ns") < best->measure("ns")) best = &s;
  }
  return out;
}

}  // namespace

size_t SpeedComparison::count(SpeedVerdict verdict) const {
  return static_cast<size_t>(std::count_if(changes.begin(), changes.end(), [&](const SpeedChange& c) { return c.verdict == verdict; }));
}

double SpeedComparison::mean_ratio() const {
  double sum = 0;
  size_t n = 0;
  for (const SpeedChange& c : changes) {
    if (c.verdict == SpeedVerdict::noisy || !(c.ratio.value > 0)) continue;
    sum += std::log(c.ratio.value);
    ++n;
  }
  return n == 0 ? 0 : std::exp(sum / static_cast<double>(n));
}

SpeedComparison compare_speeds(const Report& before, const Report& after, double threshold) {
  SpeedComparison out;
  out.threshold = threshold;
  out.first = "before";
  out.second = "after";
  const auto first = speeds_by_id(before), second = speeds_by_id(after);
  for (const auto& [key, result] : first) {
    const std::string name = key.first + " " + key.second;
    const auto found = second.find(key);
    if (found != second.end())
      out.changes.push_back(change(name, ratio_of_medians(result->samples, found->second->samples), *result, *found->second, threshold));
    else if (result->outcome == Outcome::pass)
      out.lost.push_back(name);
  }
  slowest_first(out.changes);
  if (!out.empty()) note_machine(before, after, out);
  return out;
}

bool compare_implementations(const Report& run, const std::string& first, const std::string& second, double threshold,
                             SpeedComparison& out, std::string& error) {
  uint32_t a = 0, b = 0;
  if (!find_subject(run, first, a, error) || !find_subject(run, second, b, error)) return false;
  out = {};
  out.threshold = threshold;
  out.first = first;
  out.second = second;
  const Speeds speeds = speeds_of(run);
  const auto ours = fastest(speeds, a), theirs = fastest(speeds, b);
  for (const auto& [question, speed] : ours) {
    const auto found = theirs.find(question);
    if (found == theirs.end()) continue;
    const Result &x = *speed->result, &y = *found->second->result;
    const bool turns = x.samples.size() == y.samples.size();
    const Estimate ratio = turns ? ratio_of_pairs(x.samples, y.samples) : ratio_of_medians(x.samples, y.samples);
    out.changes.push_back(change(fmt::format("{} ({}, {})", question, speed->variant, found->second->variant), ratio, x, y, threshold));
  }
  slowest_first(out.changes);
  if (out.changes.empty()) error = "nothing was measured of both";
  return !out.changes.empty();
}

void write_speed_comparison(const SpeedComparison& comparison, const Style& style, std::ostream& out) {
  for (const std::string& note : comparison.notes) out << "note: " << escape_terminal(note) << '\n';
  const auto section = [&](SpeedVerdict verdict, std::string_view colour) {
    const size_t count = comparison.count(verdict);
    if (count == 0) return;
    out << '\n' << (style.colour ? colour : "") << verdict_name(verdict) << ": " << count << (style.colour ? "\x1b[0m" : "") << '\n';
    size_t left = style.max_failures;
    for (const SpeedChange& c : comparison.changes) {
      if (c.verdict != verdict) continue;
      if (left-- == 0) {
        out << "  … and " << count - style.max_failures << " more\n";
        return;
      }
      out << fmt::format("  {:.3f} [{:.3f}, {:.3f}]  {:>9} -> {:>9}  {}\n", c.ratio.value, c.ratio.low, c.ratio.high, time_text(c.before_ns),
                         time_text(c.after_ns), escape_terminal(c.name));
    }
  };
  section(SpeedVerdict::slower, "\x1b[31m");
  section(SpeedVerdict::faster, "\x1b[32m");
  section(SpeedVerdict::noisy, "\x1b[33m");
  if (!comparison.lost.empty()) {
    out << "\nno speed any more: " << comparison.lost.size() << '\n';
    size_t left = style.max_failures;
    for (const std::string& name : comparison.lost)
      if (left-- > 0) out << "  " << escape_terminal(name) << '\n';
  }
  out << fmt::format("\n{} to {}: {} slower by {:g} % or more, {} faster, {} the same, {} too noisy to tell", escape_terminal(comparison.first),
                     escape_terminal(comparison.second), comparison.count(SpeedVerdict::slower), 100 * comparison.threshold,
                     comparison.count(SpeedVerdict::faster), comparison.count(SpeedVerdict::same), comparison.count(SpeedVerdict::noisy));
  if (const double mean = comparison.mean_ratio(); mean > 0) out << fmt::format("; times {:.3f} in the geometric mean", mean);
  out << '\n';
}

}  // namespace gcts
