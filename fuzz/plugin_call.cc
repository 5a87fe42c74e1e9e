// Signal handlers, a timer and the sanitizer's hooks around calls.

#include "fuzz/plugin_call.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "fuzz/finding.h"

extern "C" {
[[gnu::weak]] int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void*, size_t),
                                                            void (*freed)(const volatile void*));
[[gnu::weak]] size_t __sanitizer_get_allocated_size(const volatile void* memory);
[[gnu::weak]] size_t __sanitizer_get_current_allocated_bytes();
[[gnu::weak]] const gcts_plugin* gcts_plugin_entry(void);
}

namespace gcts {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
constexpr int kCaught = sizeof kSignals / sizeof *kSignals;
constexpr int kSecondsToHang = 3;       // of processor time
constexpr double kSecondsToBeSlow = 0.3;
// Beyond this a call is not left to go on: what it touches would end the process.
constexpr uint64_t kFarTooMuch = uint64_t{512} << 20;
constexpr int kFrames = 3;              // of a stack that make two faults the same

// The one call that is running.
struct Call {
  sigjmp_buf back;
  volatile sig_atomic_t running = 0;
  volatile sig_atomic_t ticks = 0;
  volatile sig_atomic_t signal = 0;     // why it came back by a jump; 0: memory
  bool over_memory = false;
  uint64_t held = 0, most = 0, fair = UINT64_MAX;
  std::string stack;
  std::string subject, prefix;
  std::span<const std::byte> input;
} now;

struct sigaction earlier[kCaught];

std::string base_name(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash ? slash + 1 : path;
}

bool is_foundation(std::string_view library) {
  for (const char* name : {"libc.so", "libc-", "libstdc++", "libgcc_s", "libm.so", "ld-linux", "linux-vdso", "libasan"})
    if (library.starts_with(name)) return true;
  return false;
}

// The innermost places in code that is neither this program nor the system's.
std::string stack_now() {
  void* frames[48];
  const int count = backtrace(frames, 48);
  Dl_info self{};
  dladdr(reinterpret_cast<void*>(&stack_now), &self);
  // A plugin that is linked in lies behind the signal's own frame in the C library.
  std::string foreign, own;
  int taken = 0, own_taken = 0;
  bool behind_signal = false;
  for (int i = 2; i < count && taken < kFrames; ++i) {
    Dl_info place{};
    if (!dladdr(frames[i], &place) || !place.dli_fname) continue;
    if (is_foundation(base_name(place.dli_fname))) {
      behind_signal = true;
      continue;
    }
    // An exported name is enough, and the same in the next build.
    std::string name = place.dli_sname ? place.dli_sname : base_name(place.dli_fname);
    if (!place.dli_sname) {
      char offset[24];
      std::snprintf(offset, sizeof offset, "+0x%zx", static_cast<size_t>(static_cast<char*>(frames[i]) - static_cast<char*>(place.dli_fbase)));
      name += offset;
    }
    if (place.dli_fbase != self.dli_fbase) foreign += (taken++ == 0 ? "" : " ") + name;
    else if (behind_signal && own_taken < kFrames) own += (own_taken++ == 0 ? "" : " ") + name;
  }
  return foreign.empty() ? own : foreign;
}

const char* name_of(int signal_number) {
  switch (signal_number) {
    case SIGSEGV: return "SIGSEGV";
    case SIGBUS: return "SIGBUS";
    case SIGFPE: return "SIGFPE";
    case SIGILL: return "SIGILL";
    case SIGABRT: return "SIGABRT";
    default: return "SIGTRAP";
  }
}

Accident fault_accident(int signal_number) {
  if (signal_number == SIGVTALRM)
    return {"hang", now.stack, "takes more than " + std::to_string(kSecondsToHang) + " seconds of processor time", false};
  return {"crash", std::string(name_of(signal_number)) + (now.stack.empty() ? "" : " ") + now.stack,
          std::string("ends with ") + name_of(signal_number), false};
}

void leave(int signal_number) {
  // Walking a stack that was written over is another fault.
  static volatile sig_atomic_t walking = 0;
  now.stack.clear();
  if (!walking) {
    walking = 1;
    now.stack = stack_now();
  }
  walking = 0;
  now.signal = signal_number;
  now.running = 0;
  const Accident accident = fault_accident(signal_number);
  report({now.subject, now.prefix + accident.kind, accident.what, "", accident.sentence}, now.input);
  siglongjmp(now.back, 1);
}

void on_signal(int signal_number, siginfo_t*, void*) {
  if (now.running) leave(signal_number);
  // Not about a plugin: whoever was here before is asked.
  for (int i = 0; i < kCaught; ++i)
    if (kSignals[i] == signal_number) sigaction(signal_number, &earlier[i], nullptr);
  if (signal_number == SIGABRT) raise(signal_number);
}

void on_tick(int) {
  if (!now.running) return;
  now.ticks = now.ticks + 1;
  if (now.ticks > kSecondsToHang) leave(SIGVTALRM);
}

void on_allocation(const volatile void*, size_t size) {
  if (!now.running) return;
  now.held += size;
  if (now.held > now.most) now.most = now.held;
  if (now.held <= now.fair) return;
  if (!now.over_memory) {
    now.running = 0;  // what is allocated from here on is ours
    now.stack = stack_now();
    now.over_memory = true;
    now.running = 1;
  }
  if (now.held > kFarTooMuch) {
    now.signal = 0;
    now.running = 0;
    siglongjmp(now.back, 1);
  }
}

void on_free(const volatile void* memory) {
  if (!now.running || !memory) return;
  const uint64_t size = __sanitizer_get_allocated_size(memory);
  now.held = size < now.held ? now.held - size : 0;
}

void watch_signals() {
  static const bool done = [] {
    void* warm[1];
    backtrace(warm, 1);  // the unwinder is loaded by its first use
    // So is the environment read, which a fault may have written over.
    static_cast<void>(collects());
    static_cast<void>(is_known(""));
    stack_t stack{};
    if (sigaltstack(nullptr, &stack) == 0 && (stack.ss_flags & SS_DISABLE)) {
      stack = {};
      stack.ss_size = size_t{1} << 18;
      stack.ss_sp = mmap(nullptr, stack.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (stack.ss_sp != MAP_FAILED) sigaltstack(&stack, nullptr);
    }
    struct sigaction action {};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (int i = 0; i < kCaught; ++i) sigaction(kSignals[i], &action, &earlier[i]);
    struct sigaction tick {};
    tick.sa_handler = on_tick;
    tick.sa_flags = SA_RESTART | SA_ONSTACK | SA_NODEFER;
    sigaction(SIGVTALRM, &tick, nullptr);
    const itimerval every_second{{1, 0}, {1, 0}};
    setitimer(ITIMER_VIRTUAL, &every_second, nullptr);
    if (__sanitizer_install_malloc_and_free_hooks) __sanitizer_install_malloc_and_free_hooks(on_allocation, on_free);
    return true;
  }();
  static_cast<void>(done);
}

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

Accident memory_accident(bool returned) {
  return {"memory", now.stack, "holds " + std::to_string(now.most) + " bytes at a time", returned};
}

// What remains of a call that was left is not to be trusted for ever.
void count_accident() {
  static int accidents = 0;
  if (++accidents >= kMostAccidents && collects()) _exit(0);
}

std::vector<FuzzedPlugin> open_all() {
  std::vector<FuzzedPlugin> out;
  const char* set = std::getenv("GCTS_FUZZ_PLUGINS");
  std::string_view rest = set ? set : "";
  while (!rest.empty()) {
    const std::string path(rest.substr(0, rest.find(':')));
    rest.remove_prefix(std::min(rest.size(), path.size() + 1));
    out.push_back({path, worker::open_plugin(path.c_str()), std::make_unique<HeapBytes>()});
  }
  if (out.empty() && gcts_plugin_entry) out.push_back({"", worker::take_plugin(gcts_plugin_entry()), std::make_unique<HeapBytes>()});
  for (FuzzedPlugin& plugin : out) {
    if (!plugin.tables.error.empty()) {
      std::fprintf(stderr, "%s: %s\n", plugin.name.c_str(), plugin.tables.error.c_str());
      std::exit(1);
    }
    plugin.name = plugin.tables.table.name;
  }
  return out;
}

}  // namespace

std::vector<FuzzedPlugin>& fuzzed_plugins() {
  static std::vector<FuzzedPlugin> plugins = open_all();
  return plugins;
}

uint64_t heap_in_use() { return __sanitizer_get_current_allocated_bytes ? __sanitizer_get_current_allocated_bytes() : 0; }

void watch_input(std::span<const std::byte> input) { now.input = input; }

Accident watched_call(const std::string& subject, const std::string& prefix, uint64_t fair_bytes, const std::function<void()>& call) {
  watch_signals();
  now.subject = subject;
  now.prefix = prefix;
  now.ticks = 0;
  now.over_memory = false;
  now.held = now.most = 0;
  now.fair = fair_bytes;
  const double start = processor_seconds();
  if (sigsetjmp(now.back, 1) == 0) {
    now.running = 1;
    call();
    now.running = 0;
    if (now.over_memory) return memory_accident(true);
    const double seconds = processor_seconds() - start;
    if (seconds < kSecondsToBeSlow) return {};
    return {"slow", "", "takes " + std::to_string(seconds) + " seconds of processor time", true};
  }
  count_accident();
  if (now.signal == 0) return memory_accident(false);
  return fault_accident(static_cast<int>(now.signal));
}

Reaction react(FuzzedPlugin& plugin, const gcts_read_request& request, uint64_t size, bool digests) {
  // A vector of strings with a word of its own for each byte of the file, and some to begin with.
  const uint64_t fair = (uint64_t{16} << 20) + 128 * size;
  Reaction out;
  plugin.records->truncate(0);
  ContentsWriter contents(*plugin.records, digests, (uint64_t{1} << 16) + 64 * size);
  gcts_status status = GCTS_FAILED;
  out.accident = watched_call(plugin.name, "", fair, [&] { status = plugin.tables.reader.read(&request, contents.sink()); });
  if (!out.accident.returned) {
    static_cast<void>(plugin.records.release());  // it may have been left in the middle of a change
    plugin.records = std::make_unique<HeapBytes>();
    return out;
  }
  out.status = static_cast<int32_t>(status);
  if (status == GCTS_OK) contents.finish();
  out.records.assign(contents.bytes().begin(), contents.bytes().end());
  out.message = contents.message();
  out.misuse = contents.misuse();
  return out;
}

}  // namespace gcts
