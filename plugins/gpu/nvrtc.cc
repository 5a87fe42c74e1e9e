// Finds the library, and turns source into a cubin, or into its complaints.

#include "nvrtc.h"

#include <cstdlib>
#include <vector>

#include "library.h"

namespace gpu {

bool Compiler::open() {
  const char* named = std::getenv("GCTS_NVRTC");
  void* library = open_library({named ? named : "", "libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"}, error);
  bool all = library != nullptr;
#define FUNCTION(name, result, arguments) all = all && find_function(library, #name, api_.name);
  GPU_NVRTC_FUNCTIONS(FUNCTION)
#undef FUNCTION
  if (library && !all) error = "the library lacks a function of NVRTC 11.2 or newer";
  if (!all) error = "no NVRTC: " + error;
  return all;
}

std::string Compiler::version() const {
  int major = 0, minor = 0;
  api_.nvrtcVersion(&major, &minor);
  return std::to_string(major) + "." + std::to_string(minor);
}

std::string Compiler::compile(const std::string& source, const std::string& name, const std::string& architecture) {
  cuda::Compilation* compilation = nullptr;
  error.clear();
  if (const int code = api_.nvrtcCreateProgram(&compilation, source.c_str(), name.c_str(), 0, nullptr, nullptr); code != 0) {
    error = "nvrtcCreateProgram ends with " + std::to_string(code);
    return "";
  }
  const std::string target = "--gpu-architecture=" + architecture;
  const char* options[] = {target.c_str(), "--std=c++17", "--ftz=false"};
  const int code = api_.nvrtcCompileProgram(compilation, 3, options);
  std::string out;
  size_t size = 0;
  const bool portable = architecture.starts_with("compute_");
  if (code == 0 && (portable ? api_.nvrtcGetPTXSize : api_.nvrtcGetCUBINSize)(compilation, &size) == 0) {
    out.resize(size);
    if ((portable ? api_.nvrtcGetPTX : api_.nvrtcGetCUBIN)(compilation, out.data()) != 0) out.clear();
  }
  if (out.empty()) {
    api_.nvrtcGetProgramLogSize(compilation, &size);
    std::vector<char> log(size + 1);
    api_.nvrtcGetProgramLog(compilation, log.data());
    error = name + " does not compile for " + architecture + ": " + log.data();
  }
  api_.nvrtcDestroyProgram(&compilation);
  return out;
}

}  // namespace gpu
