// Measures what the machine itself can do; the loops are named by ceilings.inc.

#include <algorithm>
#include <cstring>
#include <iterator>
#include <vector>

#include "harness/worker/arena.h"
#include "harness/worker/bench_protocol.h"
#include "harness/worker/ceilings.h"
#include "harness/worker/features.h"
#include "harness/worker/session.h"
#include "harness/worker/team.h"

namespace gcts::worker {
namespace {

struct CeilingRow {
  const char* quantity;
  const char* variant;
  const char* features;
  uint64_t operations;  // 0: traffic
  void (*compute)(uint64_t steps);
  void (*move)(uint8_t* to, const uint8_t* from, uint64_t bytes);
};

constexpr CeilingRow kRows[] = {
#define CLOCK(quantity, variant) {#quantity, #variant, "", kClockSteps, quantity##_##variant, nullptr},
#define PEAK(quantity, variant, features, operations) \
  {#quantity, #variant, features, operations, peak_##quantity##_##variant, nullptr},
#define TRAFFIC(quantity, variant, features) {#quantity, #variant, features, 0, nullptr, traffic_##quantity##_##variant},
#include "harness/worker/ceilings.inc"
#undef CLOCK
#undef PEAK
#undef TRAFFIC
    {"", "", "", 0, nullptr, nullptr},  // no row is known for this architecture
};
constexpr uint32_t kCount = std::size(kRows) - 1;

struct RowWork final : TeamWork {
  const CeilingRow& row;
  uint8_t* memory;
  uint64_t bytes;
  uint64_t repeats = 1;
  RowWork(const CeilingRow& of, uint8_t* at, uint64_t size) : row(of), memory(at), bytes(size) {}
  bool copies() const { return row.quantity[0] == 'c' && row.move; }
  uint64_t thread_bytes() const { return copies() ? 2 * bytes : bytes; }
  // Of each member.
  double work() const {
    return static_cast<double>(repeats) * static_cast<double>(row.move ? thread_bytes() : row.operations);
  }
  void run(uint32_t member) override {
    if (row.compute) return row.compute(repeats);
    uint8_t* at = memory + member * thread_bytes();
    for (uint64_t i = 0; i < repeats; ++i) row.move(at, copies() ? at + bytes : at, bytes);
  }
};

// Each member writes its memory: a page that was only read is the one page of zeros.
struct TouchWork final : TeamWork {
  const RowWork& row;
  explicit TouchWork(const RowWork& of) : row(of) {}
  void run(uint32_t member) override {
    if (row.row.move) std::memset(row.memory + member * row.thread_bytes(), 1, row.thread_bytes());
  }
};

}  // namespace

bool answer_ceilings(Session& session, std::span<const uint8_t>) {
  session.answer.put<uint32_t>(kCount);
  for (uint32_t i = 0; i < kCount; ++i) {
    session.answer.put_text(kRows[i].quantity);
    session.answer.put_text(kRows[i].variant);
    session.answer.put_text(missing_feature(kRows[i].features));
    session.answer.put<uint64_t>(kRows[i].operations);
  }
  return true;
}

bool answer_ceiling(Session& session, std::span<const uint8_t> payload) {
  WireReader in(payload);
  const auto asked = in.take<CeilingRequest>();
  if (!in.ok() || asked.row + 1 >= std::size(kRows) || asked.threads < 1 || asked.threads > kMostThreads) return false;
  const CeilingRow& row = kRows[asked.row];
  if (!missing_feature(row.features).empty() || (row.move && (asked.bytes == 0 || asked.bytes % 4096 != 0))) return false;
  Arena arena;
  const uint64_t room = row.move ? 2 * asked.bytes * asked.threads : 1;
  CeilingAnswer answer{};
  if (arena.allocate(room)) {
    Team team(session.processors);
    RowWork work(row, arena.data(), asked.bytes);
    TouchWork touch(work);
    team.run(asked.threads, touch);
    // Once for the clock, then as often as makes a sample long enough.
    team.run(asked.threads, work);
    uint64_t ns = std::max<uint64_t>(1, team.run(asked.threads, work));
    while (ns < asked.sample_ns) {
      work.repeats = std::max(work.repeats * 2, work.repeats * asked.sample_ns / (ns + 1));
      ns = std::max<uint64_t>(1, team.run(asked.threads, work));
    }
    std::vector<double> rates;
    for (uint64_t i = 0; i < asked.samples; ++i) {
      const uint64_t taken = std::max<uint64_t>(1, team.run(asked.threads, work));
      rates.push_back(work.work() * asked.threads / static_cast<double>(taken));
    }
    std::sort(rates.begin(), rates.end());
    if (!rates.empty()) {
      answer.best = rates.back();
      answer.median = rates[rates.size() / 2];
    }
  }
  session.answer.put(answer);
  return true;
}

}  // namespace gcts::worker
