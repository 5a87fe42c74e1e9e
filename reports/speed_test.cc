// Speeds taken apart, told and compared, on made-up runs whose answers are known.

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <sstream>

#include <boost/test/unit_test.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "reports/chart.h"
#include "reports/compare.h"
#include "reports/compare_speed.h"
#include "reports/markup_check.h"
#include "reports/sample_report.h"
#include "reports/speed.h"
#include "reports/speed_page.h"

namespace gcts {
namespace {

BOOST_AUTO_TEST_SUITE(speed)

// One kernel that takes `ns` a call, a little more now and then.
Result timed(uint32_t subject, const std::string& id, double ns, uint32_t seed) {
  Result r;
  r.subject = subject;
  r.case_id = id;
  std::mt19937 random(seed);
  std::exponential_distribution<double> jitter(100);
  for (int i = 0; i < 40; ++i) r.samples.push_back(ns * (1 + jitter(random)));
  r.measures = {{"ns", ns},           {"ns_low", ns},       {"ns_high", ns * 1.02}, {"ns_q05", ns},      {"ns_q95", ns * 1.03},
                {"elements", 4096},   {"weight_bytes", 2304}, {"operations", 8192},   {"share", 0.5},      {"threads", 1},
                {"weights_gb_s", 2304 / ns}, {"gelement_s", 4096 / ns}, {"gop_s", 8192 / ns}};
  r.expected = "l2 read";
  return r;
}

Result ceiling(uint32_t subject, const std::string& id, const char* measure, double value) {
  Result r;
  r.subject = subject;
  r.case_id = "ceiling/" + id;
  r.measures = {{measure, value}};
  r.actual = fmt::format("{} x, avx512_four", value);
  return r;
}

// Two implementations of three types; the second is `factor` times as slow.
Report sample_speeds(double factor, const std::string& variant = "avx2") {
  Report report = sample_report();
  report.results.clear();
  report.faults.clear();
  report.void_reason.clear();
  report.subjects = {{"cpu", "1", "plugin", "cpu.so"}, {"other", "2", "plugin", "other.so"}, {"this machine", "", "machine", ""}};
  uint32_t seed = 0;
  for (const char* type : {"q4_0", "q8_0", "iq2_xxs"}) {
    for (const char* where : {"warm/k=4096,t=1", "cold/k=4096,t=2"}) {
      report.results.push_back(timed(0, fmt::format("bench/vec_dot/{}/{}/{}", type, variant, where), 100, ++seed));
      report.results.push_back(timed(1, fmt::format("bench/vec_dot/{}/{}/{}", type, "zen4", where), 100 * factor, ++seed));
    }
    report.results.push_back(timed(0, fmt::format("bench/matmul/{}/{}/cold/m=1,n=4096,k=4096,t=2", type, variant), 1000, ++seed));
  }
  report.results.push_back(ceiling(2, "read/memory/t=1", "gb_s", 10));
  report.results.push_back(ceiling(2, "read/memory/t=2", "gb_s", 20));
  report.results.push_back(ceiling(2, "int8/t=1", "gop_s", 300));
  report.results.push_back(ceiling(2, "clock/t=1", "ghz", 3.5));
  return report;
}

std::string page_of(const Report& report, const Style& style = {}) {
  std::ostringstream out;
  write_speed_page(report, style, out);
  return out.str();
}

void require_sound(const std::string& page) {
  BOOST_TEST(page.size() < 2'000'000u);
  for (const char* bad : {"<script", "href=\"http", "href='http", " src=", "@import", "url(http", "url('http"})
    BOOST_TEST(page.find(bad) == std::string::npos, bad);
  BOOST_TEST(markup_fault(page) == "");  // ids are unique, links stay inside
  if (std::system("xmllint --version >/dev/null 2>&1") != 0) return;
  FILE* pipe = popen("xmllint --noout -", "w");
  BOOST_REQUIRE(pipe != nullptr);
  std::fwrite(page.data(), 1, page.size(), pipe);
  BOOST_TEST(pclose(pipe) == 0);
}

BOOST_AUTO_TEST_CASE(ids_are_taken_apart) {
  Report report = sample_speeds(1, "a/b,c=/");
  const Speeds speeds = speeds_of(report);
  const Speed& s = speeds.kernels[0];
  BOOST_TEST(s.op == "vec_dot");
  BOOST_TEST(s.type == "q4_0");
  BOOST_TEST(s.variant == "a/b,c=/");  // a plugin's own word
  BOOST_TEST(s.where == "warm");
  BOOST_TEST(s.detail == "k=4096,t=1");
  BOOST_TEST(s.threads == 1u);
  BOOST_TEST(speeds.kernels[4].m == 1u);
  BOOST_TEST(speeds.kernels[4].threads == 2u);
  BOOST_TEST(speeds.ceiling("read", "memory", 2) == 20);
  BOOST_TEST(speeds.ceiling("int8", "", 1) == 300);
  BOOST_TEST(speeds.ceilings[0].variant == "avx512_four");
}

BOOST_AUTO_TEST_CASE(tokens_follow_from_bandwidth_and_kernel) {
  const Report report = sample_speeds(1);
  const std::vector<TokenBound> bounds = token_bounds(report, speeds_of(report));
  BOOST_REQUIRE(bounds.size() == 3u);
  // 7e9 weights at 2304 bytes for 4096 of them; 20 GB/s; a kernel of 2.304 GB/s.
  BOOST_TEST(bounds[0].gigabytes == 3.9375, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(bounds[0].by_bandwidth == 20 / 3.9375, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(bounds[0].by_kernel == 2.304 / 3.9375, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(bounds[0].kernel == "cpu avx2");
}

// A plugin on a device: its ceilings and kernels stay apart from the machine's.
BOOST_AUTO_TEST_CASE(devices_stand_beside_the_machine) {
  Report report = sample_speeds(1);
  const std::string hostile = "<b>GPU & Co</b>";
  report.subjects.push_back({hostile, "driver 1", "device", "other.so"});
  report.results.push_back(ceiling(3, "read/device/t=1", "gb_s", 800));
  report.results.push_back(ceiling(3, "copy/device/t=1", "gb_s", 700));
  report.results.push_back(ceiling(3, "f32/device/t=1", "gop_s", 9000));
  report.results.push_back(timed(1, "bench/matmul/q4_0/cuda/device/m=1,n=8192,k=4096", 10, 77));
  const Speeds speeds = speeds_of(report);
  BOOST_REQUIRE(speeds.devices.size() == 1u);
  BOOST_TEST(speeds.ceilings.size() == 4u);
  BOOST_TEST(speeds.ceiling("read", "device", 1) == 0);
  BOOST_TEST(speeds.devices[0].ceiling("read") == 800);
  BOOST_TEST(speeds.devices[0].ceilings[2].unit == "Gop/s");
  const Speed& kernel = speeds.kernels.back();
  BOOST_TEST(kernel.on_device());
  BOOST_TEST(kernel.m == 1u);
  BOOST_TEST(speeds.device_of(report, kernel) == &speeds.devices[0]);
  BOOST_TEST(speeds.device_of(report, speeds.kernels[0]) == nullptr);
  BOOST_TEST(question_text(kernel) == "matmul, one token, on the device");
  BOOST_TEST(token_bounds(report, speeds).size() == 3u);
  const std::vector<TokenBound> bounds = token_bounds(report, speeds, &speeds.devices[0]);
  BOOST_REQUIRE(bounds.size() == 1u);
  BOOST_TEST(bounds[0].by_bandwidth == 800 / 3.9375, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(bounds[0].kernel == "other cuda");
  const std::string page = page_of(report);
  require_sound(page);
  BOOST_TEST(page.find(hostile) == std::string::npos);
  for (const char* words : {"Ceilings of &lt;b&gt;GPU", "7 billion parameters on &lt;b&gt;GPU", "reads its memory at <b>800 GB/s</b>"})
    BOOST_TEST(page.find(words) != std::string::npos, words);
  std::ostringstream terminal;
  find_format("speed")->write(report, terminal, {});
  BOOST_TEST(terminal.str().find("what " + hostile + " can do") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(numbers_have_three_digits) {
  BOOST_TEST(speed_text(0) == "-");
  BOOST_TEST(speed_text(1.234) == "1.23");
  BOOST_TEST(speed_text(12.34) == "12.3");
  BOOST_TEST(speed_text(123.4) == "123");
  BOOST_TEST(speed_text(12345) == "12345");
  BOOST_TEST(time_text(1500) == "1.50 µs");
}

BOOST_AUTO_TEST_CASE(samples_survive_the_file) {
  const Report report = sample_speeds(1);
  std::stringstream text;
  find_format("jsonl")->write(report, text);
  Report again;
  std::string error;
  BOOST_REQUIRE_MESSAGE(read_jsonl(text, again, error), error);
  BOOST_REQUIRE(again.results[0].samples.size() == report.results[0].samples.size());
  BOOST_TEST(again.results[0].samples[3] == report.results[0].samples[3], boost::test_tools::tolerance(1e-4));
}

BOOST_AUTO_TEST_CASE(slower_runs_regress_and_equal_ones_do_not) {
  const Report base = sample_speeds(1);
  BOOST_TEST(!compare_speeds(base, base, 0.05).regressed());
  const SpeedComparison slower = compare_speeds(base, sample_speeds(1.1), 0.05);
  BOOST_TEST(slower.regressed());
  BOOST_TEST(slower.count(SpeedVerdict::slower) == 6u);  // the second implementation's
  BOOST_TEST(slower.count(SpeedVerdict::same) == 9u);
  const SpeedComparison faster = compare_speeds(sample_speeds(1.1), base, 0.05);
  BOOST_TEST(faster.count(SpeedVerdict::faster) == 6u);
  BOOST_TEST(!faster.regressed());
  BOOST_TEST(!compare_speeds(base, sample_speeds(1.1), 0.15).regressed());  // less than what matters
}

BOOST_AUTO_TEST_CASE(a_speed_that_is_gone_is_a_regression) {
  const Report base = sample_speeds(1);
  Report less = base;
  less.results.erase(less.results.begin());
  const SpeedComparison c = compare_speeds(base, less, 0.05);
  BOOST_TEST(c.lost.size() == 1u);
  BOOST_TEST(c.regressed());
}

BOOST_AUTO_TEST_CASE(noise_is_no_case_that_got_worse) {
  const Report base = sample_speeds(1);
  Report noisy = base, wrong = base;
  noisy.results[0].outcome = Outcome::inconclusive;
  wrong.results[0].outcome = Outcome::fail;
  BOOST_TEST(!compare(base, noisy).regressed());
  BOOST_TEST(compare(base, wrong).regressed());
}

BOOST_AUTO_TEST_CASE(implementations_of_one_run_are_compared) {
  SpeedComparison c;
  std::string error;
  BOOST_REQUIRE_MESSAGE(compare_implementations(sample_speeds(1.3), "cpu", "#1", 0.05, c, error), error);
  BOOST_TEST(c.count(SpeedVerdict::slower) == 6u);
  BOOST_TEST(c.mean_ratio() == 1.3, boost::test_tools::tolerance(0.02));
  BOOST_TEST(!compare_implementations(sample_speeds(1), "cpu", "nobody", 0.05, c, error));
  Report twins = sample_speeds(1);
  twins.subjects[1].name = "cpu";
  BOOST_TEST(!compare_implementations(twins, "cpu", "other", 0.05, c, error));
  BOOST_TEST(compare_implementations(twins, "cpu 1", "cpu 2", 0.05, c, error));
}

BOOST_AUTO_TEST_CASE(gbench_is_what_its_tools_read) {
  std::ostringstream out;
  find_format("gbench")->write(sample_speeds(1), out);
  const auto json = nlohmann::json::parse(out.str(), nullptr, false);
  BOOST_REQUIRE(json.is_object());
  BOOST_TEST(json["context"].contains("num_cpus"));
  size_t medians = 0, repetitions = 0;
  for (const auto& entry : json["benchmarks"]) {
    for (const char* field : {"name", "run_name", "run_type", "real_time", "cpu_time", "time_unit", "iterations"}) BOOST_TEST(entry.contains(field));
    medians += entry.value("aggregate_name", "") == "median";
    repetitions += entry["run_type"] == "iteration";
  }
  BOOST_TEST(medians == 15u);
  BOOST_TEST(repetitions == 15u * 25u);
}

BOOST_AUTO_TEST_CASE(the_page_is_sound_with_hostile_names) {
  for (const std::string& hostile : kHostile) {
    Report report = sample_speeds(1.1, hostile);
    report.subjects[0].name = hostile;
    report.machine["cpu"] = hostile;
    report.results[1].outcome = Outcome::fail;
    report.results[1].message = hostile;
    require_sound(page_of(report));
  }
}

// Two implementations, four variants each, of every type, in every shape and on one and two threads.
BOOST_AUTO_TEST_CASE(the_page_of_a_full_run_is_small) {
  Report report = sample_speeds(1);
  uint32_t seed = 1000;
  for (int type = 0; type < 29; ++type)
    for (int shape = 0; shape < 20; ++shape)
      for (int variant = 0; variant < 8; ++variant) {
        const std::string where = fmt::format("{}/m={},n=4096,k=4096,t={}", shape % 2 == 0 ? "cold" : "warm", 1 + shape / 4, 1 + shape / 2 % 2);
        report.results.push_back(timed(variant / 4, fmt::format("bench/matmul/type_{}/variant_{}/{}", type, variant % 4, where), 1000.0 + 3 * seed, seed));
        ++seed;
      }
  require_sound(page_of(report));
}

BOOST_AUTO_TEST_CASE(the_page_tells_of_a_baseline) {
  const Report base = sample_speeds(1);
  Style style;
  style.baseline = &base;
  const std::string page = page_of(sample_speeds(1.1), style);
  require_sound(page);
  BOOST_TEST(page.find("Against the baseline") != std::string::npos);
  BOOST_TEST(page.find("<b>6</b> are slower") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_page_stands_without_charts) {
  setenv("GCTS_GNUPLOT", "", 1);
  const std::string page = page_of(sample_speeds(1));
  unsetenv("GCTS_GNUPLOT");
  BOOST_TEST(page.find("<svg") == std::string::npos);
  BOOST_TEST(page.find("class=\"heat ") != std::string::npos);
  require_sound(page);
}

BOOST_AUTO_TEST_CASE(labels_cannot_leave_their_file) {
  BOOST_TEST(chart_label("q4_0 avx-512") == "q4_0 avx-512");
  for (const std::string& hostile : kHostile)
    for (char c : chart_label(hostile)) BOOST_TEST(std::string_view("\"\\`'<>&;\n\r$@{}#%").find(c) == std::string_view::npos);
  BOOST_TEST(chart_label("") == "?");
}

BOOST_AUTO_TEST_CASE(svg_fits_into_a_page) {
  const std::string svg = embedded_svg(
      "<?xml version=\"1.0\"?><!DOCTYPE svg><svg width=\"1\" viewBox=\"0 0 1 1\"><title>t</title><g id=\"a\"><use xlink:href='#a'/>"
      "<path clip-path=\"url(#b)\" stroke='rgb( 16,   0,   3)' fill='rgb(32, 0, 1)'/></g></svg>\n",
      "x");
  BOOST_TEST(svg.starts_with("<svg id=\"x\""));
  BOOST_TEST(svg.ends_with("</svg>"));
  for (const char* part : {"id=\"x-a\"", "href=\"#x-a\"", "url(#x-b)", "stroke=\"var(--c3)\"", "fill=\"var(--ink)\""}) BOOST_TEST(svg.find(part) != std::string::npos, part);
  BOOST_TEST(svg.find("<title>") == std::string::npos);
  BOOST_TEST(embedded_svg("no svg", "x").empty());
  BOOST_TEST(embedded_svg("<svg\n viewBox = \"0 0  1 1 \" >\n\t<text stroke-width='1.00' >a  b </text> \n<g >\n</g >  <path d=\" M0,0 \" /></svg>", "y") ==
             "<svg id=\"y\" class=\"chart\" role=\"img\" viewBox=\"0 0 1 1\"><text>a  b </text><g></g><path d=\"M0,0\"/></svg>");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace gcts
