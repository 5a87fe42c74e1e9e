// JUnit XML, for CI systems: a test suite a subject, a test case a case.
//
// What the implementation got wrong is a failure; what kept it from answering
// (crash, timeout, memory, protocol) is an error.  The line to paste stands in the
// text of either.  A void run and the faults of a self-test are suites of their own.

#include <ostream>

#include <fmt/format.h>

#include "reports/escape.h"
#include "reports/report.h"

namespace gcts {
namespace {

bool is_error(Outcome outcome) {
  return outcome == Outcome::crash || outcome == Outcome::timeout || outcome == Outcome::memory || outcome == Outcome::protocol;
}

void open_suite(std::ostream& out, std::string_view name, uint64_t tests, uint64_t failures, uint64_t errors, uint64_t skipped,
                double seconds) {
  out << fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\">\n",
                     escape_xml(name), tests, failures, errors, skipped, seconds);
}

std::string details(const Result& result) {
  std::string text;
  auto line = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) text += fmt::format("{}: {}\n", name, escape_xml(value));
  };
  line("rule", result.rule_id.empty() ? result.rule : result.rule_id + ' ' + result.rule);
  line("expected", result.expected);
  line("got", result.actual);
  line("repeat", result.repro);
  return text;
}

void write_case(std::ostream& out, std::string_view subject, const Result& result) {
  out << fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"", escape_xml(subject), escape_xml(result.case_id),
                     result.wall_seconds);
  if (result.outcome == Outcome::pass) {
    out << "/>\n";
    return;
  }
  out << ">\n";
  if (result.outcome == Outcome::skip) {
    out << "      <skipped message=\"" << escape_xml(result.message) << "\"/>\n";
  } else if (result.outcome == Outcome::xfail) {
    out << "      <skipped message=\"expected to fail (" << outcome_name(result.raw) << "): " << escape_xml(result.message) << "\"/>\n";
  } else {
    const std::string_view tag = is_error(result.outcome) ? "error" : "failure";
    out << "      <" << tag << " type=\"" << outcome_name(result.outcome) << "\" message=\"" << escape_xml(result.message) << "\">"
        << details(result) << "</" << tag << ">\n";
  }
  out << "    </testcase>\n";
}

void write_subject(std::ostream& out, const Report& report, uint32_t index) {
  const Subject& subject = report.subjects[index];
  const std::string name = subject.version.empty() ? subject.name : subject.name + ' ' + subject.version;
  uint64_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;
  for (const Result& result : report.results) {
    if (result.subject != index) continue;
    ++tests;
    seconds += result.wall_seconds;
    if (is_error(result.outcome)) ++errors;
    else if (is_bad(result.outcome)) ++failures;
    else if (result.outcome != Outcome::pass) ++skipped;
  }
  open_suite(out, name, tests, failures, errors, skipped, seconds);
  for (const Result& result : report.results) {
    if (result.subject == index) write_case(out, name, result);
  }
  out << "  </testsuite>\n";
}

void write_faults(std::ostream& out, const Report& report) {
  uint64_t missed = 0;
  for (const FaultResult& fault : report.faults) missed += !fault.caught;
  open_suite(out, "self-test", report.faults.size(), missed, 0, 0, 0);
  for (const FaultResult& fault : report.faults) {
    out << "    <testcase classname=\"self-test\" name=\"" << escape_xml(fault.fault) << '"';
    if (fault.caught) {
      out << "/>\n";
      continue;
    }
    out << "><failure type=\"missed\" message=\"" << escape_xml(fault.named_check) << " did not catch it: "
        << escape_xml(fault.message) << "\"/></testcase>\n";
  }
  out << "  </testsuite>\n";
}

}  // namespace

void write_junit(const Report& report, const Style&, std::ostream& out) {
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gguf-cts " << escape_xml(report.suite_version) << "\">\n";
  for (uint32_t i = 0; i < report.subjects.size(); ++i) write_subject(out, report, i);
  if (!report.faults.empty()) write_faults(out, report);
  if (!report.void_reason.empty()) {
    open_suite(out, "controls", 1, 0, 1, 0, 0);
    out << "    <testcase classname=\"controls\" name=\"positive controls\"><error type=\"void\" message=\""
        << escape_xml(report.void_reason) << "\"/></testcase>\n  </testsuite>\n";
  }
  out << "</testsuites>\n";
}

}  // namespace gcts
