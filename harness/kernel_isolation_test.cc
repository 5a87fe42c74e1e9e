// A kernel that dies takes its own cases with it and no other.

#include <boost/test/unit_test.hpp>

#include "harness/suite_run_test.h"

namespace gcts {
namespace {

BOOST_AUTO_TEST_SUITE(kernel_isolation)

BOOST_AUTO_TEST_CASE(a_kernel_that_dies_takes_its_own_cases_only) {
  const SuiteRan ran = run_suite({"--plugin", GCTS_FIVE_KERNELS_PLUGIN, "--run", "kernel/*"});
  BOOST_TEST(ran.status == 1);
  const std::string rows = "kernel/dequantize/f32/";
  for (const char* healthy : {"first/", "second/"}) {
    BOOST_TEST(ran.count(rows + healthy, "pass") > 20);
    BOOST_TEST(ran.count(rows + healthy, "crash") == 0);
    BOOST_TEST(ran.count(rows + healthy, "fail") == 0);
  }
  BOOST_TEST(ran.count(rows + "third_aborts/", "pass") == 0);
  BOOST_TEST(ran.count(rows + "third_aborts/", "crash") ==
             ran.count(rows + "first/", "pass"));
  // Within a row too: only the calls of seven elements are lost.
  size_t sevens = 0;
  for (const auto& [id, result] : ran.cases) {
    if (!id.starts_with(rows + "fourth_aborts_at_seven/") || result.outcome == "skip") continue;
    const bool seven = id.ends_with("k=7");
    sevens += seven;
    BOOST_TEST(result.outcome == (seven ? "crash" : "pass"), id << ": " << result.message);
  }
  BOOST_TEST(sevens > 0);
}

BOOST_AUTO_TEST_CASE(weights_lie_in_a_mapped_file_at_its_alignment) {
  const SuiteRan ran = run_suite({"--plugin", GCTS_FIVE_KERNELS_PLUGIN, "--run", "kernel/*/mapped/*"});
  const std::string rows = "kernel/dequantize/f32/";
  for (const char* file : {"8", "32", "64"}) {
    const std::string id = "mapped/alignment=" + std::string(file);
    BOOST_TEST(ran.count(rows + "first/" + id, "pass") == 1);
    BOOST_TEST(ran.count(rows + "fifth_aborts_off_32/" + id, std::string(file) == "8" ? "crash" : "pass") == 1);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace gcts
