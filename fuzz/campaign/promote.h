// A finding becomes a regression: its input under fuzz/regressions/<target>/, and a line
// in fuzz/regressions/verdicts.tsv that says what the reference makes of it.

#ifndef GCTS_FUZZ_CAMPAIGN_PROMOTE_H_
#define GCTS_FUZZ_CAMPAIGN_PROMOTE_H_

#include <string>

#include "fuzz/campaign/findings.h"

namespace gcts {

// One line of verdicts.tsv: target, name, verdict under spec, under ggml, the first broken
// rule; "-" for what is no file, or where nothing is broken.
std::string verdict_line(const FuzzTarget& target, const std::string& name, const Bytes& input);

// Puts the input under `root`/fuzz/regressions.  A message for people in `told`; false
// where it could not be written, or is there already.
bool promote(const FuzzFinding& finding, const std::string& root, std::string& told);

}  // namespace gcts

#endif  // GCTS_FUZZ_CAMPAIGN_PROMOTE_H_
