// The GPU plugins judged on what this machine has: PoCL for the suite, Oclgrind for what
// only a simulator sees.  Where either is missing the tests that need it say so and skip.

#define BOOST_TEST_MODULE gpu

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "harness/spawn_test.h"
#include "harness/suite_run_test.h"
#include "plugins/gpu/faults.h"

namespace gcts {
namespace {

namespace fs = std::filesystem;

// Where Debian and Ubuntu put the simulator; the plugin opens it in place of the loader.
constexpr const char* kOclgrind[] = {"/usr/lib/x86_64-linux-gnu/oclgrind/liboclgrind-rt.so",
                                     "/usr/lib/oclgrind/liboclgrind-rt.so", "/usr/lib/aarch64-linux-gnu/oclgrind/liboclgrind-rt.so"};

std::string oclgrind() {
  for (const char* path : kOclgrind)
    if (fs::exists(path)) return path;
  return "";
}

// Variables of the environment for the length of a block.
using Values = std::map<std::string, std::string>;
class Environment {
 public:
  explicit Environment(Values values) : values_(std::move(values)) {
    for (const auto& [name, value] : values_) setenv(name.c_str(), value.c_str(), 1);
  }
  ~Environment() {
    for (const auto& [name, value] : values_) unsetenv(name.c_str());
  }

