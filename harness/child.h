// A child process: started with chosen descriptors and environment, watched through
// /proc, ended and reaped.

#ifndef GCTS_HARNESS_CHILD_H_
#define GCTS_HARNESS_CHILD_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gcts {

// A descriptor that closes itself; -1 when empty.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept;
  ~Fd();
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  // The same file at a high number, out of the way of those a child inherits.
  static Fd high(int fd);

 private:
  int fd_ = -1;
};

struct Pipe {
  Fd read_end, write_end;
  static Pipe make();
};
Fd make_shared_memory(const char* name);

// What /proc says about a process; zero where it is gone.
struct ProcessUsage {
  double cpu_seconds = 0;
  uint64_t anonymous_bytes = 0;  // RssAnon
  uint64_t resident_bytes = 0;   // VmRSS
  uint64_t peak_resident_bytes = 0;  // VmHWM
  bool idle = false;             // none of its threads runs, could run, or waits for a disk
};

class Child {
 public:
  Child() = default;
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  ~Child();  // kills and reaps

  // `inherited`: (ours, number in the child).  0, 1 and 2 not named there are
  // /dev/null.  In a process group of its own.
  static Child start(const std::vector<std::string>& words, const std::vector<std::string>& environment,
                     const std::vector<std::pair<int, int>>& inherited, std::string& error);

  bool running() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }
  ProcessUsage usage() const;
  void reset_peak() const;  // VmHWM becomes VmRSS
  // Kills the process group.
  void kill() const;
  // Waits; how it ended, in words: "killed by SIGKILL", "exit status 3".
  std::string reap();
  int wait_status() const { return status_; }
  double cpu_seconds() const { return cpu_seconds_; }  // after reap()

 private:
  pid_t pid_ = -1;
  int status_ = 0;
  double cpu_seconds_ = 0;
};

std::string signal_name(int signal_number);  // "SIGSEGV"

// The words of a command line: split at blanks, quotes and backslashes honoured.
std::vector<std::string> split_words(const std::string& text);

}  // namespace gcts

#endif  // GCTS_HARNESS_CHILD_H_
