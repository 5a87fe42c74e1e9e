// Calls into plugins in this process, of which nothing is expected.
//
// GCTS_FUZZ_PLUGINS names the plugins, separated by colons; without it the plugin that is
// linked into the target is used, whose gcts_plugin_entry has to be there.  A call that
// faults, aborts, takes more than its share of processor time or memory comes back as an
// accident: signals are caught here and only while a plugin runs.  What such a call held
// is lost, so after kMostAccidents the process ends quietly, where findings are collected,
// and the engine starts another.

#ifndef GCTS_FUZZ_PLUGIN_CALL_H_
#define GCTS_FUZZ_PLUGIN_CALL_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/contents.h"
#include "harness/worker/session.h"

namespace gcts {

struct FuzzedPlugin {
  std::string name;
  worker::Plugin tables;
  std::unique_ptr<HeapBytes> records = std::make_unique<HeapBytes>();
};

// Ends the process with an explanation if one cannot be opened.
std::vector<FuzzedPlugin>& fuzzed_plugins();

// How a call ended that did not return, or what it did beside returning.
struct Accident {
  std::string kind;      // "" if nothing happened; "crash", "hang", "memory", "slow", "leak"
  std::string what;      // "SIGSEGV libx.so+0x12a libx.so+0x9f0"
  std::string sentence;
  bool returned = true;  // false: the call was left
};

inline constexpr int kMostAccidents = 64;

// The input that calls are about from here on.  A fault is reported with it at once, from the
// signal's handler: what a fault did to the stack may leave nothing to come back to.
void watch_input(std::span<const std::byte> input);

// `subject`, `prefix`: of the sighting of a fault; its kind is the prefix and "crash" or
// "hang".  `fair_bytes`: what the call may hold at a time.  A call that returns, too much
// memory or time taken, is for the caller to report.
Accident watched_call(const std::string& subject, const std::string& prefix, uint64_t fair_bytes, const std::function<void()>& call);

// The heap as the sanitizer counts it; 0 without one.
uint64_t heap_in_use();

struct Reaction {
  Accident accident;
  int32_t status = GCTS_FAILED;
  std::vector<uint8_t> records;
  std::string message, misuse;
};

// What a reader makes of a request.  `size`: of the file, from which the limits follow.
Reaction react(FuzzedPlugin& plugin, const gcts_read_request& request, uint64_t size, bool digests);

}  // namespace gcts

#endif  // GCTS_FUZZ_PLUGIN_CALL_H_
