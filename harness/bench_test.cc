// What bench makes of kernels that are right, wrong, lazy or die; how long anything takes is
// asked nowhere.

#include <boost/test/unit_test.hpp>
#include <sched.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "harness/bench_ceilings.h"
#include "harness/bench_plan.h"
#include "harness/bench_run.h"
#include "harness/machine.h"
#include "harness/spawn_test.h"

namespace gcts {
namespace {

BOOST_AUTO_TEST_SUITE(bench)

std::map<std::string, nlohmann::json> results_of(const Ran& ran) {
  std::map<std::string, nlohmann::json> out;
  std::istringstream lines(ran.out);
  for (std::string line; std::getline(lines, line);) {
    const nlohmann::json record = nlohmann::json::parse(line, nullptr, false);
    if (record.is_object() && record.value("record", "") == "result") out[record.value("case", "")] = record;
  }
  return out;
}

// A starved machine may be too noisy, or seem to beat ceilings that were measured at a worse
// moment; what it computes is right all the same.
bool is_right(const nlohmann::json& result) {
  const std::string outcome = result.value("outcome", "");
  return outcome == "pass" || outcome == "inconclusive" || outcome == "untrusted";
}

KernelRow row_of(gcts_op op, const char* type, const char* activation) {
  KernelDescription description;
  description.row.op = op;
  description.row.tensor_type = find_tensor_type(type)->id;
  description.row.activation_type = find_tensor_type(activation)->id;
  description.row.flags = GCTS_KERNEL_THREAD_SAFE;
  description.variant = "some/variant";
  return kernel_row(description, 0);
}

BOOST_AUTO_TEST_CASE(kernels_without_right_results_have_no_speed) {
  const Ran ran = run_program({"bench", "--plugin", GCTS_TIMED_KERNELS_PLUGIN, "--run", "bench/dequantize", "--threads", "1", "--format", "jsonl"});
  BOOST_TEST(ran.status == 1, ran.err);
  const auto results = results_of(ran);
  const auto of = [&](const char* variant) {
    const auto found = results.find(std::string("bench/dequantize/f32/") + variant + "/warm/k=32768,t=1");
    BOOST_REQUIRE_MESSAGE(found != results.end(), variant);
    return found->second;
  };
  const auto honest = of("honest"), lazy = of("lazy"), wrong = of("wrong"), died = of("aborts_later"), refused = of("refuses"), stays = of("stays");
  BOOST_TEST(is_right(honest), honest.dump());
  BOOST_TEST(is_right(stays), stays.dump());
  BOOST_REQUIRE_MESSAGE(honest.contains("measures"), honest.dump());
  BOOST_TEST(honest["measures"]["ns"].get<double>() > 0);
  BOOST_TEST(honest["samples"].size() >= 7u);
  BOOST_TEST(wrong["outcome"] == "fail");
  BOOST_TEST(wrong["message"].get<std::string>().find("wrong before timing") != std::string::npos);
  BOOST_TEST(lazy["outcome"] == "fail");
  BOOST_TEST(lazy["message"].get<std::string>().find("wrong after timing") != std::string::npos);
  BOOST_TEST(died["outcome"] == "crash");
  BOOST_TEST(refused["outcome"] == "skip");
  for (const auto& without : {lazy, wrong, died, refused}) BOOST_TEST(!without.contains("measures"), without.dump());
  BOOST_TEST(results.contains("ceiling/read/l1/t=1"));
}

// Kernels on a device beside what the device can do; the plugin's loops, or its copy of f32.
BOOST_AUTO_TEST_CASE(devices_are_measured_beside_the_machine) {
  const std::string row = "bench/dequantize/f32/", shape = "/device/k=33554432";
  for (const bool brings_loops : {true, false}) {
    if (!brings_loops) setenv("GCTS_NO_CEILINGS", "1", 1);
    std::vector<std::string> arguments{"bench", "--plugin", GCTS_DEVICE_PLUGIN, "--threads", "1", "--format", "jsonl", "--run", row + "healthy"};
    if (brings_loops) arguments.insert(arguments.end(), {"--run", row + "refuses", "--run", row + "loses_device"});
    const Ran ran = run_program(arguments);
    unsetenv("GCTS_NO_CEILINGS");
    auto results = results_of(ran);
    BOOST_REQUIRE_MESSAGE(results.contains(row + "healthy" + shape), ran.err);
    const auto healthy = results[row + "healthy" + shape];
    if (!healthy.value("message", "").starts_with("one call takes ")) {  // on a starved machine
      BOOST_TEST(is_right(healthy), healthy.dump());
      BOOST_TEST(healthy["measures"].value("share", 0.0) > 0);
      BOOST_TEST(healthy["expected"] == "device copy");
    }
    BOOST_TEST(results.contains("ceiling/copy/device/t=1"));
    BOOST_TEST(results.contains("ceiling/f32/device/t=1") == brings_loops);
    BOOST_TEST(results.contains("ceiling/read/l1/t=1"));
    BOOST_TEST(ran.out.find("\"name\":\"plain memory\",\"version\":\"none\",\"kind\":\"device\"") != std::string::npos);
    BOOST_TEST(ran.out.find("\"device of device\":\"memory: plain memory") != std::string::npos);
    if (!brings_loops) continue;
    BOOST_TEST(results[row + "refuses" + shape]["outcome"] == "fail");
    BOOST_TEST(results[row + "refuses" + shape]["message"] == "returns GCTS_FAILED: the kernel refuses");
    BOOST_TEST(results[row + "loses_device" + shape]["outcome"] == "crash");
  }
  setenv("GCTS_NO_DEVICE", "1", 1);
  const Ran ran = run_program({"bench", "--plugin", GCTS_DEVICE_PLUGIN, "--threads", "1", "--format", "jsonl", "--run", row + "healthy"});
  unsetenv("GCTS_NO_DEVICE");
  auto results = results_of(ran);
  BOOST_TEST(results[row + "healthy" + shape]["outcome"] == "skip");
  BOOST_TEST(results[row + "healthy" + shape]["message"] == "no device: it was taken away");
}

BOOST_AUTO_TEST_CASE(products_are_timed_and_right) {
  const Ran ran = run_program({"bench", "--plugin", GCTS_CPU_PLUGIN, "--run", "bench/matmul/q4_0/generic", "--run", "bench/vec_dot/q8_0/generic",
                               "--run", "bench/quantize/q8_0/generic", "--format", "jsonl"});
  const auto results = results_of(ran);
  size_t timed = 0;
  for (const auto& [id, result] : results) {
    if (!id.starts_with("bench/")) continue;
    ++timed;
    BOOST_TEST((is_right(result) || result["outcome"] == "skip"), result.dump());
    if (is_right(result)) BOOST_TEST(result["measures"].value("share", 0.0) > 0);
  }
  BOOST_TEST(timed == 4u);
}

BOOST_AUTO_TEST_CASE(nothing_selected_is_nothing_measured) {
  BOOST_TEST(run_program({"bench", "--plugin", GCTS_TIMED_KERNELS_PLUGIN, "--run", "bench/none"}).status == 3);
  BOOST_TEST(run_program({"bench", "--tier", "huge"}).status == 2);
  BOOST_TEST(run_program({"bench", "--plugin", "/nonexistent.so"}).status == 2);
  BOOST_TEST(run_program({"bench", "--format", "interpretive-dance"}).status == 2);
}

BOOST_AUTO_TEST_CASE(the_same_is_measured_on_every_machine) {
  const KernelRow row = row_of(GCTS_OP_MATMUL, "q4_0", "f32");
  const auto smoke = bench_measurements(row, 0, Tier::smoke, 8), full = bench_measurements(row, 0, Tier::full, 8);
  BOOST_REQUIRE(smoke.size() == 2u);
  BOOST_TEST(smoke[0].id == "bench/matmul/q4_0/some/variant/cold/m=1,n=4096,k=4096,t=8");
  BOOST_TEST(smoke[0].group == "bench/matmul/q4_0/cold/m=1,n=4096,k=4096,t=8");
  BOOST_TEST(smoke[0].team() == 1u);  // the kernel makes its own threads
  for (uint64_t m : {1, 16, 64, 256, 512})
    for (uint32_t threads : {1u, 8u}) {
      const auto same = [&](const BenchMeasurement& x) { return x.shape.m == m && x.threads == threads; };
      BOOST_TEST(std::any_of(full.begin(), full.end(), same));
    }
}

BOOST_AUTO_TEST_CASE(work_is_counted_in_bytes_and_operations) {
  const BenchWork dot = bench_work(row_of(GCTS_OP_VEC_DOT, "q4_0", "q8_0"), {.k = 4096});
  BOOST_TEST(dot.weight_bytes == 2304u);
  BOOST_TEST(dot.operations == 8192u);
  const BenchWork product = bench_work(row_of(GCTS_OP_MATMUL, "q8_0", "f32"), {.k = 64, .n = 32, .m = 3});
  BOOST_TEST(product.weight_bytes == 32u * 68u);
  BOOST_TEST(product.operations == 2u * 3u * 32u * 64u);
  const BenchWork decode = bench_work(row_of(GCTS_OP_DEQUANTIZE, "q4_0", "f32"), {.k = 32});
  BOOST_TEST(decode.read_bytes == 18u);
  BOOST_TEST(decode.written_bytes == 128u);
}

BOOST_AUTO_TEST_CASE(threads_that_are_no_powers_of_two) {
  BOOST_TEST((bench_thread_counts(Tier::smoke, 1) == std::vector<uint32_t>{1}));
  BOOST_TEST((bench_thread_counts(Tier::full, 6) == std::vector<uint32_t>{1, 6}));
  BOOST_TEST((bench_thread_counts(Tier::exhaustive, 6) == std::vector<uint32_t>{1, 2, 4, 6}));
}

BOOST_AUTO_TEST_CASE(what_disturbs_a_core_makes_its_pace_longer) {
  Paces paces;
  BOOST_TEST(paces.most(1) == UINT64_MAX);
  for (int i = 0; i < 5; ++i) paces.take(1, 20'000);  // a clock that was higher for a moment
  for (int i = 0; i < 70; ++i) paces.take(1, 25'000 + static_cast<uint64_t>(i));
  for (int i = 0; i < 25; ++i) paces.take(1, 35'000);
  BOOST_TEST(paces.most(1) > 25'100u);
  BOOST_TEST(paces.most(1) < 30'000u);
  BOOST_TEST(paces.most(2) == UINT64_MAX);
}

BOOST_AUTO_TEST_CASE(threads_take_each_processor_once) {
  std::vector<uint32_t> processors = topology().processors;
  const size_t count = processors.size();
  std::sort(processors.begin(), processors.end());
  BOOST_TEST(static_cast<size_t>(std::unique(processors.begin(), processors.end()) - processors.begin()) == count);
  cpu_set_t set;
  BOOST_REQUIRE(sched_getaffinity(0, sizeof(set), &set) == 0);
  BOOST_TEST(count == static_cast<size_t>(CPU_COUNT(&set)));
}

BOOST_AUTO_TEST_CASE(caches_are_shared) {
  Topology t;
  t.caches = {Cache{32768, 1}, Cache{1 << 20, 2}, Cache{32 << 20, 8}};
  BOOST_TEST(t.share(0, 8) == 32768u);
  BOOST_TEST(t.share(1, 1) == 1u << 20);
  BOOST_TEST(t.share(1, 8) == 1u << 19);
  BOOST_TEST(t.share(2, 4) == 8u << 20);
  BOOST_TEST(t.last_cache_bytes() == 32u << 20);
  t.caches[2].bytes = 0;
  BOOST_TEST(t.last_cache_bytes() == 1u << 20);
  BOOST_TEST(topology().processors.size() >= 1u);
  BOOST_TEST(machine_description().contains("cpu"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace gcts
