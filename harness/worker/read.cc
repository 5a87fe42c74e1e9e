// Answers what the plugin's reader makes of one file.

#include <algorithm>

#include "harness/worker/call_meter.h"
#include "harness/worker/fault_reporter.h"
#include "harness/worker/session.h"

namespace gcts::worker {
namespace {

// A leak shows in the steady state: what the first calls keep may be a cache, glibc's
// own among them, which takes seven chunks of a size from calloc before it is full.
constexpr int kLeakRepetitions = 12;
// No cache keeps that much of two calls.
constexpr int64_t kPlainLeak = 1 << 20;

Holdings leaked(Session& session, const gcts_read_request& request, const ReadRequest& asked) {
  Holdings every{INT64_MAX, INT32_MAX, INT32_MAX};
  for (int i = 0; i < kLeakRepetitions && every.any(); ++i) {
    const uint64_t mark = session.output.size();
    const Holdings before = Holdings::now();
    {
      ContentsWriter again(session.output, false, asked.contents_limit);
      session.plugin.reader.read(&request, again.sink());
    }
    every = every.common(before.grown(Holdings::now()));
    session.output.truncate(mark);
    if (every.heap_bytes >= kPlainLeak) break;
  }
  return every;
}

}  // namespace

bool answer_read(Session& session, std::span<const uint8_t> payload) {
  WireReader in(payload);
  const auto asked = in.take<ReadRequest>();
  const std::string path(in.take_rest());
  if (!in.ok() || !session.plugin.reader.read) return false;

  const bool by_path = asked.flags & kReadFromPath;
  const GuardedInput input(kInputFd, asked.input_offset, by_path ? 0 : asked.input_size);
  if (!input.mapped()) return false;
  clear_fault_buffers();
  if (!by_path) add_fault_buffer(Buffer::file, input.data(), input.size());

  gcts_read_request request{};
  request.stage = asked.stage;
  request.path = by_path ? path.c_str() : nullptr;
  request.data = by_path ? nullptr : input.data();
  request.size = by_path ? 0 : input.size();

  CallAnswer answer{};
  answer.output_offset = session.output.size();
  ContentsWriter contents(session.output, asked.flags & kReadDigests, asked.contents_limit);
  const Holdings before = Holdings::now();
  const uint64_t start = cpu_ns();
  const gcts_status status = session.plugin.reader.read(&request, contents.sink());
  answer.cpu_ns = cpu_ns() - start;
  answer.status = static_cast<int32_t>(status);
  if (status == GCTS_OK) contents.finish();
  answer.output_size = contents.bytes().size();
  if ((asked.flags & kFindLeaks) && before.grown(Holdings::now()).any()) {
    const Holdings kept = leaked(session, request, asked);
    answer.leaked_bytes = static_cast<uint64_t>(kept.heap_bytes);
    answer.leaked_fds = kept.lowest_fd;
    answer.leaked_threads = kept.threads;
  }
  clear_fault_buffers();
  answer.message_size = static_cast<uint32_t>(contents.message().size());
  answer.misuse_size = static_cast<uint32_t>(contents.misuse().size());
  answer.total_cpu_ns = cpu_ns();
  session.answer.put(answer);
  session.answer.put_raw(contents.message());
  session.answer.put_raw(contents.misuse());
  return true;
}

}  // namespace gcts::worker
