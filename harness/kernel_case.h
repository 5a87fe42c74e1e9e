// A case of the kernel suite: calls of one kernel and what each must give.
//
// A case id is kernel/<op>/<type>/<variant>/<check>/<detail>:
//
//   kernel/vec_dot/q4_0/avx2/bound/k=4096
//   kernel/matmul/q8_0/avx512/exact/m=3,n=5,k=256
//
// A case makes its calls when it runs, from a generator keyed by (seed, case id).

#ifndef GCTS_HARNESS_KERNEL_CASE_H_
#define GCTS_HARNESS_KERNEL_CASE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/implementation.h"
#include "harness/selection.h"
#include "reference/accuracy.h"
#include "reference/generator.h"
#include "reference/operands.h"
#include "reference/tensor_type.h"
#include "reports/report.h"

namespace gcts {

class ModelWeights;  // model_weights.h

// One row of a plugin's kernel table, in the reference's terms.
struct KernelRow {
  uint64_t index = 0;
  gcts_op op = GCTS_OP_DEQUANTIZE;
  const TensorType* type = nullptr;
  const TensorType* activation_type = nullptr;
  AccuracyClass accuracy;
  KernelDescription description;
  std::string id;            // "kernel/vec_dot/q4_0/avx2"
  std::string unusable;      // not empty: the row makes no sense

  bool dot() const { return op == GCTS_OP_VEC_DOT || product(); }
  bool product() const { return op == GCTS_OP_MATMUL || op == GCTS_OP_MATMUL_ID; }
  // K is a multiple of this.
  uint64_t unit() const;
};
KernelRow kernel_row(const KernelDescription& description, uint64_t index);
std::string_view op_name(gcts_op op);

// What one call came to.
struct Problem {
  Outcome outcome = Outcome::pass;
  std::string message;
};

// What a case adds up over its calls.
struct KernelScore {
  double worst_share = 0;        // of the error bound
  uint64_t judged = 0;           // outputs
  uint64_t probed = 0, sharp = 0;
  uint64_t codes_met = 0, codes = 0;
  std::string unusable;          // why an output could not be judged
};

// One call.  `keep` owns what the task's spans refer to.
struct KernelJob {
  KernelTask task;
  std::shared_ptr<const void> keep;
  std::function<Problem(const Answer& answer, KernelScore& score)> judge;
};

struct KernelCase {
  std::string id;
  std::string check;         // row of kernel_checks.inc
  bool slow = false;         // wants more time than a case's limits
  // Fills `jobs`; returns why it cannot be run, or "".
  std::function<std::string(const Generator& generator, std::vector<KernelJob>& jobs)> make;
};

// Cases of one kernel for a tier, as the checks add them.
class KernelCaseList {
 public:
  KernelCaseList(const KernelRow& row, Tier tier, const ModelWeights* weights) : row_(row), tier_(tier), weights_(weights) {}
  Tier tier() const { return tier_; }
  const ModelWeights* weights() const { return weights_; }  // null: none were given
  bool smoke() const { return tier_ == Tier::smoke; }
  // `check` as it stands in the id; `detail` may be empty.
  KernelCase& add(std::string_view check, std::string_view detail,
                  std::function<std::string(const Generator&, std::vector<KernelJob>&)> make);
  std::vector<KernelCase>& cases() { return cases_; }

 private:
  const KernelRow& row_;
  Tier tier_;
  const ModelWeights* weights_;
  std::vector<KernelCase> cases_;
};

// Every case of a row.  `weights`: a model whose tensors are tried too, or null.
std::vector<KernelCase> kernel_cases(const KernelRow& row, Tier tier, const ModelWeights* weights = nullptr);

struct KernelCheck {
  std::string_view name, ops, what;
};
std::span<const KernelCheck> kernel_checks();

}  // namespace gcts

#endif  // GCTS_HARNESS_KERNEL_CASE_H_
