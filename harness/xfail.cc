// Expected failures: reading, writing, applying, updating.

#include "harness/xfail.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>

#include "harness/selection.h"

namespace gcts {

using Json = nlohmann::ordered_json;

const XfailEntry* XfailFile::find(std::string_view case_id, std::string_view rule) const {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const XfailEntry& e) {
    return (e.rule.empty() || e.rule == rule) && selects(e.case_glob, case_id);
  });
  return found == entries.end() ? nullptr : &*found;
}

bool XfailEntry::expects(Outcome came_to) const {
  return came_to == outcome || std::find(also.begin(), also.end(), came_to) != also.end();
}

namespace {

// A text member; false with an explanation if it is missing or something else.
bool take_text(const Json& object, const char* name, std::string& out, std::string& error) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string()) {
    error = std::string("'") + name + "' is missing or no text";
    return false;
  }
  out = found->get<std::string>();
  return true;
}

bool take_outcome(const Json& json, Outcome& out, std::string& error, bool may_pass = false) {
  const std::string word = json.is_string() ? json.get<std::string>() : json.dump();
  if (json.is_string() && parse_outcome(word, out)) {
    if ((is_bad(out) && out != Outcome::xpass) || (may_pass && out == Outcome::pass)) return true;
  }
  error = "'" + word + "' is no outcome that can be expected";
  return false;
}

// One outcome, or a list of them.
bool take_outcomes(const Json& json, XfailEntry& out, std::string& error) {
  if (!json.is_array()) return take_outcome(json, out.outcome, error);
  if (json.empty()) {
    error = "'outcome' is an empty list";
    return false;
  }
  if (!take_outcome(json[0], out.outcome, error)) return false;
  for (size_t i = 1; i < json.size(); ++i) {
    if (!take_outcome(json[i], out.also.emplace_back(), error, true)) return false;
  }
  return true;
}

bool take_entry(const Json& json, XfailEntry& out, std::string& error) {
  if (!json.is_object()) {
    error = "is no object";
    return false;
  }
  if (!take_text(json, "case", out.case_glob, error)) return false;
  if (!json.contains("outcome")) {
    error = "'outcome' is missing or no text";
    return false;
  }
  if (!take_outcomes(json["outcome"], out, error)) return false;
  if (json.contains("rule") && !take_text(json, "rule", out.rule, error)) return false;
  if (json.contains("reason") && !take_text(json, "reason", out.reason, error)) return false;
  return true;
}

}  // namespace

bool parse_xfail(std::istream& in, XfailFile& out, std::string& error) {
  const Json json = Json::parse(in, nullptr, false);
  if (json.is_discarded() || !json.is_object()) {
    error = "is no JSON object";
    return false;
  }
  if (!json.contains("schema") || json["schema"] != kXfailSchema) {
    error = "'schema' is not " + std::to_string(kXfailSchema);
    return false;
  }
  XfailFile file;
  if (!take_text(json, "implementation", file.implementation, error)) return false;
  if (!json.contains("expected") || !json["expected"].is_array()) {
    error = "'expected' is missing or no array";
    return false;
  }
  for (const Json& entry : json["expected"]) {
    file.entries.emplace_back();
    if (!take_entry(entry, file.entries.back(), error)) {
      error = "entry " + std::to_string(file.entries.size()) + ": " + error;
      return false;
    }
  }
  out = std::move(file);
  return true;
}

bool load_xfail(const std::string& path, XfailFile& out, std::string& error) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    error = path + ": cannot be opened";
    return false;
  }
  if (parse_xfail(in, out, error)) return true;
  error = path + ": " + error;
  return false;
}

void write_xfail(const XfailFile& file, std::ostream& out) {
  Json json{{"schema", kXfailSchema}, {"implementation", file.implementation}, {"expected", Json::array()}};
  for (const XfailEntry& entry : file.entries) {
    Json row{{"case", entry.case_glob}, {"outcome", outcome_name(entry.outcome)}};
    if (!entry.also.empty()) {
      row["outcome"] = Json::array({outcome_name(entry.outcome)});
      for (Outcome outcome : entry.also) row["outcome"].push_back(outcome_name(outcome));
    }
    if (!entry.rule.empty()) row["rule"] = entry.rule;
    if (!entry.reason.empty()) row["reason"] = entry.reason;
    json["expected"].push_back(std::move(row));
  }
  out << json.dump(1, ' ', false, Json::error_handler_t::replace) << "\n";
}

void apply_xfail(const XfailFile& file, Report& report) {
  for (Result& result : report.results) {
    if (report.subjects[result.subject].name != file.implementation) continue;
    const XfailEntry* entry = file.find(result.case_id, result.rule);
    if (!entry || result.outcome == Outcome::skip) continue;
    if (entry->may_pass() && result.outcome == Outcome::pass) continue;
    if (entry->expects(result.outcome)) {
      result.outcome = Outcome::xfail;
    } else if (result.outcome == Outcome::pass) {
      result.outcome = Outcome::xpass;
      result.message = "passes, " + std::string(outcome_name(entry->outcome)) + " was expected" +
                       (entry->reason.empty() ? "" : ": " + entry->reason);
    } else {
      result.message = "(" + std::string(outcome_name(entry->outcome)) + " was expected) " + result.message;
    }
  }
}

XfailFile updated_xfail(const XfailFile& old, const Report& report) {
  XfailFile out;
  out.implementation = old.implementation;
  std::vector<bool> settled(old.entries.size(), false);
  for (const Result& result : report.results) {
    if (report.subjects[result.subject].name != old.implementation || result.outcome == Outcome::skip) continue;
    const XfailEntry* entry = old.find(result.case_id, result.rule);
    // An entry that lets a case pass stays as it is, whatever this run's cases came to.
    const bool stays = entry && entry->may_pass();
    if (entry && !stays) settled[static_cast<size_t>(entry - old.entries.data())] = true;
    const Outcome came_to = result.outcome == Outcome::xfail ? entry->outcome
                            : result.outcome == Outcome::xpass ? Outcome::pass
                                                               : result.outcome;
    if (!is_bad(came_to) || (stays && entry->expects(came_to))) continue;
    XfailEntry settled_entry{result.case_id, came_to, entry ? entry->reason : ""};
    if (entry && !stays && entry->expects(came_to)) {
      settled_entry.outcome = entry->outcome;
      settled_entry.also = entry->also;
    } else if (came_to == Outcome::timeout) {
      settled_entry.also = {Outcome::memory};
    } else if (came_to == Outcome::memory) {
      settled_entry.also = {Outcome::timeout};
    }
    out.entries.push_back(std::move(settled_entry));
  }
  for (size_t i = 0; i < old.entries.size(); ++i) {
    if (!settled[i]) out.entries.push_back(old.entries[i]);
  }
  std::sort(out.entries.begin(), out.entries.end(),
            [](const XfailEntry& a, const XfailEntry& b) { return a.case_glob < b.case_glob; });
  return out;
}

}  // namespace gcts
