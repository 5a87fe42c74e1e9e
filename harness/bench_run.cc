// Rounds of samples: opened, verified, calibrated, taken in turns, verified again.

#include "harness/bench_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "harness/bench_operands.h"
#include "reports/statistics.h"

namespace gcts {
namespace {

constexpr uint64_t kMostReopened = 4;

// A pace is longer than undisturbed ones by this factor: of those, more than nine in ten are within a
// hundredth of each other on an idle machine, and a neighbour in the core makes it longer
// by a tenth to a half.  What is undisturbed is told by the tenth of all that was shortest, so
// that a clock that is higher for a moment does not count.
constexpr double kDisturbed = 1.05, kUndisturbedShare = 0.1;
constexpr int kMostTries = 3;

Outcome outcome_of(const BenchFailure& failure) {
  switch (failure.kind) {
    case AnswerKind::crash: return Outcome::crash;
    case AnswerKind::timeout: return Outcome::timeout;
    case AnswerKind::memory: return Outcome::memory;
    case AnswerKind::unusable:
    case AnswerKind::protocol: return Outcome::protocol;
    case AnswerKind::verdict: break;
  }
  return failure.status == GCTS_UNSUPPORTED ? Outcome::skip : Outcome::fail;
}

class Timed {
 public:
  Timed(const BenchMember& member, BenchWorker& worker, uint32_t slot, uint64_t ring_bytes, const BenchTerms& terms)
      : member_(member), m_(*member.measurement), worker_(worker), slot_(slot), ring_bytes_(ring_bytes), terms_(terms) {
    result_.subject = m_.subject;
    result_.case_id = m_.id;
    result_.rule = "speed";
  }

  bool alive() const { return !over_; }
  bool lost() const { return alive() && generation_ != worker_.generation(); }
  bool settled() const { return samples_.size() >= terms_.least_rounds && median(samples_).spread() <= terms_.wanted_spread; }

  void open() {
    if (!m_.missing.empty()) return end(Outcome::skip, m_.missing);
    std::string why;
    if (!operands_.draw(m_, ring_bytes_, why)) return end(Outcome::skip, why);
    worker::BenchOpenAnswer answer{};
    calls_ = 1;
    const BenchFailure failure = worker_.open(operands_.slot(slot_), answer);
    if (failure.any()) return end(outcome_of(failure), failure.message);
    generation_ = worker_.generation();
    open_ = true;
    prepare_ns_ = answer.prepare_ns;
    verify("before");
    if (alive()) calibrate();
  }

  // The longest pace of the sample; 0 where there is none.
  uint64_t sample() {
    worker::BenchSampleAnswer answer{};
    taken_ = 0;
    if (!still_open() || !call(calls_, m_.cold ? 0 : std::max<uint64_t>(1, calls_ / 8), false, answer)) return 0;
    taken_ = static_cast<double>(answer.ns) / static_cast<double>(calls_);
    return answer.pace_ns;
  }
  // Whether the last sample is one of those that count.
  void keep(bool undisturbed) {
    if (taken_ > 0) (undisturbed ? samples_ : disturbed_).push_back(taken_);
  }

  Result finish() {
    if (alive() && still_open()) verify("after");
    if (open_ && generation_ == worker_.generation()) worker_.close(slot_);
    if (alive()) tell();
    result_.raw = result_.outcome;
    return std::move(result_);
  }

 private:
  void end(Outcome outcome, std::string message) {
    over_ = true;
    result_.outcome = outcome;
    result_.message = std::move(message);
  }

  // Opens again where another kernel has ended the worker; what was measured stays.
  bool still_open() {
    if (!lost()) return true;
    if (++reopened_ > kMostReopened) end(Outcome::inconclusive, "the worker was lost to other kernels again and again");
    else open();
    return alive();
  }

  bool call(uint64_t calls, uint64_t warm, bool poison, worker::BenchSampleAnswer& answer) {
    worker::BenchSampleRequest request{};
    request.slot = slot_;
    request.poison = poison;
    request.warm_calls = warm;
    request.calls = calls;
    request.extra_permille = member_.extra_permille;
    const BenchFailure failure = worker_.sample(request, answer);
    if (failure.any()) end(outcome_of(failure), failure.message);
    return !failure.any();
  }

