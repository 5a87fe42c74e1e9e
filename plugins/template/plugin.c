// The table of the template: one reader, one kernel.  Copy this folder to start a
// plugin of your own, and replace what the tables name.

#include <gcts/plugin.h>

#include "kernels.h"
#include "reader.h"

static const gcts_reader reader = {
    .struct_size = sizeof(gcts_reader),
    .capabilities = GCTS_READS_MEMORY | GCTS_READS_TENSOR_BYTES,
    .read = template_read,
};

static const gcts_kernel kernels[] = {
    {
        .op = GCTS_OP_DEQUANTIZE,
        .tensor_type = 8,  // Q8_0
        .flags = GCTS_KERNEL_THREAD_SAFE,
        .variant = "generic",
        .features = "",
        .run = (gcts_fn)template_dequantize_q8_0,
    },
};

static const gcts_plugin plugin = {
    .abi_version = GCTS_ABI_VERSION,
    .struct_size = sizeof(gcts_plugin),
    .name = "template",
    .version = "1.0",
    .reader = &reader,
    .kernels = kernels,
    .kernel_count = sizeof kernels / sizeof *kernels,
    .kernel_size = sizeof *kernels,
};

const gcts_plugin* gcts_plugin_entry(void) { return &plugin; }
