// What a child uses of the limits of one case, watched through /proc.
//
// The machine may do other things beside.  A child that could run and is not let, or that
// waits for a disk, is not slow: the wall limit counts the time in which none of its threads
// has anything to do, and the CPU limit the rest.  So a verdict is the same at any load.  What
// neither sees, a child that never gets its turn, ends at kPatience times the wall limit.

#ifndef GCTS_HARNESS_CASE_WATCH_H_
#define GCTS_HARNESS_CASE_WATCH_H_

#include <cstdint>
#include <string>

#include "harness/child.h"
#include "harness/clock.h"
#include "harness/limits.h"

namespace gcts {

inline constexpr double kPatience = 30;

class CaseWatch {
 public:
  enum class Over : uint8_t { nothing, wall, cpu, memory };

  // The case begins.  The child has used `cpu_seconds` and holds `held_bytes`.
  void begin(double cpu_seconds, uint64_t held_bytes);
  // Has it gone over a limit?  Then note() says it in words.  To be asked every few
  // hundredths of a second: of a longer time between two looks only so much is counted.
  Over look(const Child& child, const Limits& limits);
  // The same once more when the answer is here: time is of no matter then.
  Over look_back(const Child& child, const Limits& limits);

  const std::string& note() const { return note_; }
  double wall_seconds() const { return now_seconds() - start_; }
  double cpu_seconds() const { return cpu_seconds_; }  // at the last look
  uint64_t peak_bytes() const { return peak_bytes_; }  // seen, above what it held
  uint64_t most_held() const { return most_held_; }

 private:
  Over over(Over what, std::string note);
  void measure(const ProcessUsage& usage);
  Over over_use(const Limits& limits);

  std::string note_;
  double start_ = 0, looked_ = 0, idle_seconds_ = 0, cpu_before_ = 0, cpu_seconds_ = 0;
  uint64_t held_before_ = 0, most_held_ = 0, peak_bytes_ = 0;
};

}  // namespace gcts

#endif  // GCTS_HARNESS_CASE_WATCH_H_
