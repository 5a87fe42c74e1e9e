// Products of int8: activations come as f32 and are rounded to 127ths of the largest of
// each 32; products of 32 codes are exact integers, added up four at a time.

// 32 codes, four a word; their scale, and of activations their sum, of weights their minimum.
typedef struct {
  float scale, offset;
  int sum;
  int code[8];
} Group;

GPU_FUNCTION int packed(const int* c) {
  return (int)((uint)(c[0] & 255) | (uint)(c[1] & 255) << 8 | (uint)(c[2] & 255) << 16 | (uint)(c[3] & 255) << 24);
}

GPU_FUNCTION void round_group(GPU_TO_SHARED const float* x, Group* g) {
  float most = 0;
  for (uint j = 0; j < 32; ++j) { /* the largest */
    const float magnitude = x[j] < 0 ? -x[j] : x[j];
    most = magnitude > most ? magnitude : most;
  }
  // 127 divided by the smallest numbers is no number.
  const float up = most < 0x1p-64f ? 0x1p64f : 1.0f;
  const float inverse = most > 0 ? 127.0f / (most * up) : 0.0f;
  g->scale = most / 127.0f;
  g->sum = 0;
  for (uint j = 0; j < 32; j += 4) {
    int c[4];
    for (uint l = 0; l < 4; ++l) {
      c[l] = GPU_NEAREST(x[j + l] * up * inverse);
      g->sum += c[l];
    }
    g->code[j / 4] = packed(c);
  }
}

// weight_group_<name>: 32 elements from the i-th of a row, a multiple of 32.  Codes may lack
// a number that is added to each; it stands in requantized.inc.
#define GPU_WEIGHT_GROUP(name) GPU_FUNCTION void weight_group_##name(GPU_GLOBAL const uchar* row, ulong i, Group* g)

GPU_WEIGHT_GROUP(q4_0) {
  GPU_GLOBAL const uchar* b = row + i / 32 * 18;
  g->scale = load_half(b);
  for (uint j = 0; j < 4; ++j) {
    const uint word = load32(b + 2 + 4 * j);
    g->code[j] = (int)(word & 0x0f0f0f0fu);
    g->code[4 + j] = (int)((word >> 4) & 0x0f0f0f0fu);
  }
}
GPU_WEIGHT_GROUP(q8_0) {
  GPU_GLOBAL const uchar* b = row + i / 32 * 34;
  g->scale = load_half(b);
  for (uint j = 0; j < 8; ++j) g->code[j] = (int)load32(b + 2 + 4 * j);
}
GPU_WEIGHT_GROUP(q4_k) {
  GPU_GLOBAL const uchar* b = row + i / 256 * 144;
  const uint sub = (uint)(i % 256) / 32;
  Codes c;
  scale_pairs(b, sub, &c);
  g->scale = c.scale;
  g->offset = c.offset;
  for (uint j = 0; j < 8; ++j) g->code[j] = (int)((load32(b + 16 + 32 * (sub / 2) + 4 * j) >> (4 * (sub & 1))) & 0x0f0f0f0fu);
}
GPU_WEIGHT_GROUP(mxfp4) {
  GPU_GLOBAL const uchar* b = row + i / 32 * 17;
  for (uint t = 0; t < 4; ++t) {
    Codes c;
    codes_mxfp4(b, 8 * t, &c);
    g->scale = c.scale;
    g->code[2 * t] = packed(c.code);
    g->code[2 * t + 1] = packed(c.code + 4);
  }
}

GPU_FUNCTION int product(const int* x, const int* y) {
  int sum = 0;
  for (uint j = 0; j < 8; ++j) sum = dot4(x[j], y[j], sum);
  return sum;
}

// Eight outputs of a row a work group, whose activations are rounded once: 64 groups of 32 go
// through shared memory at a time, since neighbours load neighbouring floats at once.
#define GPU_REQUANTIZED(name, bias, minimum)                                                            \
  GPU_KERNEL(64) requantized_##name(GPU_GLOBAL const uchar* weights, ulong weights_at, ulong weight_stride, \
                                    GPU_GLOBAL const uchar* activations, ulong activations_at,          \
                                    ulong activation_stride, GPU_GLOBAL uchar* output, ulong output_at, \
                                    ulong output_stride, ulong k, ulong n, ulong m) {                   \
    GPU_SHARED float sums_of_items[64];                                                                 \
    /* 33 floats a group: the items that read one each use different banks. */                          \
    GPU_SHARED float values[64 * 33];                                                                   \
    const ulong first_n = 8 * GPU_GROUP(0);                                                             \
    GPU_GLOBAL const uchar* a = activations + activations_at + GPU_GROUP(1) * activation_stride;        \
    float sums[8] = {0, 0, 0, 0, 0, 0, 0, 0};                                                           \
    for (ulong first = 0; first < k; first += 32 * 64) {                                                \
      for (uint e = GPU_ITEM; e < 32 * 64; e += 64)                                                     \
        if (first + e < k) values[e / 32 * 33 + e % 32] = value_f32(a + 4 * (first + e));               \
      GPU_BARRIER(); /* the activations are there */                                                    \
      const ulong i = first + 32 * GPU_ITEM;                                                            \
      if (i < k) {                                                                                      \
        Group y;                                                                                        \
        round_group(values + 33 * GPU_ITEM, &y);                                                        \
        for (uint r = 0; r < 8; ++r) {                                                                  \
          if (first_n + r >= n) continue;                                                               \
          Group x;                                                                                      \
          weight_group_##name(weights + weights_at + (first_n + r) * weight_stride, i, &x);             \
          sums[r] += x.scale * y.scale * (float)(product(x.code, y.code) + bias * y.sum);               \
          if (minimum) sums[r] += x.offset * y.scale * (float)y.sum;                                    \
        }                                                                                               \
      }                                                                                                 \
      GPU_BARRIER(); /* the activations are used */                                                     \
    }                                                                                                   \
    for (uint r = 0; r < 8; ++r) {                                                                      \
      const float sum = sum_of_group(sums_of_items, sums[r]);                                           \
      if (GPU_ITEM == 0 && first_n + r < n)                                                             \
        ((GPU_GLOBAL float*)(output + output_at + GPU_GROUP(1) * output_stride))[first_n + r] = sum;    \
      GPU_BARRIER(); /* the sum is taken */                                                             \
    }                                                                                                   \
  }

