// Times the plugin's reader on one file; what it reports is counted and thrown away.

#include <string>

#include "harness/worker/bench_protocol.h"
#include "harness/worker/fault_reporter.h"
#include "harness/worker/session.h"
#include "harness/worker/shared_memory.h"
#include "harness/worker/team.h"

namespace gcts::worker {
namespace {

struct Counted {
  uint64_t start = 0, first_tensor = 0, keys = 0, tensors = 0;
};
Counted& counted(void* context) { return *static_cast<Counted*>(context); }

// Every call of the sink; a reader may leave none of them out.
gcts_sink counting_sink(Counted& to) {
  gcts_sink sink{};
  sink.context = &to;
  sink.header = [](void*, uint32_t, int, uint32_t) {};
  sink.key = [](void* context, gcts_string) { ++counted(context).keys; };
  sink.scalars = [](void*, uint32_t, const void*, uint64_t) {};
  sink.string = [](void*, gcts_string) {};
  sink.array_begin = [](void*, uint32_t, uint64_t) {};
  sink.array_end = [](void*) {};
  sink.tensor = [](void* context, gcts_string, uint32_t, uint32_t, const uint64_t*, uint64_t, const void*, uint64_t) {
    Counted& c = counted(context);
    if (c.tensors++ == 0) c.first_tensor = now_ns();
  };
  sink.message = [](void*, const char*) {};
  return sink;
}

struct ReadWork final : TeamWork {
  const gcts_reader& reader;
  const gcts_read_request& request;
  const gcts_sink& sink;
  Counted& count;
  gcts_status status = GCTS_OK;
  ReadWork(const gcts_reader& of, const gcts_read_request& asked, const gcts_sink& to, Counted& counts)
      : reader(of), request(asked), sink(to), count(counts) {}
  void run(uint32_t) override {
    count.start = now_ns();
    status = reader.read(&request, &sink);
  }
};

}  // namespace

bool answer_bench_read(Session& session, std::span<const uint8_t> payload) {
  WireReader in(payload);
  const auto asked = in.take<BenchReadRequest>();
  const std::string path(in.take_rest());
  if (!in.ok() || !session.plugin.reader.read) return false;
  const GuardedInput input(kInputFd, asked.input_offset, path.empty() ? asked.input_size : 0);
  if (!input.mapped()) return false;
  clear_fault_buffers();
  gcts_read_request request{};
  request.stage = asked.stage;
  if (path.empty()) {
    add_fault_buffer(Buffer::file, input.data(), input.size());
    request.data = input.data();
    request.size = input.size();
    // The pages are there before the clock starts, as those of a file in the page cache.
    volatile uint8_t touched = 0;
    for (uint64_t i = 0; i < input.size(); i += 4096) touched = input.data()[i];
    static_cast<void>(touched);
  } else {
    request.path = path.c_str();
  }
  Counted count;
  const gcts_sink sink = counting_sink(count);
  BenchReadAnswer answer{};
  ReadWork work(session.plugin.reader, request, sink, count);
  answer.ns = Team(session.processors).run(1, work, 0);  // a reader may have threads of its own
  answer.status = static_cast<int32_t>(work.status);
  if (count.first_tensor != 0) answer.first_tensor_ns = count.first_tensor - count.start;
  answer.keys = count.keys;
  answer.tensors = count.tensors;
  clear_fault_buffers();
  session.answer.put(answer);
  return true;
}

}  // namespace gcts::worker
