// The verb report: kept results (JSON Lines) merged, compared, or told in another format.

#include <unistd.h>

#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "harness/options.h"
#include "reports/compare.h"
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

// Writes to `path`, or to standard output where it is empty.
int write_to(const std::string& path, const Format& format, const Report& report, const Style& style) {
  if (path.empty()) {
    format.write(report, std::cout, style);
    return 0;
  }
  std::ofstream out(path, std::ios::binary);
  format.write(report, out, style);
  out.close();
  return out ? 0 : complain(escape_terminal(path) + ": cannot be written");
}

std::string format_names() {
  std::string names;
  for (const Format& format : formats()) names += (names.empty() ? "" : ", ") + std::string(format.name);
  return names;
}

}  // namespace

int verb_report(int argc, char** argv) {
  std::vector<std::string> words;
  std::string format_name, out_path;
  uint64_t most = Style().max_failures;
  Options options("report", "merge FILE... | compare BEFORE AFTER | render FILE",
                  "Works on kept results, the JSON Lines of run --format jsonl:FILE.\n\n"
                  "  merge    joins the shards of one run\n"
                  "  compare  says what got better and what worse: 0 if nothing got worse, 1 if something did,\n"
                  "           2 if a run is void or cannot be read\n"
                  "  render   tells a run in another format");
  options.value("format", format_name, "NAME", "of merge (jsonl) and render (console): " + format_names());
  options.value("out,o", out_path, "FILE", "write to this file, not to standard output");
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
    if (!load_all(words, reports)) return kUsageError;
    return write_to(out_path, *format, reports[0], style);
  }
  if (action == "merge") {
    if (!load_all(words, reports)) return kUsageError;
    Report merged;
    std::string error;
    if (!merge(reports, merged, error)) return complain(escape_terminal(error));
    return write_to(out_path, *format, merged, style);
  }
  if (words.size() != 2) return options.usage_error("compare takes two files: before and after");
  if (!load_all(words, reports)) return kUsageError;
  const Comparison comparison = compare(reports[0], reports[1]);
  if (out_path.empty()) {
    write_comparison(comparison, style, std::cout);
  } else {
    std::ofstream out(out_path, std::ios::binary);
    write_comparison(comparison, style, out);
    out.close();
    if (!out) return complain(escape_terminal(out_path) + ": cannot be written");
  }
  return comparison.is_void ? kUsageError : comparison.regressed() ? 1 : 0;
}

}  // namespace gcts
