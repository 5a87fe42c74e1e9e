// Which rows of kernel_checks.inc are meant for a kernel, and the cases that they add.

#include "harness/kernel_case.h"

#include <fmt/format.h>

#include <iterator>

namespace gcts {

#define KERNEL_CHECK(name, ops, what) void add_##name(const KernelRow& row, KernelCaseList& cases);
#include "harness/kernel_checks.inc"
#undef KERNEL_CHECK

namespace {

constexpr KernelCheck kChecks[] = {
#define KERNEL_CHECK(name, ops, what) {#name, #ops, what},
#include "harness/kernel_checks.inc"
#undef KERNEL_CHECK
};

using AddFn = void (*)(const KernelRow&, KernelCaseList&);
constexpr AddFn kAdd[] = {
#define KERNEL_CHECK(name, ops, what) add_##name,
#include "harness/kernel_checks.inc"
#undef KERNEL_CHECK
};

bool meant_for(std::string_view ops, const KernelRow& row) {
  if (ops == "any") return true;
  if (ops == "dot") return row.dot();
  if (ops == "product") return row.product();
  if (ops == "computed") return row.op != GCTS_OP_QUANTIZE;
  if (ops == "decode") return row.op == GCTS_OP_DEQUANTIZE;
  return ops == "quantize" && row.op == GCTS_OP_QUANTIZE;
}

}  // namespace

std::span<const KernelCheck> kernel_checks() { return kChecks; }

KernelCase& KernelCaseList::add(std::string_view check, std::string_view detail,
                                std::function<std::string(const Generator&, std::vector<KernelJob>&)> make) {
  KernelCase c;
  c.id = fmt::format("{}/{}{}{}", row_.id, check, detail.empty() ? "" : "/", detail);
  c.check = check;
  c.make = std::move(make);
  cases_.push_back(std::move(c));
  return cases_.back();
}

std::vector<KernelCase> kernel_cases(const KernelRow& row, Tier tier, const ModelWeights* weights) {
  KernelCaseList list(row, tier, weights);
  for (size_t i = 0; i < std::size(kChecks); ++i)
    if (meant_for(kChecks[i].ops, row)) kAdd[i](row, list);
  return std::move(list.cases());
}

}  // namespace gcts
