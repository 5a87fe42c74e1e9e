// The part of the OpenCL 1.2 host interface that the plugin uses, after the Khronos
// specification, so that no vendor's kit is needed to build it.

#ifndef GCTS_PLUGINS_GPU_OPENCL_API_H_
#define GCTS_PLUGINS_GPU_OPENCL_API_H_

#include <cstddef>
#include <cstdint>

namespace gpu::cl {

using Int = int32_t;
using Uint = uint32_t;
using Bits = uint64_t;
struct Platform;
struct Device;
struct Context;
struct Queue;
struct Memory;
struct Program;
struct Kernel;
struct Event;

inline constexpr Int kSuccess = 0;
inline constexpr Bits kTypeCpu = 1u << 1, kTypeGpu = 1u << 2, kTypeAll = 0xffffffffu;
inline constexpr Uint kPlatformName = 0x0902;
inline constexpr Uint kDeviceType = 0x1000, kDeviceComputeUnits = 0x1002, kDeviceLargestAllocation = 0x1010,
                      kDeviceMemory = 0x101f, kDeviceAvailable = 0x1027, kDeviceCompiler = 0x1028, kDeviceName = 0x102b,
                      kDriverVersion = 0x102d;
inline constexpr Bits kQueueProfiling = 1u << 1;
inline constexpr Bits kMemoryReadWrite = 1u << 0, kMemoryUseHostPointer = 1u << 3;
inline constexpr Uint kBuildLog = 0x1183;
inline constexpr Uint kProfilingStart = 0x1282, kProfilingEnd = 0x1283;

// FUNCTION(name, result, arguments)
#define GPU_OPENCL_FUNCTIONS(FUNCTION)                                                                                          \
  FUNCTION(clGetPlatformIDs, Int, (Uint, Platform**, Uint*))                                                                    \
  FUNCTION(clGetPlatformInfo, Int, (Platform*, Uint, size_t, void*, size_t*))                                                   \
  FUNCTION(clGetDeviceIDs, Int, (Platform*, Bits, Uint, Device**, Uint*))                                                       \
  FUNCTION(clGetDeviceInfo, Int, (Device*, Uint, size_t, void*, size_t*))                                                       \
  FUNCTION(clCreateContext, Context*, (const intptr_t*, Uint, Device* const*, void*, void*, Int*))                              \
  FUNCTION(clCreateCommandQueue, Queue*, (Context*, Device*, Bits, Int*))                                                       \
  FUNCTION(clCreateBuffer, Memory*, (Context*, Bits, size_t, void*, Int*))                                                      \
  FUNCTION(clReleaseMemObject, Int, (Memory*))                                                                                  \
  FUNCTION(clEnqueueReadBuffer, Int, (Queue*, Memory*, Uint, size_t, size_t, void*, Uint, Event* const*, Event**))              \
  FUNCTION(clEnqueueWriteBuffer, Int, (Queue*, Memory*, Uint, size_t, size_t, const void*, Uint, Event* const*, Event**))       \
  FUNCTION(clCreateProgramWithSource, Program*, (Context*, Uint, const char**, const size_t*, Int*))                            \
  FUNCTION(clBuildProgram, Int, (Program*, Uint, Device* const*, const char*, void*, void*))                                    \
  FUNCTION(clGetProgramBuildInfo, Int, (Program*, Device*, Uint, size_t, void*, size_t*))                                       \
  FUNCTION(clCreateKernel, Kernel*, (Program*, const char*, Int*))                                                              \
  FUNCTION(clSetKernelArg, Int, (Kernel*, Uint, size_t, const void*))                                                           \
  FUNCTION(clEnqueueNDRangeKernel, Int, (Queue*, Kernel*, Uint, const size_t*, const size_t*, const size_t*, Uint, Event* const*, Event**)) \
  FUNCTION(clFinish, Int, (Queue*))                                                                                             \
  FUNCTION(clGetEventProfilingInfo, Int, (Event*, Uint, size_t, void*, size_t*))                                                \
  FUNCTION(clReleaseEvent, Int, (Event*))

struct Api {
#define FUNCTION(name, result, arguments) result(*name) arguments = nullptr;
  GPU_OPENCL_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

}  // namespace gpu::cl

#endif  // GCTS_PLUGINS_GPU_OPENCL_API_H_
