// A tile of 32 by 32 outputs a work group: 32 elements of 32 rows of either operand go
// through shared memory at a time, and each of 64 work items keeps 4 by 4 sums.  Every sum
// runs over k in ascending order, whatever the tile.

#define GPU_TILES(name)                                                                                 \
  GPU_KERNEL(64) tiles_##name(GPU_GLOBAL const uchar* weights, ulong weights_at, ulong weight_stride,   \
                              GPU_GLOBAL const uchar* activations, ulong activations_at,                \
                              ulong activation_stride, GPU_GLOBAL uchar* output, ulong output_at,       \
                              ulong output_stride, ulong k, ulong n, ulong m) {                         \
    /* 33 floats a row: the items that read a column use different banks. */                            \
    GPU_SHARED float w[32][33];                                                                         \
    GPU_SHARED float a[32][33];                                                                         \
    const ulong first_n = 32 * GPU_GROUP(0), first_m = 32 * GPU_GROUP(1);                               \
    const uint column = GPU_ITEM % 8, row = GPU_ITEM / 8;                                               \
    float sums[4][4] = {{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}};                        \
    for (ulong first_k = 0; first_k < k; first_k += 32) {                                               \
      for (uint t = GPU_ITEM; t < 128; t += 64) {                                                       \
        const uint r = t / 4, at = t % 4 * 8;                                                           \
        float values[8] = {0, 0, 0, 0, 0, 0, 0, 0};                                                     \
        if (first_n + r < n && first_k + at < k)                                                        \
          values_##name(weights + weights_at + (first_n + r) * weight_stride, first_k + at, k, values); \
        for (int j = 0; j < 8; ++j) w[r][at + j] = values[j];                                           \
      }                                                                                                 \
      for (uint t = GPU_ITEM; t < 1024; t += 64) {                                                      \
        const uint r = t / 32, at = t % 32;                                                             \
        GPU_GLOBAL const uchar* p = activations + activations_at + (first_m + r) * activation_stride;   \
        a[r][at] = first_m + r < m && first_k + at < k ? value_f32(p + 4 * (first_k + at)) : 0;         \
      }                                                                                                 \
      GPU_BARRIER(); /* the tile is filled */                                                           \
      for (int i = 0; i < 32; ++i)                                                                      \
        for (int y = 0; y < 4; ++y)                                                                     \
          for (int x = 0; x < 4; ++x) sums[y][x] += w[column + 8 * x][i] * a[row + 8 * y][i];           \
      GPU_BARRIER(); /* the tile is used */                                                             \
    }                                                                                                   \
    for (int y = 0; y < 4; ++y)                                                                         \
      for (int x = 0; x < 4; ++x) {                                                                     \
        const ulong at_n = first_n + column + 8 * x, at_m = first_m + row + 8 * y;                      \
        if (at_n < n && at_m < m)                                                                       \
          ((GPU_GLOBAL float*)(output + output_at + at_m * output_stride))[at_n] = sums[y][x];          \
      }                                                                                                 \
  }
