// Threads that do the same thing at the same time, and how long they took.

#ifndef GCTS_HARNESS_WORKER_TEAM_H_
#define GCTS_HARNESS_WORKER_TEAM_H_

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace gcts::worker {

uint64_t now_ns();  // monotonic

// Lets the calling thread, and those that it makes from then on, run on `processors` alone.
// False where the system does not allow it.
bool keep_to(std::span<const uint32_t> processors);

// What each member does; `member` counts from 0.
struct TeamWork {
  virtual void run(uint32_t member) = 0;

 protected:
  ~TeamWork() = default;
};

// A team of one is the calling thread.  Members sleep between jobs and start a job
// together: each waits until all are awake.
//
// Members keep to processors: what runs beside them is the same for each and from one job to
// the next.  Threads that a member makes keep to those that it has when it makes them.
class Team {
 public:
  // `processors`: numbers of those that members take, in this order; none: any.
  explicit Team(std::vector<uint32_t> processors) : processors_(std::move(processors)) {}
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  // Nanoseconds from the first member's start to the last one's end; 0 if there are no threads
  // to be had.  `each`: threads that a member uses, itself among them, and so the processors
  // that it may run on; 0: any.
  uint64_t run(uint32_t size, TeamWork& work, uint32_t each = 1);

 private:
  struct Member {
    Team* team = nullptr;
    uint32_t number = 0;
    pthread_t thread{};
    uint64_t job = 0;
    uint64_t begin = 0, end = 0;
  };
  static void* live(void* member);
  void take_part(Member& member);
  void settle(uint32_t member) const;
  bool grow(uint32_t size);

  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed_ = PTHREAD_COND_INITIALIZER;
  std::unique_ptr<std::unique_ptr<Member>[]> members_;
  uint32_t count_ = 0;   // threads beside the caller
  uint64_t job_ = 0;
  uint32_t size_ = 0, each_ = 1;  // of the job
  const std::vector<uint32_t> processors_;
  bool over_ = false;
  TeamWork* work_ = nullptr;
  std::atomic<uint32_t> awake_{0}, done_{0};
};

}  // namespace gcts::worker

#endif  // GCTS_HARNESS_WORKER_TEAM_H_
