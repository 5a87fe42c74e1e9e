// Finds and opens a libggml: the one that GCTS_GGML_LIB names, or the one that
// ./dev peers ggml installs beside the build.

#include "library.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "../own_folder.h"

namespace peer {
namespace {

constexpr const char* kCpuPrefix = "libggml-cpu";
constexpr size_t kMostLog = 2000;

std::string& log_text() {
  static std::string text;
  return text;
}

void keep_log(int, const char* text, void*) {
  std::string& log = log_text();
  if (text && log.size() < kMostLog) log.append(text, strnlen(text, kMostLog - log.size()));
}

bool is_folder(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}
bool is_file(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

std::string base_in(const std::string& folder) {
  for (const char* name : {"libggml-base.so", "libggml.so", "libllama.so"})
    if (is_file(folder + "/" + name)) return folder + "/" + name;
  return {};
}

std::string find_base(std::string& why_not) {
  if (const char* named = getenv("GCTS_GGML_LIB"); named && *named) {
    const std::string path = is_folder(named) ? base_in(named) : named;
    if (path.empty() || !is_file(path)) why_not = std::string("GCTS_GGML_LIB: there is no libggml at ") + named;
    return why_not.empty() ? path : "";
  }
  // build/<preset>/plugins/ggml.so and build/peers/ggml stand beside each other.
  std::string path = base_in(own_folder() + "/../../peers/ggml/lib");
  if (path.empty()) why_not = "there is no libggml: GCTS_GGML_LIB names none, and ./dev peers ggml installed none";
  return path;
}

template <typename F>
bool bind(void* handle, const char* name, F& to, bool needed, std::string& missing) {
  to = reinterpret_cast<F>(dlsym(handle, name));
  if (!to && needed && missing.empty()) missing = name;
  return to != nullptr;
}

// Names the first function that must be there and is not.
#define NEED_must true
#define NEED_may false
#define FUNCTION_cpu(need, name)
#define FUNCTION_base(need, name) bind(handle, #name, out.name, NEED_##need, missing);
#define FUNCTION(library, need, result, name, parameters) FUNCTION_##library(need, name)
std::string bind_all(void* handle, Base& out) {
  std::string missing;
#include "functions.inc"
  return missing;
}
#undef FUNCTION_base
#undef FUNCTION_cpu
#define FUNCTION_base(need, name)
#define FUNCTION_cpu(need, name) bind(handle, #name, out.name, NEED_##need, missing);
std::string bind_all(void* handle, Cpu& out) {
  std::string missing;
#include "functions.inc"
  return missing;
}
#undef FUNCTION
#undef FUNCTION_base
#undef FUNCTION_cpu

// Adds a library's CPU kernels, if it has any.
void add_cpu(void* handle, const std::string& variant, Library& out) {
  Cpu cpu;
  if (!bind_all(handle, cpu).empty()) return;
  cpu.variant = variant;
  cpu.runs = !cpu.ggml_backend_score || cpu.ggml_backend_score() > 0;
  if (cpu.runs) cpu.ggml_cpu_init();
  out.cpus.push_back(std::move(cpu));
}

void add_variants(const std::string& folder, Library& out) {
  std::vector<std::string> names;
  if (DIR* dir = opendir(folder.c_str())) {
    while (const dirent* entry = readdir(dir)) {
      const std::string name = entry->d_name;
      if (name.rfind(kCpuPrefix, 0) == 0 && name.size() > 3 && name.substr(name.size() - 3) == ".so") names.push_back(name);
    }
    closedir(dir);
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    std::string variant = name.substr(strlen(kCpuPrefix), name.size() - strlen(kCpuPrefix) - 3);
    variant = variant.empty() ? "cpu" : variant.substr(1);
    if (void* handle = dlopen((folder + "/" + name).c_str(), RTLD_NOW | RTLD_LOCAL)) add_cpu(handle, variant, out);
  }
}

// Ids that once were types: the library's tables have holes there, over which it divides
// by zero.
bool is_removed(int type) { return type == 4 || type == 5 || (type >= 31 && type <= 33) || (type >= 36 && type <= 38); }

// The validator has no rule for Q8_1.
constexpr int kQ8_1 = 9;

// No bytes are valid data of every type, and of no id that is not one.  The validator
// complains on standard error.
void find_types(Library& out) {
  fflush(stderr);
  const int kept = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY);
  dup2(null, STDERR_FILENO);
  for (int type = 0; type < 128; ++type) {
    if (is_removed(type)) continue;
    if (type != kQ8_1 && !out.base.ggml_validate_row_data(type, "", 0)) break;
    out.types.push_back(type);
  }
  dup2(kept, STDERR_FILENO);
  close(kept);
  close(null);
}

// The layout of the trait table is declared here, not in a header of the library: one
// row that is known says whether it is that.
bool traits_are_known(const Base& base) {
  const TypeTraits* q8_0 = base.ggml_get_type_traits(8);
  return q8_0 && q8_0->name && strcmp(q8_0->name, "q8_0") == 0 && q8_0->block_elements == 32 && q8_0->block_bytes == 34 &&
         q8_0->is_quantized && q8_0->to_float;
}

Library open_library() {
  Library out;
  // Without it a failed assertion starts a debugger.
  setenv("GGML_NO_BACKTRACE", "1", 1);
  std::string path = find_base(out.why_not);
  if (path.empty()) return out;
  if (path.find('/') == std::string::npos) path = "./" + path;  // dlopen looks a bare name up elsewhere
  // The variants' libraries look the base's functions up among the global ones.
  void* handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_GLOBAL);
  if (!handle) {
    out.why_not = dlerror();
    return out;
  }
  const std::string missing = bind_all(handle, out.base);
  if (!missing.empty()) {
    out.why_not = path + " has no " + missing + ": it is no libggml, or another version of its interface";
    return out;
  }
  if (!traits_are_known(out.base)) {
    out.why_not = path + ": its table of types is laid out in another way";
    return out;
  }
  if (out.base.ggml_version) out.version = out.base.ggml_version();
  if (out.base.ggml_commit) out.version += std::string(out.version.empty() ? "" : " ") + out.base.ggml_commit();
  out.base.ggml_log_set(keep_log, nullptr);
  find_types(out);
  add_cpu(handle, "cpu", out);
  add_variants(path.substr(0, path.rfind('/')), out);
  log_text().clear();
  return out;
}

}  // namespace

const Library& library() {
  static const Library opened = open_library();
  return opened;
}

std::string take_log() {
  std::string text;
  text.swap(log_text());
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ';');
  return text;
}

}  // namespace peer
