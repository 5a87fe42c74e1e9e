// The verb report: kept results (JSON Lines) merged, compared, or told in another format.

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "harness/options.h"
#include "reports/compare.h"
#include "reports/compare_speed.h"
#include "reports/escape.h"
#include "reports/report.h"

namespace gcts {
namespace {

int complain(const std::string& text) {
  std::cerr << "gguf-cts report: " << text << '\n';
  return kUsageError;
}

// Reads one file of results, "-" standard input.  False after an explanation.
bool load(const std::string& path, Report& out) {
  std::string error;
  bool good = false;
  if (path == "-") {
    good = read_jsonl(std::cin, out, error);
  } else {
    std::ifstream in(path, std::ios::binary);
    if (!in) error = "cannot be opened";
    else good = read_jsonl(in, out, error);
  }
  if (!good) complain(escape_terminal(path) + ": " + escape_terminal(error));
  return good;
}

bool load_all(const std::vector<std::string>& paths, std::vector<Report>& out) {
  for (const std::string& path : paths) {
    if (!load(path, out.emplace_back())) return false;
  }
  return true;
}

std::string format_names() {
  std::string names;
  for (const Format& format : formats()) names += (names.empty() ? "" : ", ") + std::string(format.name);
  return names;
}

// Writes what `told` writes to `path`, or to standard output where it is empty.
template <typename Told>
int tell_to(const std::string& path, const Told& told) {
  if (path.empty()) {
    told(std::cout);
    return 0;
  }
  std::ofstream out(path, std::ios::binary);
  told(out);
  out.close();
  return out ? 0 : complain(escape_terminal(path) + ": cannot be written");
}

int compare_runs(const Report& before, const Report& after, double threshold, const std::string& path, const Style& style) {
  const Comparison cases = compare(before, after);
  const SpeedComparison speeds = compare_speeds(before, after, threshold);
  const auto judged = [](const Report& report) {
    return std::any_of(report.results.begin(), report.results.end(), [](const Result& r) {
      return !r.case_id.starts_with("bench/") && !r.case_id.starts_with("ceiling/");
    });
  };
  const bool tell_cases = speeds.empty() || judged(before) || judged(after) || cases.regressed();
  const int status = tell_to(path, [&](std::ostream& out) {
    if (tell_cases) write_comparison(cases, style, out);
    if (!speeds.empty()) write_speed_comparison(speeds, style, out);
  });
  if (status != 0) return status;
  return cases.is_void ? kUsageError : cases.regressed() || speeds.regressed() ? 1 : 0;
}

int compare_within(const Report& run, const std::vector<std::string>& between, double threshold, const std::string& path,
                   const Style& style) {
  SpeedComparison speeds;
  std::string error;
  if (!compare_implementations(run, between[0], between[1], threshold, speeds, error)) return complain(escape_terminal(error));
  const int status = tell_to(path, [&](std::ostream& out) { write_speed_comparison(speeds, style, out); });
  return status != 0 ? status : speeds.regressed() ? 1 : 0;
}

}  // namespace

int verb_report(int argc, char** argv) {
  std::vector<std::string> words;
  std::string format_name, out_path, baseline;
  std::vector<std::string> between;
  uint64_t most = Style().max_failures, threshold = 5;
  Options options("report", "merge FILE... | compare BEFORE AFTER | compare FILE --between A --between B | render FILE",
                  "Works on kept results, the JSON Lines of run --format jsonl:FILE.\n\n"
                  "  merge    joins the shards of one run\n"
                  "  compare  says what got better and what worse, speeds too: 0 if nothing got worse, 1 if something\n"
                  "           did, 2 if a run is void or cannot be read\n"
                  "  render   tells a run in another format");
  options.value("format", format_name, "NAME", "of merge (jsonl) and render (console): " + format_names());
  options.value("out,o", out_path, "FILE", "write to this file, not to standard output");
  options.value("baseline", baseline, "FILE", "of render: an earlier run that the html page of speeds compares with");
  options.values("between", between, "NAME", "of compare, twice: two implementations in one file, by name or as #0");
  options.number("threshold", threshold, "PERCENT", "what is slower by less is the same (5)");
  options.number("most", most, "N", "show at most this many cases of a kind (20)");
  options.positional("ACTION FILE...", words, "merge, compare or render, and the files; - is standard input", 2);
  if (const auto status = options.parse(argc, argv)) return *status;

  const std::string action = words.front();
  words.erase(words.begin());
  if (action != "merge" && action != "compare" && action != "render") {
    return options.usage_error("there is no '" + escape_terminal(action) + "': it is merge, compare or render");
  }
  if (format_name.empty()) format_name = action == "merge" ? "jsonl" : "console";
  const Format* format = find_format(format_name);
  if (format == nullptr) return options.usage_error("there is no format '" + escape_terminal(format_name) + "': " + format_names());
  Style style;
  style.colour = out_path.empty() && isatty(STDOUT_FILENO) != 0;
  style.max_failures = most;

  std::vector<Report> reports;
  if (action == "render") {
    if (words.size() != 1) return options.usage_error("render takes one file");
    if (!baseline.empty()) words.push_back(baseline);
    if (!load_all(words, reports)) return kUsageError;
    if (!baseline.empty()) style.baseline = &reports[1];
    style.threshold = static_cast<double>(threshold) / 100;
    return tell_to(out_path, [&](std::ostream& out) { format->write(reports[0], out, style); });
  }
  if (action == "merge") {
    if (!load_all(words, reports)) return kUsageError;
    Report merged;
    std::string error;
    if (!merge(reports, merged, error)) return complain(escape_terminal(error));
    return tell_to(out_path, [&](std::ostream& out) { format->write(merged, out, style); });
  }
  if (!between.empty() && (between.size() != 2 || words.size() != 1)) {
    return options.usage_error("--between is given twice, for two implementations in the one file");
  }
  if (between.empty() && words.size() != 2) return options.usage_error("compare takes two files: before and after");
  if (!load_all(words, reports)) return kUsageError;
  const double share = static_cast<double>(threshold) / 100;
  return between.empty() ? compare_runs(reports[0], reports[1], share, out_path, style)
                         : compare_within(reports[0], between, share, out_path, style);
}

}  // namespace gcts
