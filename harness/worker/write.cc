// Answers what the plugin's writer makes of one model.

#include <algorithm>

#include "harness/worker/call_meter.h"
#include "harness/worker/fault_reporter.h"
#include "harness/worker/model.h"
#include "harness/worker/session.h"

namespace gcts::worker {
namespace {

// Where the writer's bytes go.  Bytes never written are zero, as in a file.
class Collector {
 public:
  Collector(SharedOutput& out, const WriteRequest& asked)
      : out_(out), start_(out.size()), limit_(asked.output_limit), refuse_after_(asked.refuse_after) {}

  static int write_at(void* context, uint64_t offset, const void* data, size_t size) {
    return static_cast<Collector*>(context)->store(offset, data, size);
  }
  static void message(void* context, const char* text) {
    auto& self = *static_cast<Collector*>(context);
    if (!text || self.message_.size() >= ContentsWriter::kMaxMessage) return;
    if (!self.message_.empty()) self.message_ += "; ";
    self.message_.append(text, strnlen(text, ContentsWriter::kMaxMessage));
    self.message_.resize(std::min(self.message_.size(), ContentsWriter::kMaxMessage));
  }

  uint64_t size() const { return out_.size() - start_; }
  bool refused() const { return refused_; }
  const std::string& message() const { return message_; }
  const std::string& misuse() const { return misuse_; }

 private:
  int store(uint64_t offset, const void* data, size_t size) {
    if (size == 0) return 0;
    if (!data) return misused("write_at with a null pointer");
    if (offset > limit_ || size > limit_ - offset) {
      return misused("writes far beyond the end of any file of this model");
    }
    if (offset >= refuse_after_ || size > refuse_after_ - offset) {
      refused_ = true;
      return 1;
    }
    if (offset + size > this->size()) {
      const uint64_t had = this->size();
      uint8_t* at = out_.extend(offset + size - had);
      if (!at) return misused("writes more than there is memory for");
      std::memset(at, 0, offset + size - had);
    }
    std::memcpy(out_.data() + start_ + offset, data, size);
    return 0;
  }
  int misused(const char* why) {
    if (misuse_.empty()) misuse_ = why;
    return 1;
  }

  SharedOutput& out_;
  uint64_t start_, limit_, refuse_after_;
  bool refused_ = false;
  std::string message_, misuse_;
};

}  // namespace

bool answer_write(Session& session, std::span<const uint8_t> payload) {
  WireReader in(payload);
  const auto asked = in.take<WriteRequest>();
  if (!in.ok() || !session.plugin.writer.write) return false;
  const GuardedInput input(kInputFd, asked.model_offset, asked.model_size);
  if (!input.mapped()) return false;
  Model model;
  if (!model.decode({input.data(), input.size()})) return false;
  clear_fault_buffers();
  add_fault_buffer(Buffer::file, input.data(), input.size());

  CallAnswer answer{};
  answer.output_offset = session.output.size();
  Collector collector(session.output, asked);
  const gcts_output output{&collector, Collector::write_at, Collector::message};
  const uint64_t start = cpu_ns();
  answer.status = static_cast<int32_t>(session.plugin.writer.write(&model.request(), &output));
  answer.cpu_ns = cpu_ns() - start;
  clear_fault_buffers();
  answer.output_size = collector.size();
  answer.refused = collector.refused();
  answer.message_size = static_cast<uint32_t>(collector.message().size());
  answer.misuse_size = static_cast<uint32_t>(collector.misuse().size());
  answer.total_cpu_ns = cpu_ns();
  session.answer.put(answer);
  session.answer.put_raw(collector.message());
  session.answer.put_raw(collector.misuse());
  return true;
}

}  // namespace gcts::worker
