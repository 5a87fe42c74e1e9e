// Measures the ceilings through a worker, and bounds a measurement by them.

#include "harness/bench_ceilings.h"

#include <fmt/format.h>

#include <algorithm>

namespace gcts {
namespace {

constexpr std::string_view kLevelNames[kLevels] = {"l1", "l2", "l3", "memory"};
constexpr uint64_t kGranule = 4096;  // of the loops
constexpr uint64_t kLeastRing = 64ull << 20;

bool integer_activations(const KernelRow& row) {
  const Activation a = row.accuracy.activation;
  const bool requantized = a == Activation::q8_0 || a == Activation::q8_1 || a == Activation::q8_k ||
                           a == Activation::group || a == Activation::row;
  return requantized || row.activation_type->block_elements > 1;
}

}  // namespace

std::string_view level_name(MemoryLevel level) { return kLevelNames[static_cast<size_t>(level)]; }

void BestRate::take(double measured, const std::string& by) {
  last = measured;
  if (first == 0) first = measured;
  if (measured <= rate) return;
  rate = measured;
  variant = by;
}

uint64_t Ceilings::ring_bytes() const {
  // Caches that keep a part of a ring larger than themselves keep little of one four times
  // their size.
  const uint64_t wanted = std::max(kLeastRing, 4 * topology_.last_cache_bytes());
  return topology_.memory_bytes != 0 ? std::min(wanted, topology_.memory_bytes / 16) : wanted;
}

// Of one thread's buffer: half the cache, so that nothing else drives it out.
uint64_t Ceilings::level_bytes(MemoryLevel level, uint32_t threads) const {
  const uint64_t bytes = level == MemoryLevel::memory ? ring_bytes() / threads
                                                : topology_.share(static_cast<int>(level), threads) / 2;
  return bytes / kGranule * kGranule;
}

bool Ceilings::measure(BenchWorker& worker, const std::vector<uint32_t>& thread_counts, bool quick, std::string& error) {
  ways_ = worker.ceilings(CeilingOf::machine, error);
  if (ways_.empty()) {
    if (error.empty()) error = "the worker knows no ceiling of this architecture";
    return false;
  }
  std::map<Key, std::pair<double, std::string>> found;
  for (uint32_t threads : thread_counts)
    for (const CeilingWay& way : ways_) {
      if (!way.missing.empty()) continue;
      const auto take = [&](std::string_view level, uint64_t bytes) {
        worker::CeilingRequest request{};
        request.row = way.row;
        request.threads = threads;
        request.bytes = bytes;
        request.sample_ns = quick ? 500'000 : 2'000'000;
        request.samples = quick ? 6 : 12;
        const double rate = worker.ceiling(CeilingOf::machine, request).best;
        const Key key{way.quantity + std::string(level.empty() ? "" : "/") + std::string(level), threads};
        auto& most = found[key];
        if (rate > most.first) most = {rate, way.variant};
      };
      if (way.operations != 0) {
        take("", 0);
        continue;
      }
      uint64_t nearer = 0;
      for (size_t l = 0; l < kLevels; ++l) {
        const uint64_t bytes = level_bytes(static_cast<MemoryLevel>(l), threads);
        if (bytes <= nearer) continue;  // no such cache, or one that adds nothing for a thread
        nearer = bytes;
        take(kLevelNames[l], bytes);
      }
    }
  // More threads can do what fewer do, on a machine that is too busy to show it too.
  const Key* fewer = nullptr;
  for (auto& [key, most] : found) {
    if (fewer && fewer->first == key.first && key.first != "clock" && most.first < found[*fewer].first) most = found[*fewer];
    fewer = &key;
  }
  for (const auto& [key, most] : found) best_[key].take(most.first, most.second);
  return true;
}

MemoryNow Ceilings::memory_now(BenchWorker& worker, const BenchMeasurement& m, bool quick) {
  const auto look = [&](const std::string& quantity, uint64_t bytes) -> double {
    const auto best = best_.find({quantity + "/memory", m.threads});
    if (bytes == 0 || best == best_.end()) return 0;
    const auto way = std::find_if(ways_.begin(), ways_.end(), [&](const CeilingWay& w) { return w.quantity == quantity && w.variant == best->second.variant; });
    if (way == ways_.end()) return 0;
    worker::CeilingRequest request{};
    request.row = way->row;
    request.threads = m.threads;
    request.bytes = level_bytes(MemoryLevel::memory, m.threads);
    request.sample_ns = quick ? 3'000'000 : 10'000'000;
    request.samples = quick ? 7 : 15;
    const worker::CeilingAnswer answer = worker.ceiling(CeilingOf::machine, request);
    best->second.take(answer.best, best->second.variant);
    return answer.median;
  };
  return {look("read", m.work.read_bytes), look("write", m.work.written_bytes)};
}

std::string Ceilings::drift() const {
  std::string out;
  for (const auto& [key, best] : best_) {
    if (key.first != "f32" && key.first != "read/memory") continue;
    out += fmt::format("{}{} t={}: {:.3g} before, {:.3g} after", out.empty() ? "" : "; ", key.first, key.second, best.first, best.last);
  }
  return out;
}

double Ceilings::traffic(std::string_view quantity, MemoryLevel level, uint32_t threads) const {
  const auto found = best_.find({fmt::format("{}/{}", quantity, level_name(level)), threads});
  return found == best_.end() ? 0 : found->second.rate;
}

double Ceilings::compute(std::string_view quantity, uint32_t threads) const {
  const auto found = best_.find({std::string(quantity), threads});
  return found == best_.end() ? 0 : found->second.rate;
}

MemoryLevel Ceilings::level_of(uint64_t bytes, uint32_t threads) const {
  for (MemoryLevel level : {MemoryLevel::l1, MemoryLevel::l2, MemoryLevel::l3}) {
    const uint64_t share = topology_.share(static_cast<int>(level), threads);
    if (bytes <= share + share / 2 && traffic("read", level, threads) > 0) return level;
  }
  return MemoryLevel::memory;
}

std::vector<std::string> arithmetic_kinds(const KernelRow& row, bool any) {
  std::vector<std::string> kinds{"f32"};
  if (row.dot() && integer_activations(row)) {
    kinds = {"int8"};
    if (any || row.description.features.find("amx_int8") != std::string::npos) kinds.push_back("int8_amx");
  }
  const bool bf16 = row.dot() && (row.accuracy.activation == Activation::bf16 || row.activation_type->name == "bf16");
  const bool f16 = row.dot() && (row.accuracy.activation == Activation::f16 || row.activation_type->name == "f16");
  if (bf16) kinds.push_back("bf16");
  if (bf16 && (any || row.description.features.find("amx_bf16") != std::string::npos)) kinds.push_back("bf16_amx");
  if (f16) kinds.push_back("f16");
  if (any) kinds.insert(kinds.end(), {"f32", "int8"});
  return kinds;
}

double Ceilings::arithmetic(const BenchMeasurement& measurement, bool any, std::string& name) const {
  double best = 0;
  for (const std::string& kind : arithmetic_kinds(*measurement.row, any)) {
    const double rate = compute(kind, measurement.threads);
    if (rate <= best) continue;
    best = rate;
    name = kind;
  }
  return best;
}

Bound Ceilings::bound(const BenchMeasurement& m, bool any, const MemoryNow& now) const {
  Bound out;
  const auto consider = [&](double work, double rate, std::string name) {
    if (work <= 0 || rate <= 0 || work / rate <= out.ns) return;
    out.ns = work / rate;
    out.ceiling = std::move(name);
  };
  // A team makes as many calls at once as it has members.
  const double calls = m.team();
  const BenchWork& w = m.work;
  const uint64_t set = m.row->product() ? w.weight_bytes / m.threads
                       : m.row->op == GCTS_OP_VEC_DOT ? std::max<uint64_t>(w.read_bytes, 128 * 1024)
                                                      : w.read_bytes + w.written_bytes;
  const MemoryLevel level = m.cold ? MemoryLevel::memory : level_of(set, m.threads);
  const auto traffic_bound = [&](std::string_view quantity, uint64_t bytes, double at_the_moment) {
    const double rate = level == MemoryLevel::memory && at_the_moment > 0 ? at_the_moment : traffic(quantity, level, m.threads);
    consider(calls * static_cast<double>(bytes), rate, fmt::format("{} {}", level_name(level), quantity));
  };
  traffic_bound("read", w.read_bytes, now.read);
  traffic_bound("write", w.written_bytes, now.write);
  std::string kind;
  const double rate = arithmetic(m, any, kind);
  consider(calls * static_cast<double>(w.operations), rate, kind);
  return out;
}

Bound Ceilings::bound(const BenchMeasurement& measurement, const MemoryNow& now) const { return bound(measurement, false, now); }
Bound Ceilings::outer_bound(const BenchMeasurement& measurement) const { return bound(measurement, true, {}); }

std::vector<Result> Ceilings::results(uint32_t subject) const {
  std::vector<Result> out;
  for (const auto& [key, best] : best_) {
    Result r;
    r.subject = subject;
    const bool bytes = key.first.find('/') != std::string::npos;
    r.case_id = fmt::format("ceiling/{}/t={}", key.first, key.second);
    r.actual = fmt::format("{:.4g} {}, {}", best.rate, bytes ? "GB/s" : key.first == "clock" ? "GHz" : "Gop/s", best.variant);
    r.measures["threads"] = key.second;
    r.measures[bytes ? "gb_s" : key.first == "clock" ? "ghz" : "gop_s"] = key.first == "clock" ? best.rate / key.second : best.rate;
    const double scale = key.first == "clock" ? key.second : 1;
    r.measures["first"] = best.first / scale;
    r.measures["last"] = best.last / scale;
    out.push_back(std::move(r));
  }
  return out;
}

}  // namespace gcts
