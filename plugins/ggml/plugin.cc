// The table of the plugin, made of what the library that was found has.

#include "plugin_parts.h"

#include "checks/check.h"
#include "library.h"

namespace peer {
namespace {

const gcts_plugin* make_table() {
  static gcts_plugin plugin{};
  static std::vector<gcts_kernel> kernels;
  static gcts_reader reader = {sizeof(gcts_reader), GCTS_READS_PATH | GCTS_READS_TENSOR_BYTES, read_file};
  static gcts_writer writer = {sizeof(gcts_writer), 0, write_file};
  plugin.abi_version = GCTS_ABI_VERSION;
  plugin.struct_size = sizeof(plugin);
  plugin.name = "ggml";
  const Library& lib = library();
  plugin.version = lib.version.c_str();
  if (!lib.why_not.empty()) {
    plugin.unavailable = lib.why_not.c_str();
    return &plugin;
  }
  if (lib.base.gguf_init_from_buffer) reader.capabilities |= GCTS_READS_MEMORY;
  if (lib.base.gguf_get_tensor_ne) plugin.reader = &reader;  // nothing else tells dimensions
  if (lib.base.gguf_write_to_file_ptr) {
    writer.capabilities |= GCTS_WRITES_STRATEGIES;
    plugin.writer = &writer;
  }
  add_row_kernels(kernels);
  add_matmuls(kernels);
  plugin.kernels = kernels.data();
  plugin.kernel_count = kernels.size();
  plugin.kernel_size = sizeof(gcts_kernel);
  plugin.api_checks = check_table();
  plugin.api_check_count = check_count();
  plugin.api_check_size = sizeof(gcts_api_check);
  return &plugin;
}

}  // namespace
}  // namespace peer

extern "C" const gcts_plugin* gcts_plugin_entry(void) {
  static const gcts_plugin* table = peer::make_table();
  return table;
}
