// The kernel suite: every kernel row of every subject, check by check.

#ifndef GCTS_HARNESS_KERNEL_SUITE_H_
#define GCTS_HARNESS_KERNEL_SUITE_H_

#include <vector>

#include "harness/format_suite.h"
#include "harness/kernel_case.h"
#include "harness/selection.h"
#include "reports/report.h"

namespace gcts {

struct KernelSelection {
  Selection selection;
  Shard shard;
  Tier tier = Tier::smoke;
  uint64_t seed = 0;
  const ModelWeights* weights = nullptr;  // outlives the run
};

// One Result a case and subject, Result::subject being the index into `subjects`; in
// the order of subjects and case ids.  A row whose CPU feature is missing gives skips
// that name it.
std::vector<Result> run_kernel_suite(const std::vector<SuiteSubject>& subjects, const KernelSelection& selection,
                                     const SuiteOptions& options);

}  // namespace gcts

#endif  // GCTS_HARNESS_KERNEL_SUITE_H_
