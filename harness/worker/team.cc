// Starts members together, and takes the time from the first start to the last end.

#include "harness/worker/team.h"

#include <sched.h>
#include <time.h>

#include <algorithm>

#include "harness/worker/bench_protocol.h"

namespace gcts::worker {

uint64_t now_ns() {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1000000000 + static_cast<uint64_t>(t.tv_nsec);
}

bool keep_to(std::span<const uint32_t> processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const uint32_t p : processors)
    if (p < CPU_SETSIZE) CPU_SET(p, &set);
  return sched_setaffinity(0, sizeof(set), &set) == 0;
}

Team::~Team() {
  pthread_mutex_lock(&mutex_);
  over_ = true;
  pthread_cond_broadcast(&changed_);
  pthread_mutex_unlock(&mutex_);
  for (uint32_t i = 0; i < count_; ++i) pthread_join(members_[i]->thread, nullptr);
}

void* Team::live(void* argument) {
  auto& member = *static_cast<Member*>(argument);
  Team& team = *member.team;
  for (;;) {
    pthread_mutex_lock(&team.mutex_);
    while (!team.over_ && member.job == team.job_) pthread_cond_wait(&team.changed_, &team.mutex_);
    member.job = team.job_;
    const bool over = team.over_, wanted = member.number < team.size_;
    pthread_mutex_unlock(&team.mutex_);
    if (over) return nullptr;
    if (wanted) team.take_part(member);
  }
}

// Where the processors do not suffice for all, the system shares them out.
void Team::settle(uint32_t member) const {
  if (processors_.empty()) return;
  const bool enough = each_ > 0 && uint64_t{size_} * each_ <= processors_.size();
  const size_t first = enough ? member * each_ : 0, count = enough ? each_ : processors_.size();
  thread_local size_t had_first = 0, had_count = 0;
  if (first == had_first && count == had_count) return;
  if (keep_to(std::span(processors_).subspan(first, count))) had_first = first, had_count = count;
}

void Team::take_part(Member& member) {
  const uint32_t size = size_;
  settle(member.number);
  awake_.fetch_add(1);
  // With fewer processors than members the last one needs this one's.
  for (uint32_t spins = 0; awake_.load() < size; ++spins)
    if (spins > 1000) sched_yield();
  member.begin = now_ns();
  work_->run(member.number);
  member.end = now_ns();
  done_.fetch_add(1);
}

bool Team::grow(uint32_t size) {
  if (!members_) members_ = std::make_unique<std::unique_ptr<Member>[]>(kMostThreads);
  while (count_ + 1 < size) {
    auto member = std::make_unique<Member>();
    member->team = this;
    member->number = count_ + 1;
    member->job = job_;
    if (pthread_create(&member->thread, nullptr, live, member.get()) != 0) return false;
    members_[count_++] = std::move(member);
  }
  return true;
}

uint64_t Team::run(uint32_t size, TeamWork& work, uint32_t each) {
  size = std::clamp<uint32_t>(size, 1, kMostThreads);
  if (size > 1 && !grow(size)) return 0;
  if (size == 1) {
    size_ = 1, each_ = each;
    settle(0);
    const uint64_t start = now_ns();
    work.run(0);
    return now_ns() - start;
  }
  Member self;
  awake_ = done_ = 0;
  pthread_mutex_lock(&mutex_);
  work_ = &work;
  size_ = size, each_ = each;
  ++job_;
  pthread_cond_broadcast(&changed_);
  pthread_mutex_unlock(&mutex_);
  take_part(self);
  while (done_.load() < size) sched_yield();
  uint64_t begin = self.begin, end = self.end;
  for (uint32_t i = 0; i + 1 < size; ++i) {
    begin = std::min(begin, members_[i]->begin);
    end = std::max(end, members_[i]->end);
  }
  return end - begin;
}

}  // namespace gcts::worker