  void verify(std::string_view when) {
    worker::BenchSampleAnswer sampled{};
    const uint64_t wanted = operands_.outputs_to_check();
    if (!call(std::max(wanted, calls_), 0, true, sampled)) return;
    for (uint32_t thread : {0u, m_.team() - 1}) {
      worker::BenchOutputRequest request{};
      request.slot = slot_;
      request.thread = thread;
      request.count = wanted;
      uint64_t first = 0;
      std::vector<uint8_t> bytes;
      const BenchFailure failure = worker_.output(request, first, bytes);
      if (failure.any()) return end(outcome_of(failure), failure.message);
      const Problem problem = operands_.judge(first, bytes);
      if (problem.outcome != Outcome::pass)
        return end(problem.outcome, fmt::format("has no speed: wrong {} timing: {}", when, problem.message));
      if (m_.team() == 1) break;
    }
  }

  // As many calls as make a sample long enough.
  void calibrate() {
    const double wanted = terms_.sample_seconds * 1e9;
    for (calls_ = 1;; calls_ *= 2) {
      worker::BenchSampleAnswer answer{};
      if (!call(calls_, 0, false, answer)) return;
      double taken = static_cast<double>(answer.ns);
      // A call that was interrupted is not slow: the best of three tells.
      for (int again = 0; calls_ == 1 && again < 2 && taken > terms_.most_call_seconds * 1e9; ++again) {
        if (!call(calls_, 0, false, answer)) return;
        taken = std::min(taken, static_cast<double>(answer.ns));
      }
      if (calls_ == 1 && taken > terms_.most_call_seconds * 1e9)
        return end(Outcome::skip, fmt::format("one call takes {:.1f} s", taken * 1e-9));
      if (taken >= wanted / 2 || calls_ >= (1u << 24)) {
        calls_ = std::max<uint64_t>(1, static_cast<uint64_t>(std::ceil(static_cast<double>(calls_) * wanted / std::max(taken, 1.0))));
        // A twin makes a whole number of calls more.
        if (member_.extra_permille != 0) calls_ = (calls_ + 9) / 10 * 10;
        return;
      }
    }
  }

  void tell() {
    const size_t undisturbed = samples_.size(), rounds = undisturbed + disturbed_.size();
    const bool too_few = undisturbed < terms_.least_rounds;
    if (too_few) samples_.insert(samples_.end(), disturbed_.begin(), disturbed_.end());
    const Estimate e = median(samples_);
    std::vector<double> sorted = samples_;
    std::sort(sorted.begin(), sorted.end());
    auto& x = result_.measures;
    x["ns"] = e.value;
    x["ns_low"] = e.low;
    x["ns_high"] = e.high;
    for (const auto& [name, q] : {std::pair{"ns_q05", 0.05}, {"ns_q25", 0.25}, {"ns_q75", 0.75}, {"ns_q95", 0.95}})
      x[name] = quantile(sorted, q);
    x["calls_a_sample"] = static_cast<double>(calls_);
    x["threads"] = m_.threads;
    result_.samples = std::move(samples_);
    const double calls = m_.team();
    const auto per_ns = [&](uint64_t work) { return calls * static_cast<double>(work) / e.value; };
    x["elements"] = calls * static_cast<double>(m_.work.elements);
    x["weight_bytes"] = calls * static_cast<double>(m_.work.weight_bytes);
    x["weights_gb_s"] = per_ns(m_.work.weight_bytes);
    x["gelement_s"] = per_ns(m_.work.elements);
    if (m_.work.operations != 0) {
      x["operations"] = calls * static_cast<double>(m_.work.operations);
      x["gop_s"] = per_ns(m_.work.operations);
    }
    x["disturbed_rounds"] = static_cast<double>(rounds - undisturbed);
    if (prepare_ns_ != 0) x["prepare_ns"] = static_cast<double>(prepare_ns_);
    if (result_.outcome == Outcome::pass && e.spread() > terms_.most_spread) {
      result_.outcome = Outcome::inconclusive;
      result_.message = fmt::format("too noisy to be used: the median lies within {:.0f} % of what was measured", 100 * e.spread());
    } else if (result_.outcome == Outcome::pass && too_few) {
      result_.outcome = Outcome::inconclusive;
      result_.message = fmt::format("too noisy to be used: something else worked in the same core in {} of {} rounds", rounds - undisturbed, rounds);
    }
  }

