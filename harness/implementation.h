// An implementation under test, whatever it is made of: it takes tasks and gives
// answers.
//
// A plugin runs in a worker (plugin_implementation.cc), an adapter is a process that
// speaks JSON (process_implementation.cc), a tool is a command
// (command_implementation.cc).  The suites know neither: they make tasks from cases
// and judge answers.

#ifndef GCTS_HARNESS_IMPLEMENTATION_H_
#define GCTS_HARNESS_IMPLEMENTATION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/case.h"
#include "gcts/plugin.h"
#include "harness/limits.h"
#include "harness/worker/protocol.h"

namespace gcts {

// One row of a plugin's kernel table.
struct KernelDescription {
  gcts_kernel row{};  // the pointers in it are null
  std::string variant;
  std::string features;
  std::string missing;  // the first feature that the worker's machine lacks
  bool prepares = false;
  uint64_t largest_operand = UINT64_MAX;  // bytes that the device gives at once
};

// Where a plugin's kernels of GCTS_KERNEL_ON_DEVICE work.
struct DeviceDescription {
  std::string interface;  // "OpenCL"; empty: the plugin has none
  std::string name, driver;
  uint64_t memory = 0, largest_allocation = 0;
  uint32_t compute_units = 0;
  bool unmapped_guards = false;
  std::string missing;    // why there is no device, "" if there is
};

// One row of a plugin's table of checks of its own.
struct ApiCheckDescription {
  std::string name;
  std::string promise;
  int ends_by = 0;  // the signal that has to end it; 0: it returns
};

// What an implementation says about itself.
struct Description {
  std::string name;
  std::string version;
  bool reads = false;
  uint32_t reader_capabilities = 0;  // GCTS_READS_*
  bool writes = false;
  uint32_t writer_capabilities = 0;  // GCTS_WRITES_*
  bool tells_contents = true;        // false: a verdict is all that there is
  bool tells_order = true;           // false: pairs and tensors come in any order
  DeviceDescription device;
  std::vector<KernelDescription> kernels;
  std::string unavailable;           // why it cannot be used on this machine; "": it can
  std::vector<ApiCheckDescription> api_checks;
};

// One call of a kernel.  All sizes are in bytes; an operand without bytes is absent.
struct KernelOperand {
  std::span<const std::byte> bytes;
  uint64_t tiled_size = 0;  // not 0: this much address space that repeats `bytes`
  std::span<const std::byte> file;  // not empty: `bytes` are a part of it and are read where they lie
};
struct KernelTask {
  uint64_t kernel = 0;       // row of the plugin's table
  uint64_t m = 1, n = 1, k = 0;
  KernelOperand weights, activations, extra;
  uint64_t weight_stride = 0, activation_stride = 0, output_stride = 0, expert_stride = 0;
  uint64_t output_rows = 1, output_row_bytes = 0;
  uint64_t output_tile_bytes = 0;  // not 0: the rows lie over one tile of this size
  uint32_t threads = 1, experts = 1;
  worker::Placement placement = worker::Placement::end;
  uint32_t skew = 0;
  uint32_t calls = 2;        // as in KernelRequest
  bool prepare = false;
  uint64_t parts = 0;        // as in KernelRequest
};

struct Task {
  size_t tag = 0;                          // the caller's
  const std::vector<CaseFile>* files = nullptr;  // to read; several: a shard set
  const WriteCase* write = nullptr;        // or to write
  const KernelTask* kernel = nullptr;      // or to compute
  const uint64_t* api_check = nullptr;     // or to check: the row of the plugin's table
  uint64_t refuse_after = UINT64_MAX;      // write: see WriteRequest
  Stage stage = Stage::data;
  bool measured = false;                   // alone in a fresh worker, memory watched closely
};

enum class AnswerKind : uint8_t {
  verdict,   // a status was returned
  crash,     // signal, abort, or the process ended by itself
  timeout,   // killed for its wall or CPU time
  memory,    // killed for its memory
  protocol,  // nonsense came back
  unusable,  // could not be started or loaded: nothing was tested
};

struct Answer {
  AnswerKind kind = AnswerKind::verdict;
  int32_t status = 0;        // of a verdict: gcts_status
  bool weak = false;         // of a command: an exit status, not a word
  bool weak_matches = false; // ... whose output matches the reject pattern
  int ended_by = 0;          // of an api check: the signal that ended its process
  std::string message;       // the implementation's own words, or what happened to it
  std::string misuse;        // how it misused the sink, the output or its device; "" if it did not
  std::span<const uint8_t> output;  // records (read) or a file's bytes (write); during the call only
  bool refused = false;      // write: the output refused bytes
  uint64_t leaked_bytes = 0;
  int32_t leaked_fds = 0;
  int32_t leaked_threads = 0;
  double wall_seconds = 0;
  double cpu_seconds = 0;
  worker::KernelAnswer kernel{};  // of a kernel task; `output` holds the packed rows
  uint64_t peak_bytes = 0;   // resident anonymous memory above the start; 0: not measured
};

class Implementation {
 public:
  virtual ~Implementation() = default;
  // Starts it once.  False and an explanation if it cannot be used.
  virtual bool describe(Description& out, std::string& error) = 0;
  // Runs tasks in order; `answered` is called once for each, in order.  Stops before
  // the next task when `answered` returns false.
  using Answered = std::function<bool(const Task& task, const Answer& answer)>;
  virtual void run(std::span<const Task> tasks, const Answered& answered) = 0;
};

// How to start an implementation; copied freely, so that each thread makes its own.
struct Launch {
  enum class Kind : uint8_t { plugin, process, command } kind = Kind::plugin;
  std::string locator;               // the plugin's path, or the command line
  std::string emulator;              // plugin: words put in front of the worker
  std::string reject_pattern;        // command
  std::vector<std::string> environment;  // NAME=VALUE, added to the program's own
  Limits limits;
};

std::unique_ptr<Implementation> launch(const Launch& launch);
std::unique_ptr<Implementation> launch_plugin(const Launch& launch);
std::unique_ptr<Implementation> launch_process(const Launch& launch);
std::unique_ptr<Implementation> launch_command(const Launch& launch);

std::string_view launch_kind_name(Launch::Kind kind);  // "plugin", "process", "command"

}  // namespace gcts

#endif  // GCTS_HARNESS_IMPLEMENTATION_H_
