// The machine's description, from Linux, cpu_features and, where it was found, hwloc.

#include "harness/machine.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <tuple>

#include "harness/implementation.h"

#if defined(__x86_64__)
#include "cpuinfo_x86.h"
#endif
#if GCTS_HAVE_HWLOC
#include <hwloc.h>
#endif

namespace gcts {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

std::vector<uint32_t> usable_processors() {
  std::vector<uint32_t> out;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    for (uint32_t i = 0; i < CPU_SETSIZE; ++i)
      if (CPU_ISSET(i, &set)) out.push_back(i);
  }
  if (out.empty()) out.push_back(0);
  return out;
}

// "0-3,8" as a set.
std::set<uint32_t> listed(const std::string& text) {
  std::set<uint32_t> out;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) {
    unsigned from = 0, to = 0;
    const int n = std::sscanf(part.c_str(), "%u-%u", &from, &to);
    if (n >= 1)
      for (unsigned i = from; i <= (n == 2 ? to : from) && i < 65536; ++i) out.insert(i);
  }
  return out;
}

// How fast a processor is beside the others of its machine, as the system tells it.
uint64_t told_speed(uint32_t processor) {
  const std::string cpu = fmt::format("/sys/devices/system/cpu/cpu{}/", processor);
  for (const char* file : {"cpu_capacity", "cpufreq/cpuinfo_max_freq"})
    if (const std::string told = first_line(cpu + file); !told.empty()) return std::strtoull(told.c_str(), nullptr, 10);
  return 0;
}

// How many siblings a processor comes after, among those that work in its core.
size_t place_in_core(uint32_t processor) {
  const std::set<uint32_t> siblings =
      listed(first_line(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", processor)));
  return static_cast<size_t>(std::distance(siblings.begin(), siblings.lower_bound(processor)));
}

void put_in_order(std::vector<uint32_t>& processors) {
  using Place = std::tuple<size_t, int64_t, int64_t>;
  std::map<uint32_t, Place> places;
  for (const uint32_t p : processors) places[p] = {place_in_core(p), -static_cast<int64_t>(told_speed(p)), -int64_t{p}};
  std::sort(processors.begin(), processors.end(), [&](uint32_t a, uint32_t b) { return places[a] < places[b]; });
}

uint64_t size_in_bytes(const std::string& text) {
  uint64_t value = 0;
  char unit = 0;
  if (std::sscanf(text.c_str(), "%lu%c", &value, &unit) < 1) return 0;
  return value << (unit == 'K' ? 10 : unit == 'M' ? 20 : 0);
}

[[maybe_unused]] void read_sys_caches(Topology& out) {
  const std::string cpu = fmt::format("/sys/devices/system/cpu/cpu{}/", out.processors.front());
  for (int index = 0; index < 8; ++index) {
    const std::string folder = fmt::format("{}cache/index{}/", cpu, index);
    const std::string type = first_line(folder + "type"), level = first_line(folder + "level");
    if (type.empty() || type == "Instruction" || level < "1" || level > "3") continue;
    Cache& cache = out.caches[static_cast<size_t>(level[0] - '1')];
    cache.bytes = size_in_bytes(first_line(folder + "size"));
    const std::set<uint32_t> sharing = listed(first_line(folder + "shared_cpu_list"));
    cache.shared_by = static_cast<uint32_t>(
        std::count_if(out.processors.begin(), out.processors.end(), [&](uint32_t p) { return sharing.contains(p); }));
  }
  std::set<std::string> cores;
  for (uint32_t p : out.processors)
    cores.insert(first_line(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", p)));
  out.cores = static_cast<uint32_t>(cores.size());
  std::error_code error;
  uint32_t nodes = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/sys/devices/system/node", error)) {
    const std::string name = entry.path().filename();
    nodes += name.starts_with("node") && name.size() > 4 && name[4] >= '0' && name[4] <= '9';
  }
  out.numa_nodes = std::max(1u, nodes);
}

#if GCTS_HAVE_HWLOC
bool read_hwloc(Topology& out) {
  hwloc_topology_t topology;
  if (hwloc_topology_init(&topology) != 0) return false;
  if (hwloc_topology_load(topology) != 0) {
    hwloc_topology_destroy(topology);
    return false;
  }
  constexpr hwloc_obj_type_t kCaches[] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE};
  for (size_t level = 0; level < 3; ++level) {
    const hwloc_obj_t cache = hwloc_get_obj_by_type(topology, kCaches[level], 0);
    if (cache == nullptr) continue;
    out.caches[level].bytes = cache->attr->cache.size;
    out.caches[level].shared_by = static_cast<uint32_t>(std::count_if(
        out.processors.begin(), out.processors.end(), [&](uint32_t p) { return hwloc_bitmap_isset(cache->cpuset, p) != 0; }));
  }
  out.cores = static_cast<uint32_t>(std::max(0, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE)));
  out.numa_nodes = static_cast<uint32_t>(std::max(1, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE)));
  hwloc_topology_destroy(topology);
  return out.caches[0].bytes != 0;
}
#endif

std::string cpu_name() {
#if defined(__x86_64__)
  const cpu_features::X86Info info = cpu_features::GetX86Info();
  if (info.brand_string[0] != '\0') return info.brand_string;
#endif
  std::ifstream told("/proc/cpuinfo");
  for (std::string line; std::getline(told, line);)
    if (line.starts_with("model name") && line.find(':') != std::string::npos) return line.substr(line.find(':') + 2);
  return "unknown";
}

