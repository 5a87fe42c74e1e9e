// The speeds in a report: results whose ids begin with bench/ and ceiling/, taken apart.
//
// The formats that tell of speed are made from this; where a run has none, they say so.

#ifndef GCTS_REPORTS_SPEED_H_
#define GCTS_REPORTS_SPEED_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "reports/report.h"

namespace gcts {

// One measured kernel: bench/<op>/<type>/<variant>/<where>/<detail>.
struct Speed {
  const Result* result = nullptr;
  uint32_t subject = 0;
  std::string op, type, variant, where, detail;
  uint32_t threads = 1;
  uint64_t m = 0;           // rows of activations of a matrix product; 0: none

  bool usable() const { return result->outcome == Outcome::pass; }
  bool on_device() const { return where == "device"; }
  double measure(std::string_view name) const;  // 0 where absent
  // What speeds of this op are told in, and this one's.
  std::string_view unit() const;
  double value() const;
  std::string question() const { return op + "/" + where + "/" + detail; }  // without type and variant
};

struct Ceiling {
  std::string quantity;  // "read", "int8"
  std::string level;     // "l2"; "" of arithmetic; "device" of a device's
  uint32_t threads = 1;
  double value = 0;
  std::string_view unit; // "GB/s", "Gop/s", "GHz"
  std::string variant;
};

// A device of a plugin; its subject has the plugin's locator.
struct SpeedDevice {
  const Subject* subject = nullptr;
  std::vector<Ceiling> ceilings;

  double ceiling(std::string_view quantity) const;  // 0: not measured
};

struct ReaderSpeed {
  const Result* result = nullptr;
  uint32_t subject = 0;
};

struct Speeds {
  std::vector<Speed> kernels;
  std::vector<Ceiling> ceilings;      // of the machine
  std::vector<SpeedDevice> devices;
  std::vector<ReaderSpeed> readers;

  bool empty() const { return kernels.empty() && ceilings.empty() && devices.empty() && readers.empty(); }
  double ceiling(std::string_view quantity, std::string_view level, uint32_t threads) const;  // 0: not measured
  uint32_t most_threads() const;
  // Where a kernel on a device ran; null if nothing is known of it.
  const SpeedDevice* device_of(const Report& report, const Speed& speed) const;
};
// Refers to `report`.
Speeds speeds_of(const Report& report);

// How the kernels of one question are told apart: "cpu avx2"; subjects of one name get
// their version.
std::string column_name(const Report& report, const Speed& speed);

// For a model of 7 billion parameters in one type, tokens a second at most: weights are read
// once a token.
struct TokenBound {
  std::string type;
  const SpeedDevice* device = nullptr;  // whose memory; null: the machine's
  double gigabytes = 0;       // of weights
  double by_bandwidth = 0;    // tokens a second; 0: not measured
  double by_kernel = 0;       // of the fastest usable kernel
  std::string kernel;         // which one
};
inline constexpr double kModelParameters = 7e9;
std::vector<TokenBound> token_bounds(const Report& report, const Speeds& speeds, const SpeedDevice* device = nullptr);

// "4.56" with three digits that count.
std::string speed_text(double value);
// "62 ms".
std::string time_text(double ns);

}  // namespace gcts

#endif  // GCTS_REPORTS_SPEED_H_
