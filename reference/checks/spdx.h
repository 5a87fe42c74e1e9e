// The form of SPDX licence expressions.

#ifndef GCTS_REFERENCE_CHECKS_SPDX_H_
#define GCTS_REFERENCE_CHECKS_SPDX_H_

#include <string_view>

namespace gcts {

// Whether text has the form of an SPDX expression: licence ids of letters, digits,
// dots, dashes, colons and a closing plus, joined by AND, OR and WITH, in balanced
// parentheses.  The ids are not looked up: the list grows with each SPDX release.
bool is_spdx_expression(std::string_view text);

}  // namespace gcts

#endif  // GCTS_REFERENCE_CHECKS_SPDX_H_
