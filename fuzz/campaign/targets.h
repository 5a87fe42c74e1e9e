// The rows of fuzz/targets.inc.

#ifndef GCTS_FUZZ_CAMPAIGN_TARGETS_H_
#define GCTS_FUZZ_CAMPAIGN_TARGETS_H_

#include <span>
#include <string_view>

namespace gcts {

struct FuzzTarget {
  std::string_view name;
  std::string_view kind;     // of its inputs
  std::string_view promise;
  // Watches plugins that the environment names, and can collect what it finds.
  bool foreign() const { return name == "reader_plugin" || name == "differential" || name == "kernel"; }
};

std::span<const FuzzTarget> fuzz_targets();
const FuzzTarget* find_fuzz_target(std::string_view name);

}  // namespace gcts

#endif  // GCTS_FUZZ_CAMPAIGN_TARGETS_H_
