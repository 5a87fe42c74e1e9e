// Limits of one case; see case_watch.h.

#include "harness/case_watch.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>

namespace gcts {
namespace {

// What is counted between two looks at most, so that a harness that was not let run itself
// charges nobody for it.
constexpr double kLongestLook = 0.1;

}  // namespace

void CaseWatch::begin(double cpu_seconds, uint64_t held_bytes) {
  note_.clear();
  start_ = looked_ = now_seconds();
  idle_seconds_ = cpu_seconds_ = 0;
  cpu_before_ = cpu_seconds;
  held_before_ = held_bytes;
  most_held_ = peak_bytes_ = 0;
}

CaseWatch::Over CaseWatch::over(Over what, std::string note) {
  note_ = std::move(note);
  return what;
}

void CaseWatch::measure(const ProcessUsage& usage) {
  cpu_seconds_ = std::max(cpu_seconds_, usage.cpu_seconds - cpu_before_);
  most_held_ = std::max(most_held_, usage.anonymous_bytes);
  peak_bytes_ = most_held_ > held_before_ ? most_held_ - held_before_ : 0;
}

CaseWatch::Over CaseWatch::over_use(const Limits& limits) {
  if (peak_bytes_ > limits.memory_bytes) {
    return over(Over::memory, fmt::format("holds {} MiB of memory more than before the case, the limit is {} MiB", peak_bytes_ >> 20,
                                          limits.memory_bytes >> 20));
  }
  if (cpu_seconds_ > limits.cpu_seconds) return over(Over::cpu, fmt::format("uses more than {:g} s of CPU time", limits.cpu_seconds));
  return Over::nothing;
}

CaseWatch::Over CaseWatch::look(const Child& child, const Limits& limits) {
  const ProcessUsage usage = child.usage();
  const double now = now_seconds();
  if (usage.idle) idle_seconds_ += std::min(now - looked_, kLongestLook);
  looked_ = now;
  measure(usage);
  if (const Over used = over_use(limits); used != Over::nothing) return used;
  if (idle_seconds_ > limits.wall_seconds) return over(Over::wall, fmt::format("no answer within {:g} s", limits.wall_seconds));
  if (now - start_ > limits.wall_seconds * kPatience) {
    return over(Over::wall, fmt::format("no answer within {:g} s", limits.wall_seconds * kPatience));
  }
  return Over::nothing;
}

CaseWatch::Over CaseWatch::look_back(const Child& child, const Limits& limits) {
  measure(child.usage());
  return over_use(limits);
}

}  // namespace gcts
