// Copying, and the verdict beside the copy.

#include "fuzz/campaign/promote.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "reference/finding.h"
#include "reference/reader.h"

namespace gcts {

namespace fs = std::filesystem;

std::string verdict_line(const FuzzTarget& target, const std::string& name, const Bytes& input) {
  if (target.kind != "files") return fmt::format("{}\t{}\t-\t-\t-\n", target.name, name);
  const Reading reading = read(input);
  const auto verdict = [&](BuiltinProfile profile) { return verdict_name(judge(reading.findings, Profile::builtin(profile))); };
  std::string_view rule = "-";
  for (const Finding& finding : reading.findings.all()) {
    if (!finding.root || rule_at(finding.rule).spec == Severity::off) continue;
    rule = rule_at(finding.rule).name;
    break;
  }
  return fmt::format("{}\t{}\t{}\t{}\t{}\n", target.name, name, verdict(BuiltinProfile::spec), verdict(BuiltinProfile::ggml), rule);
}

bool promote(const FuzzFinding& finding, const std::string& root, std::string& told) {
  const FuzzTarget* target = find_fuzz_target(finding.target);
  const fs::path folder = fs::path(root) / "fuzz" / "regressions";
  const std::string name = fs::path(finding.folder).filename().string();
  const fs::path to = folder / finding.target / name;
  std::error_code error;
  if (!target || root.empty() || !fs::is_directory(folder, error)) {
    told = folder.string() + " is not there: findings are promoted in a source tree";
    return false;
  }
  if (fs::exists(to, error)) {
    told = to.string() + " is there already";
    return false;
  }
  fs::create_directories(to.parent_path(), error);
  const std::string line = verdict_line(*target, name, finding.input);
  const std::string before(text_of(read_whole((folder / "verdicts.tsv").string())));
  if (!write_whole(to.string(), text_of(finding.input)) || !write_whole((folder / "verdicts.tsv").string(), before + line)) {
    told = to.string() + " cannot be written";
    return false;
  }
  told = to.string() + "\nverdict: " + line;
  return true;
}

}  // namespace gcts
