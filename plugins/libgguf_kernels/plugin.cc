// libgguf's row functions as kernels: the library that its Python package brings, opened when
// the plugin is.
//
// Only what the library exports as C is called: libgguf_dequantize_chunk,
// libgguf_quantize_chunk, and what says of a type how it is laid out.

#include <dlfcn.h>
#include <glob.h>
#include <stdlib.h>

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "../own_folder.h"
#include "gcts/plugin.h"

namespace {

constexpr int kMostTypes = 64, kIq4Nl = 20;
constexpr const char* kInstalled = "/../../peers/libgguf/venv/lib/python3*/site-packages/libgguf/_libgguf*.so";
constexpr const char* kPackage = "/libgguf-", *kPackageEnd = ".dist-info";

struct Functions {
  size_t (*libgguf_dequantize_chunk)(int type, const void* blocks, float* values, int64_t start, int64_t rows, int64_t row_elements);
  size_t (*libgguf_quantize_chunk)(int type, const float* values, void* blocks, int64_t start, int64_t rows, int64_t row_elements,
                                   const float* importance);
  int64_t (*libgguf_block_size)(int type);
  size_t (*libgguf_row_size)(int type, int64_t row_elements);
  bool (*libgguf_quantize_requires_imatrix)(int type);
};

// A type of which the library says that it has blocks.
struct Type {
  int id;
  const Functions* functions;
};

template <typename F>
bool bind(void* handle, const char* name, F& to) {
  to = reinterpret_cast<F>(dlsym(handle, name));
  return to != nullptr;
}

// The first file that the pattern fits; "" if none does.
std::string first_of(const std::string& pattern) {
  std::string path;
  glob_t found{};
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) path = found.gl_pathv[0];
  globfree(&found);
  return path;
}

std::string find_library(std::string& why_not) {
  if (const char* named = getenv("GCTS_LIBGGUF_LIB"); named && *named) return named;
  const std::string path = first_of(own_folder() + kInstalled);
  if (path.empty()) why_not = "there is no libgguf: GCTS_LIBGGUF_LIB names none, and ./dev peers libgguf installed none";
  return path;
}

// The version is that of the package beside the folder of the library.
std::string version_beside(const std::string& path) {
  const std::string folder = path.substr(0, path.rfind('/'));
  std::string package = first_of(folder + "/.." + kPackage + "*" + kPackageEnd);
  const size_t start = package.rfind(kPackage);
  if (start == std::string::npos) return "of unknown version";
  package.erase(0, start + std::string(kPackage).size());
  return package.substr(0, package.rfind(kPackageEnd));
}

// Why the functions cannot be had; "" if they can.
std::string open_library(Functions& out, std::string& version) {
  std::string why_not;
  const std::string path = find_library(why_not);
  if (path.empty()) return why_not;
  const std::string names = own_folder() + "/libgguf_python_names.so";
  if (!dlopen(names.c_str(), RTLD_NOW | RTLD_GLOBAL)) return dlerror();
  void* handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!handle) return dlerror();
#define BIND(name) \
  if (!bind(handle, #name, out.name)) return path + ": there is no function " #name;
  version = version_beside(path);
  BIND(libgguf_dequantize_chunk)
  BIND(libgguf_quantize_chunk)
  BIND(libgguf_block_size)
  BIND(libgguf_row_size)
  BIND(libgguf_quantize_requires_imatrix)
#undef BIND
  return "";
}

gcts_status dequantize(void* context, const void* blocks, float* values, uint64_t count) {
  const Type& type = *static_cast<const Type*>(context);
  const auto elements = static_cast<int64_t>(count);
  return type.functions->libgguf_dequantize_chunk(type.id, blocks, values, 0, 1, elements) ? GCTS_OK : GCTS_FAILED;
}

gcts_status quantize(void* context, const float* values, const float* importance, void* blocks, uint64_t count) {
  const Type& type = *static_cast<const Type*>(context);
  std::vector<float> even;
  if (!importance && type.functions->libgguf_quantize_requires_imatrix(type.id)) {
    even.assign(count, 1.0f);
    importance = even.data();
  }
  const auto elements = static_cast<int64_t>(count);
  return type.functions->libgguf_quantize_chunk(type.id, values, blocks, 0, 1, elements, importance) ? GCTS_OK : GCTS_FAILED;
}

template <typename F>
gcts_kernel row(gcts_op op, Type& type, F* run) {
  gcts_kernel k{};
  k.op = op;
  k.tensor_type = static_cast<uint32_t>(type.id);
  k.variant = "chunk";
  k.features = "";
  k.context = &type;
  k.run = reinterpret_cast<gcts_fn>(run);
  return k;
}

// The quantizers of IQ1 and IQ2 make tables at the first call of a process that take seconds of
// CPU time, more than a case may: they are offered where asked for.
bool makes_tables(int type) { return type == 16 || type == 17 || type == 19 || type == 22 || type == 29; }

// A row function that is there answers with a number of bytes, one that is not with 0.
void add_kernels(Type& type, std::vector<gcts_kernel>& out) {
  const Functions& functions = *type.functions;
  const int64_t elements = functions.libgguf_block_size(type.id);
  std::vector<char> blocks(functions.libgguf_row_size(type.id, elements));
  std::vector<float> values(static_cast<size_t>(elements));
  if (blocks.empty()) return;
  if (functions.libgguf_dequantize_chunk(type.id, blocks.data(), values.data(), 0, 1, elements)) {
    out.push_back(row(GCTS_OP_DEQUANTIZE, type, dequantize));
    out.back().flags = GCTS_KERNEL_THREAD_SAFE;
  }
  // Of IQ4_NL it searches another answer than the one that the type defines.
  if (type.id == kIq4Nl || (makes_tables(type.id) && !getenv("GCTS_LIBGGUF_TABLES"))) return;
  out.push_back(row(GCTS_OP_QUANTIZE, type, quantize));
}

const gcts_plugin* make_table() {
  static gcts_plugin plugin{};
  static Functions functions;
  static std::deque<Type> types;
  static std::vector<gcts_kernel> kernels;
  static std::string version = "none";
  static const std::string why_not = open_library(functions, version);
  plugin.abi_version = GCTS_ABI_VERSION;
  plugin.struct_size = sizeof(plugin);
  plugin.name = "libgguf_kernels";
  plugin.version = version.c_str();
  if (!why_not.empty()) {
    plugin.unavailable = why_not.c_str();
    return &plugin;
  }
  for (int id = 1; id < kMostTypes; ++id) {  // 0 is f32
    if (functions.libgguf_block_size(id) > 0) add_kernels(types.emplace_back(Type{id, &functions}), kernels);
  }
  plugin.kernels = kernels.data();
  plugin.kernel_count = kernels.size();
  plugin.kernel_size = sizeof(gcts_kernel);
  return &plugin;
}

}  // namespace

extern "C" const gcts_plugin* gcts_plugin_entry(void) {
  static const gcts_plugin* table = make_table();
  return table;
}
