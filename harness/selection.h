// Which cases run: globs over case ids, and the shard of a run.

#ifndef GCTS_HARNESS_SELECTION_H_
#define GCTS_HARNESS_SELECTION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gcts {

// `*` stands for any run of characters, "/" included, `?` for one character, anything
// else for itself.
bool glob_match(std::string_view pattern, std::string_view text);
// The glob matches the id or a leading part of it that ends before a "/":
// "format/invalid" selects all that is below.
bool selects(std::string_view pattern, std::string_view id);

struct Selection {
  std::vector<std::string> run;   // empty: everything
  std::vector<std::string> skip;

  bool contains(std::string_view id) const;
  // Is the case named in full?  Such a case runs in any tier.
  bool names(std::string_view id) const;
};

// One part in `count` of the cases, the same whatever else is selected.
struct Shard {
  uint64_t index = 1;  // from 1
  uint64_t count = 1;

  bool contains(std::string_view id) const;
};
// "2/5".  False on anything else.
bool parse_shard(std::string_view text, Shard& out);

// "90", "90s", "5m", "1h": seconds.  False on anything else.
bool parse_duration(std::string_view text, double& out);

enum class Tier : uint8_t { smoke, full, exhaustive };
std::string_view tier_name(Tier tier);
bool parse_tier(std::string_view name, Tier& out);

}  // namespace gcts

#endif  // GCTS_HARNESS_SELECTION_H_
