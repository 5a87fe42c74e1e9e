// Children by posix_spawn, which costs the same however large this process is.

#include "harness/child.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

extern char** environ;

namespace gcts {

Fd& Fd::operator=(Fd&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

Fd::~Fd() {
  if (fd_ >= 0) ::close(fd_);
}

Fd Fd::high(int fd) {
  Fd out(fcntl(fd, F_DUPFD_CLOEXEC, 64));
  if (fd >= 0) ::close(fd);
  return out;
}

Pipe Pipe::make() {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  return {Fd::high(ends[0]), Fd::high(ends[1])};
}

Fd make_shared_memory(const char* name) { return Fd::high(memfd_create(name, MFD_CLOEXEC)); }

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), status_(other.status_) {}

Child& Child::operator=(Child&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(status_, other.status_);
  std::swap(cpu_seconds_, other.cpu_seconds_);
  return *this;
}

Child::~Child() {
  if (!running()) return;
  kill();
  reap();
}

Child Child::start(const std::vector<std::string>& words, const std::vector<std::string>& environment,
                   const std::vector<std::pair<int, int>>& inherited, std::string& error) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  std::vector<char*> envp;
  for (char** e = environ; *e; ++e) {
    const std::string_view set(*e);
    const std::string_view name = set.substr(0, set.find('=') + 1);
    bool replaced = false;
    for (const std::string& added : environment) replaced |= added.rfind(name, 0) == 0;
    if (!replaced) envp.push_back(*e);
  }
  for (const std::string& added : environment) envp.push_back(const_cast<char*>(added.c_str()));
  envp.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  bool standard[3] = {};
  for (const auto& [ours, theirs] : inherited) {
    posix_spawn_file_actions_adddup2(&actions, ours, theirs);
    if (theirs < 3) standard[theirs] = true;
  }
  for (int fd = 0; fd < 3; ++fd) {
    if (!standard[fd]) posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);

  Child child;
  const int failed = words.empty() ? ENOENT
                                   : posix_spawnp(&child.pid_, argv[0], &actions, &attributes,
                                                  argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failed) {
    child.pid_ = -1;
    error = "cannot start " + (words.empty() ? std::string("nothing") : words[0]) + ": " + strerror(failed);
  }
  return child;
}

namespace {

// The whole of a small /proc file.
std::string slurp(pid_t pid, const char* name) {
  char path[64], text[4096];
  std::snprintf(path, sizeof(path), "/proc/%d/%s", static_cast<int>(pid), name);
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "";
  const ssize_t n = ::read(fd, text, sizeof(text));
  ::close(fd);
  return n > 0 ? std::string(text, static_cast<size_t>(n)) : "";
}

// The fields of a stat after the command's name, which may hold anything and ends at the
// last ')'; "" where the process is gone.
const char* after_name(const std::string& stat) {
  const size_t end = stat.rfind(')');
  return end == std::string::npos ? "" : stat.c_str() + end + 1;
}

// Running, ready to run, or waiting for what no signal interrupts: a disk, as a rule.
bool busy(const char* fields) { return fields[0] == ' ' && (fields[1] == 'R' || fields[1] == 'D'); }

bool any_thread_busy(pid_t pid) {
  char path[64];
  std::snprintf(path, sizeof(path), "/proc/%d/task", static_cast<int>(pid));
  DIR* const folder = ::opendir(path);
  if (!folder) return false;
  bool found = false;
  while (const dirent* entry = found ? nullptr : ::readdir(folder)) {
    if (entry->d_name[0] == '.') continue;
    std::snprintf(path, sizeof(path), "task/%.20s/stat", entry->d_name);
    found = busy(after_name(slurp(pid, path)));
  }
  ::closedir(folder);
  return found;
}

uint64_t kilobytes(const std::string& status, const char* label) {
  const size_t at = status.find(label);
  return at == std::string::npos ? 0 : std::strtoull(status.c_str() + at + strlen(label), nullptr, 10) * 1024;
}

}  // namespace

ProcessUsage Child::usage() const {
  ProcessUsage usage;
  if (!running()) return usage;
  const std::string stat = slurp(pid_, "stat");
  const char* const fields = after_name(stat);
  unsigned long long user = 0, system = 0;
  std::sscanf(fields, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user, &system);
  usage.cpu_seconds = static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
  usage.idle = !busy(fields) && !any_thread_busy(pid_);
  const std::string status = slurp(pid_, "status");
  usage.anonymous_bytes = kilobytes(status, "RssAnon:");
  usage.resident_bytes = kilobytes(status, "VmRSS:");
  usage.peak_resident_bytes = kilobytes(status, "VmHWM:");
  return usage;
}

void Child::reset_peak() const {
  char path[64];
  std::snprintf(path, sizeof(path), "/proc/%d/clear_refs", static_cast<int>(pid_));
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  if (::write(fd, "5", 1) < 0) {
    // Then VmHWM stays a peak over the worker's life: an upper bound.
  }
  ::close(fd);
}

void Child::kill() const {
  if (pid_ <= 0) return;
  if (::kill(-pid_, SIGKILL) != 0) ::kill(pid_, SIGKILL);
}

std::string Child::reap() {
  if (pid_ <= 0) return "was not running";
  struct rusage used {};
  while (wait4(pid_, &status_, 0, &used) < 0 && errno == EINTR) {
  }
  for (const timeval& t : {used.ru_utime, used.ru_stime}) {
    cpu_seconds_ += static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  }
  pid_ = -1;
  if (WIFSIGNALED(status_)) return "killed by " + signal_name(WTERMSIG(status_));
  return "exit status " + std::to_string(WEXITSTATUS(status_));
}

std::string signal_name(int signal_number) {
  const char* name = sigabbrev_np(signal_number);
  return name ? std::string("SIG") + name : "signal " + std::to_string(signal_number);
}

std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote) {
      if (c == quote) quote = 0;
      else if (c == '\\' && quote == '"' && i + 1 < text.size()) word += text[++i];
      else word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (c == '\\' && i + 1 < text.size()) {
      word += text[++i];
      in_word = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word) words.push_back(std::move(word));
  return words;
}

}  // namespace gcts
