/* The primitives of the template's reader as a table, so that a fault can replace one.
 *
 * The template's reader.c is compiled a second time with template_primitives.h in
 * front of it: the same source, calling its primitives through this table.  */

#ifndef GCTS_PLUGINS_FAULTY_TEMPLATE_HOOKS_H_
#define GCTS_PLUGINS_FAULTY_TEMPLATE_HOOKS_H_

#include "plugins/template/bytes.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct template_hooks {
  const uint8_t* (*take)(bytes* b, uint64_t n);
  bool (*take_u32)(bytes* b, uint32_t* v);
  bool (*take_u64)(bytes* b, uint64_t* v);
  bool (*take_value_type)(bytes* b, uint32_t* v);
  bool (*take_string)(bytes* b, gcts_string* s);
  unsigned (*scalar_size)(uint32_t value_type);
  block (*block_of)(uint32_t tensor_type);
  bool (*multiply)(uint64_t a, uint64_t b, uint64_t* product);
  bool (*round_up)(uint64_t v, uint64_t alignment, uint64_t* rounded);
} template_hooks;

extern template_hooks hooked;  // the template's own primitives until a fault replaces one

gcts_status template_read(const gcts_read_request* request, const gcts_sink* sink);

#ifdef __cplusplus
}
#endif

#endif  /* GCTS_PLUGINS_FAULTY_TEMPLATE_HOOKS_H_ */
