// Answers what one of the plugin's own checks of its interface came to.
//
// The check runs in a child with default signal handling: an abort ends the child alone.
// The child tells its words and at last its status through a pipe.

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "harness/worker/session.h"

namespace gcts::worker {
namespace {

constexpr size_t kMostWords = 4096;
// Freed memory is overwritten with the complement of this, so that what is used after it
// was freed is not right by chance.
constexpr int kPerturb = 0x5a;

void tell(void* context, const char* text) {
  const int pipe_end = *static_cast<const int*>(context);
  if (text && write(pipe_end, text, strnlen(text, kMostWords)) < 0) _exit(119);
}

[[noreturn]] void run_child(const gcts_api_check& check, int pipe_end) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGVTALRM}) ::signal(signal, SIG_DFL);
  for (int fd : {kRequestFd, kAnswerFd}) close(fd);
  if (const int null = open("/dev/null", O_RDWR); null >= 0) {
    for (int fd : {STDOUT_FILENO, STDERR_FILENO}) dup2(null, fd);
  }
  mallopt(M_PERTURB, kPerturb);
  const auto status = static_cast<int32_t>(check.run(&pipe_end, tell));
  const char end = 0;  // words hold no NUL: the status follows it
  if (write(pipe_end, &end, 1) != 1 || write(pipe_end, &status, sizeof(status)) != sizeof(status)) _exit(119);
  _exit(0);
}

std::string all_of(int pipe_end) {
  std::string said;
  char piece[1024];
  for (ssize_t n; (n = read(pipe_end, piece, sizeof(piece))) != 0;) {
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;
    if (said.size() < 4 * kMostWords) said.append(piece, static_cast<size_t>(n));
  }
  return said;
}

}  // namespace

bool answer_api(Session& session, std::span<const uint8_t> payload) {
  WireReader in(payload);
  const auto asked = in.take<ApiRequest>();
  if (!in.ok() || asked.check >= session.plugin.table.api_check_count) return false;
  const gcts_api_check check = session.plugin.api_check(asked.check);
  int ends[2];
  if (!check.run || pipe(ends) != 0) return false;
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    run_child(check, ends[1]);
  }
  close(ends[1]);
  std::string said = child > 0 ? all_of(ends[0]) : "";
  close(ends[0]);
  int how = 0;
  if (child > 0) waitpid(child, &how, 0);

  ApiAnswer answer{};
  answer.status = GCTS_FAILED;
  if (child > 0 && WIFSIGNALED(how)) answer.ended_by = WTERMSIG(how);
  const size_t end = said.find('\0');
  if (end != std::string::npos && said.size() == end + 1 + sizeof(answer.status)) {
    std::memcpy(&answer.status, said.data() + end + 1, sizeof(answer.status));
  }
  said.resize(std::min({said.size(), end, kMostWords}));
  if (said.empty() && child <= 0) said = "no process could be made for it";
  if (said.empty() && child > 0 && WIFEXITED(how) && end == std::string::npos) said = "ends its process";
  answer.message_size = static_cast<uint32_t>(said.size());
  session.answer.put(answer);
  session.answer.put_raw(said);
  return true;
}

}  // namespace gcts::worker
