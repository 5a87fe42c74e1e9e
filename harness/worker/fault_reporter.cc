// The signal handlers.  Everything they call is async-signal-safe.

#include "harness/worker/fault_reporter.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>
#include <initializer_list>

#include "harness/worker/protocol.h"

namespace gcts::worker {
namespace {

// A fault this close to the input (an emulator's or a real page) is about the input.
constexpr uint64_t kNear = 1 << 20;
constexpr size_t kHandlerStack = 64 * 1024;

struct Range {
  Buffer which;
  uint64_t begin, end;
};
volatile uint32_t current_request = 0;
Range ranges[kMostBuffers];
volatile int range_count = 0;
uint64_t stack_low = 0, stack_high = 0;

// The buffer that the address is in or nearest to, if one is near.
FaultPlace place_of(uint64_t address, int64_t& distance, Buffer& which) {
  FaultPlace place = FaultPlace::elsewhere;
  uint64_t nearest = kNear;
  for (int i = 0; i < range_count; ++i) {
    const Range& r = ranges[i];
    if (address >= r.begin && address < r.end) {
      which = r.which;
      distance = static_cast<int64_t>(address - r.begin);
      return FaultPlace::in_input;
    }
    if (address >= r.end && address - r.end < nearest) {
      nearest = address - r.end;
      place = FaultPlace::after_input;
      which = r.which;
      distance = static_cast<int64_t>(nearest);
    } else if (address < r.begin && r.begin - address < nearest) {
      nearest = r.begin - address;
      place = FaultPlace::before_input;
      which = r.which;
      distance = -static_cast<int64_t>(nearest);
    }
  }
  if (place == FaultPlace::elsewhere && address >= stack_low && address < stack_high) return FaultPlace::stack;
  return place;
}

void on_fault(int signal_number, siginfo_t* info, void*) {
  struct {
    Message message;
    FaultAnswer fault;
  } answer;
  std::memset(&answer, 0, sizeof(answer));
  answer.message = {kFault, current_request, sizeof(FaultAnswer)};
  answer.fault.signal = signal_number;
  const bool has_address = signal_number == SIGSEGV || signal_number == SIGBUS;
  answer.fault.address = reinterpret_cast<uint64_t>(info->si_addr);
  answer.fault.place = FaultPlace::elsewhere;
  if (has_address) {
    answer.fault.place = place_of(answer.fault.address, answer.fault.distance, answer.fault.buffer);
  }
  // Below PIPE_BUF, hence whole or not at all.
  if (::write(kAnswerFd, &answer, sizeof(answer)) < 0) _exit(120);
  _exit(119);
}

}  // namespace

void set_fault_context(uint32_t request_id) { current_request = request_id; }

void add_fault_buffer(Buffer which, const void* data, uint64_t size) {
  if (range_count == kMostBuffers) return;
  const auto begin = reinterpret_cast<uint64_t>(data);
  ranges[range_count] = {which, begin, begin + size};
  range_count = range_count + 1;
}

void clear_fault_buffers() { range_count = 0; }

void report_faults() {
  // The main thread's stack reaches down from here by its limit; just below lies the
  // kernel's gap.
  struct rlimit limit;
  int here;
  if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    stack_high = reinterpret_cast<uint64_t>(&here);
    const uint64_t reach = limit.rlim_cur + (2u << 20);
    stack_low = stack_high > reach ? stack_high - reach : 0;
  }
  stack_t stack{};
  stack.ss_size = kHandlerStack;
  stack.ss_sp = mmap(nullptr, kHandlerStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack.ss_sp != MAP_FAILED) sigaltstack(&stack, nullptr);

  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND;
  sigemptyset(&action.sa_mask);
  for (int signal_number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP}) {
    sigaction(signal_number, &action, nullptr);
  }
}

}  // namespace gcts::worker
