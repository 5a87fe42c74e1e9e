// Takes the results from the JSON Lines that the program prints; see suite_run_test.h.

#include "harness/suite_run_test.h"

#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/spawn_test.h"

namespace gcts {

size_t SuiteRan::count(const std::string& beginning, const std::string& outcome) const {
  size_t found = 0;
  for (auto at = cases.lower_bound(beginning); at != cases.end() && at->first.starts_with(beginning); ++at)
    found += at->second.outcome == outcome;
  return found;
}

SuiteRan run_suite(std::vector<std::string> arguments, unsigned seconds) {
  arguments.insert(arguments.begin(), "run");
  arguments.insert(arguments.end(), {"--format", "jsonl"});
  const Ran ran = run_program(arguments, {}, seconds);
  SuiteRan out;
  out.status = ran.status;
  out.err = ran.err;
  std::istringstream lines(ran.out);
  for (std::string line; std::getline(lines, line);) {
    const nlohmann::json record = nlohmann::json::parse(line, nullptr, false);
    if (!record.is_object() || record.value("record", "") != "result") continue;
    out.cases[record.value("case", "")] = {record.value("outcome", ""), record.value("message", "")};
  }
  return out;
}

}  // namespace gcts
