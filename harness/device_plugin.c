// Kernels on a device that is plain memory of the process: what the worker does with
// the device table, without any device.  GCTS_NO_DEVICE takes the device away,
// GCTS_NO_CEILINGS what it says that it can do.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gcts/plugin.h"

// Each allocation stands between two zones of known bytes.
enum { kZone = 256, kMost = 16, kMark = 0x3c };
static struct {
  unsigned char* at;
  uint64_t size;
} allocations[kMost];
static int is_lost = 0;

static gcts_status open_device(void* context, char* why_not, size_t why_not_size) {
  (void)context;
  if (!getenv("GCTS_NO_DEVICE")) return GCTS_OK;
  snprintf(why_not, why_not_size, "no device: it was taken away");
  return GCTS_FAILED;
}

static void* allocate(void* context, uint64_t size) {
  (void)context;
  for (int i = 0; i < kMost; ++i) {
    if (allocations[i].at) continue;
    unsigned char* zone = aligned_alloc(64, (size + 2 * kZone + 63) / 64 * 64);
    if (!zone) return NULL;
    memset(zone, kMark, size + 2 * kZone);
    allocations[i].at = zone + kZone;
    allocations[i].size = size;
    return zone + kZone;
  }
  return NULL;
}

static void release(void* context, void* memory) {
  (void)context;
  for (int i = 0; i < kMost; ++i)
    if (allocations[i].at == memory) {
      free(allocations[i].at - kZone);
      allocations[i].at = NULL;
    }
}

static gcts_status copy(void* context, void* to, const void* from, uint64_t size) {
  (void)context;
  memcpy(to, from, size);
  return GCTS_OK;
}

static gcts_status synchronize(void* context) {
  (void)context;
  return is_lost ? GCTS_FAILED : GCTS_OK;
}
static double seconds(void* context) {
  (void)context;
  return 1e-3;
}

static gcts_status check_guards(void* context, char* damage, size_t damage_size) {
  (void)context;
  for (int i = 0; i < kMost; ++i)
    for (int j = 0; allocations[i].at && j < kZone; ++j)
      if (allocations[i].at[-1 - j] != kMark || allocations[i].at[allocations[i].size + (uint64_t)j] != kMark) {
        snprintf(damage, damage_size, "the guard zone %d bytes from an allocation was written to", j);
        return GCTS_FAILED;
      }
  return GCTS_OK;
}

static gcts_status limits(void* context, gcts_device_limits* out) {
  (void)context;
  snprintf(out->name, sizeof(out->name), "plain memory");
  snprintf(out->driver, sizeof(out->driver), "none");
  out->memory = out->largest_allocation = 1u << 30;
  return GCTS_OK;
}
static const char* last_error(void* context) {
  (void)context;
  return is_lost ? "a kernel touched what is not there" : "the kernel refuses";
}

// What it can do: memory is gone over as often as it is asked to be.
static gcts_status ceiling_copy(void* context, void* to, const void* from, uint64_t amount) { return copy(context, to, from, amount); }
static gcts_status ceiling_f32(void* context, void* to, const void* from, uint64_t amount) {
  (void)context;
  volatile float sum = *(const float*)from;
  for (uint64_t i = 0; i < 1000 * amount; ++i) sum = sum * 0.5f + 1.0f;
  *(float*)to = sum;
  return GCTS_OK;
}
static const gcts_device_ceiling kCeilings[] = {{"copy", "memcpy", 0, ceiling_copy}, {"f32", "one chain", 2000, ceiling_f32}};

static gcts_device device = {.struct_size = sizeof(gcts_device),
                             .name = "memory",
                             .open = open_device,
                             .allocate = allocate,
                             .free = release,
                             .upload = copy,
                             .download = copy,
                             .synchronize = synchronize,
                             .seconds = seconds,
                             .check_guards = check_guards,
                             .limits = limits,
                             .last_error = last_error,
                             .ceilings = kCeilings,
                             .ceiling_count = 2,
                             .ceiling_size = sizeof(gcts_device_ceiling)};

// Dequantizes f32: a copy.
static gcts_status healthy(void* context, const void* blocks, float* values, uint64_t count) {
  (void)context;
  memcpy(values, blocks, 4 * count);
  return GCTS_OK;
}
static gcts_status writes_weights(void* context, const void* blocks, float* values, uint64_t count) {
  healthy(context, blocks, values, count);
  ((unsigned char*)(uintptr_t)blocks)[4 * count - 1] ^= 1;
  return GCTS_OK;
}
static gcts_status writes_past_end(void* context, const void* blocks, float* values, uint64_t count) {
  healthy(context, blocks, values, count);
  values[count] = 1;
  return GCTS_OK;
}
static gcts_status writes_before_start(void* context, const void* blocks, float* values, uint64_t count) {
  healthy(context, blocks, values, count);
  values[-1] = 1;
  return GCTS_OK;
}
static gcts_status refuses(void* context, const void* blocks, float* values, uint64_t count) {
  (void)context, (void)blocks, (void)values, (void)count;
  return GCTS_FAILED;
}
static gcts_status loses_device(void* context, const void* blocks, float* values, uint64_t count) {
  is_lost = 1;
  return healthy(context, blocks, values, count);
}

typedef gcts_status (*run_fn)(void*, const void*, float*, uint64_t);
#define ROW(name) \
  {.op = GCTS_OP_DEQUANTIZE, .flags = GCTS_KERNEL_ON_DEVICE, .variant = #name, .features = "", .alignment = 4, .run = (gcts_fn)(run_fn)name}

static const gcts_kernel kKernels[] = {ROW(healthy), ROW(writes_weights), ROW(writes_past_end), ROW(writes_before_start),
                                       ROW(refuses), ROW(loses_device)};

static const gcts_plugin kPlugin = {.abi_version = GCTS_ABI_VERSION,
                                    .struct_size = sizeof(gcts_plugin),
                                    .name = "device",
                                    .version = "1",
                                    .kernels = kKernels,
                                    .kernel_count = sizeof(kKernels) / sizeof(kKernels[0]),
                                    .kernel_size = sizeof(gcts_kernel),
                                    .device = &device};

const gcts_plugin* gcts_plugin_entry(void) {
  if (getenv("GCTS_NO_CEILINGS")) device.ceilings = NULL, device.ceiling_count = 0;
  return &kPlugin;
}
