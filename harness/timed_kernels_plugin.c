/* A plugin for the tests of timing: kernels for f32 that are right when they are first
 * asked, and what they do later is what their names say. */

#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <gcts/plugin.h>

static gcts_status copy(void* context, const void* blocks, float* values, uint64_t count) {
  (void)context;
  memcpy(values, blocks, count * sizeof(float));
  return GCTS_OK;
}

static gcts_status lazy(void* context, const void* blocks, float* values, uint64_t count) {
  static uint64_t calls = 0;
  return ++calls < 20 ? copy(context, blocks, values, count) : GCTS_OK;
}

static gcts_status aborts_later(void* context, const void* blocks, float* values, uint64_t count) {
  static uint64_t calls = 0;
  if (++calls > 100) abort();
  return copy(context, blocks, values, count);
}

static gcts_status wrong(void* context, const void* blocks, float* values, uint64_t count) {
  copy(context, blocks, values, count);
  values[count - 1] += 1;
  return GCTS_OK;
}

static gcts_status refuses(void* context, const void* blocks, float* values, uint64_t count) {
  (void)context, (void)blocks, (void)values, (void)count;
  return GCTS_UNSUPPORTED;
}

/* Fails where it may run on another processor than it does. */
static gcts_status stays(void* context, const void* blocks, float* values, uint64_t count) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0 || CPU_COUNT(&set) != 1) return GCTS_FAILED;
  return copy(context, blocks, values, count);
}

#define KERNEL(name, function) \
  {.op = GCTS_OP_DEQUANTIZE, .tensor_type = 0, .activation_type = 0, .variant = name, .run = (gcts_fn)function}

static const gcts_kernel kKernels[] = {
    KERNEL("honest", copy), KERNEL("lazy", lazy), KERNEL("wrong", wrong), KERNEL("refuses", refuses), KERNEL("aborts_later", aborts_later),
    KERNEL("stays", stays),
};

static const gcts_plugin kPlugin = {
    .abi_version = GCTS_ABI_VERSION,
    .struct_size = sizeof(gcts_plugin),
    .name = "timed_kernels",
    .version = "1",
    .kernels = kKernels,
    .kernel_count = sizeof(kKernels) / sizeof(kKernels[0]),
    .kernel_size = sizeof(gcts_kernel),
};

GCTS_EXPORT const gcts_plugin* gcts_plugin_entry(void) { return &kPlugin; }
