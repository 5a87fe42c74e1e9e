// The verb run as its user meets it: exit statuses, selections, expected failures.

#include <sys/wait.h>

#include <algorithm>
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "harness/fault_table.h"
#include "harness/locations.h"
#include "harness/spawn_test.h"
#include "harness/xfail.h"
#include "reports/report.h"

namespace gcts {
namespace {

using Words = std::vector<std::string>;

Words run_words(std::string_view plugin, Words more) {
  Words words{"run", "--plugin", own_plugin(plugin)};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// The report of a run, and its exit status.
struct Reported {
  int status;
  Report report;

  explicit Reported(Words words) {
    words.insert(words.end(), {"--format", "jsonl"});
    const Ran ran = run_program(words);
    status = ran.status;
    std::istringstream in(ran.out);
    std::string error;
    BOOST_TEST(read_jsonl(in, report, error), error << ran.err);
  }
  std::map<std::string, Outcome> outcomes() const {
    std::map<std::string, Outcome> out;
    for (const Result& result : report.results) out[result.case_id] = result.outcome;
    return out;
  }
  size_t count(Outcome outcome) const {
    size_t n = 0;
    for (const Result& result : report.results) n += result.outcome == outcome;
    return n;
  }
};

// A fault in the environment of programs started while it lives.
class Planted {
 public:
  explicit Planted(std::string_view fault) { setenv("GCTS_FAULT", std::string(fault).c_str(), 1); }
  ~Planted() { unsetenv("GCTS_FAULT"); }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(run)

BOOST_AUTO_TEST_CASE(the_reference_passes) {
  for (const char* profile : {"spec", "ggml"}) {
    const Reported run(run_words("reference", {"--run", "format", "--profile", profile}));
    BOOST_TEST(run.status == 0);
    BOOST_TEST(run.report.void_reason == "");
    BOOST_TEST(run.count(Outcome::pass) > 700);
    for (const Result& result : run.report.results) {
      BOOST_TEST(!is_bad(result.outcome), result.case_id << ": " << result.message);
    }
  }
}

BOOST_AUTO_TEST_CASE(exit_statuses) {
  const auto status = [](const Words& words) { return run_program(words).status; };
  BOOST_TEST(status({"run", "--no-such-option"}) == 2);
  BOOST_TEST(status({"run", "--tier", "huge"}) == 2);
  BOOST_TEST(status({"run", "--shard", "3/2"}) == 2);
  BOOST_TEST(status({"run", "--profile", "/nowhere/profile.json"}) == 2);
  BOOST_TEST(status({"run", "--format", "odd"}) == 2);
  BOOST_TEST(status({"run", "--limit", "cpu=never"}) == 2);
  BOOST_TEST(status({"run", "--update-xfail"}) == 2);
  BOOST_TEST(status({"run", "--plugin", "/nowhere/none.so"}) == 2);
  BOOST_TEST(status({"run", "--command", "true"}) == 2);
  BOOST_TEST(status(run_words("reference", {"--run", "format/no/such/case"})) == 3);
  BOOST_TEST(status(run_words("template", {"--run", "format/write"})) == 3);
  BOOST_TEST(status(run_words("template", {"--run", "format/write", "--allow-skip"})) == 0);
  BOOST_TEST(status(run_words("reference", {"--run", "format/valid/keys"})) == 0);
  const Planted fault("key_empty_accepted");
  BOOST_TEST(status(run_words("faulty", {"--run", "format/invalid/keys"})) == 1);
}

BOOST_AUTO_TEST_CASE(shards_add_up) {
  const Reported whole(run_words("template", {"--run", "format/invalid"}));
  std::map<std::string, Outcome> together;
  for (const char* shard : {"1/3", "2/3", "3/3"}) {
    for (const auto& [id, outcome] : Reported(run_words("template", {"--run", "format/invalid", "--shard", shard})).outcomes()) {
      BOOST_TEST(together.emplace(id, outcome).second);
    }
  }
  BOOST_TEST((together == whole.outcomes()));
}

BOOST_AUTO_TEST_CASE(results_do_not_depend_on_jobs) {
  const auto told = [](const char* jobs) {
    std::string out;
    for (const Result& r : Reported(run_words("template", {"--run", "format", "-j", jobs})).report.results) {
      out += r.case_id + " " + std::string(outcome_name(r.outcome)) + " " + r.message + "\n";
    }
    return out;
  };
  const std::string one = told("1");
  BOOST_TEST(one == told("2"));
  BOOST_TEST(one == told("7"));
}

BOOST_AUTO_TEST_CASE(the_parent_travels) {
  // A tool that rejects everything rejects the valid parent too: that proves nothing.
  const Reported run({"run", "--run", "format/invalid/keys", "--command", "sh -c 'echo bad; exit 1' {file}",
                      "--reject-pattern", "bad"});
  BOOST_TEST(run.status == 1);
  BOOST_TEST(run.count(Outcome::inconclusive) == run.report.results.size());
  // Parents are not results of their own.
  for (const Result& result : run.report.results) BOOST_TEST(result.case_id.starts_with("format/invalid/keys/"));
}

BOOST_AUTO_TEST_CASE(a_weak_reject_needs_its_pattern) {
  const std::string check = std::string(GCTS_PROGRAM) + " check --profile spec {file}";
  const Words words{"run", "--run", "format/*/header", "--skip", "format/either", "--command", check};
  Words with_pattern = words;
  with_pattern.insert(with_pattern.end(), {"--reject-pattern", "[a-z]+_[a-z]+"});
  const Reported with(with_pattern);
  BOOST_TEST(with.status == 0);
  for (const Result& r : with.report.results) BOOST_TEST(!is_bad(r.outcome), r.case_id << ": " << r.message);
  const Reported without(words);
  BOOST_TEST(without.status == 1);
  BOOST_TEST(without.count(Outcome::untrusted) > 0);
  BOOST_TEST(without.count(Outcome::pass) > 0);
}

BOOST_AUTO_TEST_CASE(expected_failures) {
  const ScratchFolder scratch;
  const std::string file = scratch.path("xfail.json");
  const Planted fault("key_empty_accepted");
  const Words words = run_words("faulty", {"--run", "format/invalid/keys", "--xfail", file});
  BOOST_TEST(run_program(words).status == 2);  // no such file yet
  Words update = words;
  update.push_back("--update-xfail");
  BOOST_TEST(run_program(update).status == 0);
  const Reported again(words);
  BOOST_TEST(again.status == 0);
  BOOST_TEST(again.count(Outcome::xfail) > 0);
  // A case that passes where a failure is expected is drift.
  XfailFile expected;
  std::string error;
  BOOST_TEST(load_xfail(file, expected, error), error);
  const auto passes = again.outcomes();
  const auto passing = std::find_if(passes.begin(), passes.end(), [](const auto& p) { return p.second == Outcome::pass; });
  expected.entries.push_back({passing->first, Outcome::crash, "was mended"});
  {
    std::ofstream out(file);
    write_xfail(expected, out);
  }
  const Reported drifted(words);
  BOOST_TEST(drifted.status == 1);
  BOOST_TEST(drifted.count(Outcome::xpass) == 1);
  BOOST_TEST(run_program(update).status == 0);
  BOOST_TEST(run_program(words).status == 0);
}

BOOST_AUTO_TEST_CASE(a_budget_of_time_ends_a_run) {
  const Reported run(run_words("reference", {"--run", "format", "--time-budget", "0s"}));
  BOOST_TEST(run.status == 0);  // no budget at all
  const Planted fault("array_of_unknown_skipped_forever");
  // One that is running is ended by its own limit, those after it do not start.
  const Reported cut(run_words("faulty", {"--run", "format/invalid/arrays", "--time-budget", "1s", "--limit", "cpu=2s"}));
  BOOST_TEST(cut.count(Outcome::timeout) <= 1);  // of five
  BOOST_TEST(cut.count(Outcome::skip) > 0);
}

BOOST_AUTO_TEST_CASE(emulators_are_repeated) {
  const Planted fault("key_empty_accepted");
  const Reported run(run_words("faulty", {"--run", "format/invalid/keys", "--emulator", "env GCTS_UNUSED='a b'"}));
  BOOST_TEST(run.count(Outcome::fail) > 0);
  for (const Result& result : run.report.results) {
    if (!is_bad(result.outcome)) continue;
    BOOST_TEST(result.repro.find("GCTS_FAULT=key_empty_accepted ") == 0, result.repro);
    BOOST_TEST(result.repro.find("--emulator 'env GCTS_UNUSED='\\''a b'\\'''") != std::string::npos, result.repro);
    BOOST_TEST(std::system((result.repro + " > /dev/null").c_str()) != 0);
  }
}

BOOST_AUTO_TEST_SUITE_END()

// Every failing case of a faulty plugin fails again by its printed line.  The lines of one
// fault differ in the case alone, which is checked, and so they are pasted together: up to
// kAlone of them each in a process of its own, the others in one run; and for each kind
// of outcome one line is pasted into a shell as it stands.  A ctest of its own: there are
// thousands.
BOOST_AUTO_TEST_SUITE(repro_lines, *boost::unit_test::disabled())

constexpr size_t kAlone = 24;
const Words kSmallLimits{"--limit", "cpu=1s", "--limit", "wall=10s", "--limit", "memory=256"};

Words faulty_words(Words more) {
  Words words = run_words("faulty", std::move(more));
  words.insert(words.end(), kSmallLimits.begin(), kSmallLimits.end());
  return words;
}

// All of `ids` fail again under the fault that is planted.
void fail_again(const Words& ids, bool alone) {
  if (ids.empty()) return;
  Words words = faulty_words({});
  if (alone) words.push_back("--isolate");
  for (const std::string& id : ids) words.insert(words.end(), {"--run", id});
  const Reported again(words);
  BOOST_TEST(again.report.results.size() == ids.size());
  for (const Result& result : again.report.results) {
    BOOST_TEST(is_bad(result.raw), result.case_id << " does not fail again");
  }
}

// Every fourth fault each, so that they run side by side.
constexpr int kParts = 4;

BOOST_DATA_TEST_CASE(every_failure_fails_again, boost::unit_test::data::xrange(kParts), part) {
  std::set<Outcome> pasted;
  size_t lines = 0;
  int place = 0;
  for (const FaultRow& fault : fault_rows()) {
    if (!fault.check.starts_with("format/") || place++ % kParts != part) continue;
    BOOST_TEST_CONTEXT(fault.name) {
      const Planted planted(fault.name);
      const Reported first(faulty_words({"--run", "format"}));
      Words failed;
      std::string prefix;
      for (const Result& result : first.report.results) {
        if (!is_bad(result.raw)) continue;
        const std::string end = " --run " + result.case_id;
        BOOST_REQUIRE(result.repro.ends_with(end));
        const std::string before = result.repro.substr(0, result.repro.size() - end.size());
        if (prefix.empty()) prefix = before;
        BOOST_TEST(before == prefix);
        failed.push_back(result.case_id);
        if (pasted.insert(result.raw).second) {
          BOOST_TEST(std::system((result.repro + " > /dev/null 2>&1").c_str()) != 0, result.repro);
        }
      }
      lines += failed.size();
      // Those that run alone are spread over all of them.
      Words alone, others;
      for (size_t i = 0; i < failed.size(); ++i) {
        const bool chosen = i * kAlone / failed.size() != (i + 1) * kAlone / failed.size() || failed.size() <= kAlone;
        (chosen ? alone : others).push_back(failed[i]);
      }
      fail_again(alone, true);
      fail_again(others, false);
    }
  }
  BOOST_TEST_MESSAGE(lines << " lines");
  BOOST_TEST(lines > 250);
}

// Of the kernels' faults every fifth: the line of each kind of outcome, as it stands.
BOOST_AUTO_TEST_CASE(kernel_failures_fail_again) {
  size_t place = 0, lines = 0;
  for (const FaultRow& fault : fault_rows()) {
    if (!fault.check.starts_with("kernel/") || place++ % 5 != 0) continue;
    std::map<Outcome, std::string> lines_of;
    {
      const Planted planted(fault.name);
      for (const Result& result : Reported(run_words("faulty", {"--run", std::string(fault.check)})).report.results)
        if (is_bad(result.raw)) lines_of.emplace(result.raw, result.repro);
    }
    BOOST_TEST(!lines_of.empty(), fault.name);
    lines += lines_of.size();
    for (const auto& [outcome, line] : lines_of) BOOST_TEST(WEXITSTATUS(std::system((line + " > /dev/null 2>&1").c_str())) == 1, line);
  }
  BOOST_TEST(lines >= 30);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace gcts
