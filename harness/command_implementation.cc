// A tool without an adapter: a command line with {file} in it, run once a case.
//
// Exit status 0 is accept, 1 to 125 a weak reject, anything else or a signal a crash.

#include <fmt/format.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <regex>

#include "gcts/plugin.h"
#include "harness/case_watch.h"
#include "harness/child.h"
#include "harness/implementation.h"
#include "harness/locations.h"

namespace gcts {
namespace {

constexpr size_t kOutputKept = 64 * 1024;  // of what the tool prints
constexpr size_t kOutputShown = 300;
constexpr int kTickMilliseconds = 20;
constexpr std::string_view kPlace = "{file}";

// The last line that says something.
std::string last_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.pop_back();
  const size_t line = text.rfind('\n');
  if (line != std::string::npos) text.erase(0, line + 1);
  return text.substr(0, kOutputShown);
}

class CommandImplementation final : public Implementation {
 public:
  explicit CommandImplementation(const Launch& launch) : launch_(launch) {}

  bool describe(Description& out, std::string& error) override {
    const std::vector<std::string> words = split_words(launch_.locator);
    if (words.empty()) {
      error = "the command is empty";
      return false;
    }
    if (launch_.locator.find(kPlace) == std::string::npos) {
      error = "the command has no {file} in it: " + launch_.locator;
      return false;
    }
    try {
      if (!launch_.reject_pattern.empty()) pattern_.emplace(launch_.reject_pattern);
    } catch (const std::regex_error& e) {
      error = "--reject-pattern is no regular expression: " + std::string(e.what());
      return false;
    }
    out = {};
    out.name = words[0].substr(words[0].rfind('/') + 1);
    out.reads = true;
    out.reader_capabilities = GCTS_READS_PATH;
    out.tells_contents = false;
    described_ = true;
    return true;
  }

  void run(std::span<const Task> tasks, const Answered& answered) override {
    Description unused;
    std::string error;
    const bool usable = described_ || describe(unused, error);
    for (const Task& task : tasks) {
      Answer answer;
      if (usable) {
        answer = run_one(folder_.write(*task.files));
        folder_.clear();
      } else {
        answer.kind = AnswerKind::unusable;
        answer.message = error;
      }
      if (!answered(task, answer)) return;
    }
  }

 private:
  Answer run_one(const std::string& path) {
    std::vector<std::string> words = split_words(launch_.locator);
    for (std::string& word : words) {
      for (size_t at = 0; (at = word.find(kPlace, at)) != std::string::npos; at += path.size()) {
        word.replace(at, kPlace.size(), path);
      }
    }
    Answer answer;
    Pipe output = Pipe::make();
    const double start = now_seconds();
    Child child = Child::start(words, launch_.environment,
                               {{output.write_end.get(), 1}, {output.write_end.get(), 2}}, answer.message);
    output.write_end = Fd();
    if (!child.running()) {
      answer.kind = AnswerKind::unusable;
      return answer;
    }
    std::string text;
    const bool ended = watch(child, output.read_end.get(), text, answer);
    answer.wall_seconds = now_seconds() - start;
    if (!ended) return answer;
    const std::string how = child.reap();
    answer.cpu_seconds = child.cpu_seconds();
    judge_status(child.wait_status(), how, text, answer);
    return answer;
  }

  // Until the output is closed.  False when a limit was exceeded.
  bool watch(Child& child, int output, std::string& text, Answer& answer) {
    CaseWatch watch;
    watch.begin(0, 0);
    while (true) {
      struct pollfd ready {output, POLLIN, 0};
      const int polled = poll(&ready, 1, kTickMilliseconds);
      if (polled > 0) {
        char buffer[4096];
        const ssize_t n = ::read(output, buffer, sizeof(buffer));
        if (n <= 0) return true;
        text.append(buffer, static_cast<size_t>(n));
        if (text.size() > kOutputKept) text.erase(0, text.size() - kOutputKept);
      }
      const CaseWatch::Over over = watch.look(child, launch_.limits);
      answer.peak_bytes = watch.peak_bytes();
      if (over == CaseWatch::Over::nothing) continue;
      answer.kind = over == CaseWatch::Over::memory ? AnswerKind::memory : AnswerKind::timeout;
      answer.message = watch.note();
      return false;  // Child's destructor kills it
    }
  }

  void judge_status(int status, const std::string& how, const std::string& text, Answer& answer) {
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (code < 0 || code > 125) {
      answer.kind = AnswerKind::crash;
      answer.message = WIFSIGNALED(status) ? signal_name(WTERMSIG(status)) : how;
      if (!text.empty()) answer.message += " (it printed: " + last_line(text) + ")";
      return;
    }
    answer.status = code == 0 ? GCTS_OK : GCTS_REJECTED;
    answer.weak = code != 0;
    answer.weak_matches = answer.weak && pattern_ && std::regex_search(text, *pattern_);
    answer.message = code == 0 ? "" : fmt::format("{}: {}", how, last_line(text));
  }

  Launch launch_;
  TemporaryFolder folder_;
  std::optional<std::regex> pattern_;
  bool described_ = false;
};

}  // namespace

std::unique_ptr<Implementation> launch_command(const Launch& launch) {
  return std::make_unique<CommandImplementation>(launch);
}

std::unique_ptr<Implementation> launch(const Launch& launch) {
  if (launch.kind == Launch::Kind::plugin) return launch_plugin(launch);
  return launch.kind == Launch::Kind::process ? launch_process(launch) : launch_command(launch);
}

std::string_view launch_kind_name(Launch::Kind kind) {
  if (kind == Launch::Kind::plugin) return "plugin";
  return kind == Launch::Kind::process ? "process" : "command";
}

}  // namespace gcts
