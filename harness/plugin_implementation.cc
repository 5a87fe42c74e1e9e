// A plugin as an implementation: tasks go to its worker in batches, so that a round
// trip is not paid for each case; a worker that dies is replaced, and the batch goes on
// after the case that killed it.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "harness/implementation.h"
#include "harness/locations.h"
#include "harness/model.h"
#include "harness/worker/wire.h"
#include "harness/worker_channel.h"
#include "reference/filename.h"

namespace gcts {
namespace {

constexpr size_t kBatchTasks = 64;
constexpr uint64_t kBatchBytes = 8u << 20;
// Leaks are looked for where repeating the case costs nothing.
constexpr uint64_t kFindLeaksBelow = 1u << 20;

bool parse_description(const std::vector<uint8_t>& bytes, Description& out) {
  worker::WireReader in(bytes);
  out.name = in.take_text();
  out.version = in.take_text();
  out.reads = in.take<uint32_t>();
  out.reader_capabilities = in.take<uint32_t>();
  out.writes = in.take<uint32_t>();
  out.writer_capabilities = in.take<uint32_t>();
  out.device.interface = in.take_text();
  out.device.name = in.take_text();
  out.device.driver = in.take_text();
  out.device.memory = in.take<uint64_t>();
  out.device.largest_allocation = in.take<uint64_t>();
  out.device.compute_units = in.take<uint32_t>();
  out.device.unmapped_guards = in.take<uint32_t>();
  out.device.missing = in.take_text();
  const uint64_t kernels = in.take<uint64_t>();
  for (uint64_t i = 0; i < kernels && in.ok(); ++i) {
    KernelDescription kernel;
    kernel.row.op = in.take<uint32_t>();
    kernel.row.tensor_type = in.take<uint32_t>();
    kernel.row.activation_type = in.take<uint32_t>();
    kernel.row.flags = in.take<uint32_t>();
    kernel.variant = in.take_text();
    kernel.features = in.take_text();
    kernel.missing = in.take_text();
    kernel.row.alignment = in.take<uint32_t>();
    kernel.row.multiple = in.take<uint32_t>();
    kernel.row.row_multiple = in.take<uint32_t>();
    kernel.row.accuracy = in.take<gcts_accuracy>();
    kernel.prepares = in.take<uint32_t>();
    if (kernel.row.flags & GCTS_KERNEL_ON_DEVICE) kernel.largest_operand = out.device.largest_allocation;
    out.kernels.push_back(std::move(kernel));
  }
  out.unavailable = in.take_text();
  const uint64_t checks = in.take<uint64_t>();
  for (uint64_t i = 0; i < checks && in.ok(); ++i) {
    ApiCheckDescription check;
    check.name = in.take_text();
    check.promise = in.take_text();
    check.ends_by = static_cast<int>(in.take<uint32_t>());
    out.api_checks.push_back(std::move(check));
  }
  return in.ok() && in.at_end();
}

uint64_t task_bytes(const Task& task) {
  uint64_t bytes = 0;
  if (task.files) {
    for (const CaseFile& file : *task.files) bytes += file.bytes.size();
  }
  if (task.kernel) {
    bytes += task.kernel->weights.bytes.size() + task.kernel->activations.bytes.size();
    bytes += task.kernel->output_rows * task.kernel->output_row_bytes;
  }
  if (task.write) {
    for (const Tensor& tensor : task.write->model.tensors) bytes += tensor.data.size();
  }
  return bytes;
}

class PluginImplementation final : public Implementation {
 public:
  explicit PluginImplementation(const Launch& launch) : channel_(launch) {}

  bool describe(Description& out, std::string& error) override {
    if (!channel_.ensure_started(error)) return false;
    out = {};
    if (!parse_description(channel_.description(), out)) {
      error = "the worker's description makes no sense";
      return false;
    }
    capabilities_ = out.reader_capabilities;
    described_ = true;
    return true;
  }

  void run(std::span<const Task> tasks, const Answered& answered) override {
    Description unused;
    std::string error;
    if (!described_ && !describe(unused, error)) {
      Answer answer;
      answer.kind = AnswerKind::unusable;
      answer.message = error;
      for (const Task& task : tasks) {
        if (!answered(task, answer)) return;
      }
      return;
    }
    while (!tasks.empty()) {
      const size_t count = batch_size(tasks);
      if (!run_batch(tasks.first(count), answered)) return;
      tasks = tasks.subspan(count);
    }
  }

 private:
  struct Sent {
    worker::Request request;
    std::vector<uint8_t> payload;
  };

  static size_t batch_size(std::span<const Task> tasks) {
    size_t count = 0;
    uint64_t bytes = 0;
    while (count < tasks.size() && count < kBatchTasks) {
      if (tasks[count].measured) return std::max<size_t>(count, 1);
      bytes += task_bytes(tasks[count]);
      if (count > 0 && bytes > kBatchBytes) break;
      ++count;
    }
    return count;
  }

