// The limits of one case: what counts against them, and what does not.

#include <boost/test/unit_test.hpp>

#include <poll.h>
#include <sched.h>

#include "harness/case_watch.h"

namespace gcts {
namespace {

using Over = CaseWatch::Over;

// Watches a command until it goes over a limit, for `most` seconds.
Over watched(const std::vector<std::string>& words, const Limits& limits, double most, std::string* note = nullptr) {
  std::string error;
  const Child child = Child::start(words, {}, {}, error);
  BOOST_REQUIRE(child.running());
  CaseWatch watch;
  watch.begin(0, 0);
  Over over = Over::nothing;
  while (over == Over::nothing && watch.wall_seconds() < most) {
    poll(nullptr, 0, 20);
    over = watch.look(child, limits);
  }
  if (note) *note = watch.note();
  return over;
}

// A processor that this test may use.
std::string a_processor() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof(allowed), &allowed);
  int first = 0;
  while (first + 1 < CPU_SETSIZE && !CPU_ISSET(first, &allowed)) ++first;
  return std::to_string(first);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(case_watch)

BOOST_AUTO_TEST_CASE(a_sleeper_is_over_the_wall_limit) {
  std::string note;
  BOOST_TEST((watched({"sleep", "60"}, {.wall_seconds = 0.5, .cpu_seconds = 60}, 30, &note) == Over::wall));
  BOOST_TEST(note == "no answer within 0.5 s");
}

// A busy process is over its CPU limit however long that takes, and never over the wall limit.
BOOST_AUTO_TEST_CASE(a_busy_loop_is_over_the_cpu_limit_alone) {
  BOOST_TEST((watched({"sh", "-c", "while :; do :; done"}, {.wall_seconds = 0.5, .cpu_seconds = 1}, 60) == Over::cpu));
}

// A process that could run and is not let: other processes of higher priority have both
// the processor and the time.
BOOST_AUTO_TEST_CASE(a_starved_process_is_over_no_limit) {
  std::string error;
  const std::string processor = a_processor();
  const std::vector<std::string> loop{"taskset", "-c", processor, "sh", "-c", "while :; do :; done"};
  const Child first = Child::start(loop, {}, {}, error), second = Child::start(loop, {}, {}, error);
  BOOST_TEST((watched({"taskset", "-c", processor, "nice", "-n", "19", "sh", "-c", "while :; do :; done"}, {.wall_seconds = 0.5, .cpu_seconds = 1}, 2) ==
              Over::nothing));
}

BOOST_AUTO_TEST_CASE(nobody_waits_forever) {
  const double never = 1e-3 / kPatience;  // a wall limit that is over at once, times kPatience
  BOOST_TEST((watched({"sh", "-c", "while :; do :; done"}, {.wall_seconds = never, .cpu_seconds = 60}, 30) == Over::wall));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace gcts
