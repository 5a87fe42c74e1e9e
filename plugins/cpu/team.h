// Threads that stay between matrix products: one with a single row of activations is over
// before a thread would have started.
//
// Work comes in parts, which whoever is free takes one after the other, the caller too.  The
// caller waits for nobody that has not begun: threads that are asleep, busy or not to be had
// only leave more to the others.  Threads look out for the next job for a moment, then sleep.

#ifndef GCTS_PLUGINS_CPU_TEAM_H_
#define GCTS_PLUGINS_CPU_TEAM_H_

#include <stdint.h>

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

}  // namespace cpu

#endif  // GCTS_PLUGINS_CPU_TEAM_H_
