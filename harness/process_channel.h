// A long-lived child that answers each line with a line, within limits.
//
// What the lines say is process_protocol.h's affair; here they are bytes that end at a
// newline.  A child that breaks a limit or ends is gone: the next start() makes a new one.

#ifndef GCTS_HARNESS_PROCESS_CHANNEL_H_
#define GCTS_HARNESS_PROCESS_CHANNEL_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/case_watch.h"
#include "harness/child.h"
#include "harness/limits.h"

namespace gcts {

enum class Exchanged : uint8_t {
  answer,
  ended,        // it ended, or closed its output
  over_wall,
  over_cpu,
  over_memory,
  over_output,  // the line is longer than any answer to this question
};

class ProcessChannel {
 public:
  ProcessChannel(std::string command, std::vector<std::string> environment);

  // Starts a child unless one runs.
  bool start(std::string& error);
  bool running() const { return child_.running(); }
  // Closes its input and gives it `seconds` to end by itself; true if it did.  `how`:
  // "SIGSEGV", "exit status 3".
  bool finish(double seconds, std::string* how = nullptr);
  void stop();

  // Sends one line and waits for one; `most` is the longest answer in bytes.
  Exchanged ask(std::string_view line, uint64_t most, const Limits& limits, std::string& answer);

  // Of the last ask().
  const std::string& note() const { return note_; }  // what went wrong, in words
  double wall_seconds() const { return wall_seconds_; }
  double cpu_seconds() const { return watch_.cpu_seconds(); }
  uint64_t peak_bytes() const { return watch_.peak_bytes(); }  // above what it held before

 private:
  Exchanged exchange(std::string_view line, uint64_t most, const Limits& limits, std::string& answer);
  Exchanged over(CaseWatch::Over what);
  void read_errors();
  Exchanged ended();

  std::vector<std::string> words_, environment_;
  Child child_;
  Fd input_, output_, errors_;
  std::string pending_;     // of its output, behind the last line
  std::string last_words_;  // the end of what it wrote to standard error
  std::string note_;
  CaseWatch watch_;
  double wall_seconds_ = 0;
};

}  // namespace gcts

#endif  // GCTS_HARNESS_PROCESS_CHANNEL_H_
