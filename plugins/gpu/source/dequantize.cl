// Blocks to floats: every work item decodes eight elements.

#define GPU_DEQUANTIZE(name, elements, bytes)                                                       \
  GPU_KERNEL(64) dequantize_##name(GPU_GLOBAL const uchar* weights, ulong weights_at,              \
                                   GPU_GLOBAL uchar* values, ulong values_at, ulong count) {        \
    const ulong i = 8 * (64 * GPU_GROUP(0) + GPU_ITEM);                                             \
    if (i >= count) return;                                                                         \
    Codes c;                                                                                        \
    codes_##name(weights + weights_at + i / elements * bytes, (uint)(i % elements), &c);            \
    GPU_GLOBAL float* y = (GPU_GLOBAL float*)(values + values_at) + i;                              \
    for (int j = 0; j < 8; ++j) y[j] = c.scale * (float)c.code[j] + c.offset;                       \
  }

// Elements that are numbers by themselves: one a work item.
#define GPU_DEQUANTIZE_PLAIN(name, bytes)                                                           \
  GPU_KERNEL(64) dequantize_##name(GPU_GLOBAL const uchar* weights, ulong weights_at,              \
                                   GPU_GLOBAL uchar* values, ulong values_at, ulong count) {        \
    const ulong i = 64 * GPU_GROUP(0) + GPU_ITEM;                                                   \
    if (i >= count) return;                                                                         \
    ((GPU_GLOBAL float*)(values + values_at))[i] = value_##name(weights + weights_at + bytes * i);  \
  }
