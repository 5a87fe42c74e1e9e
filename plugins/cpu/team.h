// Threads that stay between matrix products: one with a single row of activations is over
// before a thread would have started.
//
// Work comes in parts, which whoever is free takes one after the other, the caller too.  The
// caller waits for nobody that has not begun: threads that are asleep, busy or not to be had
// only leave more to the others.  Threads look out for the next job for a moment, then sleep.

#ifndef GCTS_PLUGINS_CPU_TEAM_H_
#define GCTS_PLUGINS_CPU_TEAM_H_

#include <stdint.h>

#include <algorithm>
#include <atomic>

namespace cpu {

// Calls work(part) for each part below `parts`, on at most `threads` threads; returns when all
// are done.  Callers at the same time do not wait for each other: one has the team, the rest
// do their parts alone.  `work` throws nothing.
void share_out(uint64_t threads, uint64_t parts, void (*work)(const void* context, uint64_t part),
               const void* context);

template <typename F>
void share_out(uint64_t threads, uint64_t parts, const F& work) {
  share_out(threads, parts, [](const void* f, uint64_t part) { (*static_cast<const F*>(f))(part); }, &work);
}

// Calls work(thread, first, last) until [0, count) is done, thread being below `threads`.  Each
// time a thread takes three quarters of its share of what is left, from `least` to `most`: few parts, and
// whoever is last keeps the others waiting for little.
template <typename F>
void share_out_ranges(uint64_t threads, uint64_t count, uint64_t least, uint64_t most, const F& work) {
  std::atomic<uint64_t> next = 0;
  share_out(threads, threads, [&](uint64_t thread) {
    for (uint64_t first = next.load(std::memory_order_relaxed); first < count;) {
      const uint64_t left = count - first;
      const uint64_t size = std::min(left, threads > 1 ? std::clamp(3 * left / (4 * threads), least, most) : most);
      if (!next.compare_exchange_weak(first, first + size, std::memory_order_relaxed)) continue;
      work(thread, first, first + size);
      first = next.load(std::memory_order_relaxed);
    }
  });
}

}  // namespace cpu

#endif  // GCTS_PLUGINS_CPU_TEAM_H_
