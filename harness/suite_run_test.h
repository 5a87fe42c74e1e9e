// Runs the suite on a plugin as its user would, and takes its results case by case.

#ifndef GCTS_HARNESS_SUITE_RUN_TEST_H_
#define GCTS_HARNESS_SUITE_RUN_TEST_H_

#include <map>
#include <string>
#include <vector>

namespace gcts {

struct CaseResult {
  std::string outcome, message;
};

struct SuiteRan {
  int status = -1;  // exit status
  std::string err;
  std::map<std::string, CaseResult> cases;  // by id

  // How many cases whose id begins so came to this outcome.
  size_t count(const std::string& beginning, const std::string& outcome) const;
};

// gguf-cts run with these arguments; killed after so many seconds.
SuiteRan run_suite(std::vector<std::string> arguments, unsigned seconds = 300);

}  // namespace gcts

#endif  // GCTS_HARNESS_SUITE_RUN_TEST_H_
