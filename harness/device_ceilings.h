// What the device of a plugin can do, as measured in the run itself by the loops that the
// plugin brings, and what follows for a kernel on it.
//
// A plugin without loops of its own is measured by its dequantization of f32, a copy.

#ifndef GCTS_HARNESS_DEVICE_CEILINGS_H_
#define GCTS_HARNESS_DEVICE_CEILINGS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/bench_ceilings.h"
#include "harness/implementation.h"

namespace gcts {

class DeviceCeilings {
 public:
  explicit DeviceCeilings(const DeviceDescription& device) : device_(device) {}

  // As Ceilings::measure; a device that has no way of anything has no ceilings.
  void measure(BenchWorker& worker, bool quick);

  Bound bound(const BenchMeasurement& measurement) const;
  // The same under the fastest arithmetic of any kind.
  Bound outer_bound(const BenchMeasurement& measurement) const;

  // Bytes of a ring that the caches of today's devices hold little of; `quick`: that most of
  // them do.
  uint64_t ring_bytes(bool quick) const;
  // What was not measured and why; "" if everything was.
  const std::string& problem() const { return problem_; }
  // "ceiling/read/device" and so on.
  std::vector<Result> results(uint32_t subject) const;

 private:
  double rate(std::string_view quantity) const;
  void bound_traffic(const BenchWork& work, Bound& out) const;
  Bound bound(const BenchMeasurement& measurement, bool any) const;
  uint64_t traffic_bytes(bool quick) const;

  DeviceDescription device_;
  std::map<std::string, BestRate> best_;
  std::string problem_;
};

}  // namespace gcts

#endif  // GCTS_HARNESS_DEVICE_CEILINGS_H_
