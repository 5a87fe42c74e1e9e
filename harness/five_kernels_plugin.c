/* A plugin for the harness's own tests: kernels for f32 that are right but for what
 * their names say. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <gcts/plugin.h>

static gcts_status copy(void* context, const void* blocks, float* values, uint64_t count) {
  (void)context;
  memcpy(values, blocks, count * sizeof(float));
  return GCTS_OK;
}

static gcts_status abort_always(void* context, const void* blocks, float* values, uint64_t count) {
  copy(context, blocks, values, count);
  abort();
}

static gcts_status abort_at_seven(void* context, const void* blocks, float* values, uint64_t count) {
  if (count == 7) abort();
  return copy(context, blocks, values, count);
}

/* As a load of 32 aligned bytes would. */
static gcts_status abort_off_32(void* context, const void* blocks, float* values, uint64_t count) {
  if ((uintptr_t)blocks % 32 != 0) abort();
  return copy(context, blocks, values, count);
}

#define KERNEL(name, function) \
  {.op = GCTS_OP_DEQUANTIZE, .tensor_type = 0, .activation_type = 0, .variant = name, .run = (gcts_fn)function}

static const gcts_kernel kKernels[] = {
    KERNEL("first", copy),
    KERNEL("second", copy),
    KERNEL("third_aborts", abort_always),
    KERNEL("fourth_aborts_at_seven", abort_at_seven),
    KERNEL("fifth_aborts_off_32", abort_off_32),
};

static const gcts_plugin kPlugin = {
    .abi_version = GCTS_ABI_VERSION,
    .struct_size = sizeof(gcts_plugin),
    .name = "five_kernels",
    .version = "1",
    .kernels = kKernels,
    .kernel_count = sizeof(kKernels) / sizeof(kKernels[0]),
    .kernel_size = sizeof(gcts_kernel),
};

GCTS_EXPORT const gcts_plugin* gcts_plugin_entry(void) { return &kPlugin; }
