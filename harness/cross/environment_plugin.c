/* A plugin for the tests of the AArch64 worker: kernels for f32 that are right but leave
 * something behind. */

#include <stdint.h>
#include <string.h>

#include <gcts/plugin.h>

/* The register names are not told to the compiler, so that nothing restores them. */
#define KERNEL_FUNCTION(name, instructions)                                                          \
  static gcts_status name(void* context, const void* blocks, float* values, uint64_t count) {        \
    (void)context;                                                                                   \
    memcpy(values, blocks, count * sizeof(float));                                                   \
    __asm__ volatile(instructions);                                                                  \
    return GCTS_OK;                                                                                  \
  }
KERNEL_FUNCTION(clean, "")
KERNEL_FUNCTION(first_kept, "add x19, x19, #1")
KERNEL_FUNCTION(last_kept, "add x28, x28, #1")
KERNEL_FUNCTION(first_kept_float, "fmov d8, xzr")
KERNEL_FUNCTION(last_kept_float, "fmov d15, xzr")
KERNEL_FUNCTION(upper_half, "ins v8.d[1], xzr")  /* which no function has to keep */
KERNEL_FUNCTION(rounding, "mrs x9, fpcr\n orr x9, x9, #0x400000\n msr fpcr, x9")
KERNEL_FUNCTION(flushing, "mrs x9, fpcr\n orr x9, x9, #0x1000000\n msr fpcr, x9")

#define KERNEL(function) \
  {.op = GCTS_OP_DEQUANTIZE, .tensor_type = 0, .activation_type = 0, .variant = #function, .run = (gcts_fn)function}

static const gcts_kernel kKernels[] = {
    KERNEL(clean),      KERNEL(first_kept), KERNEL(last_kept), KERNEL(first_kept_float), KERNEL(last_kept_float),
    KERNEL(upper_half), KERNEL(rounding),   KERNEL(flushing),
};

static const gcts_plugin kPlugin = {
    .abi_version = GCTS_ABI_VERSION,
    .struct_size = sizeof(gcts_plugin),
    .name = "environment",
    .version = "1",
    .kernels = kKernels,
    .kernel_count = sizeof(kKernels) / sizeof(kKernels[0]),
    .kernel_size = sizeof(gcts_kernel),
};

GCTS_EXPORT const gcts_plugin* gcts_plugin_entry(void) { return &kPlugin; }
