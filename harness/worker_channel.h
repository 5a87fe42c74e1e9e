// One worker process and what is shared with it: started, asked, watched, replaced.

#ifndef GCTS_HARNESS_WORKER_CHANNEL_H_
#define GCTS_HARNESS_WORKER_CHANNEL_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/case_watch.h"
#include "harness/child.h"
#include "harness/implementation.h"
#include "harness/worker/protocol.h"

namespace gcts {

// How the wait for an answer ended.
enum class Waited : uint8_t {
  answer,        // it is here
  ended,         // the worker is gone; `note` says how
  over_wall,     // killed for its limits
  over_cpu,
  over_memory,
};

class WorkerChannel {
 public:
  explicit WorkerChannel(const Launch& launch);

  // Starts a worker if none is running, and has it describe its plugin.
  bool ensure_started(std::string& error);
  const std::vector<uint8_t>& description() const { return description_; }
  void stop();

  // The input memory: forgets what was placed; places bytes so that they end at a guard,
  // or begin at a page as a mapped file does; says where they begin.
  void clear_inputs() { input_end_ = 0; }
  uint64_t place(std::span<const std::byte> bytes, bool at_start = false);

  // Sends one request.  Several may be under way; their sum stays below what a pipe
  // holds (kMostRequestBytes), so that neither side ever waits for the other.
  static constexpr size_t kMostRequestBytes = 32 * 1024;
  void send(worker::Request request, uint32_t id, const std::vector<uint8_t>& payload);

  // Waits for the next answer within the limits of one case, which begins with the
  // call.  `closely`: memory is sampled every millisecond.
  Waited wait(worker::Message& message, std::vector<uint8_t>& payload, bool closely = false);
  // Copies from the output memory.  False if the worker claims what is not there.
  bool fetch(uint64_t offset, uint64_t size, std::vector<uint8_t>& out) const;
  // Gives large shared memory back to the system between batches.
  void trim();

  void begin_measuring();
  // Most anonymous memory seen since, above what was held then; `shared`: bytes of
  // shared pages that the case touched.
  uint64_t measured_peak(uint64_t shared) const;

  // Set after Waited::ended and the over_ kinds: how it ended, its last words.
  const std::string& note() const { return note_; }
  // CPU time of the worker up to the last answer, as it said itself.
  void set_cpu_mark(double seconds) { cpu_mark_ = seconds; }
  uint64_t last_peak() const { return watch_.peak_bytes(); }

 private:
  bool read_some();
  bool take_message(worker::Message& message, std::vector<uint8_t>& payload);
  Waited over(Waited why, std::string note);
  std::string last_words();

  Launch launch_;
  Child child_;
  Pipe requests_, answers_;
  Fd input_, output_, errors_;
  uint64_t input_end_ = 0;
  std::vector<uint8_t> received_;
  std::vector<uint8_t> description_;
  std::string note_;
  ProcessUsage baseline_, measure_start_;
  CaseWatch watch_;  // of the last wait()
  double cpu_mark_ = 0;
};

// A fault that a worker reported, in words.
std::string describe_fault(const worker::FaultAnswer& fault);

}  // namespace gcts

#endif  // GCTS_HARNESS_WORKER_CHANNEL_H_
