// What one case may cost.  Memory is resident anonymous memory, never address space,
// which runtimes reserve by the terabyte.  How the times are counted: case_watch.h.

#ifndef GCTS_HARNESS_LIMITS_H_
#define GCTS_HARNESS_LIMITS_H_

#include <cstdint>
#include <string_view>

namespace gcts {

struct Limits {
  double wall_seconds = 10;
  double cpu_seconds = 5;
  uint64_t memory_bytes = uint64_t{1} << 30;  // above what it held when the case began
};

// Sets one by name: "wall=30s", "cpu=5s", "memory=512" (MiB).  False on anything else.
bool parse_limit(std::string_view text, Limits& out);

}  // namespace gcts

#endif  // GCTS_HARNESS_LIMITS_H_