  bool by_path(const Task& task) const {
    // One file that is left of a set is told by its name.
    const auto shard = parse_shard_name(task.files->front().name);
    return task.files->size() > 1 || (shard && shard->count > 1) || !(capabilities_ & GCTS_READS_MEMORY);
  }

  worker::OperandRequest place(const KernelOperand& operand) {
    worker::OperandRequest request{};
    if (operand.bytes.empty()) return request;
    request.in_place = !operand.file.empty();
    request.offset = request.in_place ? channel_.place(operand.file, true) + static_cast<uint64_t>(operand.bytes.data() - operand.file.data())
                                      : channel_.place(operand.bytes);
    request.size = operand.bytes.size();
    if (operand.tiled_size != 0) {
      request.tile_bytes = operand.bytes.size();
      request.size = operand.tiled_size;
    }
    return request;
  }

  Sent prepare_kernel(const KernelTask& task) {
    worker::KernelRequest request{};
    request.kernel = task.kernel;
    request.m = task.m, request.n = task.n, request.k = task.k;
    request.weight_stride = task.weight_stride;
    request.activation_stride = task.activation_stride;
    request.output_stride = task.output_stride;
    request.expert_stride = task.expert_stride;
    request.output_rows = task.output_rows;
    request.output_row_bytes = task.output_row_bytes;
    request.weights = place(task.weights);
    request.activations = place(task.activations);
    request.extra = place(task.extra);
    if (task.output_tile_bytes != 0) {
      const std::vector<std::byte> tile(task.output_tile_bytes);
      request.output_tile = place({.bytes = tile, .tiled_size = 1, .file = {}});
    }
    request.threads = task.threads;
    request.experts = task.experts;
    request.placement = task.placement;
    request.skew = task.skew;
    request.calls = task.calls;
    request.parts = task.parts;
    if (task.prepare) request.flags |= worker::kPrepareWeights;
    worker::WireWriter payload;
    payload.put(request);
    return {worker::Request::kernel, payload.bytes()};
  }

  Sent prepare(const Task& task) {
    if (task.kernel) return prepare_kernel(*task.kernel);
    worker::WireWriter payload;
    if (task.api_check) {
      payload.put(worker::ApiRequest{*task.api_check});
      return {worker::Request::api, payload.bytes()};
    }
    if (task.write) {
      const std::vector<uint8_t> model = encode_model(task.write->model, task.write->strategy);
      worker::WriteRequest request{};
      request.model_offset = channel_.place(std::as_bytes(std::span(model)));
      request.model_size = model.size();
      // Padding to an alignment of at most 2^16 after each tensor, and slack for one
      // that pads more than it should.
      request.output_limit = (1u << 20) + 4 * model.size() + 65536 * (task.write->model.tensors.size() + 1);
      request.refuse_after = task.refuse_after;
      payload.put(request);
      return {worker::Request::write, payload.bytes()};
    }
    worker::ReadRequest request{};
    const uint64_t bytes = task_bytes(task);
    request.stage = task.stage == Stage::data ? GCTS_STAGE_DATA : GCTS_STAGE_METADATA;
    if (task.stage == Stage::data && (capabilities_ & GCTS_READS_TENSOR_BYTES)) {
      request.flags |= worker::kReadDigests;
    }
    if (!task.measured && bytes < kFindLeaksBelow) request.flags |= worker::kFindLeaks;
    // No field of a file takes more than four times its bytes as a record.
    request.contents_limit = (1u << 20) + 4 * bytes;
    std::string path;
    if (by_path(task)) {
      request.flags |= worker::kReadFromPath;
      path = folder_.write(*task.files);
    } else {
      request.input_offset = channel_.place(task.files->front().bytes);
      request.input_size = task.files->front().bytes.size();
    }
    payload.put(request);
    payload.put_raw(path);
    return {worker::Request::read, payload.bytes()};
  }

  bool run_batch(std::span<const Task> tasks, const Answered& answered) {
    channel_.clear_inputs();
    channel_.trim();
    std::vector<Sent> requests;
    for (const Task& task : tasks) requests.push_back(prepare(task));
    bool go_on = true;
    for (size_t next = 0; next < tasks.size() && go_on;) {
      if (tasks[next].measured) channel_.stop();
      std::string error;
      if (!channel_.ensure_started(error)) {
        Answer answer;
        answer.kind = AnswerKind::unusable;
        answer.message = error;
        go_on = answered(tasks[next++], answer);
        continue;
      }
      if (tasks[next].measured) channel_.begin_measuring();
      size_t sent = next, bytes = 0;
      while (sent < tasks.size() && (sent == next || bytes < WorkerChannel::kMostRequestBytes)) {
        // Id 0 tells the worker that its output memory is free again.
        channel_.send(requests[sent].request, static_cast<uint32_t>(sent - next), requests[sent].payload);
        bytes += requests[sent++].payload.size();
      }
      bool alive = true;
      for (uint32_t id = 0; next < sent && alive && go_on; ++id) {
        const Task& task = tasks[next++];
        const Answer answer = receive(task, id, alive);
        go_on = answered(task, answer);
      }
      if (!go_on && next < sent) channel_.stop();
    }
    folder_.clear();
    return go_on;
  }

