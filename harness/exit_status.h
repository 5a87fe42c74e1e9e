// From a report to the program's exit status.

#ifndef GCTS_HARNESS_EXIT_STATUS_H_
#define GCTS_HARNESS_EXIT_STATUS_H_

#include "reports/report.h"

namespace gcts {

// 0  every selected case passed, failed as expected or was skipped, and one passed
// 1  any other outcome, or a fault that was not caught
// 2  a void run (usage and load errors end with 2 before there is a report)
// 3  nothing was tested: only skips (unless they are allowed), or nothing selected
//    before sharding
struct ExitTerms {
  size_t selected = 0;      // cases before sharding
  bool allow_skip = false;
};
int exit_status(const Report& report, const ExitTerms& terms);

}  // namespace gcts

#endif  // GCTS_HARNESS_EXIT_STATUS_H_
