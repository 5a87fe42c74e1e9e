// The program gguf-cts: finds the verb, hands it its arguments, and sees its output off.

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <string>

#include "harness/options.h"

#define VERB(name, summary) int verb_##name(int argc, char** argv);
namespace gcts {
#include "harness/verbs.inc"
}
#undef VERB

namespace {

struct Verb {
  const char* name;
  const char* summary;
  int (*run)(int argc, char** argv);
};

constexpr Verb kVerbs[] = {
#define VERB(name, summary) {#name, summary, gcts::verb_##name},
#include "harness/verbs.inc"
#undef VERB
};

// "dump_tensor" is the verb dump-tensor.
std::string spelled(const Verb& verb) {
  std::string name = verb.name;
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

void print_usage(FILE* out) {
  std::fprintf(out,
               "gguf-cts: conformance tests for GGUF files and the kernels on their tensor types\n\n"
               "usage: gguf-cts VERB [options]     (gguf-cts VERB --help explains a verb)\n\n");
  for (const Verb& verb : kVerbs) std::fprintf(out, "  %-14s %s\n", spelled(verb).c_str(), verb.summary);
}

int run(int argc, char** argv) {
  if (argc < 2) {
    print_usage(stderr);
    return gcts::kUsageError;
  }
  if (!std::strcmp(argv[1], "--help") || !std::strcmp(argv[1], "-h") || !std::strcmp(argv[1], "help")) {
    print_usage(stdout);
    return 0;
  }
  if (!std::strcmp(argv[1], "--version")) {
    std::printf("gguf-cts %s\n", GCTS_VERSION);
    return 0;
  }
  for (const Verb& verb : kVerbs) {
    if (spelled(verb) == argv[1]) return verb.run(argc - 1, argv + 1);
  }
  std::fprintf(stderr, "gguf-cts: there is no verb '%s'; gguf-cts --help lists them\n", argv[1]);
  return gcts::kUsageError;
}

// A standard stream that the caller has closed would become the first file that is opened.
void fill_standard_streams() {
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", O_RDONLY);
  }
}

// Does anybody read what we print?
bool has_reader() {
  pollfd output{STDOUT_FILENO, 0, 0};
  return poll(&output, 1, 0) <= 0 || !(output.revents & (POLLERR | POLLHUP));
}

// The exit status once everything is printed.  A pipe that its reader has left ends this
// program like any tool, quietly and by SIGPIPE; output that is lost otherwise is told.
int settled(int status) {
  const bool printed = std::cout.flush() && std::fflush(stdout) == 0 && !std::ferror(stdout);
  if (printed) return status;
  if (!has_reader()) {
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  std::fprintf(stderr, "gguf-cts: standard output cannot be written\n");
  return gcts::kUsageError;
}

}  // namespace

int main(int argc, char** argv) {
  fill_standard_streams();
  std::signal(SIGPIPE, SIG_IGN);  // a child that does not read must not end us
  gcts::set_invoked_as(argv[0]);
  try {
    return settled(run(argc, argv));
  } catch (const std::exception& error) {  // fmt throws what it cannot print
    const int status = settled(gcts::kUsageError);
    if (!std::ferror(stdout)) std::fprintf(stderr, "gguf-cts: %s\n", error.what());
    return status;
  }
}
