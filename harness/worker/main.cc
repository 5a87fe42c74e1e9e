// gguf-cts-worker PLUGIN: opens one plugin and answers requests about it.
//
// It links the C library and cpu_features only, so that it can be built for any
// architecture and started under an emulator.  gguf-cts starts it; see protocol.h.

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <vector>

#include "harness/worker/fault_reporter.h"
#include "harness/worker/protocol.h"
#include "harness/worker/session.h"

namespace gcts::worker {
namespace {

constexpr uint64_t kLargestPayload = 1 << 20;

bool read_all(void* to, uint64_t size) {
  auto* at = static_cast<uint8_t*>(to);
  while (size > 0) {
    const ssize_t n = ::read(kRequestFd, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    size -= static_cast<uint64_t>(n);
  }
  return true;
}

void write_all(const void* from, uint64_t size) {
  const auto* at = static_cast<const uint8_t*>(from);
  while (size > 0) {
    const ssize_t n = ::write(kAnswerFd, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) _exit(118);  // the main process is gone
    at += n;
    size -= static_cast<uint64_t>(n);
  }
}

AnswerFn answer_to(uint32_t type) {
  switch (static_cast<Request>(type)) {
#define REQUEST(number, name) \
  case Request::name:         \
    return answer_##name;
#include "harness/worker/requests.inc"
#undef REQUEST
  }
  return nullptr;
}

// A plugin that spins must not outlive a main process that was killed.
pid_t parent = 0;
void end_with_parent(int) {
  if (getppid() != parent) _exit(117);
}

void watch_parent() {
  parent = getppid();
  struct sigaction action {};
  action.sa_handler = end_with_parent;
  action.sa_flags = SA_RESTART;
  sigaction(SIGVTALRM, &action, nullptr);
  const struct itimerval every_second {{1, 0}, {1, 0}};  // of CPU time: costs nothing while idle
  setitimer(ITIMER_VIRTUAL, &every_second, nullptr);
}

int serve(const char* plugin_path) {
  report_faults();
  watch_parent();
  Session session;
  session.plugin = open_plugin(plugin_path);
  Message message;
  std::vector<uint8_t> payload;
  while (read_all(&message, sizeof(message))) {
    set_fault_context(message.id);
    if (message.size > kLargestPayload) return 116;
    payload.resize(message.size);
    if (!read_all(payload.data(), message.size)) break;
    if (message.id == 0) session.output.truncate(0);  // the host has taken what was there
    session.answer.clear();
    uint32_t type = kAnswer + message.type;
    const AnswerFn answer = answer_to(message.type);
    if (!session.plugin.error.empty()) {
      type = kLoadError;
      session.answer.put_raw(session.plugin.error);
    } else if (!answer || !answer(session, payload)) {
      type = kLoadError;
      session.answer.clear();
      session.answer.put_raw("the worker does not understand the request");
    }
    const Message head{type, message.id, session.answer.bytes().size()};
    write_all(&head, sizeof(head));
    write_all(session.answer.bytes().data(), head.size);
  }
  return 0;
}

}  // namespace
}  // namespace gcts::worker

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: gguf-cts-worker PLUGIN (started by gguf-cts)\n");
    return 2;
  }
  return gcts::worker::serve(argv[1]);
}
