// Markdown, for pull requests and wikis: the console table with foldable details.

#include <algorithm>
#include <ostream>
#include <vector>

#include <fmt/format.h>

#include "reports/escape.h"
#include "reports/report.h"

namespace gcts {
namespace {

void write_counts(const Report& report, std::ostream& out) {
  std::array<uint64_t, kOutcomeCount> totals{};
  for (const Result& result : report.results) ++totals[static_cast<size_t>(result.outcome)];
  auto shown = [&](size_t i) { return i < 2 || totals[i] > 0; };
  out << "| subject | cases |";
  for (size_t i = 0; i < kOutcomeCount; ++i) {
    if (shown(i)) out << ' ' << outcome_name(static_cast<Outcome>(i)) << " |";
  }
  out << "\n|---|--:|";
  for (size_t i = 0; i < kOutcomeCount; ++i) {
    if (shown(i)) out << "--:|";
  }
  out << '\n';
  for (uint32_t s = 0; s < report.subjects.size(); ++s) {
    const auto counts = count_outcomes(report, s);
    uint64_t sum = 0;
    for (uint64_t n : counts) sum += n;
    out << "| " << escape_markdown(report.subjects[s].name + ' ' + report.subjects[s].version) << " | " << sum << " |";
    for (size_t i = 0; i < kOutcomeCount; ++i) {
      if (shown(i)) out << ' ' << counts[i] << " |";
    }
    out << '\n';
  }
}

void write_failures(const Report& report, uint32_t subject, const Style& style, std::ostream& out) {
  std::vector<const Result*> failures;
  for (const Result& result : report.results) {
    if (result.subject == subject && is_bad(result.outcome)) failures.push_back(&result);
  }
  if (failures.empty()) return;
  auto row = [&](const Result& result) {
    out << "| " << outcome_name(result.outcome) << " | " << markdown_code(result.case_id) << " | "
        << escape_markdown(result.rule_id + (result.rule_id.empty() ? "" : " ") + result.rule) << " | "
        << escape_markdown(result.message) << " | " << markdown_code(result.repro) << " |\n";
  };
  auto head = [&] { out << "\n| outcome | case | rule | message | repeat |\n|---|---|---|---|---|\n"; };
  out << "\n### " << escape_markdown(report.subjects[subject].name) << ": " << failures.size()
      << (failures.size() == 1 ? " failure\n" : " failures\n");
  head();
  for (size_t i = 0; i < failures.size() && i < style.max_failures; ++i) row(*failures[i]);
  if (failures.size() <= style.max_failures) return;
  out << "\n<details><summary>" << failures.size() - style.max_failures << " more</summary>\n";
  head();
  for (size_t i = style.max_failures; i < failures.size(); ++i) row(*failures[i]);
  out << "\n</details>\n";
}

void write_faults(const Report& report, std::ostream& out) {
  if (report.faults.empty()) return;
  const auto caught = std::count_if(report.faults.begin(), report.faults.end(), [](const FaultResult& f) { return f.caught; });
  out << "\n### Kill matrix: " << caught << " of " << report.faults.size()
      << " faults caught\n\n| fault | modelled on | check that must catch it | caught | checks that failed |\n|---|---|---|---|--:|\n";
  for (const FaultResult& fault : report.faults) {
    out << "| " << markdown_code(fault.fault) << " | " << escape_markdown(fault.modelled_on) << " | "
        << markdown_code(fault.named_check) << " | " << (fault.caught ? "yes" : "**no**") << " | " << fault.caught_by.size() << " |\n";
  }
}

}  // namespace

void write_markdown(const Report& report, const Style& style, std::ostream& out) {
  out << fmt::format("## gguf-cts {}\n\nProfile {}, tier {}, seed {}.\n\n", escape_markdown(report.suite_version),
                     escape_markdown(report.profile), escape_markdown(report.tier), report.seed);
  if (!report.void_reason.empty()) {
    out << "**Void: nothing in this run counts.** " << escape_markdown(report.void_reason) << "\n\n";
  }
  write_counts(report, out);
  for (uint32_t i = 0; i < report.subjects.size(); ++i) write_failures(report, i, style, out);
  write_faults(report, out);
}

}  // namespace gcts
