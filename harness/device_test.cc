// Kernels whose operands live on a device: the worker's use of the device table.

#include <cstdlib>

#include <boost/test/unit_test.hpp>

#include "harness/suite_run_test.h"

namespace gcts {
namespace {

BOOST_AUTO_TEST_SUITE(device)

const std::string kRows = "kernel/dequantize/f32/";

BOOST_AUTO_TEST_CASE(damage_on_a_device_is_told) {
  const SuiteRan ran = run_suite({"--plugin", GCTS_DEVICE_PLUGIN, "--run", "kernel/*"});
  BOOST_TEST(ran.status == 1);
  BOOST_TEST(ran.count(kRows + "healthy/", "pass") > 20);
  for (const char* bad : {"fail", "crash", "protocol"}) BOOST_TEST(ran.count(kRows + "healthy/", bad) == 0);
  const auto all_say = [&](const std::string& row, std::string_view outcome, std::string_view words) {
    BOOST_TEST(ran.count(kRows + row, "pass") == 0, row);
    BOOST_TEST(ran.count(kRows + row, std::string(outcome)) > 20);
    for (const auto& [id, result] : ran.cases)
      if (id.starts_with(kRows + row) && result.outcome == outcome)
        BOOST_TEST(result.message.find(words) != std::string::npos, id << ": " << result.message);
  };
  all_say("writes_weights/", "fail", "writes to the weights, at byte ");
  all_say("refuses/", "fail", "GCTS_FAILED: the kernel refuses");
  all_say("loses_device/", "crash", "the device is lost: a kernel touched what is not there");
  // What lies in the operand's slack is the worker's to see, what lies beyond the device's.
  const auto& past = ran.cases.at(kRows + "writes_past_end/guard/end,k=1");
  BOOST_TEST(past.message.find("the guard zone 0 bytes from") != std::string::npos, past.message);
  BOOST_TEST(ran.cases.at(kRows + "writes_past_end/complete/k=2").outcome == "fail");
  const auto& before = ran.cases.at(kRows + "writes_before_start/guard/start,k=1");
  BOOST_TEST(before.message.find("the guard zone 0 bytes from") != std::string::npos, before.message);
  BOOST_TEST(ran.cases.at(kRows + "writes_before_start/complete/k=2").message.find("writes outside its rows, at byte -4") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(without_a_device_all_is_skipped) {
  setenv("GCTS_NO_DEVICE", "1", 1);
  const SuiteRan ran = run_suite({"--plugin", GCTS_DEVICE_PLUGIN, "--run", "kernel/*", "--allow-skip"});
  unsetenv("GCTS_NO_DEVICE");
  BOOST_TEST(ran.status == 0);
  BOOST_TEST(ran.cases.size() > 20);
  for (const auto& [id, result] : ran.cases) {
    BOOST_TEST(result.outcome == "skip", id);
    BOOST_TEST(result.message == "no device: it was taken away");
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace gcts
