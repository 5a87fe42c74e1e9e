// Every format over the sample report: equal to its golden file, and well formed.
//
// GCTS_UPDATE_GOLDEN=1 in the environment writes the golden files instead.

#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "reports/grid.h"
#include "reports/markup_check.h"
#include "reports/sample_report.h"

namespace gcts {
namespace {

BOOST_AUTO_TEST_SUITE(format)

std::string rendered(std::string_view name, const Report& report, const Style& style = {}) {
  std::ostringstream out;
  const Format* format = find_format(name);
  BOOST_REQUIRE(format != nullptr);
  format->write(report, out, style);
  return out.str();
}

std::string golden_path(std::string_view name) {
  return std::string(GCTS_SOURCE_DIR "/reports/golden/sample.") + std::string(name);
}

BOOST_AUTO_TEST_CASE(every_format_gives_its_golden_file) {
  for (const Format& format : formats()) {
    const std::string text = rendered(format.name, sample_report());
    if (std::getenv("GCTS_UPDATE_GOLDEN") != nullptr)
      std::ofstream(golden_path(format.name), std::ios::binary) << text;
    std::ifstream in(golden_path(format.name), std::ios::binary);
    BOOST_REQUIRE_MESSAGE(in.good(), "no golden file for " << format.name);
    std::stringstream golden;
    golden << in.rdbuf();
    BOOST_TEST(text == golden.str(), format.name << " differs from " << golden_path(format.name));
  }
}

BOOST_AUTO_TEST_CASE(no_format_lets_control_characters_through) {
  for (const Format& format : formats()) {
    for (char c : rendered(format.name, sample_report())) {
      const auto byte = static_cast<unsigned char>(c);
      BOOST_TEST((byte >= 0x20 || c == '\n' || (c == '\r' && format.name == "csv")));
      BOOST_TEST(byte != 0x7f);
    }
  }
}

BOOST_AUTO_TEST_CASE(an_empty_report_is_written_too) {
  for (const Format& format : formats()) BOOST_TEST(!rendered(format.name, Report{}).empty());
}

// Feeds text to a validator; the case is skipped where there is none.
void validated_by(const char* program, const char* command, std::string_view text) {
  if (std::system((std::string("command -v ") + program + " >/dev/null 2>&1").c_str()) != 0) {
    BOOST_TEST_MESSAGE("skipped: no " << program << " here");
    return;
  }
  FILE* pipe = popen(command, "w");
  BOOST_REQUIRE(pipe != nullptr);
  std::fwrite(text.data(), 1, text.size(), pipe);
  BOOST_TEST(pclose(pipe) == 0, command);
}

// What the checks of markup call wrong, and text that only looks like it.
BOOST_AUTO_TEST_CASE(markup_faults_are_told_from_text_that_looks_like_them) {
  for (const char* sound :
       {"<a b=\"it says src=\" c=\"d\"/>", "<a id=\"1\"><b title=\" id=\"/></a>", "<a\n b = '\"'/>"})
    BOOST_TEST(markup_fault(sound) == "", sound);
  for (const char* wrong :
       {"<a b=\"c\" src=\"d\"/>", "<a id=\"1\"><b id=\"1\"/></a>", "<a href=\"#1\"/>", "<a b=\"c\"d\"/>",
        "<a b=c/>", "<a b>", "<a =\"c\"/>", "<a b=\"<\"/>", "<a><b></a></b>", "<a>", "a & b", "<a"})
    BOOST_TEST(markup_fault(wrong) != "", wrong);
}

BOOST_AUTO_TEST_CASE(junit_is_well_formed) {
  const std::string text = rendered("junit", sample_report());
  BOOST_TEST(markup_fault(text) == "");
  validated_by("xmllint", "xmllint --noout -", text);
}

BOOST_AUTO_TEST_CASE(the_page_is_well_formed_and_valid_html) {
  for (const Report& report : {sample_report(), Report{}}) {
    const std::string text = rendered("html", report);
    BOOST_TEST(markup_fault(text) == "");
    validated_by("xmllint", "xmllint --noout -", text);
    validated_by("tidy", "tidy -quiet -errors -utf8 --drop-empty-elements no", text);
  }
}

BOOST_AUTO_TEST_CASE(the_page_needs_nothing_from_outside) {
  const std::string text = rendered("html", Report{});
  for (const char* address : {"http", "url(", "@import", "//"})
    BOOST_TEST(text.find(address) == std::string::npos, address);
}

BOOST_AUTO_TEST_CASE(json_lines_are_json_objects) {
  std::istringstream in(rendered("jsonl", sample_report()));
  std::string line;
  size_t lines = 0;
  while (std::getline(in, line)) {
    ++lines;
    BOOST_TEST(nlohmann::json::parse(line, nullptr, false).is_object());
  }
  const Report report = sample_report();
  BOOST_TEST(lines == 2 + report.subjects.size() + report.absent.size() + report.rules.size() +
                          report.results.size() + report.faults.size());
}

BOOST_AUTO_TEST_CASE(tap_counts_its_points) {
  std::istringstream in(rendered("tap", sample_report()));
  std::string line;
  uint64_t plan = 0, points = 0, failed = 0;
  while (std::getline(in, line)) {
    if (line.starts_with("1..")) plan = std::stoull(line.substr(3));
    if (line.starts_with("ok ") || line.starts_with("not ok ")) ++points;
    if (line.starts_with("not ok ") && line.find(" # TODO ") == std::string::npos) ++failed;
  }
  const Report report = sample_report();
  uint64_t bad = 0;
  for (const Result& result : report.results) bad += is_bad(result.outcome);
  for (const FaultResult& fault : report.faults) bad += !fault.caught;
  BOOST_TEST(plan == report.results.size() + report.faults.size());
  BOOST_TEST(points == plan);
  BOOST_TEST(failed == bad);
}

BOOST_AUTO_TEST_CASE(csv_rows_have_as_many_fields_as_the_head) {
  const std::string text = rendered("csv", sample_report());
  size_t fields = 1, head = 0, rows = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (quoted) continue;
    if (text[i] == ',') ++fields;
    if (text[i] != '\n') continue;
    if (head == 0) head = fields;
    BOOST_TEST(fields == head);
    fields = 1;
    ++rows;
  }
  BOOST_TEST(!quoted);
  BOOST_TEST(rows == 1 + sample_report().results.size());
}

void check_table_rows(const std::string& text) {
  std::istringstream in(text);
  std::string line;
  size_t head = 0;
  while (std::getline(in, line)) {
    if (!line.starts_with('|')) {
      head = 0;
      continue;
    }
    size_t cells = 0;
    for (size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\\')
        ++i;
      else if (line[i] == '|')
        ++cells;
    }
    if (head == 0) head = cells;
    BOOST_TEST(cells == head, line);
  }
}

BOOST_AUTO_TEST_CASE(markdown_table_rows_have_as_many_cells_as_their_head) {
  for (const char* name : {"markdown", "matrix"}) check_table_rows(rendered(name, sample_report()));
}

BOOST_AUTO_TEST_CASE(console_folds_long_lists_and_colours_only_when_told) {
  Report report = sample_report();
  for (int i = 0; i < 100; ++i) report.results.push_back(report.results[2]);
  const std::string text = rendered("console", report);
  BOOST_TEST(text.find("more; --format jsonl:FILE") != std::string::npos);
  BOOST_TEST(std::count(text.begin(), text.end(), '\n') < 70);
  Style style;
  style.colour = true;
  BOOST_TEST(rendered("console", report, style).find("\x1b[31m") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(console_gives_each_failure_as_a_line_to_paste) {
  const std::string text = rendered("console", sample_report());
  for (const Result& result : sample_report().results) {
    const std::string line = "gguf-cts run --plugin 'x y.so' --run " + result.case_id;
    BOOST_TEST((text.find(line) != std::string::npos) == is_bad(result.outcome), result.case_id);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace gcts
