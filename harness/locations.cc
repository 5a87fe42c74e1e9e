// Paths relative to the executable, and the temporary folder.

#include "harness/locations.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
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

// The architecture of a shared library that is not of this program's; null for one that
// is, or that no worker is built for.
const char* foreign_architecture(const std::string& library) {
  char header[20] = {};  // of ELF: the magic number at 0, e_machine at 18
  std::ifstream(library, std::ios::binary).read(header, sizeof(header));
  if (memcmp(header, "\177ELF", 4) != 0) return nullptr;
  uint16_t machine;
  memcpy(&machine, header + 18, 2);
#if !defined(__aarch64__)
  if (machine == EM_AARCH64) return "aarch64";
#endif
  return nullptr;
}

}  // namespace

std::string worker_path(const std::string& plugin, bool emulated) {
  if (const char* set = getenv("GCTS_WORKER"); emulated && set && *set) return set;
  const fs::path folder = executable_folder();
  std::error_code error;
  if (const char* architecture = foreign_architecture(plugin)) {
    const fs::path foreign = (folder / ".." / architecture / "gguf-cts-worker").lexically_normal();
    if (fs::exists(foreign, error)) return foreign.string();
  }
  return (folder / "gguf-cts-worker").string();
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

std::string peers_folder() {
  if (const char* set = getenv("GCTS_PEERS_DIR"); set && *set) return set;
  return (executable_folder() / "../../peers").lexically_normal().string();
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
