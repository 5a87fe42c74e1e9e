// The deliberate bugs of plugins/faulty as the harness sees them: rows of its table.

#ifndef GCTS_HARNESS_FAULT_TABLE_H_
#define GCTS_HARNESS_FAULT_TABLE_H_

#include <span>
#include <string>
#include <string_view>

namespace gcts {

struct FaultRow {
  std::string_view name;
  std::string_view target;      // "reader", "writer", "template_reader", ...
  std::string_view check;       // the glob of the cases that must catch it
  std::string_view modelled_on;
};

std::span<const FaultRow> fault_rows();
const FaultRow* find_fault(std::string_view name);

// The environment variable that chooses a fault, and its settings.
inline constexpr std::string_view kFaultVariable = "GCTS_FAULT";
std::string fault_setting(const FaultRow& fault);           // GCTS_FAULT=name
std::string healthy_setting(std::string_view target);       // GCTS_FAULT=healthy:target

}  // namespace gcts

#endif  // GCTS_HARNESS_FAULT_TABLE_H_
