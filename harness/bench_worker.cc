// Requests of the timing worker, sent and taken apart, and what became of one that gives no answer.

#include "harness/bench_worker.h"

#include <cstring>

#include "harness/worker/wire.h"

namespace gcts {
namespace {

// Rings of operands are many times what a case may hold, and slow kernels are measured too.
constexpr double kMostSeconds = 120;

Launch unhurried(Launch launch) {
  launch.limits = {kMostSeconds, 64 * kMostSeconds, UINT64_MAX};
  return launch;
}

template <typename T>
std::vector<uint8_t> payload_of(const T& request) {
  worker::WireWriter out;
  out.put(request);
  return out.bytes();
}

std::string status_text(int32_t status) {
  constexpr const char* kNames[] = {"GCTS_OK", "GCTS_REJECTED", "GCTS_UNSUPPORTED", "GCTS_FAILED"};
  const bool known = status >= 0 && static_cast<size_t>(status) < std::size(kNames);
  return "returns " + (known ? std::string(kNames[status]) : "status " + std::to_string(status));
}

}  // namespace

BenchWorker::BenchWorker(const Launch& launch, const std::vector<uint32_t>& processors)
    : channel_(unhurried(launch)), processors_(processors) {}

BenchFailure BenchWorker::ask(worker::Request request, const std::vector<uint8_t>& payload, bool measured) {
  BenchFailure failure;
  const bool fresh = !running_;
  running_ = channel_.ensure_started(failure.message);
  if (!running_) {
    failure.kind = AnswerKind::unusable;
    return failure;
  }
  if (fresh && !processors_.empty()) {
    worker::WireWriter places;
    for (const uint32_t processor : processors_) places.put(processor);
    failure = ask(worker::Request::bench_place, places.bytes());
    if (failure.any()) return failure;
  }
  if (measured) channel_.begin_measuring();
  channel_.send(request, 0, payload);
  worker::Message message{};
  const Waited waited = channel_.wait(message, answer_);
  if (waited == Waited::answer && message.type == worker::kAnswer + static_cast<uint32_t>(request)) return failure;
  running_ = waited == Waited::answer && message.type == worker::kLoadError;
  if (running_) {
    failure.kind = AnswerKind::protocol;
    failure.message.assign(answer_.begin(), answer_.end());
    return failure;
  }
  ++generation_;
  if (waited == Waited::answer && message.type == worker::kFault && answer_.size() == sizeof(worker::FaultAnswer)) {
    worker::FaultAnswer fault;
    std::memcpy(&fault, answer_.data(), sizeof(fault));
    failure.kind = AnswerKind::crash;
    failure.message = describe_fault(fault) + channel_.note();
  } else {
    failure.kind = waited == Waited::ended        ? AnswerKind::crash
                   : waited == Waited::over_memory ? AnswerKind::memory
                   : waited == Waited::answer      ? AnswerKind::protocol
                                                   : AnswerKind::timeout;
    failure.message = channel_.note();
    channel_.stop();
  }
  return failure;
}

BenchFailure BenchWorker::open(const BenchSlot& slot, worker::BenchOpenAnswer& answer) {
  channel_.clear_inputs();
  worker::BenchOpenRequest request = slot.request;
  const auto place = [&](std::span<const std::byte> bytes, worker::BenchOperand& operand) {
    operand.period_bytes = bytes.size();
    if (!bytes.empty()) operand.period_offset = channel_.place(bytes);
  };
  place(slot.weights, request.weights);
  place(slot.activations, request.activations);
  place(slot.extra, request.extra);
  BenchFailure failure = ask(worker::Request::bench_open, payload_of(request));
  channel_.trim();
  if (failure.any()) return failure;
  answer = worker::WireReader(answer_).take<worker::BenchOpenAnswer>();
  if (answer.no_memory != 0) return {AnswerKind::memory, 0, "the operands do not fit into memory"};
  if (answer.status != GCTS_OK) return {AnswerKind::verdict, answer.status, "prepare " + status_text(answer.status)};
  return failure;
}

BenchFailure BenchWorker::sample(const worker::BenchSampleRequest& request, worker::BenchSampleAnswer& answer) {
  BenchFailure failure = ask(worker::Request::bench_sample, payload_of(request));
  if (failure.any()) return failure;
  worker::WireReader in(answer_);
  answer = in.take<worker::BenchSampleAnswer>();
  const std::string words(in.take_text());
  if (answer.status != GCTS_OK) return {AnswerKind::verdict, answer.status, status_text(answer.status) + (words.empty() ? "" : ": ") + words};
  if (answer.ns == 0) return {AnswerKind::unusable, 0, "the threads could not be started"};
  return failure;
}

BenchFailure BenchWorker::output(const worker::BenchOutputRequest& request, uint64_t& first_weights, std::vector<uint8_t>& bytes) {
  BenchFailure failure = ask(worker::Request::bench_output, payload_of(request));
  if (failure.any()) return failure;
  const auto answer = worker::WireReader(answer_).take<worker::BenchOutputAnswer>();
  first_weights = answer.first_weights;
  if (!channel_.fetch(answer.output_offset, answer.output_size, bytes))
    return {AnswerKind::protocol, 0, "the worker's answer makes no sense: its memory is damaged"};
  return failure;
}

void BenchWorker::close(uint32_t slot) {
  if (running_) ask(worker::Request::bench_close, payload_of(slot));
}

BenchFailure BenchWorker::read(std::span<const std::byte> file, const std::string& path, gcts_stage stage,
                               worker::BenchReadAnswer& answer, uint64_t& peak_bytes) {
  channel_.clear_inputs();
  worker::BenchReadRequest request{};
  request.stage = stage;
  if (path.empty()) {
    request.input_offset = channel_.place(file);
    request.input_size = file.size();
  }
  worker::WireWriter payload;
  payload.put(request);
  payload.put_raw(path);
  BenchFailure failure = ask(worker::Request::bench_read, payload.bytes(), true);
  if (failure.any()) return failure;
  answer = worker::WireReader(answer_).take<worker::BenchReadAnswer>();
  peak_bytes = channel_.measured_peak(path.empty() ? file.size() : 0);
  if (answer.status != GCTS_OK) return {AnswerKind::verdict, answer.status, status_text(answer.status)};
  return failure;
}

std::vector<CeilingWay> BenchWorker::ceilings(CeilingOf of, std::string& error) {
  const BenchFailure failure = ask(of == CeilingOf::device ? worker::Request::device_ceilings : worker::Request::ceilings, {});
  std::vector<CeilingWay> out;
  if (failure.any()) {
    error = failure.message;
    return out;
  }
  worker::WireReader in(answer_);
  const auto count = in.take<uint32_t>();
  for (uint32_t i = 0; i < count && in.ok(); ++i) {
    CeilingWay way;
    way.row = i;
    way.quantity = in.take_text();
    way.variant = in.take_text();
    way.missing = in.take_text();
    way.operations = in.take<uint64_t>();
    out.push_back(std::move(way));
  }
  return out;
}

worker::CeilingAnswer BenchWorker::ceiling(CeilingOf of, const worker::CeilingRequest& request, std::string* problem) {
  const BenchFailure failure = ask(of == CeilingOf::device ? worker::Request::device_ceiling : worker::Request::ceiling, payload_of(request));
  if (problem) *problem = failure.message;
  if (failure.any()) return {};
  worker::WireReader in(answer_);
  const auto answer = in.take<worker::CeilingAnswer>();
  if (problem && of == CeilingOf::device) *problem = in.take_text();
  return answer;
}

}  // namespace gcts
