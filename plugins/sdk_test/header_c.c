// The ABI header compiles alone as C11, and its tables have the layout that plugins
// built against an older copy of it rely on.

#include <gcts/plugin.h>

#define AT(type, field, offset) \
  _Static_assert(offsetof(type, field) == (offset), #type "." #field " has moved")

_Static_assert(sizeof(void*) != 8 || sizeof(gcts_plugin) == 104, "gcts_plugin has another size");
_Static_assert(sizeof(void*) != 8 || sizeof(gcts_reader) == 16, "gcts_reader has another size");
_Static_assert(sizeof(void*) != 8 || sizeof(gcts_value) == 32, "gcts_value has another size");
_Static_assert(sizeof(void*) != 8 || sizeof(gcts_tensor) == 72, "gcts_tensor has another size");

AT(gcts_plugin, abi_version, 0);
AT(gcts_plugin, struct_size, 4);
AT(gcts_plugin, name, 8);
AT(gcts_reader, capabilities, 4);
AT(gcts_writer, capabilities, 4);

gcts_plugin_entry_fn gcts_header_test_entry(void) { return gcts_plugin_entry; }