// The features that kernels ask for, as far as cpu_features knows them.
std::string cpu_features_found() {
  std::string out;
#if defined(__x86_64__)
  const cpu_features::X86Features features = cpu_features::GetX86Info().features;
  for (int i = 0; i < cpu_features::X86_LAST_; ++i) {
    const auto which = static_cast<cpu_features::X86FeaturesEnum>(i);
    if (cpu_features::GetX86FeaturesEnumValue(&features, which) == 0) continue;
    out += (out.empty() ? "" : " ") + std::string(cpu_features::GetX86FeaturesEnumName(which));
  }
#endif
  return out;
}

std::string size_text(uint64_t bytes) {
  if (bytes >= 10ull << 30) return fmt::format("{:.0f} GiB", static_cast<double>(bytes) / (1ull << 30));
  if (bytes >= 1ull << 20) return fmt::format("{:g} MiB", static_cast<double>(bytes) / (1ull << 20));
  return fmt::format("{:g} KiB", static_cast<double>(bytes) / 1024);
}

std::string cache_text(const Topology& t) {
  constexpr std::string_view kNames[] = {"L1 data", "L2", "L3"};
  std::string out;
  for (size_t i = 0; i < 3; ++i) {
    if (t.caches[i].bytes == 0) continue;
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", kNames[i], size_text(t.caches[i].bytes));
    if (t.caches[i].shared_by > 1) out += fmt::format(" shared by {}", t.caches[i].shared_by);
  }
  return out;
}

std::string gpu_name() {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/driver/nvidia/gpus", error)) {
    std::ifstream in(entry.path() / "information");
    for (std::string line; std::getline(in, line);)
      if (line.starts_with("Model:")) return line.substr(line.find_first_not_of(" \t", 6));
  }
  return {};
}

}  // namespace

uint64_t Topology::last_cache_bytes() const {
  for (size_t i = 3; i-- > 0;)
    if (caches[i].bytes != 0) return caches[i].bytes;
  return 32ull << 20;
}

uint64_t Topology::share(int level, uint32_t threads) const {
  const Cache& cache = caches[static_cast<size_t>(level)];
  const uint32_t sharing = std::clamp<uint32_t>(threads, 1, std::max(1u, cache.shared_by));
  return cache.bytes / sharing;
}

Topology topology() {
  Topology out;
  out.processors = usable_processors();
  put_in_order(out.processors);
  out.memory_bytes = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
#if GCTS_HAVE_HWLOC
  if (read_hwloc(out)) return out;
#endif
  read_sys_caches(out);
  return out;
}

std::map<std::string, std::string> machine_description() {
  std::map<std::string, std::string> out;
  struct utsname names {};
  if (uname(&names) == 0) {
    out["kernel"] = fmt::format("{} {}", names.sysname, names.release);
    out["architecture"] = names.machine;
  }
  const Topology t = topology();
  out["cpu"] = cpu_name();
  out["cpus"] = std::to_string(t.processors.size());
  if (t.cores != 0) out["cores"] = std::to_string(t.cores);
  if (const std::string caches = cache_text(t); !caches.empty()) out["caches"] = caches;
  out["memory"] = size_text(t.memory_bytes);
  out["numa nodes"] = std::to_string(t.numa_nodes);
  if (const std::string features = cpu_features_found(); !features.empty()) out["cpu features"] = features;
  const std::string governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  out["governor"] = governor.empty() ? "not told by the system" : governor;
  const std::string pages = first_line("/sys/kernel/mm/transparent_hugepage/enabled");
  if (!pages.empty()) out["huge pages"] = pages;
  if (const std::string gpu = gpu_name(); !gpu.empty()) out["gpu"] = gpu;
#if defined(__clang__)
  out["compiler"] = "clang " __clang_version__;
#else
  out["compiler"] = "gcc " __VERSION__;
#endif
  return out;
}

std::string device_text(const DeviceDescription& device) {
  if (!device.missing.empty()) return device.missing;
  std::string out = fmt::format("{}: {}, driver {}", device.interface, device.name, device.driver);
  if (device.memory != 0) out += fmt::format("; {} of memory, at most {} at once", size_text(device.memory), size_text(device.largest_allocation));
  if (device.compute_units != 0) out += fmt::format("; {} compute unit{}", device.compute_units, device.compute_units == 1 ? "" : "s");
  return out + (device.unmapped_guards ? "; unmapped memory around allocations" : "; checked zones around allocations");
}

ProcessorTimes ProcessorTimes::now() {
  ProcessorTimes out;
  std::istringstream in(first_line("/proc/stat"));
  std::string word;
  double user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, stolen = 0;
  in >> word >> user >> nice >> system >> idle >> wait >> irq >> soft >> stolen;
  const double hertz = static_cast<double>(std::max(1l, sysconf(_SC_CLK_TCK)));
  out.busy = (user + nice + system + irq + soft) / hertz;
  out.idle = (idle + wait) / hertz;
  out.stolen = stolen / hertz;
  return out;
}

double load_average() {
  double out = 0;
  std::istringstream(first_line("/proc/loadavg")) >> out;
  return out;
}

}  // namespace gcts
