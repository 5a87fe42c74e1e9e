// What the machine is: processor, caches, memory, system; and how busy it is.

#ifndef GCTS_HARNESS_MACHINE_H_
#define GCTS_HARNESS_MACHINE_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gcts {

struct DeviceDescription;

// Bytes of a cache and how many of the processors that this process may use share one.
struct Cache {
  uint64_t bytes = 0;
  uint32_t shared_by = 1;
};

struct Topology {
  // That this process may use, in the order in which threads that are timed take them: one of each
  // core before any second, the fastest first, and of those the last first, since the first
  // take most interrupts.
  std::vector<uint32_t> processors;
  std::array<Cache, 3> caches{};     // L1 data, L2, L3; 0 bytes: there is none
  uint32_t cores = 0;                // that those belong to
  uint32_t numa_nodes = 1;
  uint64_t memory_bytes = 0;

  // The last cache that is there; 32 MiB where the system tells of none.
  uint64_t last_cache_bytes() const;
  // Of a cache, what one of `threads` threads has for itself.
  uint64_t share(int level, uint32_t threads) const;
};
// By hwloc if the program is built with it, else by what Linux says under /sys.
Topology topology();

// The machine in words, as reports carry it.
std::map<std::string, std::string> machine_description();

// The device of a plugin in words, or why there is none.
std::string device_text(const DeviceDescription& device);

// The processor's time since the machine started, as Linux counts it.
struct ProcessorTimes {
  double busy = 0, idle = 0, stolen = 0;  // seconds, all processors
  static ProcessorTimes now();
};
double load_average();  // over the last minute

}  // namespace gcts

#endif  // GCTS_HARNESS_MACHINE_H_
