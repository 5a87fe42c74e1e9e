// An adapter: a long-lived child that reads and writes one JSON object a line.
//
// A child that ends, hangs or speaks nonsense costs the case that it was asked, and is
// started again for the next.

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "harness/implementation.h"
#include "harness/locations.h"
#include "harness/process_channel.h"
#include "harness/process_protocol.h"

namespace gcts {
namespace {

// A runtime may take its time to start, a case may not.
constexpr double kStartSeconds = 30;
constexpr uint64_t kMostHello = 1u << 20;
// An answer spells an element of one byte out in some 32.
constexpr uint64_t kMostAnswer = 1u << 20;
constexpr uint64_t kAnswerPerByte = 64;

class ProcessImplementation final : public Implementation {
 public:
  explicit ProcessImplementation(const Launch& launch)
      : limits_(launch.limits), channel_(launch.locator, launch.environment) {
    signal(SIGPIPE, SIG_IGN);  // a child that does not read shows in what it answers
  }

  ~ProcessImplementation() override {
    if (!channel_.running()) return;
    std::string unused;
    Limits limits = limits_;
    limits.wall_seconds = 1;
    channel_.ask(plain_question(++id_, "exit"), kMostHello, limits, unused);
    channel_.finish(1);
  }

  bool describe(Description& out, std::string& error) override {
    out = {};
    if (!greet(out, error)) return false;
    remember(out);
    return true;
  }

  void run(std::span<const Task> tasks, const Answered& answered) override {
    for (const Task& task : tasks) {
      const Answer answer = run_one(task);
      const bool go_on = answered(task, answer);
      folder_.clear();
      if (!go_on) return;
    }
  }

 private:
  bool greet(Description& out, std::string& error) {
    channel_.stop();
    if (!channel_.start(error)) return false;
    Limits limits = limits_;
    limits.wall_seconds = std::max(limits.wall_seconds, kStartSeconds);
    limits.cpu_seconds = std::max(limits.cpu_seconds, kStartSeconds);
    std::string line;
    if (channel_.ask(hello_question(++id_), kMostHello, limits, line) != Exchanged::answer) {
      error = "says no hello: " + channel_.note();
      return false;
    }
    return parse_hello(line, id_, out, error);
  }

  Answer run_one(const Task& task) {
    Answer answer;
    if (!channel_.running() || task.measured) {
      Description again;
      if (!greet(again, answer.message)) {
        answer.kind = AnswerKind::unusable;
        channel_.stop();
        return answer;
      }
      remember(again);
    }
    if (task.kernel && task.kernel->weights.tiled_size != 0) {
      answer.status = GCTS_UNSUPPORTED;
      answer.message = "operands of this size are not sent to a process";
      return answer;
    }
    uint64_t bytes = 0;
    std::string line, path;
    const std::string question = ask_for(task, path, bytes);
    const Exchanged exchanged = channel_.ask(question, kMostAnswer + kAnswerPerByte * bytes, limits_, line);
    answer.wall_seconds = channel_.wall_seconds();
    answer.cpu_seconds = channel_.cpu_seconds();
    answer.peak_bytes = channel_.peak_bytes();
    if (exchanged == Exchanged::answer) {
      decode(task, line, path, answer);
    } else {
      static constexpr AnswerKind kKinds[] = {AnswerKind::verdict, AnswerKind::crash,  AnswerKind::timeout,
                                              AnswerKind::timeout, AnswerKind::memory, AnswerKind::protocol};
      answer.kind = kKinds[static_cast<size_t>(exchanged)];
      answer.message = channel_.note();
    }
    if (answer.kind == AnswerKind::protocol) channel_.stop();
    return answer;
  }

  std::string ask_for(const Task& task, std::string& path, uint64_t& bytes) {
    ++id_;
    if (task.kernel) {
      bytes = task.kernel->weights.bytes.size() + task.kernel->output_row_bytes * task.kernel->output_rows;
      return dequantize_question(id_, kernel_types_.at(task.kernel->kernel), task.kernel->k, task.kernel->weights.bytes);
    }
    if (task.write) {
      // A full device stands in for an output that refuses bytes.
      path = task.refuse_after != UINT64_MAX ? "/dev/full" : folder_.write({{"written.gguf", {}}});
      return write_question(id_, path, *task.write);
    }
    for (const CaseFile& file : *task.files) bytes += file.bytes.size();
    return read_question(id_, folder_.write(*task.files), task.stage);
  }

  void remember(const Description& said) {
    kernel_types_.clear();
    for (const KernelDescription& kernel : said.kernels) kernel_types_.push_back(kernel.row.tensor_type);
  }

  // The values, as if they had been written into memory of the harness.
  void decode_values(const Task& task, ProcessAnswer& said, Answer& answer) {
    answer.status = said.status;
    answer.message = said.message;
    answer.kernel = {};
    answer.kernel.damage_offset = UINT64_MAX;
    output_ = std::move(said.bytes);
    answer.output = output_;
    if (said.status != GCTS_OK || output_.size() == task.kernel->output_row_bytes * task.kernel->output_rows) return;
    answer.kind = AnswerKind::protocol;
    answer.message = fmt::format("answers with {} bytes for {} values", output_.size(), task.kernel->k);
  }

  void decode(const Task& task, const std::string& line, const std::string& path, Answer& answer) {
    ProcessAnswer said;
    std::string error;
    const auto parse = task.kernel ? parse_dequantize : task.write ? parse_verdict : parse_read;
    const bool sound = parse(line, id_, said, error);
    if (!sound) {
      answer.kind = AnswerKind::protocol;
      answer.message = error;
      return;
    }
    if (task.kernel) return decode_values(task, said, answer);
    answer.status = said.status;
    answer.message = said.message;
    output_ = std::move(said.records);
    if (task.write && said.status == GCTS_OK && task.refuse_after == UINT64_MAX) {
      std::ifstream in(path, std::ios::binary);
      output_.assign(std::istreambuf_iterator<char>(in), {});
    }
    answer.refused = task.refuse_after != UINT64_MAX;
    answer.output = output_;
  }

  Limits limits_;
  ProcessChannel channel_;
  TemporaryFolder folder_;
  uint64_t id_ = 0;
  std::vector<uint32_t> kernel_types_;  // of each row of the description
  std::vector<uint8_t> output_;
};

}  // namespace

std::unique_ptr<Implementation> launch_process(const Launch& launch) {
  return std::make_unique<ProcessImplementation>(launch);
}

}  // namespace gcts
