// Paths relative to the executable, and the temporary folder.

#include "harness/locations.h"

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace gcts {

namespace fs = std::filesystem;

namespace {

fs::path executable_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

}  // namespace

std::string worker_path() {
  if (const char* set = getenv("GCTS_WORKER"); set && *set) return set;
  return (executable_folder() / "gguf-cts-worker").string();
}

std::string plugin_folder() {
  if (const char* set = getenv("GCTS_PLUGIN_DIR"); set && *set) return set;
  std::error_code error;
  for (const char* relative : {"../plugins", "../lib/gguf-cts"}) {
    const fs::path folder = (executable_folder() / relative).lexically_normal();
    if (fs::is_directory(folder, error)) return folder.string();
  }
  return "";
}

std::string own_plugin(std::string_view name) {
  const std::string folder = plugin_folder();
  if (folder.empty()) return "";
  const fs::path path = fs::path(folder) / (std::string(name) + ".so");
  std::error_code error;
  return fs::exists(path, error) ? path.string() : "";
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  if (!path_.empty()) fs::remove_all(path_, error);
}

std::string TemporaryFolder::write(const std::vector<CaseFile>& files) {
  std::error_code error;
  if (path_.empty()) {
    fs::path base = fs::temp_directory_path(error);
    if (error) base = "/tmp";
    std::string pattern = (base / "gguf-cts-XXXXXX").string();
    if (!mkdtemp(pattern.data())) return "";
    path_ = pattern;
  }
  const fs::path folder = fs::path(path_) / std::to_string(count_++);
  fs::create_directory(folder, error);
  std::string first;
  for (const CaseFile& file : files) {
    const fs::path path = folder / file.name;
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char*>(file.bytes.data()), static_cast<std::streamsize>(file.bytes.size()));
    if (!out.flush()) return "";
    if (first.empty()) first = path.string();
  }
  return first;
}

void TemporaryFolder::clear() {
  std::error_code error;
  if (path_.empty()) return;
  for (const auto& entry : fs::directory_iterator(path_, error)) fs::remove_all(entry.path(), error);
}

}  // namespace gcts
