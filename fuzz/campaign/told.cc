// Findings as Markdown, and bytes as digits.

#include "fuzz/campaign/told.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "harness/options.h"
#include "reference/rule.h"
#include "reports/escape.h"

namespace gcts {
namespace {

constexpr size_t kMostHex = 512;  // bytes of an input that are shown

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The options that a process of the target has to be given again.
std::string line_to_paste(const FuzzFinding& finding, const CampaignOptions& options) {
  std::string line = fmt::format("{} fuzz {}", invoked_as(), finding.target);
  const FuzzTarget* target = find_fuzz_target(finding.target);
  if (target && target->foreign())
    for (const std::string& plugin : options.plugins) line += " --plugin " + plugin;
  if (!options.profile.empty()) line += " --profile " + options.profile;
  if (finding.input.size() <= kMostHex) return line + " --input hex:" + hex_of(finding.input);
  return line + " --input " + finding.folder + "/input";
}

void tell_one(const FuzzFinding& finding, const CampaignOptions& options, std::string& out) {
  out += fmt::format("## {}: {}\n\n", escape_markdown(finding.target), markdown_code(finding.failure.signature));
  out += escape_markdown(finding.failure.what) + "\n\n";
  if (const Rule* rule = find_rule(finding.failure.rule))
    out += fmt::format("* rule {} ({}): {} {}\n", escape_markdown(rule->name), rule->id, escape_markdown(rule->statement), escape_markdown(rule->effect));
  out += fmt::format("* seen {} {}{}\n", finding.seen, finding.seen == 1 ? "time" : "times",
                     finding.repeats ? "" : "; it did not fail again when run alone");
  out += fmt::format("* smallest input, {} bytes, in {}\n", finding.input.size(), markdown_code(finding.folder + "/input"));
  out += fmt::format("* keep it as a regression: {}\n\n",
                     markdown_code(fmt::format("{} fuzz --promote {}", invoked_as(), std::filesystem::path(finding.folder).filename().string())));
  if (finding.input.size() <= kMostHex) {
    const std::string hex = hex_of(finding.input);
    out += "```\n";
    for (size_t at = 0; at < hex.size(); at += 64) out += hex.substr(at, 64) + "\n";
    out += "```\n\n";
  }
  out += "```\n" + line_to_paste(finding, options) + "\n```\n\n";
}

}  // namespace

std::string hex_of(const Bytes& bytes) {
  std::string out;
  for (const std::byte b : bytes) out += fmt::format("{:02x}", std::to_integer<unsigned>(b));
  return out;
}

bool bytes_of_hex(std::string_view text, Bytes& out) {
  out.clear();
  int high = -1;
  for (const char c : text) {
    if (c == ' ' || c == '\n') continue;
    const int d = digit(c);
    if (d < 0) return false;
    if (high < 0) {
      high = d;
    } else {
      out.push_back(static_cast<std::byte>(high << 4 | d));
      high = -1;
    }
  }
  return high < 0;
}

std::string one_line(const FuzzFinding& finding) {
  return fmt::format("{}  {}  {} bytes{}  {}", escape_terminal(finding.target), escape_terminal(finding.failure.signature), finding.input.size(),
                     finding.repeats ? "" : "  (once)", escape_terminal(finding.failure.what));
}

std::string tell_findings(const std::vector<FuzzFinding>& findings, const CampaignOptions& options) {
  std::string out = "# Findings\n\n";
  if (findings.empty()) return out + "None.\n";
  out += "| target | finding | bytes | seen | rule |\n|---|---|---|---|---|\n";
  for (const FuzzFinding& f : findings)
    out += fmt::format("| {} | {} | {} | {} | {} |\n", escape_markdown(f.target), escape_markdown(f.failure.signature), f.input.size(), f.seen,
                       escape_markdown(f.failure.rule));
  out += "\n";
  for (const FuzzFinding& f : findings) tell_one(f, options, out);
  return out;
}

}  // namespace gcts
