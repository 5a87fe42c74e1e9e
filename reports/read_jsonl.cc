// Reads a report back from JSON Lines.
//
// Unknown fields and unknown records are passed over, so that a reader of schema 1
// takes every later file of schema 1; a newer schema is refused.

#include <istream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "reports/report.h"

namespace gcts {
namespace {

using nlohmann::json;

// One line's fields; what is absent or of another type is empty.
struct Fields {
  const json& object;

  std::string text(const char* name) const {
    const auto found = object.find(name);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
  }
  uint64_t integer(const char* name) const {
    const auto found = object.find(name);
    return found != object.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
  }
  double number(const char* name) const {
    const auto found = object.find(name);
    return found == object.end() ? 0 : as_number(*found);
  }
  // A measure that is no finite number stands as text.
  static double as_number(const json& value) {
    if (value.is_number()) return value.get<double>();
    if (!value.is_string()) return 0;
    const std::string text = value.get<std::string>();
    if (text == "inf") return std::numeric_limits<double>::infinity();
    if (text == "-inf") return -std::numeric_limits<double>::infinity();
    return std::numeric_limits<double>::quiet_NaN();
  }
};

class Reader {
 public:
  explicit Reader(Report& out) : out_(out) {}

  // False if the line is wrong; `error` says why.
  bool line(const json& object, std::string& error) {
    const Fields fields{object};
    const std::string record = fields.text("record");
    if (record == "report") return header(fields, error);
    if (!started_) return fail(error, "the first record is not a \"report\"");
    if (ended_) return fail(error, "a record follows the \"end\"");
    if (record == "subject") return subject(fields, error);
    if (record == "absent") return absent(fields);
    if (record == "rule") return rule(fields);
    if (record == "result") return result(fields, error);
    if (record == "fault") return fault(fields);
    if (record == "end") return end(fields, error);
    if (record.empty()) return fail(error, "the line has no \"record\"");
    return true;
  }
  bool started() const { return started_; }
  bool ended() const { return ended_; }

 private:
  static bool fail(std::string& error, std::string text) {
    error = std::move(text);
    return false;
  }

  bool header(const Fields& fields, std::string& error) {
    if (started_) return fail(error, "a second \"report\" record");
    started_ = true;
    const uint64_t schema = fields.integer("schema");
    if (schema == 0 || schema > kReportSchema) {
      return fail(error, fmt::format("schema {} is not one this version reads (1 to {})", schema, kReportSchema));
    }
    out_.schema = static_cast<uint32_t>(schema);
    out_.suite_version = fields.text("suite_version");
    out_.command = fields.text("command");
    out_.profile = fields.text("profile");
    out_.tier = fields.text("tier");
    out_.started = fields.text("started");
    const std::string seed = fields.text("seed");
    if (seed.empty() || seed.size() > 20 || seed.find_first_not_of("0123456789") != std::string::npos) {
      return fail(error, "\"seed\" is not a decimal number as text");
    }
    out_.seed = std::strtoull(seed.c_str(), nullptr, 10);
    if (const auto machine = fields.object.find("machine"); machine != fields.object.end() && machine->is_object()) {
      for (const auto& [name, value] : machine->items()) {
        if (value.is_string()) out_.machine[name] = value.get<std::string>();
      }
    }
    return true;
  }

  bool subject(const Fields& fields, std::string& error) {
    if (fields.integer("subject") != out_.subjects.size()) return fail(error, "subjects are not numbered 0, 1, 2, …");
    out_.subjects.push_back({fields.text("name"), fields.text("version"), fields.text("kind"), fields.text("locator"), fields.text("line")});
    return true;
  }

  bool absent(const Fields& fields) {
    out_.absent.push_back({fields.text("name"), fields.text("reason")});
    return true;
  }

  bool rule(const Fields& fields) {
    out_.rules.push_back({fields.text("rule"), fields.text("rule_id"), fields.text("level"), fields.text("area"),
                          fields.text("statement"), fields.text("effect"), fields.text("source")});
    return true;
  }

