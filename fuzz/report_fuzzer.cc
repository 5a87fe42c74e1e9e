// Text under test in every field of a report, through every format: each stays what its
// readers take, and none passes a control character on.

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "fuzz/promise.h"
#include "reports/escape.h"
#include "reports/markup_check.h"
#include "reports/report.h"

using namespace gcts;

namespace {

// Deals out pieces of the input, each ended by a byte 0xff, over and over.
class Pieces {
 public:
  explicit Pieces(std::string_view text) {
    for (size_t at = 0; at <= text.size();) {
      const size_t end = std::min(text.find('\xff', at), text.size());
      pieces_.emplace_back(text.substr(at, end - at));
      at = end + 1;
    }
  }
  const std::string& next() { return pieces_[at_++ % pieces_.size()]; }

 private:
  std::vector<std::string> pieces_;
  size_t at_ = 0;
};

Report report_of(Pieces& text) {
  Report report;
  for (std::string* field : {&report.suite_version, &report.command, &report.profile, &report.tier, &report.started, &report.void_reason})
    *field = text.next();
  report.machine = {{text.next(), text.next()}};
  for (int i = 0; i < 2; ++i) report.subjects.push_back({text.next(), text.next(), text.next(), text.next(), text.next()});
  report.absent = {{text.next(), text.next()}};
  report.rules = {{text.next(), text.next(), text.next(), text.next(), text.next(), text.next(), text.next()}};
  for (size_t i = 0; i < kOutcomeCount; ++i) {
    Result& r = report.results.emplace_back();
    r.subject = i % 2;
    r.outcome = r.raw = static_cast<Outcome>(i);
    for (std::string* field : {&r.case_id, &r.rule, &r.rule_id, &r.level, &r.expected, &r.actual, &r.message, &r.repro})
      *field = text.next();
    r.case_id = "case/" + r.case_id;  // every result is of a case
    r.measures[text.next()] = static_cast<double>(i);
  }
  FaultResult& fault = report.faults.emplace_back();
  for (std::string* field : {&fault.fault, &fault.named_check, &fault.modelled_on, &fault.message}) *field = text.next();
  fault.caught_by = {text.next()};
  return report;
}

bool has_control(std::string_view text, std::string_view allowed) {
  return std::any_of(text.begin(), text.end(), [&](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 || byte == 0x7f) && allowed.find(c) == allowed.npos;
  });
}

void check_jsonl(const std::string& text, const Report& report) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) promise(nlohmann::json::accept(line), "every line of the JSON Lines is JSON");
  Report back;
  std::string error;
  std::istringstream in(text);
  promise(read_jsonl(in, back, error), "JSON Lines can be read back");
  promise(back.results.size() == report.results.size(), "every result can be read back");
}

// A test point a result and a fault, and none that the text made up.
void check_tap(const std::string& text, const Report& report) {
  std::istringstream lines(text);
  size_t points = 0;
  for (std::string line; std::getline(lines, line);) points += line.starts_with("ok ") || line.starts_with("not ok ");
  promise(points == report.results.size() + report.faults.size(), "TAP has one test point a result and a fault");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Pieces pieces({reinterpret_cast<const char*>(data), size});
  const Report report = report_of(pieces);
  for (const Format& format : formats()) {
    std::ostringstream out;
    format.write(report, out);
    const std::string text = out.str();
    promise(is_utf8(text), "reports are UTF-8");
    promise(!has_control(text, format.name == "csv" ? "\n\r\t" : "\n"), "no control character of the text reaches a report");
    if (format.name == "jsonl") check_jsonl(text, report);
    if (format.name == "junit") promise(markup_fault(text).empty(), "JUnit XML is well-formed");
    if (format.name == "html") promise(markup_fault(text).empty(), "the page is well-formed, and its links stay within it");
    if (format.name == "tap") check_tap(text, report);
  }
  return 0;
}
