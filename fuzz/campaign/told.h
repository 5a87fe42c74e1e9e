// A campaign's findings told: for each what, where, the smallest input, the rule, and the
// line that shows it again.

#ifndef GCTS_FUZZ_CAMPAIGN_TOLD_H_
#define GCTS_FUZZ_CAMPAIGN_TOLD_H_

#include <string>
#include <vector>

#include "fuzz/campaign/campaign.h"

namespace gcts {

// Markdown.  Text of findings is escaped for it.
std::string tell_findings(const std::vector<FuzzFinding>& findings, const CampaignOptions& options);

// One line for a terminal.
std::string one_line(const FuzzFinding& finding);

std::string hex_of(const Bytes& bytes);
// Bytes from hexadecimal digits, blanks between them allowed; false on anything else.
bool bytes_of_hex(std::string_view text, Bytes& out);

}  // namespace gcts

#endif  // GCTS_FUZZ_CAMPAIGN_TOLD_H_
