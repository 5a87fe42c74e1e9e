// Measures a device's loops through its plugin, and bounds a measurement by them.

#include "harness/device_ceilings.h"

#include <fmt/format.h>

#include <algorithm>

namespace gcts {
namespace {

// The caches of today's devices hold 50 to 256 MiB.
constexpr uint64_t kQuickRing = 256u << 20, kRing = 1u << 30;
constexpr uint64_t kQuickTraffic = 256u << 20, kTraffic = 1u << 30;
constexpr uint64_t kGranule = 1u << 20;

}  // namespace

uint64_t DeviceCeilings::ring_bytes(bool quick) const { return std::min(quick ? kQuickRing : kRing, device_.memory / 16); }

uint64_t DeviceCeilings::traffic_bytes(bool quick) const {
  const uint64_t most = std::min(device_.largest_allocation, device_.memory / 8);
  return std::min(quick ? kQuickTraffic : kTraffic, most) / kGranule * kGranule;
}

void DeviceCeilings::measure(BenchWorker& worker, bool quick) {
  std::string error;
  std::map<std::string, std::pair<double, std::string>> found;
  problem_.clear();
  for (const CeilingWay& way : worker.ceilings(CeilingOf::device, error)) {
    worker::CeilingRequest request{};
    request.row = way.row;
    request.threads = 1;
    request.bytes = way.operations == 0 ? traffic_bytes(quick) : 0;
    request.sample_ns = quick ? 2'000'000 : 10'000'000;
    request.samples = quick ? 6 : 12;
    auto& most = found[way.quantity];
    std::string why;
    if (const double rate = worker.ceiling(CeilingOf::device, request, &why).best; rate > most.first) most = {rate, way.variant};
    if (!why.empty()) problem_ += fmt::format("{}no {} by {}: {}", problem_.empty() ? "" : "; ", way.quantity, way.variant, why);
  }
  for (const auto& [quantity, most] : found) best_[quantity].take(most.first, most.second);
}

double DeviceCeilings::rate(std::string_view quantity) const {
  const auto found = best_.find(std::string(quantity));
  return found == best_.end() ? 0 : found->second.rate;
}

// What is read and what is written pass each other as in a copy; the rest of the longer one
// goes at its own rate.
void DeviceCeilings::bound_traffic(const BenchWork& work, Bound& out) const {
  const double copy = rate("copy"), read = rate("read") > 0 ? rate("read") : copy, write = rate("write") > 0 ? rate("write") : copy;
  const double r = static_cast<double>(work.read_bytes), w = static_cast<double>(work.written_bytes);
  if (read <= 0 || write <= 0) return;
  const double both = copy > 0 ? 2 * std::min(r, w) / copy : std::min(r, w) / read + std::min(r, w) / write;
  const double rest = r > w ? (r - w) / read : (w - r) / write;
  out.ns = both + rest;
  out.ceiling = both > rest ? "device copy" : r > w ? "device read" : "device write";
}

Bound DeviceCeilings::bound(const BenchMeasurement& m, bool any) const {
  Bound out;
  bound_traffic(m.work, out);
  // Arithmetic of a kind that was not measured may go at any rate.
  for (const std::string& kind : arithmetic_kinds(*m.row, false))
    if (rate(kind) <= 0) return out;
  double most = 0;
  std::string name;
  for (const std::string& kind : arithmetic_kinds(*m.row, any))
    if (rate(kind) > most) most = rate(kind), name = kind;
  if (static_cast<double>(m.work.operations) / most > out.ns) out = {static_cast<double>(m.work.operations) / most, "device " + name};
  return out;
}

Bound DeviceCeilings::bound(const BenchMeasurement& measurement) const { return bound(measurement, false); }
Bound DeviceCeilings::outer_bound(const BenchMeasurement& measurement) const { return bound(measurement, true); }

std::vector<Result> DeviceCeilings::results(uint32_t subject) const {
  std::vector<Result> out;
  for (const auto& [quantity, best] : best_) {
    if (best.rate <= 0) continue;
    const bool bytes = quantity == "read" || quantity == "write" || quantity == "copy";
    Result r;
    r.subject = subject;
    r.case_id = fmt::format("ceiling/{}/device/t=1", quantity);
    r.actual = fmt::format("{:.4g} {}, {}", best.rate, bytes ? "GB/s" : "Gop/s", best.variant);
    r.measures = {{bytes ? "gb_s" : "gop_s", best.rate}, {"first", best.first}, {"last", best.last}};
    out.push_back(std::move(r));
  }
  return out;
}

}  // namespace gcts
