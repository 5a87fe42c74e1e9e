// The kernels of the template, as the plugin's table names them.

#ifndef TEMPLATE_KERNELS_H_
#define TEMPLATE_KERNELS_H_

#include <gcts/plugin.h>

gcts_status template_dequantize_q8_0(void* context, const void* blocks, float* values,
                                     uint64_t count);

#endif  // TEMPLATE_KERNELS_H_