  const BenchMember member_;
  const BenchMeasurement& m_;
  BenchWorker& worker_;
  const uint32_t slot_;
  const uint64_t ring_bytes_;
  const BenchTerms& terms_;
  BenchOperands operands_;
  Result result_;
  std::vector<double> samples_, disturbed_;  // nanoseconds of a call
  double taken_ = 0;                         // of the last sample; 0: there is none
  uint64_t calls_ = 1, generation_ = 0, prepare_ns_ = 0, reopened_ = 0;
  bool open_ = false, over_ = false;
};

}  // namespace

uint64_t Paces::most(uint32_t threads) const {
  const auto found = taken_.find(threads);
  if (found == taken_.end() || found->second.empty()) return UINT64_MAX;
  std::vector<uint64_t> all = found->second;
  const auto nth = all.begin() + static_cast<std::ptrdiff_t>(kUndisturbedShare * static_cast<double>(all.size()));
  std::nth_element(all.begin(), nth, all.end());
  return static_cast<uint64_t>(kDisturbed * static_cast<double>(*nth));
}

std::vector<Result> run_bench_group(const std::vector<BenchMember>& members,
                                    const std::function<BenchWorker&(uint32_t subject)>& worker_of,
                                    uint64_t ring_bytes, const BenchTerms& terms, Paces& paces) {
  std::vector<std::unique_ptr<Timed>> timed;
  uint32_t slot = 0;
  for (const BenchMember& member : members) {
    timed.push_back(std::make_unique<Timed>(member, worker_of(member.measurement->subject), slot++ % worker::kMostSlots, ring_bytes, terms));
    timed.back()->open();
  }
  const auto alive = [&] { return std::count_if(timed.begin(), timed.end(), [](const auto& t) { return t->alive(); }); };
  const uint32_t threads = members.empty() ? 1 : members[0].measurement->threads;
  const double start = now_seconds(), each = terms.seconds_each * static_cast<double>(alive());
  double disturbed_seconds = 0;
  uint64_t most = UINT64_MAX;
  // Takes a sample, again where it was disturbed.  False if it never was anything else.
  const auto take = [&](Timed& of) {
    for (int tries = 0; tries < kMostTries && of.alive(); ++tries) {
      const double begin = now_seconds();
      const uint64_t pace = of.sample();
      if (pace > 0) paces.take(threads, pace);
      if (pace <= most) return true;
      disturbed_seconds += now_seconds() - begin;
      if (disturbed_seconds > terms.most_disturbed * each) return false;
    }
    return !of.alive();
  };
  for (uint64_t round = 0; round < terms.most_rounds && alive() > 0; ++round) {
    if (round % 8 == 0) most = paces.most(threads);
    bool undisturbed = true;
    for (size_t i = 0; i < timed.size(); ++i) {
      Timed& next = *timed[round % 2 == 0 ? i : timed.size() - 1 - i];
      if (next.alive()) undisturbed &= take(next);
    }
    for (const auto& t : timed) t->keep(undisturbed);
    if (round + 1 < terms.least_rounds) continue;
    if (now_seconds() > start + each + disturbed_seconds) break;
    // Looking at every median each round would cost more than the rounds.
    if (round % 8 == 7 && std::all_of(timed.begin(), timed.end(), [](const auto& t) { return !t->alive() || t->settled(); })) break;
  }
  std::vector<Result> out;
  for (const auto& t : timed) out.push_back(t->finish());
  return out;
}

void tell_share(const Bound& bound, const Bound& outer, Result& result) {
  const auto ns = result.measures.find("ns");
  if (ns == result.measures.end() || ns->second <= 0 || bound.ns <= 0) return;
  const double taken = ns->second;
  result.measures["share"] = bound.ns / taken;
  result.expected = bound.ceiling;
  if (outer.ns <= 0 || outer.ns / taken <= kMostShare) return;
  result.outcome = result.raw = Outcome::untrusted;
  result.message = fmt::format("INVALID: {:.0f} % of the ceiling ({})", 100 * outer.ns / taken, outer.ceiling);
}

}  // namespace gcts
