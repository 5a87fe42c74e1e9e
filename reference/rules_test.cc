// The rule table is complete and well formed; profiles say what they promise.

#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "reference/finding.h"
#include "reference/rule.h"

namespace gcts {
namespace {

bool is_snake_case(std::string_view text) {
  if (text.empty() || text.front() < 'a' || text.front() > 'z' || text.back() == '_') return false;
  for (char c : text)
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')) return false;
  return true;
}

std::string temporary_file(std::string_view contents) {
  std::string path = "rules_test_profile.json";
  std::ofstream(path, std::ios::binary) << contents;
  return path;
}

BOOST_AUTO_TEST_SUITE(rules_table)

BOOST_AUTO_TEST_CASE(names_and_ids_are_unique_and_found) {
  std::set<std::string_view> seen;
  for (const Rule& r : rules()) {
    BOOST_TEST_CONTEXT(r.id) {
      BOOST_TEST(seen.insert(r.id).second);
      BOOST_TEST(seen.insert(r.name).second);
      BOOST_TEST(is_snake_case(r.name));
      BOOST_TEST(find_rule(r.id) == &r);
      BOOST_TEST(find_rule(r.name) == &r);
    }
  }
  BOOST_TEST(rules().size() == 213u);
  BOOST_TEST(find_rule("no_such_rule") == nullptr);
  BOOST_TEST(find_rule("") == nullptr);
  BOOST_TEST(rule_at(rule::tensor_offset_aligned).id == "OFF-002");
}

BOOST_AUTO_TEST_CASE(an_area_groups_one_series_of_ids) {
  std::map<std::string_view, std::string_view> area_of_series;
  for (const Rule& r : rules()) {
    const std::string_view series = r.id.substr(0, r.id.find('-'));
    const auto [it, fresh] = area_of_series.emplace(series, r.area);
    BOOST_TEST(it->second == r.area);
    (void)fresh;
  }
  BOOST_TEST(area_of_series.size() == 16u);
}

BOOST_AUTO_TEST_CASE(texts_are_sentences) {
  for (const Rule& r : rules()) {
    BOOST_TEST_CONTEXT(r.id) {
      BOOST_TEST(!r.source.empty());
      BOOST_TEST(r.statement.size() > 15);
      BOOST_TEST(r.statement.back() == '.');
      BOOST_TEST(r.effect.back() == '.');
    }
  }
}

BOOST_AUTO_TEST_CASE(a_rule_that_is_reported_is_reported_under_some_profile) {
  for (const Rule& r : rules()) {
    if (r.kind != RuleKind::decode && r.kind != RuleKind::check && r.kind != RuleKind::set) continue;
    BOOST_TEST_CONTEXT(r.id) BOOST_TEST((r.spec != Severity::off || r.ggml != Severity::off));
  }
}

BOOST_AUTO_TEST_CASE(the_known_divergences) {
  const auto expect = [](rule::Index index, Severity spec, Severity ggml) {
    BOOST_TEST_CONTEXT(rule_at(index).name) {
      BOOST_TEST((rule_at(index).spec == spec));
      BOOST_TEST((rule_at(index).ggml == ggml));
      BOOST_TEST(rule_at(index).diverges());
    }
  };
  expect(rule::nested_array, Severity::off, Severity::must);
  expect(rule::alignment_power_of_two, Severity::off, Severity::must);
  expect(rule::alignment_multiple_of_8, Severity::must, Severity::off);
  expect(rule::offsets_without_gap, Severity::off, Severity::must);
  expect(rule::last_tensor_padded, Severity::off, Severity::must);
  expect(rule::tensor_name_64_bytes, Severity::off, Severity::must);
  expect(rule::bool_is_zero_or_one, Severity::must, Severity::should);
  expect(rule::key_charset, Severity::must, Severity::should);
  expect(rule::big_endian_version_3, Severity::off, Severity::must);
}

BOOST_AUTO_TEST_CASE(names_of_the_enums) {
  BOOST_TEST(level_name(Level::de_facto) == "de_facto");
  BOOST_TEST(severity_name(Severity::off) == "off");
  BOOST_TEST(rule_kind_name(RuleKind::resource) == "resource");
  BOOST_TEST(rule_kind_name(RuleKind::set) == "set");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(findings)

BOOST_AUTO_TEST_CASE(few_are_kept_and_all_are_counted) {
  Findings found;
  BOOST_TEST(found.empty());
  BOOST_TEST(!found.has(rule::key_unique));
  for (int i = 0; i < 100; ++i) found.add(rule::key_unique, i, "again");
  found.add(rule::magic_is_gguf, 0, "other");
  BOOST_TEST(found.all().size() == Findings::kMaxPerRule + 1);
  BOOST_TEST(found.count(rule::key_unique) == 100u);
  BOOST_TEST(found.count(rule::header_complete) == 0u);
}

BOOST_AUTO_TEST_CASE(the_verdict_follows_the_profile) {
  const Profile spec = Profile::builtin(BuiltinProfile::spec);
  const Profile ggml = Profile::builtin(BuiltinProfile::ggml);
  Findings found;
  BOOST_TEST((judge(found, spec) == Verdict::valid));
  found.add(rule::nested_array, 24, "an array of arrays");
  BOOST_TEST((judge(found, spec) == Verdict::valid));
  BOOST_TEST((judge(found, ggml) == Verdict::invalid));
  Findings lint;
  lint.add(rule::architecture_present, 24, "absent");
  BOOST_TEST((judge(lint, spec) == Verdict::valid));
  BOOST_TEST((judge(lint, spec, true) == Verdict::invalid));
  BOOST_TEST(verdict_name(Verdict::invalid) == "invalid");
}

BOOST_AUTO_TEST_CASE(a_finding_that_follows_counts_as_well) {
  Findings found;
  found.add(rule::tensor_in_file, 24, "past the end", /*root=*/false);
  BOOST_TEST((judge(found, Profile::builtin(BuiltinProfile::spec)) == Verdict::invalid));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(profiles)

BOOST_AUTO_TEST_CASE(a_file_overrides_its_base) {
  const std::string path = temporary_file(
      R"({"name": "mine", "base": "spec", "rules": {"nested_array": "must", "KEY-002": "off"}})");
  Profile profile;
  std::string error;
  BOOST_TEST(Profile::load(path, profile, error));
  BOOST_TEST(error == "");
  BOOST_TEST(profile.name() == "mine");
  BOOST_TEST((profile.severity(rule::nested_array) == Severity::must));
  BOOST_TEST((profile.severity(rule::key_charset) == Severity::off));
  BOOST_TEST((profile.severity(rule::key_length) == Severity::must));
  std::remove(path.c_str());
}

BOOST_AUTO_TEST_CASE(the_builtin_ones_load_by_name) {
  Profile profile;
  std::string error;
  BOOST_TEST(Profile::load("ggml", profile, error));
  BOOST_TEST(profile.name() == "ggml");
  BOOST_TEST((profile.severity(rule::nested_array) == Severity::must));
}

BOOST_AUTO_TEST_CASE(mistakes_are_explained) {
  const auto error_of = [](std::string_view contents) {
    const std::string path = temporary_file(contents);
    Profile profile;
    std::string error;
    BOOST_TEST(!Profile::load(path, profile, error));
    std::remove(path.c_str());
    return error;
  };
  const auto mentions = [](const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  };
  BOOST_TEST(mentions(error_of("{"), "not a JSON object"));
  BOOST_TEST(mentions(error_of("[]"), "not a JSON object"));
  BOOST_TEST(mentions(error_of(R"({"rules": {}})"), "\"base\""));
  BOOST_TEST(mentions(error_of(R"({"base": "strict"})"), "\"base\""));
  BOOST_TEST(mentions(error_of(R"({"base": "spec", "rules": {"nested": "off"}})"), "nested"));
  BOOST_TEST(mentions(error_of(R"({"base": "spec", "rules": {"nested_array": 1}})"), "severity"));
  BOOST_TEST(mentions(error_of(R"({"base": "spec", "rules": []})"), "object"));
  BOOST_TEST(mentions(error_of(R"({"base": "spec", "rule": {}})"), "unknown field"));
  Profile profile;
  std::string error;
  BOOST_TEST(!Profile::load("no/such/profile.json", profile, error));
  BOOST_TEST(mentions(error, "no/such/profile.json"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace gcts
