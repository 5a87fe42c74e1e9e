// Expansion of faults.inc.

#include "harness/fault_table.h"

#include <algorithm>

namespace gcts {

std::span<const FaultRow> fault_rows() {
  static constexpr FaultRow kRows[] = {
#define FAULT(name, target, check, modelled_on) {#name, #target, check, modelled_on},
#include "plugins/faulty/faults.inc"
#undef FAULT
  };
  return kRows;
}

const FaultRow* find_fault(std::string_view name) {
  const auto rows = fault_rows();
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const FaultRow& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

std::string fault_setting(const FaultRow& fault) {
  return std::string(kFaultVariable) + "=" + std::string(fault.name);
}

std::string healthy_setting(std::string_view target) {
  return std::string(kFaultVariable) + "=healthy:" + std::string(target);
}

}  // namespace gcts
