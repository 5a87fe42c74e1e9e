// A CUDA driver for tests: device memory is host memory, and the one kernel that it runs
// is dequantize_f32, a copy.  What the CUDA plugin does with memory, guards and errors shows
// on machines without a GPU; nothing shows about kernels.
//
// GCTS_FAKE_CUDA: reads_past, writes_past, loses_device, zones (no virtual memory
// management), zones_writes_past.

#define _GNU_SOURCE  // MAP_ANONYMOUS
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define EXPORT __attribute__((visibility("default")))

enum { kSuccess = 0, kInvalid = 1, kNotFound = 500, kIllegalAddress = 700 };
enum { kGranule = 65536 };
typedef unsigned long long Address;

static int is_lost = 0;

static int mode_is(const char* name) {
  const char* mode = getenv("GCTS_FAKE_CUDA");
  return mode && strcmp(mode, name) == 0;
}

EXPORT int cuInit(unsigned flags) { return flags == 0 ? kSuccess : kInvalid; }
EXPORT int cuDriverGetVersion(int* version) { return *version = 12040, kSuccess; }
EXPORT int cuGetErrorName(int error, const char** name) {
  *name = error == kIllegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_OTHER";
  return kSuccess;
}
EXPORT int cuDeviceGet(int* device, int ordinal) { return *device = ordinal, kSuccess; }
EXPORT int cuDeviceGetName(char* name, int size, int device) {
  (void)device;
  strncpy(name, "none: host memory", (size_t)size);
  return kSuccess;
}
EXPORT int cuDeviceGetAttribute(int* value, int attribute, int device) {
  (void)device;
  const int zones = mode_is("zones") || mode_is("zones_writes_past");
  *value = attribute == 75 ? 9 : attribute == 76 ? 0 : attribute == 102 ? !zones : 1;
  return kSuccess;
}
EXPORT int cuDeviceTotalMem_v2(size_t* bytes, int device) { return (void)device, *bytes = (size_t)1 << 32, kSuccess; }
EXPORT int cuDevicePrimaryCtxRetain(void** context, int device) { return (void)device, *context = &is_lost, kSuccess; }
EXPORT int cuCtxSetCurrent(void* context) { return context ? kSuccess : kInvalid; }
EXPORT int cuCtxSynchronize(void) { return is_lost ? kIllegalAddress : kSuccess; }

EXPORT int cuMemAlloc_v2(Address* at, size_t size) {
  void* memory = aligned_alloc(256, (size + 255) / 256 * 256);
  *at = (uintptr_t)memory;
  return memory ? kSuccess : kInvalid;
}
EXPORT int cuMemFree_v2(Address at) { return free((void*)(uintptr_t)at), kSuccess; }
EXPORT int cuMemcpyHtoD_v2(Address to, const void* from, size_t size) {
  return memcpy((void*)(uintptr_t)to, from, size), kSuccess;
}
EXPORT int cuMemcpyDtoH_v2(void* to, Address from, size_t size) {
  return memcpy(to, (const void*)(uintptr_t)from, size), kSuccess;
}

EXPORT int cuMemGetAllocationGranularity(size_t* granularity, const void* properties, int option) {
  return (void)properties, (void)option, *granularity = kGranule, kSuccess;
}
EXPORT int cuMemAddressReserve(Address* at, size_t size, size_t alignment, Address wish, unsigned long long flags) {
  if (size % kGranule != 0 || alignment != 0 || wish != 0 || flags != 0) return kInvalid;
  void* memory = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *at = (uintptr_t)memory;
  return memory == MAP_FAILED ? kInvalid : kSuccess;
}
EXPORT int cuMemAddressFree(Address at, size_t size) { return munmap((void*)(uintptr_t)at, size) == 0 ? kSuccess : kInvalid; }
// A handle is its size: memory comes with the mapping.
EXPORT int cuMemCreate(unsigned long long* handle, size_t size, const void* properties, unsigned long long flags) {
  return (void)properties, *handle = size, size % kGranule == 0 && flags == 0 ? kSuccess : kInvalid;
}
EXPORT int cuMemRelease(unsigned long long handle) { return handle ? kSuccess : kInvalid; }
EXPORT int cuMemMap(Address at, size_t size, size_t offset, unsigned long long handle, unsigned long long flags) {
  return at % 4096 == 0 && size == handle && offset == 0 && flags == 0 ? kSuccess : kInvalid;
}
EXPORT int cuMemSetAccess(Address at, size_t size, const int* access, size_t count) {
  if (count != 1 || access[0] != 1 || access[2] != 3) return kInvalid;
  return mprotect((void*)(uintptr_t)at, size, PROT_READ | PROT_WRITE) == 0 ? kSuccess : kInvalid;
}
EXPORT int cuMemUnmap(Address at, size_t size) {
  return mprotect((void*)(uintptr_t)at, size, PROT_NONE) == 0 ? kSuccess : kInvalid;
}

EXPORT int cuModuleLoadData(void** module, const void* image) { return *module = &is_lost, image ? kSuccess : kInvalid; }
EXPORT int cuModuleGetFunction(void** function, void* module, const char* name) {
  *function = module;
  return strcmp(name, "dequantize_f32") == 0 ? kSuccess : kNotFound;
}
EXPORT int cuLaunchKernel(void* function, unsigned x, unsigned y, unsigned z, unsigned block_x, unsigned block_y, unsigned block_z,
                          unsigned shared, void* stream, void** arguments, void** extra) {
  if (!function || y != 1 || z != 1 || block_x != 64 || block_y != 1 || block_z != 1 || shared != 0 || stream || extra)
    return kInvalid;
  const float* from = *(const float**)arguments[0];
  float* to = *(float**)arguments[2];
  const uint64_t count = *(uint64_t*)arguments[4], offsets = *(uint64_t*)arguments[1] + *(uint64_t*)arguments[3];
  if (offsets != 0 || x != (count + 63) / 64) return kInvalid;
  for (uint64_t i = 0; i < count; ++i) memcpy(to + i, from + i, sizeof(float));  // NaNs keep their bits
  volatile float past = 0;
  if (mode_is("reads_past")) past = from[count];
  if (mode_is("writes_past") || mode_is("zones_writes_past")) to[count] = past;
  is_lost = mode_is("loses_device");
  return kSuccess;
}

EXPORT int cuEventCreate(void** event, unsigned flags) { return *event = &is_lost, flags == 0 ? kSuccess : kInvalid; }
EXPORT int cuEventRecord(void* event, void* stream) { return event && !stream ? kSuccess : kInvalid; }
EXPORT int cuEventElapsedTime(float* milliseconds, void* begin, void* end) {
  *milliseconds = 0.5f;
  return begin && end ? kSuccess : kInvalid;
}
