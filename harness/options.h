// The options of a verb, declared and parsed.
//
// A verb declares what it takes and where each value goes, then parses:
//
//   bool json = false;
//   std::vector<std::string> files;
//   Options options("check", "[options] FILE...", "Says what is wrong with GGUF files.");
//   options.flag("json", json, "one JSON object a line");
//   options.positional("FILE", files, "files to check; - is standard input", 1);
//   if (auto status = options.parse(argc, argv)) return *status;
//
// Names are "long" or "long,s".  Every verb takes --help.  A wrong command line is
// explained on standard error in one line and ends with kUsageError.

#ifndef GCTS_HARNESS_OPTIONS_H_
#define GCTS_HARNESS_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gcts {

inline constexpr int kUsageError = 2;

class Options {
 public:
  Options(std::string verb, std::string usage, std::string description);
  ~Options();
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  // Each keeps a reference to `out`, which holds the default beforehand.
  void flag(std::string names, bool& out, std::string help);
  void value(std::string names, std::string& out, std::string value_name, std::string help);
  void number(std::string names, uint64_t& out, std::string value_name, std::string help);
  void values(std::string names, std::vector<std::string>& out, std::string value_name, std::string help);
  // Arguments that are no options, between `least` and `most` of them.  At most one
  // declaration a verb.
  void positional(std::string value_name, std::vector<std::string>& out, std::string help,
                  size_t least = 0, size_t most = SIZE_MAX);
  // A paragraph printed under the options by --help.
  void note(std::string text);

  // argv[0] is the verb.  Nothing when the verb should go on, else the exit status:
  // 0 after --help, kUsageError after an explanation.
  std::optional<int> parse(int argc, char** argv);
  // Reports a fault that the verb itself finds in its command line; kUsageError.
  int usage_error(std::string_view message) const;
  // Was the option (by long name) on the command line?
  bool given(std::string_view name) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The program's name as it was invoked: repro lines start with it.  main sets it.
const std::string& invoked_as();
void set_invoked_as(std::string name);

// Strict decimal (or 0x hexadecimal) number; false on anything else or overflow.
bool parse_number(std::string_view text, uint64_t& out);

}  // namespace gcts

#endif  // GCTS_HARNESS_OPTIONS_H_
