// The executables of the fuzz targets, built with Clang's engine, as processes.

#ifndef GCTS_FUZZ_CAMPAIGN_ENGINE_H_
#define GCTS_FUZZ_CAMPAIGN_ENGINE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gcts {

// What one line of the engine says about how far it is.
struct EngineProgress {
  uint64_t executions = 0;
  uint64_t edges = 0;
  uint64_t features = 0;
  uint64_t corpus = 0;
  uint64_t per_second = 0;
};
// False where the line says nothing of the kind.
bool parse_progress(std::string_view line, EngineProgress& out);

// How a process of the engine ended.
struct EngineRun {
  std::string output;       // its last part
  std::string ended;        // "exit status 0", "killed by SIGKILL"
  bool succeeded = false;
  double cpu_seconds = 0;   // its own and its children's
  double wall_seconds = 0;
  EngineProgress progress;  // the last that it told
};

class Engine {
 public:
  // Where fuzz_<target>, write_seeds and write_dictionary are: `folder`, else GCTS_FUZZ_DIR,
  // else bin of the build folder fuzz beside the one that this program is in.
  explicit Engine(std::string folder = "");

  const std::string& folder() const { return folder_; }
  std::string program(std::string_view name) const;
  // Makes sure that these programs and plugins (x.so) are there, building them with the preset fuzz where this
  // program lies in a build folder of the tree.  False with an explanation.
  bool prepare(const std::vector<std::string>& programs, std::string& error) const;
  // A plugin that the preset fuzz builds too, with the engine's counters in it; "" if not.
  std::string plugin(std::string_view name) const;

  struct Order {
    std::vector<std::string> words;
    std::vector<std::string> environment;
    double wall_limit = 0;       // seconds after which it is killed; 0: none
    uint64_t cpu_limit = 0;      // seconds of processor time, whole; 0: none
    std::string log;             // a file that gets all output too; "" for none
    std::function<void(const EngineProgress&)> on_progress;  // may be null
    std::function<bool()> stop;  // asked now and then; may be null
  };
  static EngineRun run(const Order& order);

 private:
  std::string folder_;
};

// The root of the source tree that this program was built from, if it is still there.
std::string source_root();

}  // namespace gcts

#endif  // GCTS_FUZZ_CAMPAIGN_ENGINE_H_
