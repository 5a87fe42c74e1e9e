/* Stands before the template's reader.c and sends its primitives through the table.  */

#include "plugins/faulty/template_hooks.h"

#define take(b, n) hooked.take(b, n)
#define take_u32(b, v) hooked.take_u32(b, v)
#define take_u64(b, v) hooked.take_u64(b, v)
#define take_value_type(b, v) hooked.take_value_type(b, v)
#define take_string(b, s) hooked.take_string(b, s)
#define scalar_size(type) hooked.scalar_size(type)
#define block_of(type) hooked.block_of(type)
#define multiply(a, b, product) hooked.multiply(a, b, product)
#define round_up(v, alignment, rounded) hooked.round_up(v, alignment, rounded)
