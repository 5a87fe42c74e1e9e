// The kernel suite tested: every deliberately broken kernel has to be caught by the check
// that it names, while its healthy twin passes the same cases in the same run.
//
// Beside each fault stands what two well-known criteria would have said: that of ggml's
// test-quantize-fns and a normalised mean square error of 5e-4 (reference/thresholds.h).

#ifndef GCTS_HARNESS_KERNEL_KILL_MATRIX_H_
#define GCTS_HARNESS_KERNEL_KILL_MATRIX_H_

#include <string>
#include <vector>

#include "harness/kill_matrix.h"

namespace gcts {

// Appends one FaultResult a kernel fault, in the order of the table.  False and an
// explanation if the library cannot be used.
bool run_kernel_self_test(const SelfTestOptions& options, std::vector<FaultResult>& out, std::string& error);

// The positive controls of every run that judges kernels: a byte read past the end, one
// before the start, a float written past the end, an element left unwritten, a rounding
// mode left changed.  "" if each was caught, else what was missed: the run is void then.
std::string run_kernel_controls(const std::string& library);

}  // namespace gcts

#endif  // GCTS_HARNESS_KERNEL_KILL_MATRIX_H_
