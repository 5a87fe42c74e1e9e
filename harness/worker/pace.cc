// The fixed piece of work, and its time.

#include "harness/worker/pace.h"

#include "harness/worker/team.h"

namespace gcts::worker {
namespace {

constexpr int kSteps = 12'000;
volatile double sink;  // what is computed is wanted by somebody

uint64_t mix(uint64_t v) {
  v ^= v << 13;
  v ^= v >> 7;
  return v;
}

}  // namespace

uint64_t pace_ns() {
  uint64_t a = 1, b = 2, c = 3, d = 4;
  double w = 1, x = 2, y = 3, z = 4;
  const uint64_t start = now_ns();
  for (int i = 0; i < kSteps; ++i) {
    a = mix(a), b = mix(b), c = mix(c), d = mix(d);
    w = w * 0.5 + 1, x = x * 0.5 + 2, y = y * 0.5 + 3, z = z * 0.5 + 4;
  }
  sink = w + x + y + z + static_cast<double>(a ^ b ^ c ^ d);
  return now_ns() - start;
}

}  // namespace gcts::worker
