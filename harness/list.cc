// The verb list: what there is to select from.

#include <cstdio>
#include <string>
#include <vector>

#include "harness/options.h"

namespace gcts {

int verb_list(int argc, char** argv) {
  std::vector<std::string> what;
  Options options("list", "rules|...", "Prints what there is, one a line.");
  options.positional("WHAT", what, "what to list", 1, 1);
  if (auto status = options.parse(argc, argv)) return *status;
  return options.usage_error("there is no list of '" + what[0] + "'");
}

}  // namespace gcts