// A tile of 32 by 32 outputs, 32 elements of K at a time: half of the work items decode
// weights, half round activations, and each keeps 4 by 4 sums.
#define GPU_REQUANTIZED_TILES(name, bias, minimum)                                                      \
  GPU_KERNEL(64) requantized_tiles_##name(                                                              \
      GPU_GLOBAL const uchar* weights, ulong weights_at, ulong weight_stride,                           \
      GPU_GLOBAL const uchar* activations, ulong activations_at, ulong activation_stride,               \
      GPU_GLOBAL uchar* output, ulong output_at, ulong output_stride, ulong k, ulong n, ulong m) {      \
    GPU_SHARED float values[32 * 33];                                                                   \
    /* 9 words a row: the items that read a column use different banks. */                              \
    GPU_SHARED int codes[64 * 9];                                                                       \
    GPU_SHARED float scales[64], offsets[32];                                                           \
    GPU_SHARED int code_sums[32];                                                                       \
    const ulong first_n = 32 * GPU_GROUP(0), first_m = 32 * GPU_GROUP(1);                               \
    const uint column = GPU_ITEM % 8, row = GPU_ITEM / 8, at = GPU_ITEM % 32;                           \
    float sums[4][4] = {{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}};                        \
    for (ulong i = 0; i < k; i += 32) {                                                                 \
      for (uint e = GPU_ITEM; e < 32 * 32; e += 64) {                                                   \
        GPU_GLOBAL const uchar* p = activations + activations_at + (first_m + e / 32) * activation_stride; \
        values[e / 32 * 33 + e % 32] = first_m + e / 32 < m ? value_f32(p + 4 * (i + e % 32)) : 0;      \
      }                                                                                                 \
      GPU_BARRIER(); /* the activations are there */                                                    \
      Group g = {0, 0, 0, {0, 0, 0, 0, 0, 0, 0, 0}};                                                    \
      if (GPU_ITEM < 32) {                                                                              \
        if (first_n + at < n) weight_group_##name(weights + weights_at + (first_n + at) * weight_stride, i, &g); \
        offsets[at] = g.offset;                                                                         \
      } else {                                                                                          \
        round_group(values + 33 * at, &g);                                                              \
        code_sums[at] = g.sum;                                                                          \
      }                                                                                                 \
      scales[GPU_ITEM] = g.scale;                                                                       \
      for (uint j = 0; j < 8; ++j) codes[9 * GPU_ITEM + j] = g.code[j];                                 \
      GPU_BARRIER(); /* the tile is filled */                                                           \
      int x[4][8];                                                                                      \
      for (uint c = 0; c < 4; ++c)                                                                      \
        for (uint j = 0; j < 8; ++j) x[c][j] = codes[9 * (column + 8 * c) + j];                         \
      for (uint r = 0; r < 4; ++r) {                                                                    \
        const uint of = row + 8 * r;                                                                    \
        int y[8];                                                                                       \
        for (uint j = 0; j < 8; ++j) y[j] = codes[9 * (32 + of) + j];                                   \
        for (uint c = 0; c < 4; ++c) {                                                                  \
          const float scale = scales[column + 8 * c] * scales[32 + of];                                 \
          sums[r][c] += scale * (float)(product(x[c], y) + bias * code_sums[of]);                       \
          if (minimum) sums[r][c] += offsets[column + 8 * c] * scales[32 + of] * (float)code_sums[of];  \
        }                                                                                               \
      }                                                                                                 \
      GPU_BARRIER(); /* the tile is used */                                                             \
    }                                                                                                   \
    for (uint r = 0; r < 4; ++r)                                                                        \
      for (uint c = 0; c < 4; ++c) {                                                                    \
        const ulong at_n = first_n + column + 8 * c, at_m = first_m + row + 8 * r;                      \
        if (at_n < n && at_m < m)                                                                       \
          ((GPU_GLOBAL float*)(output + output_at + at_m * output_stride))[at_n] = sums[r][c];          \
      }                                                                                                 \
  }
