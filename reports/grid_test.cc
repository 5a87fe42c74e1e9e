// What a cell of the matrix says, and which rules are folded.

#include <boost/test/unit_test.hpp>

#include "reports/grid.h"

namespace gcts {
namespace {

Result result_of(std::string id, std::string rule, Outcome raw, std::string expected, std::string actual, uint32_t subject = 0) {
  Result out;
  out.subject = subject;
  out.case_id = std::move(id);
  out.rule = std::move(rule);
  out.outcome = out.raw = raw;
  out.expected = std::move(expected);
  out.actual = std::move(actual);
  return out;
}

Report two_subjects(std::vector<Result> results) {
  Report report;
  report.subjects = {{"one", "1", "plugin", "one.so", "gguf-cts run --plugin one.so"}, {"two", "1", "plugin", "two.so"}};
  report.results = std::move(results);
  return report;
}

BOOST_AUTO_TEST_SUITE(grid)

BOOST_AUTO_TEST_CASE(marks_tell_what_was_done) {
  const auto mark = [](Outcome raw, const char* expected, const char* actual) { return mark_of(result_of("c", "", raw, expected, actual)); };
  BOOST_TEST((mark(Outcome::pass, "accept", "accept") == Mark::accepts));
  BOOST_TEST((mark(Outcome::pass, "reject", "reject") == Mark::rejects));
  BOOST_TEST((mark(Outcome::pass, "reject", "weak reject") == Mark::rejects));
  BOOST_TEST((mark(Outcome::pass, "write", "written") == Mark::right));
  BOOST_TEST((mark(Outcome::fail, "reject", "accept") == Mark::accepts_invalid));
  BOOST_TEST((mark(Outcome::fail, "refuse", "written") == Mark::accepts_invalid));
  BOOST_TEST((mark(Outcome::fail, "accept", "reject") == Mark::rejects_valid));
  BOOST_TEST((mark(Outcome::fail, "write", "refused") == Mark::rejects_valid));
  BOOST_TEST((mark(Outcome::fail, "accept", "accept") == Mark::wrong));
  BOOST_TEST((mark(Outcome::fail, "any verdict", "accept") == Mark::accepts_invalid) == false);
  BOOST_TEST((mark(Outcome::fail, "write", "written") == Mark::wrong));
  BOOST_TEST((mark(Outcome::fail, "accept", "unsupported") == Mark::unsupported));
  BOOST_TEST((mark(Outcome::crash, "accept", "SIGSEGV") == Mark::crash));
  BOOST_TEST((mark(Outcome::inconclusive, "reject", "reject") == Mark::unproven));
}

BOOST_AUTO_TEST_CASE(an_expected_failure_is_a_failure_here) {
  Result expected = result_of("c", "", Outcome::fail, "reject", "accept");
  expected.outcome = Outcome::xfail;
  BOOST_TEST((mark_of(expected) == Mark::accepts_invalid));
  Result mended = result_of("c", "", Outcome::pass, "reject", "reject");
  mended.outcome = Outcome::xpass;
  BOOST_TEST((mark_of(mended) == Mark::rejects));
}

BOOST_AUTO_TEST_CASE(a_recommendation_that_is_not_followed_is_no_failure) {
  Result lint = result_of("format/write/writer/order.a", "order", Outcome::fail, "write", "written");
  lint.outcome = Outcome::skip;
  BOOST_TEST((mark_of(lint) == Mark::lint));
  BOOST_TEST(!is_bad(Mark::lint));
  const Report report = two_subjects({lint, result_of("format/write/writer/order.a", "order", Outcome::pass, "write", "written", 1)});
  const Grid grid = make_grid(report);
  const GridRow& row = grid.sections[0].rows[0];
  BOOST_TEST((row.cells[0].mark() == Mark::lint));
  BOOST_TEST(row.cells[0].bad == 0);
  BOOST_TEST(row.cells[0].notable() == 1);
  BOOST_TEST(!row.is_agreed());
}

BOOST_AUTO_TEST_CASE(the_worst_of_a_rule_counts) {
  const Report report = two_subjects({result_of("format/invalid/keys/key.a", "key", Outcome::pass, "reject", "reject"),
                                      result_of("format/invalid/keys/key.b", "key", Outcome::fail, "reject", "accept"),
                                      result_of("format/valid/keys/key.c", "key", Outcome::timeout, "accept", "no answer"),
                                      result_of("format/invalid/keys/key.a", "key", Outcome::pass, "reject", "reject", 1),
                                      result_of("format/valid/keys/key.c", "key", Outcome::pass, "accept", "accept", 1)});
  const Grid grid = make_grid(report);
  BOOST_REQUIRE(grid.row_count() == 1);
  const GridRow& row = grid.sections[0].rows[0];
  BOOST_TEST(grid.sections[0].title == "keys");
  BOOST_TEST(row.name == "key");
  BOOST_TEST(row.cases.size() == 3);
  BOOST_TEST((row.cells[0].mark() == Mark::timeout));
  BOOST_TEST(row.cells[0].results[0]->case_id == "format/valid/keys/key.c");
  BOOST_TEST(row.cells[0].bad == 2);
  BOOST_TEST((row.cells[1].mark() == Mark::right));
  BOOST_TEST(!row.is_agreed());
  BOOST_TEST(repeat_line(report, *row.cells[0].results[0]) == "gguf-cts run --plugin one.so --run format/valid/keys/key.c");
  BOOST_TEST(repeat_line(report, *row.cells[1].results[0]) == "");
}

BOOST_AUTO_TEST_CASE(rules_on_which_all_agree) {
  const auto agreed = [](std::vector<Result> results) { return make_grid(two_subjects(std::move(results))).sections[0].rows[0].is_agreed(); };
  const auto one = [](Outcome raw, const char* expected, const char* actual, uint32_t subject) {
    return result_of("format/either/keys/key.a", "key", raw, expected, actual, subject);
  };
  BOOST_TEST(agreed({one(Outcome::pass, "reject", "reject", 0), one(Outcome::pass, "reject", "reject", 1)}));
  BOOST_TEST(agreed({one(Outcome::pass, "reject", "reject", 0), one(Outcome::skip, "", "", 1)}));
  BOOST_TEST(agreed({one(Outcome::pass, "any verdict", "accept", 0), one(Outcome::pass, "any verdict", "accept", 1)}));
  BOOST_TEST(!agreed({one(Outcome::pass, "any verdict", "accept", 0), one(Outcome::pass, "any verdict", "reject", 1)}));
  BOOST_TEST(!agreed({one(Outcome::fail, "reject", "accept", 0), one(Outcome::fail, "reject", "accept", 1)}));
}

BOOST_AUTO_TEST_CASE(kernels_and_mutated_files_have_rows_of_their_own) {
  const Grid grid = make_grid(two_subjects({result_of("kernel/vec_dot/q4_0/avx2/bound/k=32", "kernel_bound", Outcome::pass, "right", "right"),
                                            result_of("kernel/vec_dot/q4_0/avx/exact/k=32", "kernel_exact", Outcome::fail, "right", "fail"),
                                            result_of("format/mutated/7", "key", Outcome::pass, "reject", "reject"),
                                            result_of("format/valid/keys/key.a", "key", Outcome::pass, "accept", "accept")}));
  BOOST_REQUIRE(grid.sections.size() == 3);
  BOOST_TEST(grid.sections[0].title == "keys");
  BOOST_TEST(grid.sections[1].title == "mutated files");
  BOOST_TEST(grid.sections[2].title == "kernels: vec_dot");
  BOOST_REQUIRE(grid.sections[2].rows.size() == 1);
  BOOST_TEST(grid.sections[2].rows[0].name == "q4_0");
  BOOST_TEST(grid.sections[2].rows[0].cells[0].sentence() ==
             "2 cases: 1 × goes on with other contents: reads, writes or computes something else");
}

BOOST_AUTO_TEST_CASE(rules_stand_in_the_order_of_the_report) {
  Report report = two_subjects({result_of("format/valid/b/second.a", "second", Outcome::pass, "accept", "accept"),
                                result_of("format/valid/a/first.a", "first", Outcome::pass, "accept", "accept")});
  report.rules = {{"second", "B-1", "must", "letters", "s", "e", "o"}, {"first", "A-1", "must", "letters", "s", "e", "o"}};
  const Grid grid = make_grid(report);
  BOOST_REQUIRE(grid.sections.size() == 1);
  BOOST_TEST(grid.sections[0].title == "letters");
  BOOST_TEST(grid.sections[0].rows[0].name == "second");
  BOOST_TEST(grid.sections[0].rows[1].text == &report.rules[1]);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace gcts
