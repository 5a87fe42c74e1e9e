// CUDA through the driver, opened at run time.
//
// Where the driver manages virtual memory, an allocation ends at unmapped addresses, and
// begins at them if its size is a multiple of the granularity: a kernel that goes there
// faults, and the device is lost.  Where it does not, guard zones of known bytes lie around
// it.  Kernels are machine code or PTX from the folder that GCTS_CUDA_KERNELS names, or are
// compiled by NVRTC.

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include "backend.h"
#include "cuda_api.h"
#include "library.h"
#include "nvrtc.h"

namespace gpu {
namespace {

using namespace cuda;

constexpr uint64_t kZone = 4096;
constexpr uint8_t kMark = 0x3c;

struct Allocation {
  uint64_t size = 0;
  Address start = 0;     // of the memory, zones or room in front included
  uint64_t bytes = 0;    // of it
  Address reserved = 0;  // virtual memory: addresses around it
  uint64_t reserved_bytes = 0;
  Handle handle = 0;
};

class Cuda final : public Backend {
 public:
  bool open() override;
  void* allocate(uint64_t size) override;
  void free(void* memory) override;
  bool upload(void* to, const void* from, uint64_t size) override {
    return succeeded("cuMemcpyHtoD", driver_.cuMemcpyHtoD_v2(reinterpret_cast<Address>(to), from, size));
  }
  bool download(void* to, const void* from, uint64_t size) override {
    return succeeded("cuMemcpyDtoH", driver_.cuMemcpyDtoH_v2(to, reinterpret_cast<Address>(from), size));
  }
  bool synchronize() override { return succeeded("the kernel", driver_.cuCtxSynchronize()); }
  double seconds() override;
  bool check_guards(std::string& damage) override;
  void limits(gcts_device_limits& out) override;
  bool launch(const Launch& launch) override;

 private:
  bool succeeded(const char* what, Result code);
  bool load();
  int attribute(int which) {
    int value = 0;
    driver_.cuDeviceGetAttribute(&value, which, device_);
    return value;
  }
  bool map(Allocation& allocation);
  void unmap(const Allocation& allocation);
  bool add_zones(Allocation& allocation, Address address);
  Function* function_of(const Program& program);
  std::string machine_code(const Program& program);

