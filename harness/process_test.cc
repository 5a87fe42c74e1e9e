// Adapters that are right, and adapters with one fault each, through --process.

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "gcts/plugin.h"
#include "harness/contents_told.h"
#include "harness/process_protocol.h"
#include "harness/spawn_test.h"

namespace gcts {
namespace {

const char* const kAdapter = GCTS_SOURCE_DIR "/harness/adapter_test.py";

bool have_python() {
  if (std::system("python3 -c 'import json' >/dev/null 2>&1") == 0) return true;
  BOOST_TEST_MESSAGE("skipped: there is no python3");
  return false;
}

std::string adapter(const std::string& mode) { return std::string("python3 ") + kAdapter + " " + mode; }

// Outcome and message of each case that ran.
std::map<std::string, std::pair<std::string, std::string>> outcomes(const std::string& mode, const std::string& glob) {
  const Ran ran = run_program({"run", "--process", adapter(mode), "--run", glob, "--format", "jsonl", "-j", "1"});
  std::map<std::string, std::pair<std::string, std::string>> out;
  std::istringstream lines(ran.out);
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("outcome")) continue;
    out[json["case"]] = {json["outcome"], json.value("message", "")};
  }
  BOOST_TEST_INFO(ran.err);
  BOOST_TEST(!out.empty());
  return out;
}

constexpr const char* kGlob = "format/valid/values/float_bits.f32_*";  // four files and more

