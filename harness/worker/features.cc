// Names of features, looked up in what cpu_features tells.

#include "harness/worker/features.h"

#include <cstdlib>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cpuinfo_x86.h"
#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace gcts::worker {
namespace {

// The features that cpu_features 0.7 has no name for: where CPUID tells of them.
// Register: 0 eax, 1 ebx, 2 ecx, 3 edx.  Source: Intel SDM, volume 2, CPUID.
struct Extra {
  std::string_view name;
  uint32_t leaf, subleaf, reg, bit;
};
constexpr Extra kExtras[] = {
    {"avx_vnni", 7, 1, 0, 4},
    {"avx512_fp16", 7, 0, 3, 23},
    {"gfni", 7, 0, 2, 8},
};

// The XCR0 bits without which the operating system loses a feature's registers.
uint64_t needed_state(std::string_view name) {
  if (name.substr(0, 4) == "amx_") return 0x60000;
  if (name.substr(0, 6) == "avx512") return 0xe6;
  if (name.substr(0, 3) == "avx" || name == "fma3" || name == "f16c") return 0x6;
  return 0;
}

bool has(std::string_view name, const Machine& machine) {
  int there = machine.named(name);
  for (const Extra& e : kExtras)
    if (there < 0 && e.name == name) {
      uint32_t registers[4];
      machine.cpuid(e.leaf, e.subleaf, registers);
      there = (registers[e.reg] >> e.bit) & 1;
    }
  if (there <= 0) return false;
  const uint64_t state = needed_state(name);
  if ((machine.xcr0() & state) != state) return false;
  return name.substr(0, 4) != "amx_" || machine.grant_tile_data();
}

// Calls f with each word of a text; stops at the first for which it is true.
template <typename F>
std::string first_word(std::string_view text, F f) {
  while (!text.empty()) {
    const size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    if (!word.empty() && f(word)) return std::string(word);
    if (space == std::string_view::npos) break;
    text.remove_prefix(space + 1);
  }
  return {};
}

#if defined(__x86_64__)

int named(std::string_view name) {
  static const cpu_features::X86Features features = cpu_features::GetX86Info().features;
  for (int i = 0; i < cpu_features::X86_LAST_; ++i) {
    const auto which = static_cast<cpu_features::X86FeaturesEnum>(i);
    if (name == cpu_features::GetX86FeaturesEnumName(which))
      return cpu_features::GetX86FeaturesEnumValue(&features, which) != 0;
  }
  return -1;
}

void cpuid(uint32_t leaf, uint32_t subleaf, uint32_t r[4]) {
  if (!__get_cpuid_count(leaf, subleaf, &r[0], &r[1], &r[2], &r[3])) r[0] = r[1] = r[2] = r[3] = 0;
}

uint64_t xcr0() {
  uint32_t r[4];
  cpuid(1, 0, r);
  if (!((r[2] >> 27) & 1)) return 0;  // no XGETBV for programs
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low | static_cast<uint64_t>(high) << 32;
}

// ARCH_REQ_XCOMP_PERM (0x1023) for state component 18, the tile data.
bool grant_tile_data() { return syscall(SYS_arch_prctl, 0x1023, 18) == 0; }

#elif defined(__aarch64__)

struct Flag {
  std::string_view name;
  unsigned long type, bit;
};
// cpu_features' names over the kernel's own flags, so that a cross-built worker needs
// nothing but libc.
constexpr Flag kFlags[] = {
    {"fp", AT_HWCAP, HWCAP_FP},           {"asimd", AT_HWCAP, HWCAP_ASIMD},
    {"fphp", AT_HWCAP, HWCAP_FPHP},       {"asimdhp", AT_HWCAP, HWCAP_ASIMDHP},
    {"asimddp", AT_HWCAP, HWCAP_ASIMDDP}, {"sve", AT_HWCAP, HWCAP_SVE},
    {"sve2", AT_HWCAP2, HWCAP2_SVE2},     {"i8mm", AT_HWCAP2, HWCAP2_I8MM},
    {"bf16", AT_HWCAP2, HWCAP2_BF16},
};
int named(std::string_view name) {
  for (const Flag& f : kFlags)
    if (f.name == name) return (getauxval(f.type) & f.bit) != 0;
  return -1;
}
void cpuid(uint32_t, uint32_t, uint32_t r[4]) { r[0] = r[1] = r[2] = r[3] = 0; }
uint64_t xcr0() { return 0; }
bool grant_tile_data() { return false; }

#else

int named(std::string_view) { return -1; }
void cpuid(uint32_t, uint32_t, uint32_t r[4]) { r[0] = r[1] = r[2] = r[3] = 0; }
uint64_t xcr0() { return 0; }
bool grant_tile_data() { return false; }

#endif

}  // namespace

const Machine& this_machine() {
  static const Machine machine{named, cpuid, xcr0, grant_tile_data};
  return machine;
}

std::string missing_feature(std::string_view needs, const Machine& machine) {
  const char* hidden = std::getenv("GCTS_HIDE_FEATURES");
  return first_word(needs, [&](std::string_view name) {
    const bool hide = hidden && !first_word(hidden, [&](std::string_view h) { return h == name; }).empty();
    return hide || !has(name, machine);
  });
}

}  // namespace gcts::worker
