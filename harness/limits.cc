// Limits as they stand on the command line.

#include "harness/limits.h"

#include "harness/options.h"
#include "harness/selection.h"

namespace gcts {

bool parse_limit(std::string_view text, Limits& out) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view name = text.substr(0, equals), value = text.substr(equals + 1);
  if (name == "wall") return parse_duration(value, out.wall_seconds) && out.wall_seconds > 0;
  if (name == "cpu") return parse_duration(value, out.cpu_seconds) && out.cpu_seconds > 0;
  constexpr uint64_t kMost = uint64_t{1} << 30;  // MiB: a pebibyte
  uint64_t mebibytes = 0;
  if (name != "memory" || !parse_number(value, mebibytes) || mebibytes == 0 || mebibytes > kMost) return false;
  out.memory_bytes = mebibytes << 20;
  return true;
}

}  // namespace gcts
