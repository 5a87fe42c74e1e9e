// Test Anything Protocol 13: a test point a case, diagnostics as YAML blocks.
//
// xfail is `not ok … # TODO`, which TAP readers do not count as a failure; xpass is
// a plain `not ok`, because drift fails.  A void run bails out.

#include <ostream>

#include <fmt/format.h>

#include "reports/escape.h"
#include "reports/report.h"

namespace gcts {
namespace {

// Words after a directive: one line, no further directive.
std::string directive(std::string_view word, std::string_view text) {
  return fmt::format(" # {} {}", word, escape_tap(text));
}

void write_details(const Result& result, std::ostream& out) {
  // JSON strings are YAML flow scalars.
  out << "  ---\n  outcome: " << outcome_name(result.outcome) << '\n';
  auto line = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) out << "  " << name << ": " << json_string(value) << '\n';
  };
  line("message", result.message);
  line("rule", result.rule_id.empty() ? result.rule : result.rule_id + ' ' + result.rule);
  line("expected", result.expected);
  line("got", result.actual);
  line("repeat", result.repro);
  out << "  ...\n";
}

}  // namespace

void write_tap(const Report& report, const Style&, std::ostream& out) {
  out << "TAP version 13\n1.." << report.results.size() + report.faults.size() << '\n';
  uint64_t number = 0;
  for (const Result& result : report.results) {
    const std::string subject = result.subject < report.subjects.size() ? report.subjects[result.subject].name : "unknown";
    const bool ok = result.outcome == Outcome::pass || result.outcome == Outcome::skip;
    out << (ok ? "ok " : "not ok ") << ++number << " - " << escape_tap(subject) << ' ' << escape_tap(result.case_id);
    if (result.outcome == Outcome::skip) out << directive("SKIP", result.message);
    if (result.outcome == Outcome::xfail) out << directive("TODO", "expected to fail: " + result.message);
    out << '\n';
    if (is_bad(result.outcome)) write_details(result, out);
  }
  for (const FaultResult& fault : report.faults) {
    out << (fault.caught ? "ok " : "not ok ") << ++number << " - self-test " << escape_tap(fault.fault) << " caught by "
        << escape_tap(fault.named_check) << '\n';
  }
  if (!report.void_reason.empty()) out << "Bail out! " << escape_tap(report.void_reason) << '\n';
}

}  // namespace gcts
