// Products of int8: activations come as f32 and are rounded to 127ths of the largest of
// each 32; products of 32 codes are exact integers, added up four at a time.

// 32 codes, four a word, what they are multiplied with, and what is added to each.
typedef struct {
  float scale, offset;
  int has_offset, sum;
  int code[8];
} Group;

GPU_FUNCTION int packed(const int* c) {
  return (int)((uint)(c[0] & 255) | (uint)(c[1] & 255) << 8 | (uint)(c[2] & 255) << 16 | (uint)(c[3] & 255) << 24);
}

GPU_FUNCTION void round_group(GPU_GLOBAL const uchar* p, Group* g) {
  GPU_GLOBAL const float* x = (GPU_GLOBAL const float*)p;
  float most = 0;
  for (int j = 0; j < 32; ++j) {
    const float magnitude = x[j] < 0 ? -x[j] : x[j];
    most = magnitude > most ? magnitude : most;
  }
  // 127 divided by the smallest numbers is no number.
  const float up = most < 0x1p-64f ? 0x1p64f : 1.0f;
  const float inverse = most > 0 ? 127.0f / (most * up) : 0.0f;
  g->scale = most / 127.0f;
  g->sum = 0;
  for (int j = 0; j < 32; j += 4) {
    int c[4];
    for (int l = 0; l < 4; ++l) {
      c[l] = GPU_NEAREST(x[j + l] * up * inverse);
      g->sum += c[l];
    }
    g->code[j / 4] = packed(c);
  }
}

// Of types whose scales hold for 32 elements or more; i is a multiple of 32.
#define GPU_WEIGHT_GROUPS(name, elements, bytes)                                                        \
  GPU_FUNCTION void weight_group_##name(GPU_GLOBAL const uchar* row, ulong i, Group* g) {               \
    for (uint t = 0; t < 4; ++t) {                                                                      \
      Codes c;                                                                                          \
      codes_##name(row + i / elements * bytes, (uint)(i % elements) + 8 * t, &c);                       \
      g->code[2 * t] = packed(c.code);                                                                  \
      g->code[2 * t + 1] = packed(c.code + 4);                                                          \
      g->scale = c.scale;                                                                               \
      g->offset = c.offset;                                                                             \
      g->has_offset = c.has_offset;                                                                     \
    }                                                                                                   \
  }

// Four outputs of a row a work group, whose activations are rounded once.
#define GPU_REQUANTIZED(name)                                                                           \
  GPU_KERNEL(64) requantized_##name(GPU_GLOBAL const uchar* weights, ulong weights_at, ulong weight_stride, \
                                    GPU_GLOBAL const uchar* activations, ulong activations_at,          \
                                    ulong activation_stride, GPU_GLOBAL uchar* output, ulong output_at, \
                                    ulong output_stride, ulong k, ulong n, ulong m) {                   \
    GPU_SHARED float shared[64];                                                                        \
    const ulong first_n = 4 * GPU_GROUP(0);                                                             \
    GPU_GLOBAL const uchar* a = activations + activations_at + GPU_GROUP(1) * activation_stride;        \
    float sums[4] = {0, 0, 0, 0};                                                                       \
    for (ulong i = 32 * GPU_ITEM; i < k; i += 32 * 64) {                                                \
      Group y;                                                                                          \
      round_group(a + 4 * i, &y);                                                                       \
      for (uint r = 0; r < 4; ++r) {                                                                    \
        if (first_n + r >= n) continue;                                                                 \
        Group x;                                                                                        \
        weight_group_##name(weights + weights_at + (first_n + r) * weight_stride, i, &x);               \
        int products = 0;                                                                               \
        for (int j = 0; j < 8; ++j) products = dot4(x.code[j], y.code[j], products);                    \
        sums[r] += x.scale * y.scale * (float)products;                                                 \
        if (x.has_offset) sums[r] += x.offset * y.scale * (float)y.sum;                                 \
      }                                                                                                 \
    }                                                                                                   \
    for (uint r = 0; r < 4; ++r) {                                                                      \
      const float sum = sum_of_group(shared, sums[r]);                                                  \
      if (GPU_ITEM == 0 && first_n + r < n)                                                             \
        ((GPU_GLOBAL float*)(output + output_at + GPU_GROUP(1) * output_stride))[first_n + r] = sum;    \
      GPU_BARRIER(); /* the sum is taken */                                                             \
    }                                                                                                   \
  }

// A tile of 32 by 32 outputs, 32 elements of K at a time: half of the work items decode
// weights, half round activations, and each keeps 4 by 4 sums.
#define GPU_REQUANTIZED_TILES(name, minimum)                                                                     \
  GPU_KERNEL(64) requantized_tiles_##name(                                                              \
      GPU_GLOBAL const uchar* weights, ulong weights_at, ulong weight_stride,                           \
      GPU_GLOBAL const uchar* activations, ulong activations_at, ulong activation_stride,               \
      GPU_GLOBAL uchar* output, ulong output_at, ulong output_stride, ulong k, ulong n, ulong m) {      \
    /* 9 words a row: the items that read a column use different banks. */                              \
    GPU_SHARED int codes[64][9];                                                                        \
    GPU_SHARED float scales[64], offsets[32], code_sums[32];                                            \
    const ulong first_n = 32 * GPU_GROUP(0), first_m = 32 * GPU_GROUP(1);                               \
    const uint column = GPU_ITEM % 8, row = GPU_ITEM / 8, at = GPU_ITEM % 32;                           \
    float sums[4][4] = {{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}};                        \
    for (ulong i = 0; i < k; i += 32) {                                                                 \
      Group g = {0, 0, 0, 0, {0, 0, 0, 0, 0, 0, 0, 0}};                                                 \
      if (GPU_ITEM < 32) {                                                                              \
        if (first_n + at < n) weight_group_##name(weights + weights_at + (first_n + at) * weight_stride, i, &g); \
        offsets[at] = g.has_offset ? g.offset : 0;                                                      \
      } else {                                                                                          \
        if (first_m + at < m) round_group(activations + activations_at + (first_m + at) * activation_stride + 4 * i, &g); \
        code_sums[at] = (float)g.sum;                                                                   \
      }                                                                                                 \
      scales[GPU_ITEM] = g.scale;                                                                       \
      for (int j = 0; j < 8; ++j) codes[GPU_ITEM][j] = g.code[j];                                       \
      GPU_BARRIER(); /* the tile is filled */                                                           \
      for (int y = 0; y < 4; ++y)                                                                       \
        for (int x = 0; x < 4; ++x) {                                                                   \
          const uint w = column + 8 * (uint)x, a = row + 8 * (uint)y;                                   \
          int products = 0;                                                                             \
          for (int j = 0; j < 8; ++j) products = dot4(codes[w][j], codes[32 + a][j], products);         \
          sums[y][x] += scales[w] * scales[32 + a] * (float)products;                                   \
          if (minimum) sums[y][x] += offsets[w] * scales[32 + a] * code_sums[a];             \
        }                                                                                               \
      GPU_BARRIER(); /* the tile is used */                                                             \
    }                                                                                                   \
    for (int y = 0; y < 4; ++y)                                                                         \
      for (int x = 0; x < 4; ++x) {                                                                     \
        const ulong at_n = first_n + column + 8 * (ulong)x, at_m = first_m + row + 8 * (ulong)y;        \
        if (at_n < n && at_m < m)                                                                       \
          ((GPU_GLOBAL float*)(output + output_at + at_m * output_stride))[at_n] = sums[y][x];          \
      }                                                                                                 \
  }
