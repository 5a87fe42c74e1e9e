// One word of state lets threads begin, counts them, and tells when the last has left.

#include "team.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace cpu {
namespace {

constexpr uint64_t kMostThreads = 256;
// So long a thread looks out for the next job: longer than a caller needs between two
// products, and too short to be noticed.
constexpr auto kLookOut = std::chrono::microseconds(50);

inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

// Until state is another than `seen`.
void wait_for_change(const std::atomic<uint32_t>& state, uint32_t seen, bool look_out) {
  if (look_out) {
    const auto end = std::chrono::steady_clock::now() + kLookOut;
    do {
      for (int i = 0; i < 32; ++i) {
        if (state.load(std::memory_order_acquire) != seen) return;
        pause();
      }
    } while (std::chrono::steady_clock::now() < end);
  }
  state.wait(seen, std::memory_order_acquire);
}

class Team {
 public:
  // A child of fork has none of the threads, and what they left behind is not for it to free.
  ~Team() {
    if (process_ != getpid()) return;
    over_ = true;
    state_.fetch_add(kGeneration);
    state_.notify_all();
    for (std::thread& t : members_) t.join();
    delete &members_;
  }

  bool run(uint64_t threads, uint64_t parts, void (*work)(const void*, uint64_t), const void* context) {
    const std::unique_lock<std::mutex> only(mutex_, std::try_to_lock);
    if (!only || process_ != getpid()) return false;
    grow(std::min(threads, kMostThreads) - 1);
    work_ = work, context_ = context, parts_ = parts, wanted_ = threads - 1;
    next_.store(0, std::memory_order_relaxed);
    state_.store((state_.load(std::memory_order_relaxed) & ~(kGeneration - 1)) + kGeneration + kOpen,
                 std::memory_order_release);
    state_.notify_all();
    take_parts();
    for (uint32_t s = state_.fetch_and(~kOpen, std::memory_order_acq_rel) & ~kOpen; s % kOpen != 0;
         s = state_.load(std::memory_order_acquire))
      wait_for_change(state_, s, look_out_);
    return true;
  }

 private:
  // state_: how many members are at work, whether more may begin, and the number of the job.
  static constexpr uint32_t kOpen = 1u << 15, kGeneration = 1u << 16;

  void grow(uint64_t members) {
    while (members_.size() < members) {
      try {
        members_.emplace_back([this, number = members_.size()] { live(number); });
      } catch (const std::exception&) {
        break;  // with fewer, then
      }
    }
    look_out_ =
        members_.size() <
        std::thread::hardware_concurrency();  // else one would look out for whom it keeps from working
  }

  void live(uint64_t number) {
    uint32_t done = 0;
    for (;;) {
      uint32_t s = state_.load(std::memory_order_acquire);
      if (over_) return;
      if ((s & kOpen) == 0 || s / kGeneration == done) {
        wait_for_change(state_, s, look_out_);
        continue;
      }
      if (!state_.compare_exchange_weak(s, s + 1, std::memory_order_acq_rel)) continue;
      done = s / kGeneration;
      if (number < wanted_) take_parts();
      const uint32_t left = state_.fetch_sub(1, std::memory_order_acq_rel) - 1;
      if (left % kGeneration == 0) state_.notify_all();  // the last one out, after the job was closed
    }
  }

  void take_parts() {
    for (uint64_t part; (part = next_.fetch_add(1, std::memory_order_relaxed)) < parts_;)
      work_(context_, part);
  }

  std::mutex mutex_;
  const pid_t process_ = getpid();
  std::vector<std::thread>& members_ = *new std::vector<std::thread>;
  std::atomic<bool> over_ = false, look_out_ = false;
  void (*work_)(const void*, uint64_t) = nullptr;
  const void* context_ = nullptr;
  uint64_t parts_ = 0, wanted_ = 0;
  alignas(64) std::atomic<uint32_t> state_ = 0;
  alignas(64) std::atomic<uint64_t> next_ = 0;
};

}  // namespace

void share_out(uint64_t threads, uint64_t parts, void (*work)(const void*, uint64_t), const void* context) {
  static Team team;
  threads = std::min(threads, parts);
  if (threads > 1 && team.run(threads, parts, work, context)) return;
  for (uint64_t part = 0; part < parts; ++part) work(context, part);
}

}  // namespace cpu
