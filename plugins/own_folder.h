// Where a plugin lies, for those that open a library installed beside it.

#ifndef GCTS_PLUGINS_OWN_FOLDER_H_
#define GCTS_PLUGINS_OWN_FOLDER_H_

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>

#include <string>

// The folder of the file, a plugin or a program, that this is compiled into; links are followed.
static inline std::string own_folder() {
  Dl_info info{};
  char real[PATH_MAX];
  if (!dladdr(reinterpret_cast<const void*>(&own_folder), &info) || !realpath(info.dli_fname, real)) return ".";
  const std::string path = real;
  return path.substr(0, path.rfind('/'));
}

#endif  // GCTS_PLUGINS_OWN_FOLDER_H_
