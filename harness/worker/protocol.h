// How the main process and a worker talk.
//
// The worker inherits four file descriptors.  Requests arrive on one pipe and are
// answered in order on another; each message is a Message and `size` bytes.  Bulk
// data stand in two shared memory files: the host writes inputs, the worker outputs.
// A worker may be built for another architecture and run under an emulator: every
// field has a fixed width and is little-endian, structs have no padding.
//
// A request gets exactly one answer of the same id: the one that belongs to it, or
// kLoadError, or kFault, after which the worker is gone.  Requests are rows of
// requests.inc.  Ids count from 0 in each batch: a request of id 0 says that the host
// has taken the outputs before it.

#ifndef GCTS_HARNESS_WORKER_PROTOCOL_H_
#define GCTS_HARNESS_WORKER_PROTOCOL_H_

#include <cstdint>

namespace gcts::worker {

inline constexpr int kRequestFd = 3;
inline constexpr int kAnswerFd = 4;
inline constexpr int kInputFd = 5;
inline constexpr int kOutputFd = 6;

// Inputs end at a multiple of this: a page boundary on every architecture.
inline constexpr uint64_t kGuardAlignment = 65536;

struct Message {
  uint32_t type;
  uint32_t id;
  uint64_t size;  // bytes that follow
};

enum class Request : uint32_t {
#define REQUEST(number, name) name = number,
#include "harness/worker/requests.inc"
#undef REQUEST
};

// Types of answers.
inline constexpr uint32_t kAnswer = 0x100;     // + the request's number
inline constexpr uint32_t kFault = 0x200;      // FaultAnswer
inline constexpr uint32_t kLoadError = 0x201;  // text: why the plugin cannot be used

// Request::read; the path's bytes follow.
struct ReadRequest {
  uint32_t stage;           // gcts_stage
  uint32_t flags;           // kReadDigests, ...
  uint64_t input_offset;    // of the file in the input memory
  uint64_t input_size;
  uint64_t contents_limit;  // bytes of records that the file can account for
};
inline constexpr uint32_t kReadDigests = 1;   // record tensor bytes
inline constexpr uint32_t kReadFromPath = 2;  // offer the path instead of the memory
inline constexpr uint32_t kFindLeaks = 4;     // repeat the call where it keeps something

// Request::write.
struct WriteRequest {
  uint64_t model_offset;  // of the model (model.h) in the input memory
  uint64_t model_size;
  uint64_t output_limit;  // no output of this model is that long
  uint64_t refuse_after;  // the output stores this many bytes, then refuses; UINT64_MAX: never
};

// The answer to read and write; then message_size and misuse_size bytes of text.
struct CallAnswer {
  int32_t status;  // gcts_status, as returned
  uint32_t message_size;
  uint32_t misuse_size;
  int32_t leaked_fds;  // by each repetition of the call
  int32_t leaked_threads;
  uint32_t refused;  // write: the output refused bytes
  uint64_t leaked_bytes;
  uint64_t output_offset;  // in the output memory, of what was read or written
  uint64_t output_size;
  uint64_t cpu_ns;        // of the call
  uint64_t total_cpu_ns;  // of the worker, up to the answer
};

// Where an operand of a kernel lies between its two unmapped pages.
enum class Placement : uint32_t {
  end,    // its last byte in front of the upper one, as near as the alignment allows
  start,  // its first byte behind the lower one
  skewed, // at an address that is `skew` modulo 64
};

// One operand of a kernel; size 0: absent.  With tile_bytes, `size` bytes of address
// space show the same tile_bytes over and over, so that operands beyond 2^32 bytes cost
// no memory.  With `in_place` the kernel reads the input memory itself, as it would a
// mapped file: at the address modulo a page that the offset has.
struct OperandRequest {
  uint64_t offset;  // in the input memory
  uint64_t size;
  uint64_t tile_bytes;
  uint64_t in_place;  // 0 or 1
};

// Request::kernel.  For all ops but the matrix products m = n = 1 and k is the count.
struct KernelRequest {
  uint64_t kernel;  // row of the plugin's table
  uint64_t m, n, k;
  uint64_t weight_stride, activation_stride, output_stride, expert_stride;  // bytes
  uint64_t output_rows, output_row_bytes;
  OperandRequest weights;      // blocks; for quantize: none
  OperandRequest activations;  // for quantize: the values
  OperandRequest extra;        // ids of matmul_id, importance of quantize
  OperandRequest output_tile;  // tile_bytes 0: the output is memory of its own
  uint32_t threads;
  uint32_t experts;
  Placement placement;
  uint32_t skew;
  uint32_t calls;  // 1: once; 2: twice over different poison; more: the rest to find leaks
  uint32_t flags;
  // Not 0: as many calls as there are output rows, each on operands of its own a stride further,
  // one after the other and then from as many threads at once.  m is 1 in each.
  uint64_t parts;
};
inline constexpr uint32_t kPrepareWeights = 1;

// What two calls over differently poisoned outputs tell of a byte on which they differ.
enum class Unequal : uint32_t {
  no,
  unwritten,  // it still holds the poison
  changing,   // the kernel gave two results
  concurrent, // it gave another result while it ran in other threads
};

// Bits of KernelAnswer::environment.
inline constexpr uint32_t kRoundingChanged = 1;
inline constexpr uint32_t kFlushingChanged = 2;
inline constexpr uint32_t kMasksChanged = 4;
inline constexpr uint32_t kX87Changed = 8;  // its control word, or MMX state left behind
inline constexpr uint32_t kRegistersChanged = 16;  // those a called function has to keep, the direction flag too

// The answer to kernel; then text: what is wrong on a device, "" if nothing is.
struct KernelAnswer {
  int32_t status;
  Unequal unequal;
  uint64_t unequal_offset;  // in the packed output
  uint64_t damage_offset;   // a byte outside the rows that was written; UINT64_MAX: none
  uint32_t environment;
  int32_t leaked_fds;
  int32_t leaked_threads;
  uint32_t prepared_damaged;  // 1: `prepare` wrote outside the memory that it asked for
  uint64_t leaked_bytes;
  uint64_t output_offset;   // in the output memory: the rows of the first call, packed
  uint64_t output_size;
  uint64_t cpu_ns;
  uint64_t device_ns;       // of the first call, as the device says; 0: there is none
  uint64_t total_cpu_ns;
};

// Request::api: the row of the plugin's table of checks.
struct ApiRequest {
  uint64_t check;
};

// The answer to api; then message_size bytes of text.
struct ApiAnswer {
  int32_t status;   // gcts_status, if the call returned
  int32_t ended_by; // the signal that ended the check's process; 0: none
  uint32_t message_size;
  uint32_t reserved;
};

enum class FaultPlace : uint32_t {
  elsewhere,
  after_input,   // distance 0: the first byte past the end
  before_input,  // distance -1: the last byte in front of it
  in_input,      // a write to the read-only input; distance from its start
  stack,         // the stack is used up
};

// Which of the buffers handed to the plugin a fault is about.
enum class Buffer : uint32_t { file, weights, activations, extra, output, prepared };

// What the signal handler says before the worker ends.
struct FaultAnswer {
  int32_t signal;
  FaultPlace place;
  uint64_t address;
  int64_t distance;
  Buffer buffer;
  uint32_t reserved;
};

}  // namespace gcts::worker

#endif  // GCTS_HARNESS_WORKER_PROTOCOL_H_
