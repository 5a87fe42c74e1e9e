// Comma-separated values (RFC 4180), one row a result, for spreadsheets.

#include <ostream>

#include <fmt/format.h>

#include "reports/escape.h"
#include "reports/report.h"

namespace gcts {

void write_csv(const Report& report, const Style&, std::ostream& out) {
  out << "subject,version,case,outcome,raw,rule_id,rule,level,expected,actual,message,repro,wall_seconds,cpu_seconds,peak_bytes\r\n";
  for (const Result& result : report.results) {
    const Subject subject = result.subject < report.subjects.size() ? report.subjects[result.subject] : Subject{};
    for (std::string_view text : {std::string_view(subject.name), std::string_view(subject.version), std::string_view(result.case_id),
                                  outcome_name(result.outcome), outcome_name(result.raw), std::string_view(result.rule_id),
                                  std::string_view(result.rule), std::string_view(result.level), std::string_view(result.expected),
                                  std::string_view(result.actual), std::string_view(result.message), std::string_view(result.repro)}) {
      out << csv_field(text) << ',';
    }
    out << fmt::format("{:.6f},{:.6f},{}\r\n", result.wall_seconds, result.cpu_seconds, result.peak_bytes);
  }
}

}  // namespace gcts
