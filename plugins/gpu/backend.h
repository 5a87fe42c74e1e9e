// What the kernels are started through: OpenCL or CUDA.

#ifndef GCTS_PLUGINS_GPU_BACKEND_H_
#define GCTS_PLUGINS_GPU_BACKEND_H_

#include <cstdint>
#include <span>
#include <string>

#include "gcts/plugin.h"
#include "source.h"

namespace gpu {

// An argument of a kernel: an address of device memory, which the kernel takes as a buffer
// and an offset into it, or a number.
struct Argument {
  const void* address = nullptr;
  uint64_t number = 0;

  Argument(const void* a) : address(a) {}
  Argument(uint64_t n) : number(n) {}
};

struct Launch {
  const Program& program;
  uint64_t groups[2];  // of kItems work items
  std::span<const Argument> arguments;
};
inline constexpr uint32_t kItems = 64;

// Errors are false, or null, and a text in `error`.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual bool open() = 0;
  virtual void* allocate(uint64_t size) = 0;
  virtual void free(void* memory) = 0;
  virtual bool upload(void* to, const void* from, uint64_t size) = 0;
  virtual bool download(void* to, const void* from, uint64_t size) = 0;
  virtual bool synchronize() = 0;
  virtual double seconds() = 0;
  virtual bool check_guards(std::string& damage) = 0;
  virtual void limits(gcts_device_limits& out) = 0;
  virtual bool launch(const Launch& launch) = 0;

  std::string error;
};

// The one that the plugin is linked with, and what it calls itself: "opencl", "OpenCL".
extern const char* const kVariant;
extern const char* const kInterface;
extern const bool kHasDot4;  // the dialect has an instruction for it
Backend& backend();

}  // namespace gpu

#endif  // GCTS_PLUGINS_GPU_BACKEND_H_
