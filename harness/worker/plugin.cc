// Opens a plugin and checks its tables.

#include <dlfcn.h>

#include <algorithm>
#include <cstring>

#include "harness/worker/session.h"

namespace gcts::worker {
namespace {

// Copies what the plugin knows of a struct; the rest is zero.
template <typename T>
T widened(const T* from, uint64_t known_size) {
  T whole{};
  std::memcpy(&whole, from, std::min<uint64_t>(known_size, sizeof(T)));
  return whole;
}

}  // namespace

gcts_kernel Plugin::kernel(uint64_t index) const {
  const auto* rows = reinterpret_cast<const char*>(table.kernels);
  return widened(reinterpret_cast<const gcts_kernel*>(rows + index * table.kernel_size), table.kernel_size);
}

gcts_api_check Plugin::api_check(uint64_t index) const {
  const auto* rows = reinterpret_cast<const char*>(table.api_checks);
  return widened(reinterpret_cast<const gcts_api_check*>(rows + index * table.api_check_size), table.api_check_size);
}

gcts_device_ceiling Plugin::device_ceiling(uint64_t index) const {
  const auto* rows = reinterpret_cast<const char*>(device.ceilings);
  return widened(reinterpret_cast<const gcts_device_ceiling*>(rows + index * device.ceiling_size), device.ceiling_size);
}

void Plugin::open_device() {
  bool wanted = false;
  for (uint64_t i = 0; i < table.kernel_count; ++i) wanted |= (kernel(i).flags & GCTS_KERNEL_ON_DEVICE) != 0;
  if (!wanted) return;
  const gcts_device& d = device;
  if (!d.open || !d.allocate || !d.free || !d.upload || !d.download || !d.synchronize) {
    no_device = "the plugin has kernels for a device but no complete table of one";
    return;
  }
  char why[512] = "";
  if (d.open(d.context, why, sizeof(why)) == GCTS_OK) return;
  no_device = why[0] ? why : "the device cannot be opened";
}

Plugin open_plugin(const char* path) {
  Plugin plugin;
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    plugin.error = dlerror();
    return plugin;
  }
  void* symbol = dlsym(library, "gcts_plugin_entry");
  if (!symbol) {
    plugin.error = std::string(path) + " exports no gcts_plugin_entry: it is no plugin";
    return plugin;
  }
  return take_plugin(reinterpret_cast<gcts_plugin_entry_fn>(symbol)());
}

Plugin take_plugin(const gcts_plugin* table) {
  Plugin plugin;
  if (!table) {
    plugin.error = "gcts_plugin_entry returned null";
    return plugin;
  }
  if (table->abi_version != GCTS_ABI_VERSION) {
    plugin.error = "the plugin speaks ABI version " + std::to_string(table->abi_version) +
                   ", this program version " + std::to_string(GCTS_ABI_VERSION);
    return plugin;
  }
  if (table->struct_size < offsetof(gcts_plugin, reader)) {
    plugin.error = "the plugin's table has a struct_size of " + std::to_string(table->struct_size) +
                   " bytes, too small to hold its name";
    return plugin;
  }
  plugin.table = widened(table, table->struct_size);
  if (plugin.table.reader) plugin.reader = widened(plugin.table.reader, plugin.table.reader->struct_size);
  if (plugin.table.writer) plugin.writer = widened(plugin.table.writer, plugin.table.writer->struct_size);
  if (plugin.table.device) plugin.device = widened(plugin.table.device, plugin.table.device->struct_size);
  if (plugin.table.kernel_count > 0 && (!plugin.table.kernels || plugin.table.kernel_size == 0)) {
    plugin.error = "the plugin has kernels but no kernel table or no kernel_size";
  }
  if (plugin.table.api_check_count > 0 && (!plugin.table.api_checks || plugin.table.api_check_size == 0)) {
    plugin.error = "the plugin has checks but no table of them or no api_check_size";
  }
  if (plugin.device.ceiling_count > 0 && (!plugin.device.ceilings || plugin.device.ceiling_size == 0)) {
    plugin.error = "the device has ceilings but no table of them or no ceiling_size";
  }
  if (!plugin.table.name || !*plugin.table.name) plugin.error = "the plugin has no name";
  if (plugin.error.empty()) plugin.open_device();
  return plugin;
}

}  // namespace gcts::worker