// The second file meets the fault, and the others nothing.
void one_fault(const std::string& mode, const std::string& outcome, const std::string& words) {
  if (!have_python()) return;
  int bad = 0, good = 0;
  for (const auto& [id, what] : outcomes(mode, kGlob)) {
    BOOST_TEST_INFO(mode << ": " << id << ": " << what.second);
    if (what.first == "pass") {
      ++good;
      continue;
    }
    ++bad;
    BOOST_TEST(what.first == outcome);
    BOOST_TEST(what.second.find(words) != std::string::npos, what.second);
  }
  // A child that was replaced reads on from its own first file: every other one fails.
  BOOST_TEST(bad >= 1);
  BOOST_TEST(good >= 1);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(process)

BOOST_AUTO_TEST_CASE(a_right_adapter_passes) {
  if (!have_python()) return;
  for (const char* glob : {"format/valid/values/*", "format/valid/strings/*", "format/valid/tensors/*"}) {
    for (const auto& [id, what] : outcomes("good", glob)) {
      BOOST_TEST((what.first == "pass" || what.first == "skip"), id << ": " << what.first << ": " << what.second);
    }
  }
}

BOOST_AUTO_TEST_CASE(untold_types_are_compared_by_value) {
  if (!have_python()) return;
  for (const auto& [id, what] : outcomes("untyped", "format/valid/values/*")) {
    BOOST_TEST((what.first == "pass" || what.first == "skip"), id << ": " << what.first << ": " << what.second);
  }
}

BOOST_AUTO_TEST_CASE(untold_tensors_are_not_compared) {
  if (!have_python()) return;
  for (const char* glob : {"format/valid/keys/*", "format/valid/tensors/*"}) {
    for (const auto& [id, what] : outcomes("pairs", glob)) {
      BOOST_TEST((what.first == "pass" || what.first == "skip"), id << ": " << what.first << ": " << what.second);
    }
  }
}

// An order that the reader does not keep is not compared; one that it keeps wrong is.
BOOST_AUTO_TEST_CASE(unordered_contents_are_compared_by_name) {
  if (!have_python()) return;
  int failed = 0;
  for (const char* glob : {"format/valid/keys/*", "format/valid/tensors/*"}) {
    for (const auto& [id, what] : outcomes("unordered", glob)) {
      BOOST_TEST((what.first == "pass" || what.first == "skip"), id << ": " << what.first << ": " << what.second);
    }
    for (const auto& [id, what] : outcomes("reversed", glob)) failed += what.first == "fail";
  }
  BOOST_TEST(failed > 10);
}

BOOST_AUTO_TEST_CASE(wrong_contents_fail) {
  if (!have_python()) return;
  for (const auto& [id, what] : outcomes("wrong", "format/valid/tensors/tensor_bytes.rows")) {
    BOOST_TEST(what.first == "fail");
    BOOST_TEST(what.second.find("offset 0, got offset 32") != std::string::npos, what.second);
  }
}

// Whatever stands in a field of hello is taken or told, never thrown over.
BOOST_AUTO_TEST_CASE(fields_of_hello_of_another_kind) {
  using nlohmann::json;
  const json whole{{"id", 1}, {"ok", true}, {"protocol", kProcessProtocol}, {"name", "n"}, {"version", "1"}, {"reads", json::array({"file"})},
                   {"writes", json::array({"file"})}, {"dequantizes", json::array({2, 8})}, {"variant", "simd"}};
  const auto parsed = [](const json& hello, std::string& error) {
    Description description;
    return parse_hello(hello.dump(), 1, description, error);
  };
  std::string error;
  BOOST_TEST(parsed(whole, error), error);
  for (const auto& [field, right] : whole.items())
    for (const json& other : {json(3), json(-1), json(true), json(nullptr), json::array({json::array()}), json{{"hex", 7}}, json(1e300)}) {
      json hello = whole;
      hello[field] = other;
      error.clear();
      BOOST_TEST_CONTEXT(field << " is " << other.dump()) BOOST_CHECK_NO_THROW(parsed(hello, error));
    }
  json hello = whole;
  hello["variant"] = 3;
  error.clear();
  BOOST_TEST(!parsed(hello, error));
  BOOST_TEST(error.find("variant") != std::string::npos, error);
}

BOOST_AUTO_TEST_CASE(an_abort_is_a_crash) { one_fault("crash", "crash", "SIGABRT"); }
BOOST_AUTO_TEST_CASE(an_exit_is_a_crash) { one_fault("quit", "crash", "exit status 7 (it wrote: gave up)"); }
BOOST_AUTO_TEST_CASE(nonsense_is_a_protocol_error) { one_fault("nonsense", "protocol", "no JSON object: 'hello?'"); }
BOOST_AUTO_TEST_CASE(an_answer_to_another_question_is_a_protocol_error) { one_fault("late", "protocol", "without 'id'"); }
BOOST_AUTO_TEST_CASE(output_is_capped) { one_fault("flood", "protocol", "a line of more than"); }
BOOST_AUTO_TEST_CASE(memory_is_capped) { one_fault("hoard", "memory", "the limit is 1024 MiB"); }

// Stops after the first file that hangs: each costs its whole limit.
BOOST_AUTO_TEST_CASE(a_busy_loop_times_out) {
  if (!have_python()) return;
  bool timed_out = false;
  for (const auto& [id, what] : outcomes("spin", "format/valid/values/float_bits.f32_nan_*")) {
    if (what.first != "timeout") continue;
    timed_out = true;
    // On a starved machine the wall time is over before the CPU time is used.
    const bool told = what.second.find("CPU time") != std::string::npos || what.second.find("no answer within") != std::string::npos;
    BOOST_TEST(told, what.second);
  }
  BOOST_TEST(timed_out);
}

BOOST_AUTO_TEST_CASE(check_adapter_tells_right_from_wrong) {
  if (!have_python()) return;
  const Ran good = run_program({"check-adapter", adapter("good")});
  BOOST_TEST(good.status == 0, good.out);
  BOOST_TEST(good.out.find("FAIL") == std::string::npos, good.out);
  BOOST_TEST(run_program({"check-adapter", adapter("untyped")}).status == 0);
  BOOST_TEST(run_program({"check-adapter", adapter("unordered")}).status == 0);
  for (const char* mode : {"crash", "quit", "nonsense", "late", "flood", "wrong", "reversed"}) {
    const Ran bad = run_program({"check-adapter", adapter(mode)});
    BOOST_TEST(bad.status == 1, mode << ": " << bad.out);
    BOOST_TEST(bad.out.find("FAIL") != std::string::npos);
  }
  BOOST_TEST(run_program({"check-adapter", "/nonexistent/adapter"}).status == 1);
  BOOST_TEST(run_program({"check-adapter", "true"}).out.find("exit status 0") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_adapter_that_does_not_start_is_no_run) {
  const Ran ran = run_program({"run", "--process", "/nonexistent/adapter", "--run", kGlob});
  BOOST_TEST(ran.status == 2);
  BOOST_TEST(ran.err.find("cannot start") != std::string::npos, ran.err);
}

BOOST_AUTO_TEST_CASE(numbers_have_one_text) {
  const double tenth = 0.1, zero = -0.0, large = 18446744073709551616.0;
  const float third = 0.1f;
  BOOST_TEST(number_text(GCTS_FLOAT64, &tenth) == number_text("0.1"));
  BOOST_TEST(number_text(GCTS_FLOAT32, &third) == number_text("0.10000000149011612"));
  BOOST_TEST(number_text(GCTS_FLOAT32, &third) != number_text("0.1"));
  BOOST_TEST(number_text(GCTS_FLOAT64, &zero) == number_text("0"));
  BOOST_TEST(number_text(GCTS_FLOAT64, &large) == number_text("1.8446744073709552e19"));
  BOOST_TEST(number_text("18446744073709551615") == "18446744073709551615");
  BOOST_TEST(number_text("-007") == "-7");
  BOOST_TEST(number_text("NaN") == "nan");
  BOOST_TEST(number_text("Infinity") == "inf");
  for (const char* none : {"", "-", "x", "1x", "0x10"}) BOOST_TEST(number_text(none) == "", none);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace gcts
