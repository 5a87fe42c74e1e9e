// A libggml that is opened at run time: its functions by name, and its CPU variants.
//
// Nothing of ggml is needed to build this: functions.inc declares the functions of the
// public headers that are called, this file the few types that they take.

#ifndef GCTS_PLUGINS_GGML_LIBRARY_H_
#define GCTS_PLUGINS_GGML_LIBRARY_H_

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <string>
#include <vector>

namespace peer {

struct Context;  // ggml_context
struct Tensor;   // ggml_tensor
struct Gguf;     // gguf_context
struct Graph;    // ggml_cgraph
struct Backend;  // ggml_backend
struct Buffer;   // ggml_backend_buffer

struct ContextParams {
  size_t size;
  void* memory;
  bool no_alloc;
};
struct GgufParams {
  bool no_alloc;
  Context** context;
};

using LogCallback = void (*)(int level, const char* text, void* user);
// Stores up to `size` bytes from `offset`; returns how many.
using ReadCallback = size_t (*)(void* user, void* to, uint64_t offset, size_t size);

struct TypeTraits {
  const char* name;
  int64_t block_elements;
  int64_t interleave;
  size_t block_bytes;
  bool is_quantized;
  void (*to_float)(const void* blocks, float* values, int64_t count);
  void (*from_float_ref)(const float* values, void* blocks, int64_t count);
};
struct CpuTraits {
  void (*from_float)(const float* values, void* blocks, int64_t count);
  void (*vec_dot)(int count, float* result, size_t result_stride, const void* weights, size_t weight_stride,
                  const void* activations, size_t activation_stride, int rows);
  int vec_dot_type;
  int64_t rows;
};

// A pointer for each row of one library.
#define FUNCTION_base(result, name, parameters) result(*name) parameters = nullptr;
#define FUNCTION_cpu(result, name, parameters)
#define FUNCTION(library, need, result, name, parameters) FUNCTION_##library(result, name, parameters)
struct Base {
#include "functions.inc"
};
#undef FUNCTION_base
#undef FUNCTION_cpu
#define FUNCTION_base(result, name, parameters)
#define FUNCTION_cpu(result, name, parameters) result(*name) parameters = nullptr;
struct Cpu {
#include "functions.inc"
  std::string variant;  // "haswell" of libggml-cpu-haswell.so
  bool runs = false;    // on this machine, as the library itself says
};
#undef FUNCTION
#undef FUNCTION_base
#undef FUNCTION_cpu

struct Library {
  std::string why_not;  // not empty: there is none, or it cannot be used
  std::string version;
  Base base;
  std::vector<Cpu> cpus;  // ordered by name
  std::vector<int> types; // tensor types that it has
};

// Opened on first use, for the life of the process.
const Library& library();

// What the library logged since the last call; its own words on why a file is refused.
std::string take_log();

}  // namespace peer

#endif  // GCTS_PLUGINS_GGML_LIBRARY_H_
