// What is said between the main process and a worker about time.
//
// A worker keeps kernels ready in slots, each with its operands, and times as many calls
// of one as it is told, so that the main process can go from one kernel to the next, in
// this worker and in others, and a drift of the machine meets them all.
//
// The operands of a kernel are rings of entries: each call takes the next one.  A ring
// smaller than a cache is warm, one larger than the last cache is cold.  All entries repeat
// one period of bytes that the main process has drawn, so that it knows every result.

#ifndef GCTS_HARNESS_WORKER_BENCH_PROTOCOL_H_
#define GCTS_HARNESS_WORKER_BENCH_PROTOCOL_H_

#include <cstdint>
#include <vector>

namespace gcts::worker {

inline constexpr uint32_t kMostSlots = 64;
inline constexpr uint32_t kMostThreads = 1024;

struct BenchOperand {
  uint64_t period_offset;  // in the input memory
  uint64_t period_bytes;   // 0: the operand is absent
  uint64_t step;           // bytes from one entry to the next
  uint64_t entries;        // of each thread
  uint64_t key;            // slots with the same key, not 0, share memory and place in the ring
};

// Request::bench_place: the numbers of processors, a uint32_t each, in the order in which threads
// that are timed take them.  Before it, and of a device, they run where the system likes.

// Request::bench_open.  `team` threads call the kernel at the same time, each with entries
// of its own; `threads` is what a matrix product is told to use.
struct BenchOpenRequest {
  uint64_t kernel;  // row of the plugin's table
  uint64_t m, n, k;
  uint64_t weight_stride, activation_stride, output_stride, expert_stride;
  uint64_t output_bytes;    // of one call
  uint64_t output_entries;  // of each thread
  BenchOperand weights, activations, extra;
  uint32_t slot;
  uint32_t team;
  uint32_t threads;
  uint32_t experts;
  uint32_t prepare;  // 1: weights are repacked first
  uint32_t reserved;
};
struct BenchOpenAnswer {
  int32_t status;       // gcts_status of prepare
  uint32_t no_memory;   // 1: the operands do not fit
  uint64_t prepare_ns;  // of one entry of the weights
  uint64_t prepared_bytes;
};

// Request::bench_sample: warm_calls that are not timed, then `calls` that are, by each thread.
struct BenchSampleRequest {
  uint32_t slot;
  uint32_t poison;  // 1: outputs are overwritten first, so that old results do not count
  uint64_t warm_calls;
  uint64_t calls;
  uint64_t extra_permille;  // this many more calls in a thousand are made and not counted
};
// The answer; then text: what a device says of a call that failed.
struct BenchSampleAnswer {
  int32_t status;
  uint32_t reserved;
  uint64_t ns;  // from the first thread's start to the last one's end
  uint64_t pace_ns;  // the longest pace (pace.h) of a thread before and after; 0: of a device
};

// Of an output of more than 64 MiB only so much is looked at: pieces that are spread
// over it, the first and the last among them.
struct OutputPiece {
  uint64_t offset, bytes;
};
inline std::vector<OutputPiece> output_pieces(uint64_t output_bytes) {
  constexpr uint64_t kWhole = 64u << 20, kPieces = 16, kPieceBytes = 1u << 20;
  if (output_bytes <= kWhole) return {{0, output_bytes}};
  std::vector<OutputPiece> out;
  for (uint64_t i = 0; i < kPieces; ++i) out.push_back({(output_bytes - kPieceBytes) / (kPieces - 1) / 4 * 4 * i, kPieceBytes});
  out.back().offset = output_bytes - kPieceBytes;
  return out;
}

// Request::bench_output: what the last `count` calls of a thread left, packed, oldest first;
// of each its output_pieces.
struct BenchOutputRequest {
  uint32_t slot;
  uint32_t thread;
  uint64_t count;
};
struct BenchOutputAnswer {
  uint64_t first_weights;  // entry of the weights that the oldest of them used, if no other slot
                           // has gone on with them since
  uint64_t output_offset;
  uint64_t output_size;
};

// Request::bench_close: the slot's number, a uint32_t.

// Request::bench_read; the path's bytes follow (empty: the file is in the input memory).
struct BenchReadRequest {
  uint64_t input_offset;
  uint64_t input_size;
  uint32_t stage;
  uint32_t reserved;
};
struct BenchReadAnswer {
  int32_t status;
  uint32_t reserved;
  uint64_t ns;
  uint64_t first_tensor_ns;  // 0: none was reported
  uint64_t keys, tensors;
};

// Request::ceilings is answered with the number of rows of ceilings.inc, then for each: quantity
// and variant as text, what this machine lacks for it as text, operations of a step (0:
// bytes count).

// Request::ceiling: the best rate of one row of ceilings.inc.
struct CeilingRequest {
  uint32_t row;
  uint32_t threads;
  uint64_t bytes;   // of each buffer of each thread
  uint64_t sample_ns;
  uint64_t samples;
};
// Request::device_ceilings and device_ceiling: the same of the rows that the plugin's device
// brings.  One thread; bytes are a multiple of 1 MiB; after the answer stands what the device
// says of a loop that failed.
struct CeilingAnswer {
  double best;    // bytes or operations a nanosecond, all threads together
  double median;
};

}  // namespace gcts::worker

#endif  // GCTS_HARNESS_WORKER_BENCH_PROTOCOL_H_
