// The program gguf-cts: finds the verb and hands it its arguments.

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
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

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  gcts::set_invoked_as(argv[0]);
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
