// Expansion of targets.inc.

#include "fuzz/campaign/targets.h"

namespace gcts {

std::span<const FuzzTarget> fuzz_targets() {
  static constexpr FuzzTarget kTargets[] = {
#define TARGET(name, kind, promise) {#name, #kind, promise},
#include "fuzz/targets.inc"
#undef TARGET
  };
  return kTargets;
}

const FuzzTarget* find_fuzz_target(std::string_view name) {
  for (const FuzzTarget& target : fuzz_targets())
    if (target.name == name) return &target;
  return nullptr;
}

}  // namespace gcts