  Answer receive(const Task& task, uint32_t id, bool& alive) {
    Answer answer;
    worker::Message message{};
    const double start = now_seconds();
    const Waited waited = channel_.wait(message, payload_, task.measured);
    answer.wall_seconds = now_seconds() - start;
    answer.peak_bytes = channel_.last_peak();
    alive = false;
    switch (waited) {
      case Waited::over_wall:
      case Waited::over_cpu:
        answer.kind = AnswerKind::timeout;
        answer.message = channel_.note();
        return answer;
      case Waited::over_memory:
        answer.kind = AnswerKind::memory;
        answer.message = channel_.note();
        return answer;
      case Waited::ended:
        answer.kind = AnswerKind::crash;
        answer.message = channel_.note();
        return answer;
      case Waited::answer:
        break;
    }
    if (message.type == worker::kFault && payload_.size() == sizeof(worker::FaultAnswer)) {
      worker::FaultAnswer fault;
      std::memcpy(&fault, payload_.data(), sizeof(fault));
      answer.kind = AnswerKind::crash;
      answer.message = describe_fault(fault) + channel_.note();
      return answer;
    }
    alive = true;
    decode(task, id, message, answer);
    if (answer.kind == AnswerKind::protocol) {
      channel_.stop();
      alive = false;
    }
    return answer;
  }

  void decode_kernel(uint32_t id, const worker::Message& message, Answer& answer) {
    worker::WireReader in(payload_);
    const auto call = in.take<worker::KernelAnswer>();
    if (!in.ok() || message.id != id ||
        message.type != worker::kAnswer + static_cast<uint32_t>(worker::Request::kernel) ||
        !channel_.fetch(call.output_offset, call.output_size, output_)) {
      answer.kind = AnswerKind::protocol;
      answer.message = message.type == worker::kLoadError ? std::string(payload_.begin(), payload_.end())
                                                          : "the worker's answer makes no sense: its memory is damaged";
      return;
    }
    answer.misuse = in.take_text();
    answer.status = call.status;
    answer.kernel = call;
    answer.output = output_;
    answer.leaked_bytes = call.leaked_bytes;
    answer.leaked_fds = call.leaked_fds;
    answer.leaked_threads = call.leaked_threads;
    answer.cpu_seconds = static_cast<double>(call.cpu_ns) * 1e-9;
    channel_.set_cpu_mark(static_cast<double>(call.total_cpu_ns) * 1e-9);
  }

  void decode_api(uint32_t id, const worker::Message& message, Answer& answer) {
    worker::WireReader in(payload_);
    const auto check = in.take<worker::ApiAnswer>();
    answer.message = in.take_raw(check.message_size);
    if (!in.ok() || message.id != id || message.type != worker::kAnswer + static_cast<uint32_t>(worker::Request::api)) {
      answer.kind = AnswerKind::protocol;
      answer.message = "the worker's answer makes no sense: its memory is damaged";
      return;
    }
    answer.status = check.status;
    answer.ended_by = check.ended_by;
  }

  void decode(const Task& task, uint32_t id, const worker::Message& message, Answer& answer) {
    if (task.kernel) return decode_kernel(id, message, answer);
    if (task.api_check) return decode_api(id, message, answer);
    worker::WireReader in(payload_);
    const auto call = in.take<worker::CallAnswer>();
    answer.message = in.take_raw(call.message_size);
    answer.misuse = in.take_raw(call.misuse_size);
    const uint32_t expected =
        worker::kAnswer + static_cast<uint32_t>(task.write ? worker::Request::write : worker::Request::read);
    if (!in.ok() || message.id != id || message.type != expected ||
        !channel_.fetch(call.output_offset, call.output_size, output_)) {
      answer.kind = AnswerKind::protocol;
      answer.message = "the worker's answer makes no sense: its memory is damaged";
      return;
    }
    answer.status = call.status;
    answer.output = output_;
    answer.refused = call.refused;
    answer.leaked_bytes = call.leaked_bytes;
    answer.leaked_fds = call.leaked_fds;
    answer.leaked_threads = call.leaked_threads;
    answer.cpu_seconds = static_cast<double>(call.cpu_ns) * 1e-9;
    channel_.set_cpu_mark(static_cast<double>(call.total_cpu_ns) * 1e-9);
    if (task.measured) answer.peak_bytes = channel_.measured_peak(task_bytes(task) + call.output_size);
  }

  WorkerChannel channel_;
  TemporaryFolder folder_;
  uint32_t capabilities_ = 0;
  bool described_ = false;
  std::vector<uint8_t> payload_, output_;
};

}  // namespace

std::unique_ptr<Implementation> launch_plugin(const Launch& launch) {
  return std::make_unique<PluginImplementation>(launch);
}

}  // namespace gcts
