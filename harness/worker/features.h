// Which CPU features this machine offers to a kernel, by cpu_features' names.
//
// A kernel row names what it needs ("avx2 fma3 f16c").  A feature counts only if the
// instructions exist, the operating system keeps the registers that they use (XCR0),
// and, for AMX, the kernel has granted this process the tile data.

#ifndef GCTS_HARNESS_WORKER_FEATURES_H_
#define GCTS_HARNESS_WORKER_FEATURES_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace gcts::worker {

// What the gate asks of a machine; tests give another one.
struct Machine {
  // 1: there, 0: not there, -1: cpu_features does not know the name.
  int (*named)(std::string_view name);
  // CPUID leaf and subleaf; `registers` are eax, ebx, ecx, edx.  All zero elsewhere.
  void (*cpuid)(uint32_t leaf, uint32_t subleaf, uint32_t registers[4]);
  uint64_t (*xcr0)();            // 0 where there is none
  bool (*grant_tile_data)();     // asks the kernel for AMX tile data
};

const Machine& this_machine();

// The first of the space-separated names that is missing; empty if all are there.
// Names in the environment variable GCTS_HIDE_FEATURES count as missing.
std::string missing_feature(std::string_view needs, const Machine& machine = this_machine());

}  // namespace gcts::worker

#endif  // GCTS_HARNESS_WORKER_FEATURES_H_