  Driver driver_;
  Compiler compiler_;
  bool has_compiler_ = false;
  Device device_ = 0;
  std::string architecture_;  // "sm_90"
  uint64_t granularity_ = 0;  // of virtual memory; 0: the driver manages none
  Event *begin_ = nullptr, *end_ = nullptr;
  bool timed_ = false;
  std::map<Address, Allocation> allocations_;  // by the address that the host knows
  std::map<const Program*, Function*> functions_;
};

bool Cuda::succeeded(const char* what, Result code) {
  if (code == 0) return true;
  const char* name = nullptr;
  if (driver_.cuGetErrorName) driver_.cuGetErrorName(code, &name);
  error = std::string(what) + " ends with " + (name ? name : std::to_string(code));
  return false;
}

bool Cuda::load() {
  const char* named = std::getenv("GCTS_CUDA_LIBRARY");
  void* library = open_library({named ? named : "libcuda.so.1"}, error);
  bool all = library != nullptr;
#define FUNCTION(name, result, arguments) all = all && find_function(library, #name, driver_.name);
  GPU_CUDA_FUNCTIONS(FUNCTION)
#undef FUNCTION
  if (library && !all) error = "the driver is older than CUDA 10.2";
  return all;
}

bool Cuda::open() {
  if (!load()) {
    error = "no CUDA driver: " + error;
    return false;
  }
  Context* context = nullptr;
  const char* ordinal = std::getenv("GCTS_CUDA_DEVICE");
  if (!succeeded("cuInit", driver_.cuInit(0)) ||
      !succeeded("cuDeviceGet", driver_.cuDeviceGet(&device_, ordinal ? std::atoi(ordinal) : 0)) ||
      !succeeded("cuDevicePrimaryCtxRetain", driver_.cuDevicePrimaryCtxRetain(&context, device_)) ||
      !succeeded("cuCtxSetCurrent", driver_.cuCtxSetCurrent(context)) ||
      !succeeded("cuEventCreate", driver_.cuEventCreate(&begin_, 0)) ||
      !succeeded("cuEventCreate", driver_.cuEventCreate(&end_, 0))) {
    error = "no CUDA device: " + error;
    return false;
  }
  architecture_ = "sm_" + std::to_string(10 * attribute(kMajor) + attribute(kMinor));
  has_compiler_ = compiler_.open();
  if (!has_compiler_ && !std::getenv("GCTS_CUDA_KERNELS")) {
    error = "no compiler for the CUDA device: " + compiler_.error;
    return false;
  }
  if (attribute(kVirtualMemory)) {
    const MemoryProperties properties{kPinned, 0, {kOnDevice, device_}, nullptr, {}};
    size_t granularity = 0;
    if (driver_.cuMemGetAllocationGranularity(&granularity, &properties, kMinimumGranularity) == 0) granularity_ = granularity;
  }
  return true;
}

// Memory with a granule of unmapped addresses at either side.
bool Cuda::map(Allocation& a) {
  const MemoryProperties properties{kPinned, 0, {kOnDevice, device_}, nullptr, {}};
  const Access access{{kOnDevice, device_}, kReadWrite};
  a.bytes = (a.size + granularity_ - 1) / granularity_ * granularity_;
  a.reserved_bytes = a.bytes + 2 * granularity_;
  if (!succeeded("cuMemAddressReserve", driver_.cuMemAddressReserve(&a.reserved, a.reserved_bytes, 0, 0, 0))) return false;
  a.start = a.reserved + granularity_;
  if (!succeeded("cuMemCreate", driver_.cuMemCreate(&a.handle, a.bytes, &properties, 0))) {
    driver_.cuMemAddressFree(a.reserved, a.reserved_bytes);
    return false;
  }
  if (succeeded("cuMemMap", driver_.cuMemMap(a.start, a.bytes, 0, a.handle, 0)) &&
      succeeded("cuMemSetAccess", driver_.cuMemSetAccess(a.start, a.bytes, &access, 1)))
    return true;
  unmap(a);
  return false;
}

void Cuda::unmap(const Allocation& a) {
  driver_.cuMemUnmap(a.start, a.bytes);
  driver_.cuMemRelease(a.handle);
  driver_.cuMemAddressFree(a.reserved, a.reserved_bytes);
}

// Marks the bytes in front of the allocation and, without virtual memory, behind it: a
// zone's worth, or as many as there are.
bool Cuda::add_zones(Allocation& a, Address address) {
  const std::vector<uint8_t> marks(kZone, kMark);
  const uint64_t front = std::min<uint64_t>(kZone, address - a.start), back = a.start + a.bytes - address - a.size;
  if (front > 0 && !succeeded("cuMemcpyHtoD", driver_.cuMemcpyHtoD_v2(address - front, marks.data(), front))) return false;
  return back == 0 || succeeded("cuMemcpyHtoD", driver_.cuMemcpyHtoD_v2(address + a.size, marks.data(), std::min(kZone, back)));
}

void* Cuda::allocate(uint64_t size) {
  Allocation a;
  a.size = size;
  Address address = 0;
  if (granularity_ != 0) {
    if (!map(a)) return nullptr;
    address = a.start + a.bytes - size;
  } else {
    a.bytes = size + 2 * kZone;
    if (!succeeded("cuMemAlloc", driver_.cuMemAlloc_v2(&a.start, a.bytes))) return nullptr;
    address = a.start + kZone;
  }
  const bool marked = add_zones(a, address);
  allocations_[address] = a;
  if (marked) return reinterpret_cast<void*>(address);
  free(reinterpret_cast<void*>(address));
  return nullptr;
}

void Cuda::free(void* memory) {
  const auto at = allocations_.find(reinterpret_cast<Address>(memory));
  if (at == allocations_.end()) return;
  if (at->second.handle) unmap(at->second);
  else driver_.cuMemFree_v2(at->second.start);
  allocations_.erase(at);
}

bool Cuda::check_guards(std::string& damage) {
  std::vector<uint8_t> zone(kZone);
  for (const auto& [address, a] : allocations_) {
    const uint64_t front = std::min<uint64_t>(kZone, address - a.start);
    const uint64_t back = std::min<uint64_t>(kZone, a.start + a.bytes - address - a.size);
    const std::pair<Address, uint64_t> zones[] = {{address - front, front}, {address + a.size, back}};
    for (const auto& [from, size] : zones) {
      if (size == 0) continue;
      if (!succeeded("cuMemcpyDtoH", driver_.cuMemcpyDtoH_v2(zone.data(), from, size))) continue;
      for (uint64_t i = 0; i < size; ++i) {
        if (zone[i] == kMark) continue;
        damage = "writes to the guard zone of an allocation of " + std::to_string(a.size) + " bytes";
        return false;
      }
    }
  }
  return true;
}

double Cuda::seconds() {
  float milliseconds = 0;
  if (!timed_ || driver_.cuEventElapsedTime(&milliseconds, begin_, end_) != 0) return -1;
  return static_cast<double>(milliseconds) * 1e-3;
}

void Cuda::limits(gcts_device_limits& out) {
  size_t memory = 0;
  int version = 0;
  driver_.cuDeviceGetName(out.name, sizeof(out.name) - 1, device_);
  driver_.cuDeviceTotalMem_v2(&memory, device_);
  driver_.cuDriverGetVersion(&version);
  const std::string driver = "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10) +
                             (has_compiler_ ? ", NVRTC " + compiler_.version() : "");
  std::strncpy(out.driver, driver.c_str(), sizeof(out.driver) - 1);
  out.memory = out.largest_allocation = memory;
  out.compute_units = static_cast<uint32_t>(attribute(kProcessors));
  out.unmapped_guards = granularity_ != 0;
}

std::string Cuda::machine_code(const Program& program) {
  if (const char* folder = std::getenv("GCTS_CUDA_KERNELS")) {
    // PTX is for GPUs that are newer than the folder.
    for (const std::string& kind : {architecture_ + ".cubin", std::string("ptx")}) {
      std::ifstream file(std::string(folder) + "/" + program.kernel + "." + kind, std::ios::binary);
      std::ostringstream bytes;
      if (file) bytes << file.rdbuf();
      if (!bytes.str().empty()) return bytes.str();
    }
  }
  if (!has_compiler_) {
    error = std::string(program.kernel) + ": no machine code for " + architecture_ + ", and " + compiler_.error;
    return "";
  }
  std::string source = source_of(program);
  change_source(program, source);
  std::string code = compiler_.compile(source, program.kernel, architecture_);
  if (code.empty()) error = compiler_.error;
  return code;
}

Function* Cuda::function_of(const Program& program) {
  if (const auto known = functions_.find(&program); known != functions_.end()) return known->second;
  const std::string code = machine_code(program);
  Module* module = nullptr;
  Function* function = nullptr;
  if (code.empty() || !succeeded("cuModuleLoadData", driver_.cuModuleLoadData(&module, code.data())) ||
      !succeeded("cuModuleGetFunction", driver_.cuModuleGetFunction(&function, module, program.kernel)))
    return nullptr;
  return functions_[&program] = function;
}

bool Cuda::launch(const Launch& launch) {
  Function* const function = function_of(launch.program);
  if (!function) return false;
  if (launch.groups[0] > INT32_MAX) {
    error = "more work groups than a launch can have";
    return false;
  }
  std::vector<uint64_t> values;
  for (const Argument& argument : launch.arguments) {
    if (argument.address) values.push_back(reinterpret_cast<uint64_t>(argument.address));
    values.push_back(argument.number);  // the offset of an address is 0
  }
  std::vector<void*> pointers;
  for (uint64_t& value : values) pointers.push_back(&value);
  timed_ = false;
  if (!succeeded("cuEventRecord", driver_.cuEventRecord(begin_, nullptr)) ||
      !succeeded("cuLaunchKernel",
                 driver_.cuLaunchKernel(function, static_cast<unsigned>(launch.groups[0]), static_cast<unsigned>(launch.groups[1]), 1,
                                        kItems, 1, 1, 0, nullptr, pointers.data(), nullptr)) ||
      !succeeded("cuEventRecord", driver_.cuEventRecord(end_, nullptr)))
    return false;
  return timed_ = true;
}

}  // namespace

const char* const kVariant = "cuda";
const char* const kInterface = "CUDA";
const bool kHasDot4 = true;

Backend& backend() {
  static Cuda& one = *new Cuda;
  return one;
}

}  // namespace gpu
