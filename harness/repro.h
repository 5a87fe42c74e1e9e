// The line that repeats a failure: pasted alone into a shell, it fails again.

#ifndef GCTS_HARNESS_REPRO_H_
#define GCTS_HARNESS_REPRO_H_

#include <string>
#include <string_view>
#include <vector>

namespace gcts {

// A word as a POSIX shell reads it: bare where that is safe, else in single quotes.
std::string shell_word(std::string_view word);

// NAME=VALUE words of this process's environment that change what a run does: every
// GCTS_ variable.
std::vector<std::string> relevant_environment();

// "GCTS_FAULT=x gguf-cts run --plugin ..." up to the selection, from the words after
// the program's name.  `environment` is added to the relevant one.
std::string repro_prefix(const std::vector<std::string>& environment, const std::vector<std::string>& words);

}  // namespace gcts

#endif  // GCTS_HARNESS_REPRO_H_
