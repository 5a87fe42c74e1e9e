// A shared library that may not be there.

#ifndef GCTS_PLUGINS_GPU_LIBRARY_H_
#define GCTS_PLUGINS_GPU_LIBRARY_H_

#include <dlfcn.h>

#include <string>
#include <vector>

namespace gpu {

// The first of `names` that can be opened, or null and why the last one could not.
inline void* open_library(const std::vector<std::string>& names, std::string& why) {
  for (const std::string& name : names) {
    if (name.empty()) continue;
    if (void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    why = dlerror();
  }
  return nullptr;
}

template <typename F>
bool find_function(void* library, const char* name, F*& function) {
  function = reinterpret_cast<F*>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace gpu

#endif  // GCTS_PLUGINS_GPU_LIBRARY_H_
