// The template's reader, its primitives behind the table of template_hooks.h.

#include "plugins/faulty/template_hooks.h"

template_hooks hooked = {
    take, take_u32, take_u64, take_value_type, take_string, scalar_size, block_of, multiply, round_up,
};

#include "plugins/faulty/template_primitives.h"
#include "plugins/template/reader.c"
