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

enum class FaultPlace : uint32_t {
  elsewhere,
  after_input,   // distance 0: the first byte past the end
  before_input,  // distance -1: the last byte in front of it
  in_input,      // a write to the read-only input; distance from its start
  stack,         // the stack is used up
};

// What the signal handler says before the worker ends.
struct FaultAnswer {
  int32_t signal;
  FaultPlace place;
  uint64_t address;
  int64_t distance;
};

}  // namespace gcts::worker

#endif  // GCTS_HARNESS_WORKER_PROTOCOL_H_
