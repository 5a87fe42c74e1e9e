// The deliberate bugs as a table.

#ifndef GCTS_PLUGINS_GPU_FAULTS_H_
#define GCTS_PLUGINS_GPU_FAULTS_H_

#include <span>
#include <string_view>

namespace gpu {

struct FaultRow {
  std::string_view name, catches, check, modelled_on;
};

inline std::span<const FaultRow> fault_rows() {
  static constexpr FaultRow kRows[] = {
#define GPU_FAULT(name, catches, check, modelled_on) {#name, #catches, check, modelled_on},
#include "faults.inc"
#undef GPU_FAULT
  };
  return kRows;
}

}  // namespace gpu

#endif  // GCTS_PLUGINS_GPU_FAULTS_H_
