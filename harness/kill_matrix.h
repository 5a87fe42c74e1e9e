// The suite tested: every deliberate bug has to be caught by the check that it names.
//
// A fault is caught if a case that its check selects fails with it, while the healthy
// twin of its target passes every case that the check selects, in the same run.  All
// other small cases run too: the kill matrix says which areas noticed.

#ifndef GCTS_HARNESS_KILL_MATRIX_H_
#define GCTS_HARNESS_KILL_MATRIX_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/selection.h"
#include "reports/report.h"

namespace gcts {

struct SelfTestOptions {
  std::string library;     // the plugin with the faults
  Selection faults;        // over "fault/NAME"; empty: all
  uint64_t jobs = 1;
  std::function<void(size_t done, size_t total)> progress;
};

// One FaultResult a fault, in the order of the table.  False and an explanation if the
// library cannot be used.
bool run_self_test(const SelfTestOptions& options, std::vector<FaultResult>& out, std::string& error);

// The positive controls of an ordinary run: a few faults on the cases that they name.
// "" if each was caught, else what was missed: the run is void then.
std::string run_positive_controls(const std::string& library);

}  // namespace gcts

#endif  // GCTS_HARNESS_KILL_MATRIX_H_
