// The kernels for AArch64 under an emulator: right on a CPU that has everything, skipped
// by name on one that lacks dotprod.

#define BOOST_TEST_MODULE neon
#include <boost/test/unit_test.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "harness/kernel_case.h"
#include "harness/suite_run_test.h"

namespace gcts {
namespace {

// Enough for a machine with ten times as much to do.
constexpr unsigned kSeconds = 900;
constexpr const char* kSystem = "/usr/aarch64-linux-gnu";

// Why nothing can be run; ctest takes "skipped: ..." for a skip.
bool possible() {
  std::string why;
  std::error_code ignored;
  if (std::string_view(GCTS_AARCH64_FOLDER).empty()) why = "no aarch64-linux-gnu-g++ when the build was configured";
  else if (std::system("command -v qemu-aarch64 >/dev/null") != 0) why = "no qemu-aarch64";
  else if (!std::filesystem::exists(kSystem, ignored)) why = std::string("no ") + kSystem;
  if (!why.empty()) BOOST_TEST_MESSAGE("skipped: " << why);
  return why.empty();
}

SuiteRan run_on(const std::string& cpu, const std::vector<std::string>& globs, const std::string& plugin = "cpu") {
  std::vector<std::string> arguments = {"--plugin", GCTS_AARCH64_FOLDER "/plugins/" + plugin + ".so", "--emulator",
                                        "qemu-aarch64 -cpu " + cpu + " -L " + kSystem};
  for (const std::string& glob : globs) arguments.insert(arguments.end(), {"--run", glob});
  return run_suite(arguments, kSeconds);
}

// The first `count` parts of a slash path.
std::string leading(const std::string& id, int count) {
  size_t end = 0;
  for (int i = 0; i < count && end != std::string::npos; ++i) end = id.find('/', end + (i > 0));
  return id.substr(0, end);
}

BOOST_AUTO_TEST_CASE(smoke) {
  if (!possible()) return;
  const SuiteRan ran = run_on("max", {"kernel/*"});
  BOOST_TEST(ran.status == 0, ran.err);
  std::map<std::string, size_t> passes;  // by row and check, and by row
  for (const auto& [id, result] : ran.cases) {
    BOOST_TEST((result.outcome == "pass" || result.outcome == "skip"), id << ": " << result.outcome << ": " << result.message);
    BOOST_TEST(result.message.find("this machine lacks") == std::string::npos, id);
    passes[leading(id, 4)] += result.outcome == "pass";
    passes[leading(id, 5)] += result.outcome == "pass";
  }
  // What generic has, every variant has but for the quantizers of the float types.
  for (const auto& [name, count] : passes) {
    BOOST_TEST(count > 0, name << " has no case that passes");
    const bool plain = name.starts_with("kernel/quantize/f16/") || name.starts_with("kernel/quantize/bf16/");
    if (plain || name.find("/generic") == std::string::npos) continue;
    for (const char* variant : {"/neon", "/neon_dotprod"}) {
      std::string other = name;
      other.replace(other.find("/generic"), 8, variant);
      BOOST_TEST(passes.contains(other), other << " is not there");
    }
    const bool quantized = name.find("/f16/") == std::string::npos && name.find("/bf16/") == std::string::npos;
    if (!name.starts_with("kernel/matmul") || !quantized) continue;
    std::string other = name;
    BOOST_TEST(passes.contains(other.replace(other.find("/generic"), 8, "/neon_i8mm")), other << " is not there");
  }
  for (const KernelCheck& check : kernel_checks()) {
    // Not in this tier, and not without a model.
    if (check.name == "large" || check.name == "weights") continue;
    const bool met = std::any_of(passes.begin(), passes.end(), [&](const auto& p) {
      return p.first.ends_with("/neon_dotprod/" + std::string(check.name)) && p.second > 0;
    });
    BOOST_TEST(met, check.name << " was not met");
  }
}

BOOST_AUTO_TEST_CASE(gating) {
  if (!possible()) return;
  const SuiteRan ran = run_on("cortex-a53", {"kernel/*/neon_dotprod/*", "kernel/vec_dot/*/neon/exact/*"});
  BOOST_TEST(ran.status == 0, ran.err);
  size_t skipped = 0, passed = 0;
  for (const auto& [id, result] : ran.cases) {
    if (leading(id, 4).ends_with("/neon_dotprod")) {
      ++skipped;
      BOOST_TEST(result.outcome == "skip", id << ": " << result.outcome);
      BOOST_TEST(result.message == "this machine lacks asimddp", id);
    } else {
      passed += result.outcome == "pass";
      BOOST_TEST((result.outcome == "pass" || result.outcome == "skip"), id << ": " << result.message);
    }
  }
  BOOST_TEST(skipped > 1000);
  BOOST_TEST(passed > 100);
  // A CPU between the two: dotprod, but no i8mm.
  const std::string rows = "kernel/matmul/q4_0/";
  const SuiteRan between = run_on("cortex-a76", {rows + "neon_dotprod/*", rows + "neon_i8mm/*"});
  BOOST_TEST(between.status == 0, between.err);
  BOOST_TEST(between.count(rows + "neon_dotprod/", "pass") > 10);
  BOOST_TEST(between.count(rows + "neon_i8mm/", "skip") == between.count(rows + "neon_dotprod/", "pass") + between.count(rows + "neon_dotprod/", "skip"));
  for (const auto& [id, result] : between.cases)
    if (id.starts_with(rows + "neon_i8mm/")) BOOST_TEST(result.message == "this machine lacks i8mm", id);
}

BOOST_AUTO_TEST_CASE(isolation) {
  if (!possible()) return;
  const SuiteRan ran = run_on("max", {"kernel/*/exact/*"}, "five_kernels");
  BOOST_TEST(ran.status == 1, ran.err);
  const std::string rows = "kernel/dequantize/f32/";
  BOOST_TEST(ran.count(rows + "first/", "pass") > 3);
  BOOST_TEST(ran.count(rows + "second/", "pass") == ran.count(rows + "first/", "pass"));
  BOOST_TEST(ran.count(rows + "third_aborts/", "crash") == ran.count(rows + "first/", "pass"));
  BOOST_TEST(ran.count(rows + "fourth_aborts_at_seven/", "crash") == 1);
}

BOOST_AUTO_TEST_CASE(environment) {
  if (!possible()) return;
  const SuiteRan ran = run_on("max", {"kernel/*/environment"}, "environment");
  BOOST_TEST(ran.cases.size() == 8);
  for (const auto& [id, result] : ran.cases) {
    const std::string variant = id.substr(22, id.rfind('/') - 22);
    const std::string expected = variant == "clean" || variant == "upper_half" ? ""
                                 : variant == "rounding" || variant == "flushing"
                                     ? "returns with the " + variant
                                     : "returns with a register that a function has to keep changed";
    BOOST_TEST(result.outcome == (expected.empty() ? "pass" : "fail"), id);
    BOOST_TEST(result.message.starts_with(expected), id << ": " << result.message);
  }
}

}  // namespace
}  // namespace gcts
