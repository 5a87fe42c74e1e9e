// Mutated cases: made on request alone, repeatable, and of every verdict.

#include <algorithm>
#include <set>

#include <boost/test/unit_test.hpp>

#include "harness/case_source.h"
#include "harness/spawn_test.h"

namespace gcts {
namespace {

void collect(CaseList& out, Tier tier, uint64_t seed, std::string glob = "format/mutated") {
  CaseRequest request;
  request.selection.run = {std::move(glob)};
  request.tier = tier;
  request.seed = seed;
  collect_cases(request, out);
}

Bytes bytes_of(const Case& c) { return c.files().at(0).bytes; }

BOOST_AUTO_TEST_SUITE(mutated)

BOOST_AUTO_TEST_CASE(tiers_and_names_decide_how_many) {
  CaseList smoke, full, one, none;
  collect(smoke, Tier::smoke, 0);
  collect(full, Tier::full, 0);
  collect(one, Tier::smoke, 0, "format/mutated/9999");
  collect(none, Tier::full, 0, "format/mutated/10000");
  BOOST_TEST(smoke.all().size() == 200u);
  BOOST_TEST(full.all().size() == 10'000u);
  BOOST_TEST(one.all().size() == 1u);
  BOOST_TEST(none.all().empty());
}

BOOST_AUTO_TEST_CASE(the_seed_and_the_id_decide_the_file) {
  CaseList all, one, other;
  collect(all, Tier::smoke, 7);
  collect(one, Tier::smoke, 7, "format/mutated/17");
  collect(other, Tier::smoke, 8, "format/mutated/17");
  const Case& named = *one.all().at(0);
  const auto same = std::find_if(all.all().begin(), all.all().end(), [&](const Case* c) { return c->id == named.id; });
  BOOST_REQUIRE((same != all.all().end()));
  BOOST_TEST((bytes_of(named) == bytes_of(**same)));
  BOOST_TEST((bytes_of(named) != bytes_of(*other.all().at(0))));
}

// A source of broken magics would pass every other test here.
BOOST_AUTO_TEST_CASE(files_are_of_every_verdict_and_break_many_rules) {
  CaseList list;
  collect(list, Tier::full, 0);
  size_t count[3] = {};
  std::set<rule::Index> broken;
  for (const Case* c : list.all()) {
    ++count[static_cast<size_t>(c->spec)];
    if (c->spec == Expectation::invalid) broken.insert(c->rule);
  }
  BOOST_TEST(count[static_cast<size_t>(Expectation::valid)] > list.all().size() / 10);
  BOOST_TEST(count[static_cast<size_t>(Expectation::invalid)] > list.all().size() / 3);
  BOOST_TEST(count[static_cast<size_t>(Expectation::either)] > 0u);
  BOOST_TEST(broken.size() > 50u);
}

BOOST_AUTO_TEST_CASE(what_is_expected_is_what_the_reference_finds) {
  CaseList list;
  collect(list, Tier::smoke, 1);
  const Profile ggml = Profile::builtin(BuiltinProfile::ggml);
  for (const Case* c : list.all()) {
    const Reading reading = read(bytes_of(*c), {.stage = c->stage});
    BOOST_TEST((judge(reading.findings, ggml) == Verdict::invalid) == (c->expected(ggml) == Expectation::invalid), c->id);
  }
}

BOOST_AUTO_TEST_CASE(the_line_that_repeats_a_case_names_the_seed) {
  // A tool that rejects everything is wrong about the valid ones among them.
  const Ran ran = run_program({"run", "--command", "false {file}", "--run", "format/mutated/1?", "--seed", "5"});
  BOOST_TEST(ran.status == 1);
  BOOST_TEST(ran.out.find("--seed 5 --run format/mutated/1") != std::string::npos, ran.out);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace gcts
