// Findings, profiles and the verdict that follows from both.

#include "reference/finding.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

namespace gcts {

void Findings::add(rule::Index rule, uint64_t offset, std::string message, bool root) {
  constexpr size_t kUsual = 4;  // findings about a file with one fault
  if (findings_.empty()) findings_.reserve(kUsual);
  if (counts_.size() <= rule) counts_.resize(rule + size_t{1});
  if (counts_[rule]++ < kMaxPerRule) findings_.push_back({rule, offset, root, std::move(message)});
}

void Findings::demote(rule::Index rule) {
  for (Finding& f : findings_)
    if (f.rule == rule) f.root = false;
}

Profile Profile::builtin(BuiltinProfile which) {
  Profile profile;
  const bool spec = which == BuiltinProfile::spec;
  profile.name_ = spec ? "spec" : "ggml";
  profile.severities_.reserve(rules().size());
  for (const Rule& r : rules()) profile.severities_.push_back(spec ? r.spec : r.ggml);
  return profile;
}

namespace {

using Json = nlohmann::json;

bool severity_from_name(std::string_view name, Severity& out) {
  for (Severity s : {Severity::off, Severity::should, Severity::must}) {
    if (severity_name(s) != name) continue;
    out = s;
    return true;
  }
  return false;
}

bool builtin_from_name(std::string_view name, Profile& out) {
  if (name == "spec") out = Profile::builtin(BuiltinProfile::spec);
  if (name == "ggml") out = Profile::builtin(BuiltinProfile::ggml);
  return name == "spec" || name == "ggml";
}

bool apply_overrides(const Json& overrides, Profile& out, std::string& error) {
  if (!overrides.is_object()) {
    error = "\"rules\" must be an object of rule names and severities";
    return false;
  }
  for (const auto& [name, value] : overrides.items()) {
    const Rule* r = find_rule(name);
    if (r == nullptr) {
      error = "no rule is called \"" + name + "\"";
      return false;
    }
    Severity severity;
    if (!value.is_string() || !severity_from_name(value.get_ref<const std::string&>(), severity)) {
      error = "the severity of \"" + name + "\" must be \"off\", \"should\" or \"must\"";
      return false;
    }
    out.set(static_cast<rule::Index>(r - rules().data()), severity);
  }
  return true;
}

}  // namespace

bool Profile::load(std::string_view name_or_path, Profile& out, std::string& error) {
  if (builtin_from_name(name_or_path, out)) return true;
  const std::string path(name_or_path);
  const auto fail = [&](const std::string& why) {
    error = "profile " + path + ": " + why;
    return false;
  };
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail("is neither \"spec\" nor \"ggml\" nor a file that can be opened");
  const Json json = Json::parse(file, nullptr, /*allow_exceptions=*/false, /*ignore_comments=*/true);
  if (!json.is_object()) return fail("is not a JSON object");
  for (const auto& [field, value] : json.items())
    if (field != "name" && field != "base" && field != "rules") return fail("has an unknown field \"" + field + "\"");

  const auto base = json.find("base");
  if (base == json.end() || !base->is_string() || !builtin_from_name(base->get_ref<const std::string&>(), out))
    return fail("\"base\" must be \"spec\" or \"ggml\"");
  const auto name = json.find("name");
  if (name != json.end() && !name->is_string()) return fail("\"name\" must be a string");
  out.name_ = name != json.end() ? name->get<std::string>() : path;
  const auto overrides = json.find("rules");
  if (overrides != json.end() && !apply_overrides(*overrides, out, error)) return fail(std::string(error));
  return true;
}

Verdict judge(const Findings& findings, const Profile& profile, bool strict) {
  for (const Finding& f : findings.all()) {
    const Severity severity = profile.severity(f.rule);
    if (severity == Severity::must || (strict && severity == Severity::should)) return Verdict::invalid;
  }
  return Verdict::valid;
}

std::string_view verdict_name(Verdict verdict) { return verdict == Verdict::valid ? "valid" : "invalid"; }

}  // namespace gcts
