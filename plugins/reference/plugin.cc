// The table of the reference: what every other implementation is compared with has
// to pass the suite itself.

#include "gcts/plugin.h"
#include "plugins/reference/kernels.h"
#include "plugins/reference/reader.h"
#include "plugins/reference/writer.h"

namespace {

const gcts_reader kReader = {
    sizeof(gcts_reader),
    GCTS_READS_PATH | GCTS_READS_MEMORY | GCTS_READS_SHARDS | GCTS_READS_TENSOR_BYTES,
    gcts::reference_read,
};

const gcts_writer kWriter = {
    sizeof(gcts_writer),
    GCTS_WRITES_BIG_ENDIAN | GCTS_WRITES_STRATEGIES | GCTS_WRITES_OLD_VERSIONS,
    gcts::reference_write,
};

}  // namespace

const gcts_plugin* gcts_plugin_entry(void) {
  static const gcts_plugin plugin = {
      .abi_version = GCTS_ABI_VERSION,
      .struct_size = sizeof(gcts_plugin),
      .name = "reference",
      .version = GCTS_VERSION,
      .reader = &kReader,
      .writer = &kWriter,
      .kernels = gcts::reference_kernels().data(),
      .kernel_count = gcts::reference_kernels().size(),
      .kernel_size = sizeof(gcts_kernel),
      .reserved = 0,
      .device = nullptr,
      .unavailable = nullptr,
      .api_checks = nullptr,
      .api_check_count = 0,
      .api_check_size = 0,
      .reserved_2 = 0,
  };
  return &plugin;
}
