// When a report was made, and what its rules say.

#ifndef GCTS_HARNESS_PROVENANCE_H_
#define GCTS_HARNESS_PROVENANCE_H_

#include <string>
#include <vector>

#include "reports/report.h"

namespace gcts {

// ISO 8601, to the second.
std::string utc_now();
// The texts of the rules and kernel checks that results name, in the order of the catalogue.
std::vector<RuleText> rule_texts(const std::vector<Result>& results);

}  // namespace gcts

#endif  // GCTS_HARNESS_PROVENANCE_H_
