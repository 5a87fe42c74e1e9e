// Blocks to floats: every work item decodes eight elements, and neighbours store
// neighbouring floats, which is what memory takes at once.

// Rows of the shared floats, one an element of a run: 68 apart, so that the 32 items that
// store at a time read different banks.
#define GPU_RUN(j, item) (68 * (j) + (item))

#define GPU_DEQUANTIZE(name, elements, bytes)                                                       \
  GPU_KERNEL(64) dequantize_##name(GPU_GLOBAL const uchar* weights, ulong weights_at,              \
                                   GPU_GLOBAL uchar* values, ulong values_at, ulong count) {        \
    GPU_SHARED float y[8 * 68];                                                                     \
    const ulong first = 512 * GPU_GROUP(0), i = first + 8 * GPU_ITEM;                               \
    if (i < count) {                                                                                \
      Codes c;                                                                                      \
      codes_##name(weights + weights_at + i / elements * bytes, (uint)(i % elements), &c);          \
      for (uint j = 0; j < 8; ++j) y[GPU_RUN(j, GPU_ITEM)] = c.scale * (float)c.code[j] + c.offset; \
    }                                                                                               \
    GPU_BARRIER(); /* all runs are there */                                                         \
    for (uint e = GPU_ITEM; e < 512; e += 64)                                                       \
      if (first + e < count)                                                                        \
        ((GPU_GLOBAL float*)(values + values_at))[first + e] = y[GPU_RUN(e % 8, e / 8)];            \
  }

// Elements that are numbers by themselves: one a work item.
#define GPU_DEQUANTIZE_PLAIN(name, bytes)                                                           \
  GPU_KERNEL(64) dequantize_##name(GPU_GLOBAL const uchar* weights, ulong weights_at,              \
                                   GPU_GLOBAL uchar* values, ulong values_at, ulong count) {        \
    const ulong i = 64 * GPU_GROUP(0) + GPU_ITEM;                                                   \
    if (i >= count) return;                                                                         \
    ((GPU_GLOBAL float*)(values + values_at))[i] = value_##name(weights + weights_at + bytes * i);  \
  }
