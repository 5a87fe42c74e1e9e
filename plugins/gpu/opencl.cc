// OpenCL 1.2 through the loader of the system, opened at run time.
//
// On a CPU the device works on host memory: each allocation ends at an unmapped page.
// Elsewhere a buffer has a guard zone of known bytes at either end, and the address that
// stands for it is one that the host cannot read.  GCTS_OPENCL_LIBRARY names another
// library than the loader, GCTS_OPENCL_DEVICE the device by a part of its name.

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <vector>

#include "backend.h"
#include "guarded_memory.h"
#include "library.h"
#include "opencl_api.h"

namespace gpu {
namespace {

using namespace cl;

constexpr uint64_t kZone = 4096;  // as long as what a work group of any kernel reads at once
constexpr const char* kOptions = "-cl-std=CL1.2";

struct Allocation {
  std::unique_ptr<GuardedMemory> host;
  uint64_t size = 0;
  uint64_t zone = 0;  // at either end of the buffer
  Memory* buffer = nullptr;
};

class OpenCl final : public Backend {
 public:
  bool open() override;
  void* allocate(uint64_t size) override;
  void free(void* memory) override;
  bool upload(void* to, const void* from, uint64_t size) override;
  bool download(void* to, const void* from, uint64_t size) override;
  bool synchronize() override { return succeeded("clFinish", api_.clFinish(queue_)); }
  double seconds() override;
  bool check_guards(std::string& damage) override;
  void limits(gcts_device_limits& out) override;
  bool launch(const Launch& launch) override;

 private:
  bool succeeded(const char* what, Int code) {
    if (code == kSuccess) return true;
    error = std::string(what) + " ends with " + std::to_string(code);
    return false;
  }
  bool load();
  Device* find_device();
  std::string text(Device* device, Uint what);
  template <typename T>
  T number(Uint what) {
    T value{};
    api_.clGetDeviceInfo(device_, what, sizeof(value), &value, nullptr);
    return value;
  }
  // The allocation that holds the address, and the offset in its buffer; null: none does.
  const Allocation* find(const void* address, uint64_t& offset) const;
  bool zones_intact(const Allocation& allocation);
  Kernel* kernel_of(const gpu::Program& program);
  bool simulator_is_content(std::string& damage);

