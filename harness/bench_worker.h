// A worker that times: the requests of worker/bench_protocol.h as calls.
//
// Every call can fail, because the plugin died or refused; the text says why, and the
// next call starts a new worker, in which no slot is open.

#ifndef GCTS_HARNESS_BENCH_WORKER_H_
#define GCTS_HARNESS_BENCH_WORKER_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/implementation.h"
#include "harness/worker/bench_protocol.h"
#include "harness/worker_channel.h"

namespace gcts {

// How a call of the plugin failed.
struct BenchFailure {
  AnswerKind kind = AnswerKind::verdict;
  int32_t status = 0;  // gcts_status, where the kind is verdict
  std::string message;
  bool any() const { return kind != AnswerKind::verdict || status != 0; }
};

// Whose ceilings: those of the worker's machine, or of its plugin's device.
enum class CeilingOf : uint8_t { machine, device };

// A way of measuring a ceiling that the worker knows.
struct CeilingWay {
  uint32_t row = 0;
  std::string quantity, variant;
  std::string missing;      // what this machine lacks for it
  uint64_t operations = 0;  // 0: it moves bytes
};

// What a slot is opened with; the spans are placed by open().
struct BenchSlot {
  worker::BenchOpenRequest request{};
  std::span<const std::byte> weights, activations, extra;  // periods
};

class BenchWorker {
 public:
  // `processors`: those that timed threads take, in this order; none: any.
  BenchWorker(const Launch& launch, const std::vector<uint32_t>& processors);

  BenchFailure open(const BenchSlot& slot, worker::BenchOpenAnswer& answer);
  BenchFailure sample(const worker::BenchSampleRequest& request, worker::BenchSampleAnswer& answer);
  BenchFailure output(const worker::BenchOutputRequest& request, uint64_t& first_weights, std::vector<uint8_t>& bytes);
  void close(uint32_t slot);

  // `path` empty: `file` is read from memory.  `peak_bytes`: resident memory above what the
  // worker held before.
  BenchFailure read(std::span<const std::byte> file, const std::string& path, gcts_stage stage,
                    worker::BenchReadAnswer& answer, uint64_t& peak_bytes);

  std::vector<CeilingWay> ceilings(CeilingOf of, std::string& error);
  // `problem`, if not null: why it was not measured, "" if it was.
  worker::CeilingAnswer ceiling(CeilingOf of, const worker::CeilingRequest& request, std::string* problem = nullptr);

  // Counts the workers that were lost: a slot lives as long as the worker it is in.
  uint64_t generation() const { return generation_; }

 private:
  BenchFailure ask(worker::Request request, const std::vector<uint8_t>& payload, bool measured = false);

  WorkerChannel channel_;
  const std::vector<uint32_t> processors_;
  std::vector<uint8_t> answer_;
  uint64_t generation_ = 0;
  bool running_ = false;
};

}  // namespace gcts

#endif  // GCTS_HARNESS_BENCH_WORKER_H_