 private:
  Values values_;
};

// Compiled kernels stay in the build folder; no positive controls in runs of one row.
Values on_pocl() {
  return {{"POCL_CACHE_DIR", GCTS_WORK "/pocl"}, {"GCTS_PLUGIN_DIR", GCTS_WORK "/none"}};
}
Values on_oclgrind(const std::string& log) {
  return {{"GCTS_OPENCL_LIBRARY", oclgrind()}, {"GCTS_PLUGIN_DIR", GCTS_WORK "/none"}, {"OCLGRIND_LOG", log},
          {"OCLGRIND_DATA_RACES", "1"},        {"OCLGRIND_UNINITIALIZED", "1"},       {"OCLGRIND_MAX_ERRORS", "20"}};
}

bool is_bad(const CaseResult& result) { return result.outcome != "pass" && result.outcome != "skip"; }

// Nothing but passes, and skips for the reasons that a case may have.
void require_all_pass(const SuiteRan& ran, size_t at_least) {
  size_t passed = 0;
  for (const auto& [id, result] : ran.cases) {
    passed += result.outcome == "pass";
    BOOST_TEST(!is_bad(result), id << ": " << result.outcome << ": " << result.message);
  }
  BOOST_TEST(passed >= at_least, passed << " cases passed; " << ran.err);
}

// "" if the device is there, else the plugin's own words.
std::string missing(const char* plugin) {
  const SuiteRan ran = run_suite({"--plugin", plugin, "--run", "kernel/dequantize/f32/*/exact/k=1", "--allow-skip"});
  for (const auto& [id, result] : ran.cases)
    if (result.outcome == "skip") return result.message;
  return ran.cases.empty() ? "nothing runs: " + ran.err : "";
}

BOOST_AUTO_TEST_CASE(absent) {
  // A machine without the loader and without the driver: skips with the reason, no failure.
  const Environment none(Values{{"GCTS_OPENCL_LIBRARY", "/none/libOpenCL.so"}, {"GCTS_CUDA_LIBRARY", "/none/libcuda.so"}});
  for (const auto& [plugin, reason] : {std::pair{GCTS_GPU_OPENCL, "no OpenCL device: "}, {GCTS_GPU_CUDA, "no CUDA driver: "}}) {
    const SuiteRan ran = run_suite({"--plugin", plugin, "--run", "kernel/*", "--allow-skip"});
    BOOST_TEST(ran.status == 0, ran.err);
    BOOST_TEST(ran.cases.size() > 1000);
    for (const auto& [id, result] : ran.cases) {
      BOOST_TEST(result.outcome == "skip", id);
      BOOST_TEST(result.message.starts_with(reason), result.message);
    }
  }
}

// The CUDA plugin over a driver whose device is host memory (fake_cuda.c): its memory and
// its errors, not its kernels.
BOOST_AUTO_TEST_CASE(driver) {
  const std::string kernels = GCTS_WORK "/fake_kernels";
  fs::create_directories(kernels);
  std::ofstream(kernels + "/dequantize_f32.sm_90.cubin") << "code";
  const Environment fake(Values{{"GCTS_CUDA_LIBRARY", GCTS_FAKE_CUDA}, {"GCTS_CUDA_KERNELS", kernels}, {"GCTS_PLUGIN_DIR", GCTS_WORK "/none"}});
  const std::string row = "kernel/dequantize/f32/cuda/";
  const auto run = [&](const char* mode) {
    const Environment chosen(Values{{"GCTS_FAKE_CUDA", std::string(mode)}});
    return run_suite({"--plugin", GCTS_GPU_CUDA, "--run", row + "*"});
  };
  const auto says = [&](const SuiteRan& ran, const std::string& id, std::string_view words) {
    const auto found = ran.cases.find(row + id);
    BOOST_REQUIRE(found != ran.cases.end());
    BOOST_TEST(found->second.message.find(words) != std::string::npos, id << ": " << found->second.message);
  };
  require_all_pass(run("healthy"), 20);
  require_all_pass(run("zones"), 20);
  says(run("reads_past"), "guard/end,k=1", "touches 1 byte past the end of the weights");
  says(run("writes_past"), "guard/end,k=1", "touches 1 byte past the end of the output");
  says(run("zones_writes_past"), "guard/end,k=1", "writes to the guard zone of an allocation");
  says(run("loses_device"), "guard/end,k=1", "the device is lost: the kernel ends with CUDA_ERROR_ILLEGAL_ADDRESS");
}

BOOST_AUTO_TEST_CASE(smoke) {
  const Environment environment(on_pocl());
  if (const std::string why = missing(GCTS_GPU_OPENCL); !why.empty()) {
    std::cout << "skipped: " << why << "\n";
    return;
  }
  require_all_pass(run_suite({"--plugin", GCTS_GPU_OPENCL, "--run", "kernel/*"}, 1200), 1000);
}

// What the device can do, and a kernel as a share of it.
BOOST_AUTO_TEST_CASE(bench) {
  const Environment environment(on_pocl());
  if (const std::string why = missing(GCTS_GPU_OPENCL); !why.empty()) {
    std::cout << "skipped: " << why << "\n";
    return;
  }
  const std::string kernel = "bench/dequantize/q8_0/opencl/device/k=33554432";
  const Ran ran = run_program({"bench", "--plugin", GCTS_GPU_OPENCL, "--threads", "1", "--run", kernel, "--format", "jsonl"}, {}, 600);
  std::map<std::string, nlohmann::json> results;
  std::istringstream lines(ran.out);
  for (std::string line; std::getline(lines, line);)
    if (const auto record = nlohmann::json::parse(line, nullptr, false); record.is_object() && record.value("record", "") == "result")
      results[record.value("case", "")] = record;
  for (const char* quantity : {"read", "write", "copy", "f32"}) {
    const auto& ceiling = results["ceiling/" + std::string(quantity) + "/device/t=1"];
    BOOST_REQUIRE_MESSAGE(ceiling.contains("measures"), quantity << ": " << ran.err);
    BOOST_TEST(ceiling["measures"]["first"].get<double>() > 0);
  }
  // A busy machine may be too noisy, or have been busier when its ceilings were measured.
  const auto& timed = results[kernel];
  if (timed.value("message", "").starts_with("one call takes ")) return;
  BOOST_REQUIRE_MESSAGE(timed.contains("measures"), timed.dump() << ran.err);
  BOOST_TEST((timed["outcome"] == "pass" || timed["outcome"] == "inconclusive" || timed["outcome"] == "untrusted"), timed.dump());
  BOOST_TEST(timed["measures"].value("share", 0.0) > 0);
  BOOST_TEST(timed["expected"].get<std::string>().starts_with("device "));
}

BOOST_AUTO_TEST_CASE(simulated) {
  if (oclgrind().empty()) {
    std::cout << "skipped: oclgrind is not installed\n";
    return;
  }
  const std::string log = GCTS_WORK "/oclgrind.log";
  fs::remove(log);
  const Environment environment(on_oclgrind(log));
  // Every kernel once, over more than one block and row.
  const SuiteRan ran = run_suite({"--plugin", GCTS_GPU_OPENCL, "--run", "kernel/*/guard/end*", "-j", "2"}, 1200);
  require_all_pass(ran, 50);
  // The plugin reads the log as it grows; at the end it holds nothing.
  BOOST_TEST(fs::exists(log));
  BOOST_TEST(fs::file_size(log) == 0);
}

BOOST_AUTO_TEST_CASE(faults) {
  const bool simulator = !oclgrind().empty();
  bool device;
  {
    const Environment environment(on_pocl());
    device = missing(GCTS_GPU_FAULTY).empty();
  }
  std::set<std::pair<std::string_view, std::string_view>> healthy;
  size_t caught = 0, left_out = 0;
  for (const gpu::FaultRow& fault : gpu::fault_rows()) {
    const bool simulated = fault.catches == "oclgrind";
    if (simulated ? !simulator : !device) {
      ++left_out;
      continue;
    }
    const std::string log = GCTS_WORK "/oclgrind_faults.log";
    fs::remove(log);
    const Environment environment(simulated ? on_oclgrind(log) : on_pocl());
    std::vector<std::string> arguments{"--plugin", GCTS_GPU_FAULTY, "--run", std::string(fault.check)};
    // One case by its whole name may be of any tier.
    if (fault.check.find('*') == std::string_view::npos) arguments.insert(arguments.end(), {"--tier", "full"});
    // The healthy twin passes what the fault fails.
    if (healthy.emplace(fault.catches, fault.check).second) {
      const SuiteRan twin = run_suite(arguments, 300);
      BOOST_TEST_CONTEXT("healthy twin of " << fault.name) require_all_pass(twin, 1);
    }
    fs::remove(log);
    const Environment chosen(Values{{"GCTS_FAULT", std::string(fault.name)}});
    const SuiteRan ran = run_suite(arguments, 300);
    std::string first;
    for (const auto& [id, result] : ran.cases)
      if (first.empty() && is_bad(result)) first = id + ": " + result.message;
    BOOST_TEST(!first.empty(), fault.name << " is not caught by " << fault.check << ": " << ran.err);
    BOOST_TEST(first.find("does not compile") == std::string::npos, first);
    caught += !first.empty();
    std::cout << (first.empty() ? "  MISSED by " : "  caught by ") << fault.catches << ": " << fault.name << "\n    " << first.substr(0, 200) << "\n";
  }
  std::cout << caught << " of " << gpu::fault_rows().size() - left_out << " faults caught\n";
  if (left_out > 0) std::cout << (caught == 0 ? "skipped: " : "left out: ") << left_out << " faults need what is not installed\n";
}

}  // namespace
}  // namespace gcts
