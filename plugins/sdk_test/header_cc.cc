// The ABI header compiles alone as C++11 and means the same as in C.

#include <gcts/plugin.h>

static_assert(sizeof(void*) != 8 || sizeof(gcts_plugin) == 104, "gcts_plugin differs from C");
static_assert(GCTS_FLOAT64 == 12, "value type ids are those of the file");

gcts_plugin_entry_fn gcts_header_test_entry_cc() { return gcts_plugin_entry; }
