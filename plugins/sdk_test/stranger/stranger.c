// The smallest plugin: a table with nothing in it, built from the installed SDK alone.

#include <gcts/plugin.h>

static const gcts_plugin plugin = {
    .abi_version = GCTS_ABI_VERSION,
    .struct_size = sizeof(gcts_plugin),
    .name = "stranger",
    .version = "1.0",
};

const gcts_plugin* gcts_plugin_entry(void) { return &plugin; }
