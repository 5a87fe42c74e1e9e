// Measures what a device can do, by the loops that its plugin brings.  The clock is the
// host's.

#include <algorithm>
#include <cstring>
#include <vector>

#include "harness/worker/bench_protocol.h"
#include "harness/worker/device.h"
#include "harness/worker/session.h"
#include "harness/worker/team.h"

namespace gcts::worker {
namespace {

constexpr uint64_t kGranule = 1u << 20;

bool has_device(const Plugin& plugin) { return plugin.device.open && plugin.no_device.empty(); }

// One row, or a plugin's dequantization of f32 where it has no rows.
struct Way {
  gcts_device_ceiling row{};
  gcts_kernel copy{};

  gcts_status run(const gcts_device& device, void* to, const void* from, uint64_t amount) const {
    if (row.run) return row.run(device.context, to, from, amount);
    return reinterpret_cast<gcts_dequantize_fn>(copy.run)(copy.context, from, static_cast<float*>(to), amount / sizeof(float));
  }
};

std::vector<Way> ways_of(const Plugin& plugin) {
  std::vector<Way> out;
  if (!has_device(plugin)) return out;
  for (uint64_t i = 0; i < plugin.device.ceiling_count; ++i) {
    const gcts_device_ceiling row = plugin.device_ceiling(i);
    if (row.quantity && row.variant && row.run) out.push_back({row, {}});
  }
  for (uint64_t i = 0; i < plugin.table.kernel_count && out.empty(); ++i) {
    const gcts_kernel k = plugin.kernel(i);
    constexpr uint32_t kF32 = 0;
    if (k.op == GCTS_OP_DEQUANTIZE && k.tensor_type == kF32 && k.run && plugin.device_of(k)) out.push_back({{"copy", "dequantize f32", 0, nullptr}, k});
  }
  return out;
}

struct DeviceMemory {
  const gcts_device& device;
  void* at;
  DeviceMemory(const gcts_device& on, uint64_t bytes) : device(on), at(on.allocate(on.context, bytes)) {}
  ~DeviceMemory() {
    if (at) device.free(device.context, at);
  }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // Numbers that arithmetic is not slowed by.
  bool fill(uint64_t bytes) {
    const std::vector<float> ones(kGranule / sizeof(float), 1.0f);
    for (uint64_t done = 0; done < bytes; done += kGranule)
      if (device.upload(device.context, static_cast<char*>(at) + done, ones.data(), kGranule) != GCTS_OK) return false;
    return true;
  }
};

// Nanoseconds of so many runs; 0: one failed.
uint64_t time_runs(const gcts_device& device, const Way& way, const DeviceMemory& to, const DeviceMemory& from,
                   uint64_t amount, uint64_t runs) {
  const uint64_t start = now_ns();
  for (uint64_t i = 0; i < runs; ++i)
    if (way.run(device, to.at, from.at, amount) != GCTS_OK) return 0;
  wait_for(device);
  return std::max<uint64_t>(1, now_ns() - start);
}

}  // namespace

bool answer_device_ceilings(Session& session, std::span<const uint8_t>) {
  const std::vector<Way> ways = ways_of(session.plugin);
  session.answer.put<uint32_t>(static_cast<uint32_t>(ways.size()));
  for (const Way& way : ways) {
    session.answer.put_text(way.row.quantity);
    session.answer.put_text(way.row.variant);
    session.answer.put_text("");  // all that it has, it can do
    session.answer.put<uint64_t>(way.row.operations);
  }
  return true;
}

bool answer_device_ceiling(Session& session, std::span<const uint8_t> payload) {
  WireReader in(payload);
  const auto asked = in.take<CeilingRequest>();
  const std::vector<Way> ways = ways_of(session.plugin);
  if (!in.ok() || asked.row >= ways.size() || asked.bytes % kGranule != 0) return false;
  const gcts_device& device = session.plugin.device;
  const Way& way = ways[asked.row];
  const bool moves = way.row.operations == 0;
  if (moves && asked.bytes == 0) return false;
  const uint64_t room = moves ? asked.bytes : kGranule;
  DeviceMemory to(device, room), from(device, room);
  CeilingAnswer answer{};
  // The first run has the loop compiled.
  uint64_t amount = moves ? asked.bytes : 1, runs = 1;
  bool works = to.at && from.at && to.fill(room) && from.fill(room) && time_runs(device, way, to, from, amount, runs) != 0;
  while (works) {
    const uint64_t ns = time_runs(device, way, to, from, amount, runs);
    works = ns != 0;
    if (ns >= asked.sample_ns) break;
    const uint64_t more = std::max<uint64_t>(2, asked.sample_ns / std::max<uint64_t>(1, ns));
    (moves ? runs : amount) *= std::min<uint64_t>(more, 1024);
  }
  const bool copies = std::strcmp(way.row.quantity, "copy") == 0;
  const double work = static_cast<double>(amount) * static_cast<double>(runs) * static_cast<double>(moves ? (copies ? 2 : 1) : way.row.operations);
  std::vector<double> rates;
  for (uint64_t i = 0; works && i < asked.samples; ++i)
    if (const uint64_t ns = time_runs(device, way, to, from, amount, runs)) rates.push_back(work / static_cast<double>(ns));
  std::sort(rates.begin(), rates.end());
  if (!rates.empty()) {
    answer.best = rates.back();
    answer.median = rates[rates.size() / 2];
  }
  session.answer.put(answer);
  const std::string why = device_error(device);
  session.answer.put_text(answer.best > 0 ? "" : why.empty() ? "the loop fails" : why);
  return true;
}

}  // namespace gcts::worker
