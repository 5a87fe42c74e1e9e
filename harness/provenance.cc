// Facts about a run; see provenance.h.

#include "harness/provenance.h"

#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <set>

#include "harness/kernel_case.h"
#include "reference/rule.h"

namespace gcts {

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

std::vector<RuleText> rule_texts(const std::vector<Result>& results) {
  std::set<std::string_view> named;
  for (const Result& result : results) named.insert(result.rule);
  std::vector<RuleText> out;
  for (const Rule& rule : rules()) {
    if (!named.contains(rule.name)) continue;
    out.push_back({std::string(rule.name), std::string(rule.id), std::string(level_name(rule.level)), std::string(rule.area),
                   std::string(rule.statement), std::string(rule.effect), std::string(rule.source)});
  }
  for (const KernelCheck& check : kernel_checks()) {
    const std::string name = fmt::format("kernel_{}", check.name);
    if (named.contains(name)) out.push_back({name, "", "must", "kernels", std::string(check.what), "", ""});
  }
  return out;
}

}  // namespace gcts
