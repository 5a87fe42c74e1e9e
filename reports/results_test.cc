// Reading back, merging and comparing results.

#include <algorithm>
#include <sstream>

#include <boost/test/unit_test.hpp>

#include "reports/compare.h"
#include "reports/escape.h"
#include "reports/sample_report.h"

namespace gcts {
namespace {

std::string lines_of(const Report& report) {
  std::ostringstream out;
  find_format("jsonl")->write(report, out);
  return out.str();
}

bool read_text(const std::string& text, Report& out, std::string& error) {
  std::istringstream in(text);
  return read_jsonl(in, out, error);
}

BOOST_AUTO_TEST_SUITE(results)

BOOST_AUTO_TEST_CASE(a_report_comes_back_as_it_was) {
  const std::string text = lines_of(sample_report());
  Report back;
  std::string error;
  BOOST_REQUIRE_MESSAGE(read_text(text, back, error), error);
  BOOST_TEST(lines_of(back) == text);
  BOOST_TEST(back.seed == sample_report().seed);
  BOOST_TEST(back.subjects[1].name == sample_report().subjects[1].name);
  BOOST_TEST(back.results[1].message == kHostile[0]);
  BOOST_TEST(back.results[2].message == kHostile[1]);
  BOOST_TEST(back.results[0].measures.at("error/bound") == 1e-9);
  BOOST_TEST((back.results[10].raw == Outcome::crash));
}

BOOST_AUTO_TEST_CASE(a_report_cut_anywhere_is_refused_with_a_line_number) {
  const std::string text = lines_of(sample_report());
  Report back;
  std::string error;
  for (size_t size = 0; size + 1 < text.size(); size += 7) {
    BOOST_TEST(!read_text(text.substr(0, size), back, error));
    BOOST_TEST(error.starts_with("line "));
  }
  const size_t last = text.rfind("{\"record\":\"result\"");
  std::string missing = text;
  missing.erase(last, text.find('\n', last) + 1 - last);
  BOOST_TEST(!read_text(missing, back, error));
  BOOST_TEST(error.find("lines are missing") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(wrong_lines_are_refused) {
  const std::string good = lines_of(sample_report());
  auto with = [&](std::string from, std::string to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  Report back;
  std::string error;
  BOOST_TEST(!read_text(with("\"schema\":1", "\"schema\":2"), back, error));
  BOOST_TEST(error.find("schema 2") != std::string::npos);
  BOOST_TEST(!read_text(with("\"outcome\":\"crash\"", "\"outcome\":\"splat\""), back, error));
  BOOST_TEST(!read_text(with("\"subject\":1,\"case\"", "\"subject\":7,\"case\""), back, error));
  BOOST_TEST(!read_text(with("\"seed\":\"", "\"seed\":\"-"), back, error));
  BOOST_TEST(!read_text(with("{\"record\":\"result\"", "[{\"record\":\"result\""), back, error));
  BOOST_TEST(!read_text("not json\n", back, error));
  BOOST_TEST(!read_text("", back, error));
  BOOST_TEST(read_text(with("\"schema\":1", "\"schema\":1,\"later\":[1]"), back, error));
}

BOOST_AUTO_TEST_CASE(every_outcome_has_a_name_that_reads_back) {
  for (size_t i = 0; i < kOutcomeCount; ++i) {
    Outcome outcome = Outcome::pass;
    BOOST_TEST(parse_outcome(outcome_name(static_cast<Outcome>(i)), outcome));
    BOOST_TEST((outcome == static_cast<Outcome>(i)));
  }
  Outcome outcome = Outcome::pass;
  BOOST_TEST(!parse_outcome("", outcome));
}

BOOST_AUTO_TEST_CASE(shards_merge_to_the_whole_in_any_order) {
  const Report whole = sample_report();
  Report parts[3] = {whole, whole, whole};
  for (size_t p = 0; p < 3; ++p) {
    parts[p].results.clear();
    for (size_t i = p; i < whole.results.size(); i += 3) parts[p].results.push_back(whole.results[i]);
    if (p > 0) parts[p].faults.clear();
  }
  Report merged, sorted;
  std::string error;
  BOOST_REQUIRE_MESSAGE(merge(parts, merged, error), error);
  const Report one[] = {whole};
  BOOST_REQUIRE(merge(one, sorted, error));
  BOOST_TEST(lines_of(merged) == lines_of(sorted));
  std::swap(parts[0].results, parts[2].results);
  BOOST_REQUIRE(merge(parts, merged, error));
  BOOST_TEST(lines_of(merged) == lines_of(sorted));
}

BOOST_AUTO_TEST_CASE(subjects_are_matched_whatever_their_number) {
  Report a = sample_report(), b = sample_report();
  std::swap(b.subjects[0], b.subjects[1]);
  for (Result& result : b.results) result.subject = 1 - result.subject;
  const Report both[] = {a, b};
  Report merged;
  std::string error;
  BOOST_REQUIRE_MESSAGE(merge(both, merged, error), error);
  BOOST_TEST(merged.subjects.size() == 2);
  BOOST_TEST(merged.results.size() == a.results.size());
}

BOOST_AUTO_TEST_CASE(parts_that_contradict_each_other_do_not_merge) {
  Report a = sample_report(), b = sample_report(), out;
  std::string error;
  b.results[0].outcome = Outcome::crash;
  const Report contradiction[] = {a, b};
  BOOST_TEST(!merge(contradiction, out, error));
  BOOST_TEST(error.find("format/valid/header/magic") != std::string::npos);
  b = a;
  b.profile = "ggml";
  const Report mixed[] = {a, b};
  BOOST_TEST(!merge(mixed, out, error));
  BOOST_TEST(error.find("profile") != std::string::npos);
  BOOST_TEST(!merge({}, out, error));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(comparing)

Report with_outcomes(std::vector<std::pair<std::string, Outcome>> outcomes) {
  Report report;
  report.subjects = {{"reader", "1", "plugin", "reader.so"}};
  for (auto& [id, outcome] : outcomes) {
    Result result;
    result.case_id = id;
    result.outcome = result.raw = outcome;
    report.results.push_back(result);
  }
  return report;
}

BOOST_AUTO_TEST_CASE(the_same_run_twice_is_not_worse) {
  const Comparison comparison = compare(sample_report(), sample_report());
  BOOST_TEST(comparison.same == sample_report().results.size());
  BOOST_TEST(!comparison.regressed());
}

BOOST_AUTO_TEST_CASE(each_change_lands_in_its_list) {
  const Report before = with_outcomes({{"a", Outcome::pass}, {"b", Outcome::fail}, {"c", Outcome::fail}, {"d", Outcome::pass},
                                       {"e", Outcome::fail}, {"f", Outcome::pass}});
  const Report after = with_outcomes({{"a", Outcome::fail}, {"b", Outcome::pass}, {"c", Outcome::crash}, {"d", Outcome::skip},
                                      {"f", Outcome::pass}, {"g", Outcome::pass}});
  const Comparison comparison = compare(before, after);
  BOOST_TEST(comparison.worse.size() == 2);
  BOOST_TEST(comparison.worse[0].case_id == "a");
  BOOST_TEST(comparison.worse[1].case_id == "c");
  BOOST_TEST(comparison.better.size() == 1);
  BOOST_TEST(comparison.better[0].case_id == "b");
  BOOST_TEST(comparison.changed.size() == 1);
  BOOST_TEST(comparison.appeared.size() == 1);
  BOOST_TEST(comparison.vanished.size() == 1);
  BOOST_TEST(comparison.same == 1);
  BOOST_TEST(comparison.regressed());
}

BOOST_AUTO_TEST_CASE(what_counts_as_a_regression) {
  const Report good = with_outcomes({{"a", Outcome::pass}}), bad = with_outcomes({{"a", Outcome::fail}});
  BOOST_TEST(compare(good, bad).regressed());
  BOOST_TEST(!compare(bad, good).regressed());
  BOOST_TEST(compare(with_outcomes({}), bad).regressed());     // a new case that fails
  BOOST_TEST(!compare(with_outcomes({}), good).regressed());
  BOOST_TEST(compare(good, with_outcomes({})).regressed());    // a passing case is gone
  BOOST_TEST(!compare(bad, with_outcomes({})).regressed());
  Report caught = good, missed = good;
  caught.faults = {{"bug", "a", "", true, {"a"}, ""}};
  missed.faults = {{"bug", "a", "", false, {}, ""}};
  BOOST_TEST(compare(caught, missed).regressed());
  BOOST_TEST(!compare(missed, caught).regressed());
}

BOOST_AUTO_TEST_CASE(versions_may_differ_and_notes_say_what_else_does) {
  Report before = with_outcomes({{"a", Outcome::pass}}), after = before;
  after.subjects[0].version = "2";
  BOOST_TEST(compare(before, after).same == 1);
  after.profile = "ggml";
  after.void_reason = "a control was missed";
  const Comparison comparison = compare(before, after);
  BOOST_TEST(comparison.is_void);
  BOOST_TEST(comparison.notes.size() == 2);
  std::ostringstream out;
  write_comparison(comparison, {}, out);
  BOOST_TEST(out.str().find("void") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_comparison_is_told_without_control_characters) {
  Report after = sample_report();
  for (Result& result : after.results) result.outcome = result.outcome == Outcome::pass ? Outcome::crash : Outcome::pass;
  std::ostringstream out;
  write_comparison(compare(sample_report(), after), {}, out);
  write_comparison(compare(after, sample_report()), {}, out);
  for (char c : out.str()) BOOST_TEST((static_cast<unsigned char>(c) >= 0x20 || c == '\n'));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace gcts