  bool result(const Fields& fields, std::string& error) {
    Result result;
    const uint64_t subject = fields.integer("subject");
    if (subject >= out_.subjects.size()) return fail(error, "the result is of a subject that has no record");
    result.subject = static_cast<uint32_t>(subject);
    result.case_id = fields.text("case");
    if (result.case_id.empty()) return fail(error, "the result has no \"case\"");
    if (!parse_outcome(fields.text("outcome"), result.outcome)) return fail(error, "\"outcome\" is none of the known ones");
    result.raw = result.outcome;
    if (fields.object.contains("raw") && !parse_outcome(fields.text("raw"), result.raw)) {
      return fail(error, "\"raw\" is none of the known outcomes");
    }
    result.rule = fields.text("rule");
    result.rule_id = fields.text("rule_id");
    result.level = fields.text("level");
    result.expected = fields.text("expected");
    result.actual = fields.text("actual");
    result.message = fields.text("message");
    result.repro = fields.text("repro");
    result.wall_seconds = fields.number("wall_seconds");
    result.cpu_seconds = fields.number("cpu_seconds");
    result.peak_bytes = fields.integer("peak_bytes");
    if (const auto measures = fields.object.find("measures"); measures != fields.object.end() && measures->is_object()) {
      for (const auto& [name, value] : measures->items()) result.measures[name] = Fields::as_number(value);
    }
    if (const auto samples = fields.object.find("samples"); samples != fields.object.end() && samples->is_array()) {
      for (const json& sample : *samples) result.samples.push_back(Fields::as_number(sample));
    }
    out_.results.push_back(std::move(result));
    return true;
  }

  bool fault(const Fields& fields) {
    FaultResult fault;
    fault.fault = fields.text("fault");
    fault.named_check = fields.text("named_check");
    fault.modelled_on = fields.text("modelled_on");
    fault.message = fields.text("message");
    const auto caught = fields.object.find("caught");
    fault.caught = caught != fields.object.end() && caught->is_boolean() && caught->get<bool>();
    const auto strings = [&](const char* name, std::vector<std::string>& to) {
      const auto list = fields.object.find(name);
      if (list == fields.object.end() || !list->is_array()) return;
      for (const json& item : *list) {
        if (item.is_string()) to.push_back(item.get<std::string>());
      }
    };
    strings("caught_by", fault.caught_by);
    strings("passes_elsewhere", fault.passes_elsewhere);
    out_.faults.push_back(std::move(fault));
    return true;
  }

  bool end(const Fields& fields, std::string& error) {
    ended_ = true;
    out_.wall_seconds = fields.number("wall_seconds");
    out_.void_reason = fields.text("void_reason");
    if (fields.integer("results") != out_.results.size() || fields.integer("faults") != out_.faults.size()) {
      return fail(error, fmt::format("the end counts {} results and {} faults, the file holds {} and {}: lines are missing",
                                     fields.integer("results"), fields.integer("faults"), out_.results.size(), out_.faults.size()));
    }
    return true;
  }

  Report& out_;
  bool started_ = false;
  bool ended_ = false;
};

}  // namespace

bool read_jsonl(std::istream& in, Report& out, std::string& error) {
  out = {};
  Reader reader(out);
  std::string text;
  uint64_t number = 0;
  while (std::getline(in, text)) {
    ++number;
    if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
    const json object = json::parse(text, nullptr, false);
    std::string why = "not a JSON object";
    if (!object.is_object() || !reader.line(object, why)) {
      error = fmt::format("line {}: {}", number, why);
      return false;
    }
  }
  if (!reader.ended()) {
    error = fmt::format("line {}: {}", number, reader.started() ? "the file ends before its \"end\" record: it was cut short"
                                                                : "the file holds no report");
    return false;
  }
  return true;
}

}  // namespace gcts
