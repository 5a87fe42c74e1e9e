// JSON Lines: the schema that everything else is made from (README.md describes it).
//
// One object a line.  Fields that are empty or zero are left out.  The last line
// counts what came before it, so that a report cut short is seen to be.

#include <cmath>
#include <ostream>

#include <fmt/format.h>

#include "reports/escape.h"
#include "reports/report.h"

namespace gcts {
namespace {

// One object under construction; fields keep the order in which they are added.
class Line {
 public:
  explicit Line(std::string_view record) { text("record", record); }

  void text(std::string_view name, std::string_view value) { add(name, json_string(value)); }
  void text_if(std::string_view name, std::string_view value) {
    if (!value.empty()) text(name, value);
  }
  void integer(std::string_view name, uint64_t value) { add(name, fmt::format("{}", value)); }
  void flag(std::string_view name, bool value) { add(name, value ? "true" : "false"); }
  // JSON has no infinities and no NaN: they are written as text.
  void number(std::string_view name, double value) {
    add(name, std::isfinite(value) ? fmt::format("{}", value) : fmt::format("\"{}\"", value));
  }
  void object(std::string_view name, Line& inner) { add(name, inner.finish()); }
  void raw(std::string_view name, const std::string& json) { add(name, json); }

  std::string finish() { return text_ + '}'; }

  static Line nested() { return Line(); }

 private:
  Line() = default;
  void add(std::string_view name, const std::string& json) {
    if (text_.size() > 1) text_ += ',';
    text_ += json_string(name);
    text_ += ':';
    text_ += json;
  }
  std::string text_ = "{";
};

std::string header_line(const Report& report) {
  Line line("report");
  line.integer("schema", report.schema);
  line.text("suite_version", report.suite_version);
  line.text_if("command", report.command);
  line.text("profile", report.profile);
  line.text("tier", report.tier);
  line.text("seed", fmt::format("{}", report.seed));
  line.text_if("started", report.started);
  Line machine = Line::nested();
  for (const auto& [name, value] : report.machine) machine.text(name, value);
  if (!report.machine.empty()) line.object("machine", machine);
  return line.finish();
}

std::string subject_line(const Subject& subject, size_t index) {
  Line line("subject");
  line.integer("subject", index);
  line.text("name", subject.name);
  line.text_if("version", subject.version);
  line.text_if("kind", subject.kind);
  line.text_if("locator", subject.locator);
  line.text_if("line", subject.line);
  return line.finish();
}

std::string absent_line(const Absent& absent) {
  Line line("absent");
  line.text("name", absent.name);
  line.text_if("reason", absent.reason);
  return line.finish();
}

std::string rule_line(const RuleText& rule) {
  Line line("rule");
  line.text("rule", rule.name);
  line.text_if("rule_id", rule.id);
  line.text_if("level", rule.level);
  line.text_if("area", rule.area);
  line.text_if("statement", rule.statement);
  line.text_if("effect", rule.effect);
  line.text_if("source", rule.source);
  return line.finish();
}

std::string result_line(const Result& result) {
  Line line("result");
  line.integer("subject", result.subject);
  line.text("case", result.case_id);
  line.text("outcome", outcome_name(result.outcome));
  if (result.raw != result.outcome) line.text("raw", outcome_name(result.raw));
  line.text_if("rule", result.rule);
  line.text_if("rule_id", result.rule_id);
  line.text_if("level", result.level);
  line.text_if("expected", result.expected);
  line.text_if("actual", result.actual);
  line.text_if("message", result.message);
  line.text_if("repro", result.repro);
  if (result.wall_seconds != 0) line.number("wall_seconds", result.wall_seconds);
  if (result.cpu_seconds != 0) line.number("cpu_seconds", result.cpu_seconds);
  if (result.peak_bytes != 0) line.integer("peak_bytes", result.peak_bytes);
  Line measures = Line::nested();
  for (const auto& [name, value] : result.measures) measures.number(name, value);
  if (!result.measures.empty()) line.object("measures", measures);
  // Five digits are more than a clock tells of a call.
  std::string samples;
  for (double sample : result.samples) samples += fmt::format("{}{:.5g}", samples.empty() ? "[" : ",", std::isfinite(sample) ? sample : 0.0);
  if (!samples.empty()) line.raw("samples", samples + ']');
  return line.finish();
}

std::string json_strings(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) {
    if (out.size() > 1) out += ',';
    out += json_string(text);
  }
  return out + ']';
}

std::string fault_line(const FaultResult& fault) {
  Line line("fault");
  line.text("fault", fault.fault);
  line.text("named_check", fault.named_check);
  line.text_if("modelled_on", fault.modelled_on);
  line.flag("caught", fault.caught);
  if (!fault.caught_by.empty()) line.raw("caught_by", json_strings(fault.caught_by));
  if (!fault.passes_elsewhere.empty()) line.raw("passes_elsewhere", json_strings(fault.passes_elsewhere));
  line.text_if("message", fault.message);
  return line.finish();
}

}  // namespace

void write_jsonl(const Report& report, const Style&, std::ostream& out) {
  out << header_line(report) << '\n';
  for (size_t i = 0; i < report.subjects.size(); ++i) out << subject_line(report.subjects[i], i) << '\n';
  for (const Absent& absent : report.absent) out << absent_line(absent) << '\n';
  for (const RuleText& rule : report.rules) out << rule_line(rule) << '\n';
  for (const Result& result : report.results) out << result_line(result) << '\n';
  for (const FaultResult& fault : report.faults) out << fault_line(fault) << '\n';
  Line end("end");
  end.integer("results", report.results.size());
  end.integer("faults", report.faults.size());
  end.number("wall_seconds", report.wall_seconds);
  end.text_if("void_reason", report.void_reason);
  out << end.finish() << '\n';
}

}  // namespace gcts
