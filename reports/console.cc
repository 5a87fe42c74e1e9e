// The console table: short enough to read, and each failure is a line to paste.
//
// Per subject: its cases by outcome, the rules it breaks, then the lines.  After
// that the kill matrix of a self-test and, last, why a run is void.

#include <algorithm>
#include <map>
#include <ostream>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "reports/escape.h"
#include "reports/report.h"

namespace gcts {
namespace {

// Colours by meaning; all empty where there is no terminal.
struct Paint {
  explicit Paint(bool on)
      : good(on ? "\x1b[32m" : ""), bad(on ? "\x1b[31m" : ""), dim(on ? "\x1b[2m" : ""),
        bold(on ? "\x1b[1m" : ""), off(on ? "\x1b[0m" : "") {}
  std::string_view good, bad, dim, bold, off;
};

std::string subject_title(const Subject& subject) {
  return escape_terminal(subject.version.empty() ? subject.name : subject.name + ' ' + subject.version);
}

// How wide text is on a terminal, near enough: one column a code point.
size_t columns(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string padded(std::string text, size_t width) {
  const size_t have = columns(text);
  return have < width ? text.append(width - have, ' ') : text;
}

// Cuts long text at a code point and says so.
std::string cut(std::string text, size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && (text[limit] & 0xc0) == 0x80) --limit;
  return text.substr(0, limit) + "…";
}

void write_counts(const Report& report, const Paint& paint, std::ostream& out) {
  std::vector<std::array<uint64_t, kOutcomeCount>> counts(report.subjects.size());
  std::array<uint64_t, kOutcomeCount> totals{};
  for (const Result& result : report.results) {
    if (result.subject < counts.size()) ++counts[result.subject][static_cast<size_t>(result.outcome)];
    ++totals[static_cast<size_t>(result.outcome)];
  }
  size_t width = 7;
  for (const Subject& subject : report.subjects) width = std::max(width, columns(subject_title(subject)));
  out << padded("subject", width) << "  cases";
  auto shown = [&](size_t i) { return i < 2 || totals[i] > 0; };  // pass and fail always
  for (size_t i = 0; i < kOutcomeCount; ++i) {
    if (shown(i)) out << fmt::format("  {:>6}", outcome_name(static_cast<Outcome>(i)));
  }
  out << '\n';
  for (size_t s = 0; s < counts.size(); ++s) {
    uint64_t sum = 0;
    for (uint64_t n : counts[s]) sum += n;
    out << padded(subject_title(report.subjects[s]), width) << fmt::format("  {:>5}", sum);
    for (size_t i = 0; i < kOutcomeCount; ++i) {
      if (!shown(i)) continue;
      const auto outcome = static_cast<Outcome>(i);
      const size_t column = std::max<size_t>(6, outcome_name(outcome).size());
      const std::string_view colour = counts[s][i] == 0 ? "" : is_bad(outcome) ? paint.bad
                                                           : outcome == Outcome::pass ? paint.good : paint.dim;
      out << "  " << colour << fmt::format("{:>{}}", counts[s][i], column) << (colour.empty() ? "" : paint.off);
    }
    out << '\n';
  }
}

// A rule that a subject breaks: how often, and the first case that shows it.
struct Broken {
  std::string id, name;
  uint64_t cases = 0;
  const Result* first = nullptr;
};

std::vector<Broken> broken_rules(const std::vector<const Result*>& failures) {
  std::map<std::string, Broken> by_rule;
  for (const Result* result : failures) {
    if (result->outcome == Outcome::xpass) continue;  // drift, not a broken rule
    Broken& broken = by_rule[result->rule_id + '\0' + result->rule];
    if (broken.cases++ == 0) broken = {result->rule_id, result->rule, 1, result};
  }
  std::vector<Broken> out;
  for (auto& [key, broken] : by_rule) out.push_back(std::move(broken));
  std::sort(out.begin(), out.end(), [](const Broken& a, const Broken& b) {
    return std::tie(b.cases, a.id, a.name) < std::tie(a.cases, b.id, b.name);
  });
  return out;
}

std::string explain(const Result& result) {
  std::string text;
  if (!result.expected.empty() || !result.actual.empty()) {
    text = "expected " + (result.expected.empty() ? "?" : result.expected) + ", got " +
           (result.actual.empty() ? std::string(outcome_name(result.raw)) : result.actual);
  }
  if (!result.message.empty()) text += (text.empty() ? "" : ": ") + result.message;
  return cut(escape_terminal(text), 240);
}

void write_failures(const Report& report, size_t index, const Style& style, const Paint& paint, std::ostream& out) {
  std::vector<const Result*> failures;
  for (const Result& result : report.results) {
    if (result.subject == index && is_bad(result.outcome)) failures.push_back(&result);
  }
  if (failures.empty()) return;
  const std::vector<Broken> rules = broken_rules(failures);
  const std::string title = subject_title(report.subjects[index]);
  out << '\n' << paint.bold << title << paint.off << ": " << rules.size() << (rules.size() == 1 ? " rule" : " rules") << " broken\n";
  size_t width = 0;
  for (const Broken& rule : rules) width = std::max(width, columns(escape_terminal(rule.name)));
  size_t left = style.max_failures;
  for (const Broken& rule : rules) {
    if (left-- == 0) {
      out << "  … and " << rules.size() - style.max_failures << " more rules\n";
      break;
    }
    out << fmt::format("  {:<9} {}  {:>3} {:<5}  ", escape_terminal(rule.id),
                       padded(escape_terminal(rule.name.empty() ? "(no rule)" : rule.name), width), rule.cases,
                       rule.cases == 1 ? "case" : "cases")
        << paint.dim << explain(*rule.first) << paint.off << '\n';
  }
  out << "to repeat:\n";
  for (size_t i = 0; i < failures.size() && i < style.max_failures; ++i) {
    const Result& result = *failures[i];
    out << "  " << paint.bad << padded(std::string(outcome_name(result.outcome)), 12) << paint.off << ' '
        << escape_terminal(result.repro.empty() ? result.case_id : result.repro) << '\n';
  }
  if (failures.size() > style.max_failures) {
    out << "  … and " << failures.size() - style.max_failures
        << " more; --format jsonl:FILE, csv:FILE or markdown:FILE keeps them all\n";
  }
}

void write_drift(const Report& report, const Paint& paint, std::ostream& out) {
  const auto drifted = std::count_if(report.results.begin(), report.results.end(),
                                     [](const Result& r) { return r.outcome == Outcome::xpass; });
  if (drifted > 0) {
    out << '\n' << paint.bad << drifted << (drifted == 1 ? " case does" : " cases do")
        << " not fail as the expected-failure file says" << paint.off << ": bring it up to date with --update-xfail\n";
  }
}

void write_absent(const Report& report, std::ostream& out) {
  if (!report.absent.empty()) out << "\nnot tested:\n";
  for (const Absent& absent : report.absent) {
    out << "  " << escape_terminal(absent.name) << ": " << cut(escape_terminal(absent.reason), 160) << '\n';
  }
}

void write_skips(const Report& report, std::ostream& out) {
  std::map<std::string, uint64_t> reasons;
  for (const Result& result : report.results) {
    if (result.outcome == Outcome::skip) ++reasons[result.message];
  }
  if (reasons.empty()) return;
  out << "\nskipped:\n";
  size_t left = 10;
  for (const auto& [reason, count] : reasons) {
    if (left-- == 0) {
      out << "  … and " << reasons.size() - 10 << " more reasons\n";
      break;
    }
    out << fmt::format("  {:>5}  {}\n", count, cut(escape_terminal(reason.empty() ? "no reason given" : reason), 160));
  }
}

// What criteria in use elsewhere would have caught of the broken kernels.
void write_elsewhere(const Report& report, std::ostream& out) {
  std::map<std::string, size_t> passed;
  size_t kernels = 0;
  for (const FaultResult& fault : report.faults) {
    kernels += fault.named_check.starts_with("kernel/");
    for (const std::string& criterion : fault.passes_elsewhere) ++passed[criterion];
  }
  for (const auto& [criterion, count] : passed)
    out << fmt::format("of the {} broken kernels {} catches {}, {} %\n", kernels, escape_terminal(criterion), kernels - count,
                       kernels == 0 ? 0 : (kernels - count) * 100 / kernels);
}

void write_faults(const Report& report, const Paint& paint, std::ostream& out) {
  if (report.faults.empty()) return;
  const auto total = report.faults.size();
  const auto caught = static_cast<size_t>(std::count_if(report.faults.begin(), report.faults.end(),
                                                        [](const FaultResult& fault) { return fault.caught; }));
  size_t name_width = 0, check_width = 0;
  for (const FaultResult& fault : report.faults) {
    name_width = std::max(name_width, columns(escape_terminal(fault.fault)));
    check_width = std::max(check_width, columns(escape_terminal(fault.named_check)));
  }
  out << "\nkill matrix: deliberate bug, the check it names, how many checks failed\n";
  for (const FaultResult& fault : report.faults) {
    out << "  " << (fault.caught ? paint.good : paint.bad) << (fault.caught ? "caught" : "MISSED") << paint.off << "  "
        << padded(escape_terminal(fault.fault), name_width) << "  "
        << padded(escape_terminal(fault.named_check), check_width) << fmt::format("  {:>3}", fault.caught_by.size());
    for (const std::string& criterion : fault.passes_elsewhere)
      out << (&criterion == &fault.passes_elsewhere.front() ? "  passes " : ", ") << escape_terminal(criterion);
    if (!fault.caught && !fault.message.empty()) out << "  " << cut(escape_terminal(fault.message), 160);
    out << '\n';
  }
  out << (caught == total ? paint.good : paint.bad)
      << fmt::format("kill rate: {} of {} faults caught by the check they name, {}.{} %", caught, total,
                     caught * 1000 / total / 10, caught * 1000 / total % 10)  // rounded down: 100 means all
      << paint.off << '\n';
  write_elsewhere(report, out);
}

}  // namespace

void write_console(const Report& report, const Style& style, std::ostream& out) {
  const Paint paint(style.colour);
  out << fmt::format("gguf-cts {}, profile {}, tier {}, seed {}\n\n", escape_terminal(report.suite_version),
                     escape_terminal(report.profile), escape_terminal(report.tier), report.seed);
  write_counts(report, paint, out);
  for (size_t i = 0; i < report.subjects.size(); ++i) write_failures(report, i, style, paint, out);
  write_drift(report, paint, out);
  write_skips(report, out);
  write_absent(report, out);
  write_faults(report, paint, out);
  if (!report.void_reason.empty()) {
    out << '\n' << paint.bad << "VOID: " << escape_terminal(report.void_reason) << paint.off
        << "\nNothing in this run counts.\n";
  }
  if (report.wall_seconds > 0) out << fmt::format("\n{:.1f} s\n", report.wall_seconds);
}

}  // namespace gcts
