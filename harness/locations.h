// Where the program finds the files that belong to it, and where it puts temporary ones.

#ifndef GCTS_HARNESS_LOCATIONS_H_
#define GCTS_HARNESS_LOCATIONS_H_

#include <string>
#include <string_view>
#include <vector>

#include "corpus/case.h"

namespace gcts {

// The worker for a plugin: gguf-cts-worker beside the executable; for a plugin of another
// architecture, that of ../<architecture>, if there is one.  Under an emulator
// GCTS_WORKER can name another.
std::string worker_path(const std::string& plugin, bool emulated);
// The plugins that come with the program: GCTS_PLUGIN_DIR, or ../plugins from the
// executable, or ../lib/gguf-cts.  "" if there is no such folder.
std::string plugin_folder();
// Where adapters are installed (peer.h): GCTS_PEERS_DIR, or ../../peers from the executable.
std::string peers_folder();
// A plugin that comes with the program; "" if it is not there.
std::string own_plugin(std::string_view name);

// A folder for files that are shown by path; removed with all in it.
class TemporaryFolder {
 public:
  TemporaryFolder() = default;
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  // Writes the files into a subfolder of their own; the path of the first, "" on failure.
  std::string write(const std::vector<CaseFile>& files);
  void clear();

 private:
  std::string path_;
  size_t count_ = 0;
};

}  // namespace gcts

#endif  // GCTS_HARNESS_LOCATIONS_H_
