// The verb corpus: the test files, usable without this program.

#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "corpus/case.h"
#include "corpus/export.h"
#include "harness/options.h"
#include "reference/rule.h"
#include "reports/escape.h"

namespace gcts {
namespace {

int list() {
  size_t width = 0;
  for (const Case& each : cases()) width = std::max(width, each.id.size());
  for (const Case& each : cases()) {
    std::cout << fmt::format("{:<{}}  {:<7}  {:<7}  {}\n", each.id, width, expectation_name(each.spec), expectation_name(each.ggml),
                             each.rule < rule::kCount ? rule_at(each.rule).id : "");
  }
  return 0;
}

int export_to(const std::string& folder, bool large) {
  ExportOptions options;
  options.large = large;
  const ExportResult result = export_corpus(folder, options);
  if (!result.error.empty()) {
    std::cerr << "gguf-cts corpus: " << escape_terminal(result.error) << '\n';
    return kUsageError;
  }
  std::cout << fmt::format("{}: {} cases in {} files, {} bytes\nmanifest.json SHA-256 {}\n", escape_terminal(folder), result.cases,
                           result.files, result.bytes, result.manifest_sha256);
  return 0;
}

int verify(const std::string& folder) {
  const std::vector<std::string> differences = verify_corpus(folder);
  for (const std::string& difference : differences) std::cout << escape_terminal(difference) << '\n';
  std::cout << escape_terminal(folder) << (differences.empty() ? ": as exported\n" : ": not as exported\n");
  return differences.empty() ? 0 : 1;
}

}  // namespace

int verb_corpus(int argc, char** argv) {
  std::vector<std::string> words;
  bool large = false;
  Options options("corpus", "list | export DIR [--large] | verify DIR",
                  "The test files of the suite.\n\n"
                  "  list     each case with its verdict under spec and under ggml, and its rule\n"
                  "  export   writes the files, what they hold as JSON, and a manifest (SHA-256, rules, verdicts)\n"
                  "  verify   compares a folder with its manifest: 0 if it is as exported, 1 if not");
  options.flag("large", large, "export also the cases that are otherwise made on demand");
  options.positional("ACTION", words, "list, export or verify, and a folder", 1, 2);
  if (const auto status = options.parse(argc, argv)) return *status;
  const std::string& action = words[0];
  if (action == "list" && words.size() == 1) return list();
  if (action == "export" && words.size() == 2) return export_to(words[1], large);
  if (action == "verify" && words.size() == 2) return verify(words[1]);
  return options.usage_error("it is list, export DIR or verify DIR");
}

}  // namespace gcts
