// Expected failures: what counts as drift, and that an update settles it.

#include "harness/xfail.h"

#include <boost/test/unit_test.hpp>
#include <sstream>

#include "harness/exit_status.h"

namespace gcts {
namespace {

Report report_of(std::initializer_list<std::pair<const char*, Outcome>> results) {
  Report report;
  report.subjects.push_back({"mine", "1", "plugin", "mine.so"});
  report.subjects.push_back({"other", "1", "plugin", "other.so"});
  for (const auto& [id, outcome] : results) {
    Result result;
    result.case_id = id;
    result.outcome = result.raw = outcome;
    report.results.push_back(result);
  }
  return report;
}

Outcome applied(Outcome expected, Outcome actual) {
  const XfailFile file{"mine", {{"a/*", expected, ""}}};
  Report report = report_of({{"a/b", actual}});
  apply_xfail(file, report);
  BOOST_TEST((report.results[0].raw == actual));
  return report.results[0].outcome;
}

}  // namespace


BOOST_AUTO_TEST_SUITE(xfail)

BOOST_AUTO_TEST_CASE(every_drift_fails) {
  BOOST_TEST((applied(Outcome::fail, Outcome::fail) == Outcome::xfail));
  BOOST_TEST((applied(Outcome::crash, Outcome::crash) == Outcome::xfail));
  BOOST_TEST((applied(Outcome::fail, Outcome::pass) == Outcome::xpass));
  BOOST_TEST((applied(Outcome::fail, Outcome::crash) == Outcome::crash));
  BOOST_TEST((applied(Outcome::timeout, Outcome::fail) == Outcome::fail));
  BOOST_TEST((applied(Outcome::fail, Outcome::skip) == Outcome::skip));
  BOOST_TEST(is_bad(Outcome::xpass));
  BOOST_TEST(!is_bad(Outcome::xfail));
}

BOOST_AUTO_TEST_CASE(any_of_several_outcomes_is_expected) {
  const XfailFile file{"mine", {{"a/*", Outcome::timeout, "", "", {Outcome::memory}}}};
  Report report = report_of({{"a/b", Outcome::memory}, {"a/c", Outcome::timeout}, {"a/d", Outcome::crash}, {"a/e", Outcome::pass}});
  apply_xfail(file, report);
  BOOST_TEST((report.results[0].outcome == Outcome::xfail));
  BOOST_TEST((report.results[1].outcome == Outcome::xfail));
  BOOST_TEST((report.results[2].outcome == Outcome::crash));
  BOOST_TEST((report.results[3].outcome == Outcome::xpass));
  // An update keeps the list where the outcome stays, and gives a runaway either limit.
  const XfailFile updated = updated_xfail({"mine", {}}, report_of({{"a/b", Outcome::memory}, {"a/c", Outcome::fail}}));
  BOOST_TEST((updated.find("a/b")->expects(Outcome::timeout) && updated.find("a/b")->expects(Outcome::memory)));
  BOOST_TEST(!updated.find("a/c")->expects(Outcome::timeout));
  std::stringstream text;
  write_xfail(updated, text);
  XfailFile again;
  std::string error;
  BOOST_TEST(parse_xfail(text, again, error), error);
  BOOST_TEST((again.find("a/b")->outcome == Outcome::memory && again.find("a/b")->expects(Outcome::timeout)));
  for (const char* bad : {R"([])", R"(["pass"])", R"(["fail", "xpass"])", "3"}) {
    std::istringstream in(std::string(R"({"schema": 1, "implementation": "m", "expected": [{"case": "a", "outcome": )") + bad + "}]}");
    BOOST_TEST(!parse_xfail(in, again, error), bad);
  }
}

BOOST_AUTO_TEST_CASE(a_fault_that_does_not_always_show_may_pass) {
  const XfailFile file{"mine", {{"a/*", Outcome::crash, "reads too far", "", {Outcome::pass}}}};
  const auto run = [] { return report_of({{"a/b", Outcome::crash}, {"a/c", Outcome::pass}, {"a/d", Outcome::fail}}); };
  Report report = run();
  apply_xfail(file, report);
  BOOST_TEST((report.results[0].outcome == Outcome::xfail));
  BOOST_TEST((report.results[1].outcome == Outcome::pass));
  BOOST_TEST((report.results[2].outcome == Outcome::fail));
  const XfailFile updated = updated_xfail(file, run());
  BOOST_TEST(updated.entries.size() == 2);
  BOOST_TEST((updated.find("a/c")->expects(Outcome::pass) && updated.find("a/c")->reason == "reads too far"));
  std::stringstream text;
  write_xfail(file, text);
  XfailFile again;
  std::string error;
  BOOST_TEST(parse_xfail(text, again, error), error);
  BOOST_TEST((again.find("a/b")->outcome == Outcome::crash && again.find("a/b")->may_pass()));
}

BOOST_AUTO_TEST_CASE(other_subjects_are_left_alone) {
  Report report = report_of({{"a/b", Outcome::fail}});
  report.results[0].subject = 1;
  apply_xfail({"mine", {{"a/b", Outcome::fail, ""}}}, report);
  BOOST_TEST((report.results[0].outcome == Outcome::fail));
}

BOOST_AUTO_TEST_CASE(the_first_entry_counts) {
  const XfailFile file{"mine", {{"a/b", Outcome::crash, ""}, {"a/*", Outcome::fail, ""}}};
  Report report = report_of({{"a/b", Outcome::crash}, {"a/c", Outcome::fail}});
  apply_xfail(file, report);
  BOOST_TEST((report.results[0].outcome == Outcome::xfail));
  BOOST_TEST((report.results[1].outcome == Outcome::xfail));
}

// Which generated cases meet a known fault changes with the seed.
BOOST_AUTO_TEST_CASE(an_entry_for_a_rule_excuses_only_that_rule_and_is_no_promise) {
  const XfailFile file{"mine", {{"a/*", Outcome::fail, "known", "utf8"}}};
  const auto run = [] {
    Report report = report_of({{"a/1", Outcome::fail}, {"a/2", Outcome::pass}, {"a/3", Outcome::crash}, {"a/4", Outcome::fail}});
    for (int i : {0, 1, 2}) report.results[static_cast<size_t>(i)].rule = "utf8";
    report.results[3].rule = "other";
    return report;
  };
  Report report = run();
  apply_xfail(file, report);
  BOOST_TEST((report.results[0].outcome == Outcome::xfail));
  BOOST_TEST((report.results[1].outcome == Outcome::pass));
  BOOST_TEST((report.results[2].outcome == Outcome::crash));
  BOOST_TEST((report.results[3].outcome == Outcome::fail));
  const XfailFile updated = updated_xfail(file, run());
  BOOST_TEST(updated.entries.size() == 3);
  BOOST_TEST(updated.find("a/1", "utf8")->rule == "utf8");
  std::ostringstream text;
  write_xfail(updated, text);
  XfailFile again;
  std::string error;
  std::istringstream in(text.str());
  BOOST_TEST(parse_xfail(in, again, error));
  BOOST_TEST(again.find("a/9", "utf8"));
  BOOST_TEST(!again.find("a/9", "other"));
}

BOOST_AUTO_TEST_CASE(update_settles_all_drift) {
  const XfailFile old{"mine",
                      {{"a/passes", Outcome::fail, "was bad"},
                       {"a/same", Outcome::fail, "known"},
                       {"a/other", Outcome::fail, "known too"},
                       {"b/not_run", Outcome::crash, "elsewhere"}}};
  const auto run = [] {
    return report_of({{"a/passes", Outcome::pass},
                      {"a/same", Outcome::fail},
                      {"a/other", Outcome::timeout},
                      {"a/fresh", Outcome::memory},
                      {"a/good", Outcome::pass}});
  };
  const XfailFile updated = updated_xfail(old, run());
  Report report = run();
  apply_xfail(updated, report);
  BOOST_TEST(exit_status(report, {.selected = 5, .allow_skip = false}) == 0);
  std::ostringstream text;
  write_xfail(updated, text);
  XfailFile again;
  std::string error;
  std::istringstream in(text.str());
  BOOST_TEST(parse_xfail(in, again, error));
  BOOST_TEST(again.entries.size() == 4);
  BOOST_TEST(again.find("a/same")->reason == "known");
  BOOST_TEST(again.find("b/not_run")->reason == "elsewhere");
  BOOST_TEST(!again.find("a/passes"));
  BOOST_TEST((again.find("a/other")->outcome == Outcome::timeout));
}

BOOST_AUTO_TEST_CASE(bad_files_are_explained) {
  const std::pair<const char*, const char*> bad[] = {
      {"", "no JSON object"},
      {"[]", "no JSON object"},
      {"{}", "'schema'"},
      {R"({"schema": 2, "implementation": "x", "expected": []})", "'schema'"},
      {R"({"schema": 1, "expected": []})", "'implementation'"},
      {R"({"schema": 1, "implementation": "x"})", "'expected'"},
      {R"({"schema": 1, "implementation": "x", "expected": [7]})", "entry 1"},
      {R"({"schema": 1, "implementation": "x", "expected": [{"case": "a"}]})", "'outcome'"},
      {R"({"schema": 1, "implementation": "x", "expected": [{"case": "a", "outcome": "pass"}]})", "'pass'"},
      {R"({"schema": 1, "implementation": "x", "expected": [{"case": "a", "outcome": "odd"}]})", "'odd'"},
  };
  for (const auto& [text, explanation] : bad) {
    BOOST_TEST_CONTEXT(text) {
      XfailFile file;
      std::string error;
      std::istringstream in(text);
      BOOST_TEST(!parse_xfail(in, file, error));
      BOOST_TEST(error.find(explanation) != std::string::npos, error);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(exit_statuses)

BOOST_AUTO_TEST_CASE(as_promised) {
  const ExitTerms terms{.selected = 2, .allow_skip = false};
  const auto status = [&](std::initializer_list<std::pair<const char*, Outcome>> results, ExitTerms t) {
    return exit_status(report_of(results), t);
  };
  BOOST_TEST(status({{"a", Outcome::pass}, {"b", Outcome::skip}}, terms) == 0);
  BOOST_TEST(status({{"a", Outcome::pass}, {"b", Outcome::xfail}}, terms) == 0);
  for (Outcome bad : {Outcome::fail, Outcome::crash, Outcome::timeout, Outcome::memory, Outcome::protocol,
                      Outcome::inconclusive, Outcome::untrusted, Outcome::xpass}) {
    BOOST_TEST(status({{"a", Outcome::pass}, {"b", bad}}, terms) == 1);
  }
  BOOST_TEST(status({{"a", Outcome::skip}, {"b", Outcome::skip}}, terms) == 3);
  BOOST_TEST(status({{"a", Outcome::skip}}, {.selected = 1, .allow_skip = true}) == 0);
  BOOST_TEST(status({}, {.selected = 0, .allow_skip = false}) == 3);
  BOOST_TEST(status({}, {.selected = 0, .allow_skip = true}) == 3);
  BOOST_TEST(status({}, terms) == 0);  // an empty shard of a selection that is not empty

  Report report = report_of({{"a", Outcome::pass}});
  report.faults.push_back({"bug", "a", "", true, {}, ""});
  BOOST_TEST(exit_status(report, terms) == 0);
  report.faults.push_back({"bug", "a", "", false, {}, ""});
  BOOST_TEST(exit_status(report, terms) == 1);
  report.void_reason = "a control was missed";
  BOOST_TEST(exit_status(report, terms) == 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace gcts
