// The plugin's tables: the kernels, and the device that their operands live on.

#include "gcts/plugin.h"

#include <cstdio>
#include <cstring>

#include "backend.h"
#include "kernels.h"

namespace gpu {
namespace {

gcts_status told(bool done) { return done ? GCTS_OK : GCTS_FAILED; }

gcts_status open_device(void*, char* why_not, size_t why_not_size) {
  if (backend().open()) return GCTS_OK;
  std::snprintf(why_not, why_not_size, "%s", backend().error.c_str());
  return GCTS_FAILED;
}
void* allocate(void*, uint64_t size) { return backend().allocate(size); }
void free_memory(void*, void* memory) { backend().free(memory); }
gcts_status upload(void*, void* to, const void* from, uint64_t size) { return told(backend().upload(to, from, size)); }
gcts_status download(void*, void* to, const void* from, uint64_t size) { return told(backend().download(to, from, size)); }
gcts_status synchronize(void*) { return told(backend().synchronize()); }
double seconds(void*) { return backend().seconds(); }
gcts_status check_guards(void*, char* damage, size_t damage_size) {
  std::string what;
  if (backend().check_guards(what)) return GCTS_OK;
  std::snprintf(damage, damage_size, "%s", what.c_str());
  return GCTS_FAILED;
}
gcts_status limits(void*, gcts_device_limits* out) {
  *out = {};
  backend().limits(*out);
  return GCTS_OK;
}
const char* last_error(void*) { return backend().error.c_str(); }

gcts_plugin make_table(const std::string& name) {
  static const gcts_device device = {sizeof(gcts_device), 0, kInterface, open_device, allocate, free_memory, upload, download,
                                     synchronize, seconds, check_guards, nullptr, limits, last_error, ceilings().data(), ceilings().size(),
                                     sizeof(gcts_device_ceiling), 0};
  gcts_plugin table{};
  table.abi_version = GCTS_ABI_VERSION;
  table.struct_size = sizeof(gcts_plugin);
  table.name = name.c_str();
  table.version = "0.1";
  table.kernels = kernels().data();
  table.kernel_count = kernels().size();
  table.kernel_size = sizeof(gcts_kernel);
  table.device = &device;
  return table;
}

const gcts_plugin& plugin() {
  static const std::string name = std::string("gpu_") + kVariant;
  static const gcts_plugin table = make_table(name);
  return table;
}

}  // namespace
}  // namespace gpu

extern "C" const gcts_plugin* gcts_plugin_entry(void) { return &gpu::plugin(); }
