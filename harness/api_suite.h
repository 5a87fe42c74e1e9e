// The api suite: checks that plugins bring of the programming interface they wrap, each in
// a process of its own.  A case id is api/<name>.

#ifndef GCTS_HARNESS_API_SUITE_H_
#define GCTS_HARNESS_API_SUITE_H_

#include <vector>

#include "harness/format_suite.h"
#include "harness/selection.h"
#include "reports/report.h"

namespace gcts {

// One Result a check and subject that has it, in the order of subjects and case ids.
std::vector<Result> run_api_suite(const std::vector<SuiteSubject>& subjects, const Selection& selection,
                                  const Shard& shard, const SuiteOptions& options);

}  // namespace gcts

#endif  // GCTS_HARNESS_API_SUITE_H_
