// The smallest input that still shows a finding.

#ifndef GCTS_FUZZ_CAMPAIGN_MINIMISE_H_
#define GCTS_FUZZ_CAMPAIGN_MINIMISE_H_

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "reference/gguf.h"

namespace gcts {

// Which of the candidates shows the finding: the first, or nothing.
using ShowsFinding = std::function<std::optional<size_t>(std::span<const Bytes> candidates)>;

// Leaves out and empties parts of the model while `input` is a file that can be read, then
// leaves out runs of bytes, then makes bytes zero; until nothing helps or `more` says no.
// The result shows the finding if `input` did.
Bytes minimise(Bytes input, bool is_file, const ShowsFinding& shows, const std::function<bool()>& more);

}  // namespace gcts

#endif  // GCTS_FUZZ_CAMPAIGN_MINIMISE_H_
