// The part of CUDA's driver interface and of NVRTC that the plugin uses, after NVIDIA's
// reference manuals, so that no vendor's kit is needed to build it.  Functions are named
// as the libraries export them.

#ifndef GCTS_PLUGINS_GPU_CUDA_API_H_
#define GCTS_PLUGINS_GPU_CUDA_API_H_

#include <cstddef>
#include <cstdint>

namespace gpu::cuda {

using Result = int;  // 0: success
using Device = int;
using Address = unsigned long long;
struct Context;
struct Module;
struct Function;
struct Event;
using Handle = unsigned long long;  // of physical memory

inline constexpr int kProcessors = 16, kMajor = 75, kMinor = 76, kVirtualMemory = 102;  // device attributes
inline constexpr int kPinned = 1, kOnDevice = 1, kReadWrite = 3;
inline constexpr int kMinimumGranularity = 0;

struct Location {
  int type;
  int id;
};
struct MemoryProperties {
  int type;
  int handle_types;
  Location location;
  void* windows;
  struct {
    unsigned char compression, rdma;
    unsigned short usage;
    unsigned char reserved[4];
  } flags;
};
struct Access {
  Location location;
  int flags;
};
static_assert(sizeof(MemoryProperties) == 32 && sizeof(Access) == 12);

#define GPU_CUDA_FUNCTIONS(FUNCTION)                                                                                       \
  FUNCTION(cuInit, Result, (unsigned))                                                                                     \
  FUNCTION(cuDriverGetVersion, Result, (int*))                                                                             \
  FUNCTION(cuGetErrorName, Result, (Result, const char**))                                                                 \
  FUNCTION(cuDeviceGet, Result, (Device*, int))                                                                            \
  FUNCTION(cuDeviceGetName, Result, (char*, int, Device))                                                                  \
  FUNCTION(cuDeviceGetAttribute, Result, (int*, int, Device))                                                              \
  FUNCTION(cuDeviceTotalMem_v2, Result, (size_t*, Device))                                                                 \
  FUNCTION(cuDevicePrimaryCtxRetain, Result, (Context**, Device))                                                          \
  FUNCTION(cuCtxSetCurrent, Result, (Context*))                                                                            \
  FUNCTION(cuCtxSynchronize, Result, ())                                                                                   \
  FUNCTION(cuMemAlloc_v2, Result, (Address*, size_t))                                                                      \
  FUNCTION(cuMemFree_v2, Result, (Address))                                                                                \
  FUNCTION(cuMemcpyHtoD_v2, Result, (Address, const void*, size_t))                                                        \
  FUNCTION(cuMemcpyDtoH_v2, Result, (void*, Address, size_t))                                                              \
  FUNCTION(cuMemAddressReserve, Result, (Address*, size_t, size_t, Address, unsigned long long))                           \
  FUNCTION(cuMemAddressFree, Result, (Address, size_t))                                                                    \
  FUNCTION(cuMemCreate, Result, (Handle*, size_t, const MemoryProperties*, unsigned long long))                            \
  FUNCTION(cuMemRelease, Result, (Handle))                                                                                 \
  FUNCTION(cuMemMap, Result, (Address, size_t, size_t, Handle, unsigned long long))                                        \
  FUNCTION(cuMemUnmap, Result, (Address, size_t))                                                                          \
  FUNCTION(cuMemSetAccess, Result, (Address, size_t, const Access*, size_t))                                               \
  FUNCTION(cuMemGetAllocationGranularity, Result, (size_t*, const MemoryProperties*, int))                                 \
  FUNCTION(cuModuleLoadData, Result, (Module**, const void*))                                                              \
  FUNCTION(cuModuleGetFunction, Result, (Function**, Module*, const char*))                                                \
  FUNCTION(cuLaunchKernel, Result,                                                                                         \
           (Function*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**))       \
  FUNCTION(cuEventCreate, Result, (Event**, unsigned))                                                                     \
  FUNCTION(cuEventRecord, Result, (Event*, void*))                                                                         \
  FUNCTION(cuEventElapsedTime, Result, (float*, Event*, Event*))

struct Driver {
#define FUNCTION(name, result, arguments) result(*name) arguments = nullptr;
  GPU_CUDA_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

struct Compilation;

#define GPU_NVRTC_FUNCTIONS(FUNCTION)                                                                                      \
  FUNCTION(nvrtcVersion, Result, (int*, int*))                                                                             \
  FUNCTION(nvrtcCreateProgram, Result, (Compilation**, const char*, const char*, int, const char* const*, const char* const*)) \
  FUNCTION(nvrtcDestroyProgram, Result, (Compilation**))                                                                   \
  FUNCTION(nvrtcCompileProgram, Result, (Compilation*, int, const char* const*))                                           \
  FUNCTION(nvrtcGetCUBINSize, Result, (Compilation*, size_t*))                                                             \
  FUNCTION(nvrtcGetCUBIN, Result, (Compilation*, char*))                                                                   \
  FUNCTION(nvrtcGetPTXSize, Result, (Compilation*, size_t*))                                                               \
  FUNCTION(nvrtcGetPTX, Result, (Compilation*, char*))                                                                     \
  FUNCTION(nvrtcGetProgramLogSize, Result, (Compilation*, size_t*))                                                        \
  FUNCTION(nvrtcGetProgramLog, Result, (Compilation*, char*))

struct Nvrtc {
#define FUNCTION(name, result, arguments) result(*name) arguments = nullptr;
  GPU_NVRTC_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

}  // namespace gpu::cuda

#endif  // GCTS_PLUGINS_GPU_CUDA_API_H_
