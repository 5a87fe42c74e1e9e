// Lines over pipes; the child is watched through /proc while it thinks.

#include "harness/process_channel.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace gcts {
namespace {

constexpr int kTickMilliseconds = 20;
constexpr size_t kErrorsKept = 4096;
constexpr size_t kErrorsShown = 300;

std::string last_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.pop_back();
  if (const size_t line = text.rfind('\n'); line != std::string::npos) text.erase(0, line + 1);
  return text.substr(0, kErrorsShown);
}

}  // namespace

ProcessChannel::ProcessChannel(std::string command, std::vector<std::string> environment)
    : words_(split_words(command)), environment_(std::move(environment)) {}

bool ProcessChannel::start(std::string& error) {
  if (running()) return true;
  Pipe input = Pipe::make(), output = Pipe::make(), errors = Pipe::make();
  pending_.clear();
  last_words_.clear();
  child_ = Child::start(words_, environment_,
                        {{input.read_end.get(), 0}, {output.write_end.get(), 1}, {errors.write_end.get(), 2}}, error);
  if (!running()) return false;
  input_ = std::move(input.write_end);
  output_ = std::move(output.read_end);
  errors_ = std::move(errors.read_end);
  for (const Fd* fd : {&input_, &output_, &errors_}) fcntl(fd->get(), F_SETFL, O_NONBLOCK);
  return true;
}

void ProcessChannel::stop() {
  child_.kill();
  child_.reap();
  child_ = Child();
  input_ = Fd();
}

bool ProcessChannel::finish(double seconds, std::string* how) {
  if (!running()) return true;
  Fd closed = std::move(input_);
  closed = Fd();
  const double start = now_seconds();
  bool ended = false;
  while (!ended && now_seconds() - start < seconds) {
    siginfo_t info{};
    ended = waitid(P_PID, static_cast<id_t>(child_.pid()), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
    if (!ended) poll(nullptr, 0, kTickMilliseconds);
  }
  child_.kill();  // and whatever it started
  std::string words = child_.reap();
  if (WIFSIGNALED(child_.wait_status())) words = signal_name(WTERMSIG(child_.wait_status()));
  if (how) *how = words;
  child_ = Child();
  return ended;
}

void ProcessChannel::read_errors() {
  char buffer[4096];
  for (ssize_t n; (n = ::read(errors_.get(), buffer, sizeof(buffer))) > 0;) {
    last_words_.append(buffer, static_cast<size_t>(n));
    if (last_words_.size() > kErrorsKept) last_words_.erase(0, last_words_.size() - kErrorsKept);
  }
}

Exchanged ProcessChannel::over(CaseWatch::Over what) {
  static constexpr Exchanged kOver[] = {Exchanged::answer, Exchanged::over_wall, Exchanged::over_cpu, Exchanged::over_memory};
  if (what != CaseWatch::Over::nothing) note_ = watch_.note();
  return kOver[static_cast<size_t>(what)];
}

// Its output is closed: it has ended, or is about to, or is of no use any more.
Exchanged ProcessChannel::ended() {
  std::string how;
  const bool by_itself = finish(1, &how);
  read_errors();
  const std::string words = last_line(last_words_);
  note_ = by_itself ? how : "closed its output in the middle of a case";
  if (!words.empty()) note_ += " (it wrote: " + words + ")";
  return Exchanged::ended;
}

Exchanged ProcessChannel::exchange(std::string_view line, uint64_t most, const Limits& limits, std::string& answer) {
  double looked = now_seconds();
  size_t scanned = 0;  // of pending_, without a newline
  while (true) {
    if (const size_t end = pending_.find('\n', scanned); end != std::string::npos) {
      answer.assign(pending_, 0, end);
      pending_.erase(0, end + 1);
      return Exchanged::answer;
    }
    scanned = pending_.size();
    if (pending_.size() > most) {
      note_ = fmt::format("answers with a line of more than {} bytes", most);
      return Exchanged::over_output;
    }
    pollfd waits[] = {{output_.get(), POLLIN, 0}, {errors_.get(), POLLIN, 0}, {line.empty() ? -1 : input_.get(), POLLOUT, 0}};
    poll(waits, 3, kTickMilliseconds);
    if (waits[0].revents) {
      char buffer[1 << 16];
      const ssize_t n = ::read(output_.get(), buffer, sizeof(buffer));
      if (n > 0) pending_.append(buffer, static_cast<size_t>(n));
      else if (n == 0 || errno != EAGAIN) return ended();
    }
    if (waits[1].revents & POLLIN) read_errors();
    else if (waits[1].revents) errors_ = Fd();
    if (waits[2].revents) {
      const ssize_t n = ::write(input_.get(), line.data(), line.size());
      if (n > 0) line.remove_prefix(static_cast<size_t>(n));
      else if (errno != EAGAIN && errno != EINTR) line = {};  // what it does with its output tells
    }
    if (pending_.find('\n', scanned) != std::string::npos) continue;  // it is here, whatever the time
    if (now_seconds() - looked < kTickMilliseconds * 1e-3) continue;
    looked = now_seconds();
    if (const Exchanged exceeded = over(watch_.look(child_, limits)); exceeded != Exchanged::answer) return exceeded;
  }
}

Exchanged ProcessChannel::ask(std::string_view line, uint64_t most, const Limits& limits, std::string& answer) {
  note_.clear();
  const ProcessUsage before = child_.usage();
  watch_.begin(before.cpu_seconds, before.anonymous_bytes);
  Exchanged exchanged = exchange(std::string(line) + "\n", most, limits, answer);
  wall_seconds_ = watch_.wall_seconds();
  // An answer within the time may have cost too much all the same.
  if (exchanged == Exchanged::answer) exchanged = over(watch_.look_back(child_, limits));
  if (exchanged != Exchanged::answer) stop();
  return exchanged;
}

}  // namespace gcts
