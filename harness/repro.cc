// Quoting and the environment of repro lines.

#include "harness/repro.h"

#include <algorithm>

#include "harness/options.h"

extern char** environ;

namespace gcts {

std::string shell_word(std::string_view word) {
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(kSafe) == std::string_view::npos) return std::string(word);
  std::string quoted = "'";
  for (char c : word) {
    if (c == '\'') quoted += "'\\''";
    else quoted += c;
  }
  return quoted + "'";
}

std::vector<std::string> relevant_environment() {
  std::vector<std::string> out;
  for (char** e = environ; *e; ++e) {
    if (std::string_view(*e).starts_with("GCTS_")) out.push_back(*e);
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string repro_prefix(const std::vector<std::string>& environment, const std::vector<std::string>& words) {
  std::vector<std::string> settings = relevant_environment();
  settings.insert(settings.end(), environment.begin(), environment.end());
  std::string line;
  for (const std::string& setting : settings) {
    const size_t value = setting.find('=') + 1;
    line += setting.substr(0, value) + shell_word(std::string_view(setting).substr(value)) + " ";
  }
  line += shell_word(invoked_as());
  for (const std::string& word : words) line += " " + shell_word(word);
  return line;
}

}  // namespace gcts