  Api api_;
  Device* device_ = nullptr;
  Context* context_ = nullptr;
  Queue* queue_ = nullptr;
  bool on_host_ = false;
  Event* last_ = nullptr;
  std::map<uintptr_t, Allocation> allocations_;  // by address
  std::map<const gpu::Program*, Kernel*> kernels_;
  std::string simulator_log_;
  std::streamoff log_read_ = 0;
};

bool OpenCl::load() {
  const char* named = std::getenv("GCTS_OPENCL_LIBRARY");
  void* library = open_library(named ? std::vector<std::string>{named} : std::vector<std::string>{"libOpenCL.so.1", "libOpenCL.so"}, error);
  bool all = library != nullptr;
#define FUNCTION(name, result, arguments) all = all && find_function(library, #name, api_.name);
  GPU_OPENCL_FUNCTIONS(FUNCTION)
#undef FUNCTION
  if (library && !all) error = "the library lacks a function of OpenCL 1.2";
  return all;
}

std::string OpenCl::text(Device* device, Uint what) {
  char buffer[512] = "";
  api_.clGetDeviceInfo(device, what, sizeof(buffer) - 1, buffer, nullptr);
  return buffer;
}

// A GPU before anything else.
Device* OpenCl::find_device() {
  const char* wanted = std::getenv("GCTS_OPENCL_DEVICE");
  Platform* platforms[16];
  Uint platform_count = 0;
  if (api_.clGetPlatformIDs(16, platforms, &platform_count) != kSuccess || platform_count == 0) {
    error = "no platform is installed";
    return nullptr;
  }
  Device* best = nullptr;
  bool best_is_gpu = false;
  for (Uint p = 0; p < std::min<Uint>(platform_count, 16); ++p) {
    Device* devices[16];
    Uint count = 0;
    if (api_.clGetDeviceIDs(platforms[p], kTypeAll, 16, devices, &count) != kSuccess) continue;
    for (Uint d = 0; d < std::min<Uint>(count, 16); ++d) {
      device_ = devices[d];
      if (wanted && text(device_, kDeviceName).find(wanted) == std::string::npos) continue;
      if (!number<Uint>(kDeviceAvailable) || !number<Uint>(kDeviceCompiler)) continue;
      const bool is_gpu = (number<Bits>(kDeviceType) & kTypeGpu) != 0;
      if (best && (best_is_gpu || !is_gpu)) continue;
      best = device_;
      best_is_gpu = is_gpu;
      char name[128] = "";
      api_.clGetPlatformInfo(platforms[p], kPlatformName, sizeof(name) - 1, name, nullptr);
      const char* log = std::getenv("OCLGRIND_LOG");
      simulator_log_ = std::strcmp(name, "Oclgrind") == 0 && log ? log : "";
    }
  }
  if (!best) error = wanted ? std::string("none is named ") + wanted : "no platform has a device with a compiler";
  return best;
}

bool OpenCl::open() {
  if (!load() || !(device_ = find_device())) {
    error = "no OpenCL device: " + error;
    return false;
  }
  on_host_ = (number<Bits>(kDeviceType) & kTypeCpu) != 0;
  Int code = kSuccess;
  context_ = api_.clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &code);
  if (code == kSuccess) queue_ = api_.clCreateCommandQueue(context_, device_, kQueueProfiling, &code);
  if (succeeded("creating a context and a queue", code)) return true;
  error = "no OpenCL device: " + error;
  return false;
}

void* OpenCl::allocate(uint64_t size) {
  Allocation allocation;
  allocation.size = size;
  allocation.zone = on_host_ ? 0 : kZone;
  allocation.host = std::make_unique<GuardedMemory>(size, on_host_);
  uint8_t* const address = allocation.host->data();
  if (!address) return nullptr;
  Int code = kSuccess;
  allocation.buffer = api_.clCreateBuffer(context_, kMemoryReadWrite | (on_host_ ? kMemoryUseHostPointer : 0),
                                          size + 2 * allocation.zone, on_host_ ? address : nullptr, &code);
  if (!succeeded("clCreateBuffer", code)) return nullptr;
  if (allocation.zone > 0) {
    const std::vector<uint8_t> marks(kZone, GuardedMemory::kMark);
    for (const uint64_t at : {uint64_t{0}, kZone + size})
      if (!succeeded("clEnqueueWriteBuffer",
                     api_.clEnqueueWriteBuffer(queue_, allocation.buffer, 1, at, kZone, marks.data(), 0, nullptr, nullptr)))
        return nullptr;
  }
  allocations_.emplace(reinterpret_cast<uintptr_t>(address), std::move(allocation));
  return address;
}

void OpenCl::free(void* memory) {
  const auto at = allocations_.find(reinterpret_cast<uintptr_t>(memory));
  if (at == allocations_.end()) return;
  api_.clReleaseMemObject(at->second.buffer);
  allocations_.erase(at);
}

const Allocation* OpenCl::find(const void* address, uint64_t& offset) const {
  const auto number = reinterpret_cast<uintptr_t>(address);
  auto at = allocations_.upper_bound(number);
  if (at == allocations_.begin() || number - (--at)->first >= at->second.size) return nullptr;
  offset = number - at->first + at->second.zone;
  return &at->second;
}

bool OpenCl::upload(void* to, const void* from, uint64_t size) {
  uint64_t offset = 0;
  const Allocation* allocation = find(to, offset);
  if (!allocation) return succeeded("upload to no allocation", -1);
  return succeeded("clEnqueueWriteBuffer",
                   api_.clEnqueueWriteBuffer(queue_, allocation->buffer, 1, offset, size, from, 0, nullptr, nullptr));
}

bool OpenCl::download(void* to, const void* from, uint64_t size) {
  uint64_t offset = 0;
  const Allocation* allocation = find(from, offset);
  if (!allocation) return succeeded("download from no allocation", -1);
  return succeeded("clEnqueueReadBuffer",
                   api_.clEnqueueReadBuffer(queue_, allocation->buffer, 1, offset, size, to, 0, nullptr, nullptr));
}

double OpenCl::seconds() {
  uint64_t start = 0, end = 0;
  if (!last_ || api_.clGetEventProfilingInfo(last_, kProfilingStart, 8, &start, nullptr) != kSuccess ||
      api_.clGetEventProfilingInfo(last_, kProfilingEnd, 8, &end, nullptr) != kSuccess)
    return -1;
  return static_cast<double>(end - start) * 1e-9;
}

bool OpenCl::zones_intact(const Allocation& allocation) {
  if (allocation.zone == 0) return allocation.host->intact();
  std::vector<uint8_t> zone(kZone);
  for (const uint64_t at : {uint64_t{0}, kZone + allocation.size}) {
    api_.clEnqueueReadBuffer(queue_, allocation.buffer, 1, at, kZone, zone.data(), 0, nullptr, nullptr);
    for (const uint8_t byte : zone)
      if (byte != GuardedMemory::kMark) return false;
  }
  return true;
}

bool OpenCl::check_guards(std::string& damage) {
  for (const auto& [address, allocation] : allocations_) {
    if (zones_intact(allocation)) continue;
    damage = "writes to the guard zone of an allocation of " + std::to_string(allocation.size) + " bytes";
    return false;
  }
  return simulator_log_.empty() || simulator_is_content(damage);
}

// Oclgrind runs on after what it finds, and writes it to a log: whatever is new there is
// damage.
bool OpenCl::simulator_is_content(std::string& damage) {
  std::ifstream log(simulator_log_);
  log.seekg(0, std::ios::end);
  const std::streamoff end = log.tellg();
  if (end <= log_read_) return true;
  log.seekg(log_read_);
  log_read_ = end;
  for (std::string line; std::getline(log, line);)
    if (const size_t word = line.find_first_not_of(" \t"); word != std::string::npos)
      damage += (damage.empty() ? "oclgrind: " : "; ") + line.substr(word);
  return damage.empty();
}

void OpenCl::limits(gcts_device_limits& out) {
  std::strncpy(out.name, text(device_, kDeviceName).c_str(), sizeof(out.name) - 1);
  std::strncpy(out.driver, text(device_, kDriverVersion).c_str(), sizeof(out.driver) - 1);
  out.memory = number<uint64_t>(kDeviceMemory);
  out.largest_allocation = number<uint64_t>(kDeviceLargestAllocation);
  out.compute_units = number<Uint>(kDeviceComputeUnits);
  out.unmapped_guards = on_host_;
}

Kernel* OpenCl::kernel_of(const gpu::Program& program) {
  if (const auto known = kernels_.find(&program); known != kernels_.end()) return known->second;
  std::string source = source_of(program);
  change_source(program, source);
  const char* parts[] = {source.c_str()};
  const size_t sizes[] = {source.size()};
  Int code = kSuccess;
  cl::Program* const built = api_.clCreateProgramWithSource(context_, 1, parts, sizes, &code);
  if (!succeeded("clCreateProgramWithSource", code)) return nullptr;
  code = api_.clBuildProgram(built, 1, &device_, kOptions, nullptr, nullptr);
  if (code != kSuccess) {
    std::string log(4096, '\0');
    api_.clGetProgramBuildInfo(built, device_, kBuildLog, log.size() - 1, log.data(), nullptr);
    error = std::string(program.kernel) + " does not compile: " + log.c_str();
    return nullptr;
  }
  Kernel* const kernel = api_.clCreateKernel(built, program.kernel, &code);
  if (!succeeded("clCreateKernel", code)) return nullptr;
  return kernels_[&program] = kernel;
}

bool OpenCl::launch(const Launch& launch) {
  Kernel* const kernel = kernel_of(launch.program);
  if (!kernel) return false;
  Uint index = 0;
  for (const Argument& argument : launch.arguments) {
    uint64_t value = argument.number;
    if (argument.address) {
      const Allocation* allocation = find(argument.address, value);
      if (!allocation) {
        error = "an operand is not in memory of the device";
        return false;
      }
      if (!succeeded("clSetKernelArg", api_.clSetKernelArg(kernel, index++, sizeof(Memory*), &allocation->buffer))) return false;
    }
    if (!succeeded("clSetKernelArg", api_.clSetKernelArg(kernel, index++, sizeof(value), &value))) return false;
  }
  if (last_) api_.clReleaseEvent(last_);
  last_ = nullptr;
  const size_t local[] = {kItems, 1}, global[] = {launch.groups[0] * kItems, launch.groups[1]};
  return succeeded("clEnqueueNDRangeKernel",
                   api_.clEnqueueNDRangeKernel(queue_, kernel, 2, nullptr, global, local, 0, nullptr, &last_));
}

}  // namespace

const char* const kVariant = "opencl";
const char* const kInterface = "OpenCL";
const bool kHasDot4 = false;

Backend& backend() {
  // Never destroyed: worker threads of an implementation may outlive main.
  static OpenCl& one = *new OpenCl;
  return one;
}

}  // namespace gpu
