// Loops that do one thing as fast as a device can, and nothing else: what kernels are a
// share of.

GPU_FUNCTION uint folded(uint4 v) { return v.x ^ v.y ^ v.z ^ v.w; }

// A group goes over 512 pieces of 16 bytes; `piece` says which is the work item's j-th.
#define GPU_PIECES_ACROSS(j) (512 * GPU_GROUP(0) + GPU_ITEM + 64 * (j))
#define GPU_PIECES_ALONG(j) (512 * GPU_GROUP(0) + 8 * GPU_ITEM + (j))

// What is read has to be used: no memory that the host fills folds to that number.
#define GPU_CEILING_READ(kernel, piece)                                                                    \
  GPU_KERNEL(64) kernel(GPU_GLOBAL uchar* to, ulong to_at, GPU_GLOBAL const uchar* from, ulong from_at) { \
    GPU_GLOBAL const uint4* p = (GPU_GLOBAL const uint4*)(from + from_at);                                 \
    uint sum = 0;                                                                                          \
    for (uint j = 0; j < 8; ++j) sum ^= folded(p[piece(j)]);                                               \
    if (sum == 0x9e3779b9u) *(GPU_GLOBAL uint*)(to + to_at) = sum;                                         \
  }
#define GPU_CEILING_WRITE(kernel, piece)                                                                   \
  GPU_KERNEL(64) kernel(GPU_GLOBAL uchar* to, ulong to_at) {                                               \
    GPU_GLOBAL uint4* p = (GPU_GLOBAL uint4*)(to + to_at);                                                 \
    uint4 v;                                                                                               \
    v.x = v.y = v.z = v.w = GPU_ITEM;                                                                      \
    for (uint j = 0; j < 8; ++j) p[piece(j)] = v;                                                          \
  }
#define GPU_CEILING_COPY(kernel, piece)                                                                    \
  GPU_KERNEL(64) kernel(GPU_GLOBAL uchar* to, ulong to_at, GPU_GLOBAL const uchar* from, ulong from_at) { \
    GPU_GLOBAL const uint4* p = (GPU_GLOBAL const uint4*)(from + from_at);                                 \
    GPU_GLOBAL uint4* q = (GPU_GLOBAL uint4*)(to + to_at);                                                 \
    for (uint j = 0; j < 8; ++j) q[piece(j)] = p[piece(j)];                                                \
  }

// 64 sums that wait for nothing but themselves; they are stored for a count that nobody asks for.
#define GPU_CEILING_F32(kernel)                                                                            \
  GPU_KERNEL(64) kernel(GPU_GLOBAL uchar* to, ulong to_at, ulong steps) {                                  \
    Lanes sums[64 / GPU_LANES];                                                                            \
    const Lanes a = lanes_of(0.5f), b = lanes_of(0.25f);                                                   \
    GPU_UNROLL for (uint j = 0; j < 64 / GPU_LANES; ++j) sums[j] = lanes_of((float)(GPU_ITEM + j));        \
    for (ulong i = 0; i < steps; ++i)                                                                      \
      GPU_UNROLL for (uint j = 0; j < 64 / GPU_LANES; ++j) sums[j] = GPU_FMA(sums[j], a, b);                   \
    if (steps != ~(ulong)0) return;                                                                        \
    for (uint j = 1; j < 64 / GPU_LANES; ++j) sums[0] += sums[j];                                          \
    ((GPU_GLOBAL Lanes*)(to + to_at))[GPU_ITEM] = sums[0];                                                 \
  }

#ifdef GPU_HAS_DOT4
#define GPU_CEILING_INT8(kernel)                                                                           \
  GPU_KERNEL(64) kernel(GPU_GLOBAL uchar* to, ulong to_at, ulong steps) {                                  \
    int sums[32];                                                                                          \
    const int a = (int)(0x01010101u * (GPU_ITEM & 15)), b = (int)(0x01010101u * (uint)(steps & 15));       \
    GPU_UNROLL for (uint j = 0; j < 32; ++j) sums[j] = (int)(GPU_ITEM + j);                                \
    for (ulong i = 0; i < steps; ++i)                                                                      \
      GPU_UNROLL for (uint j = 0; j < 32; ++j) sums[j] = dot4(a, b, sums[j]);                    \
    if (steps != ~(ulong)0) return;                                                                        \
    for (uint j = 1; j < 32; ++j) sums[0] += sums[j];                                                      \
    ((GPU_GLOBAL int*)(to + to_at))[GPU_ITEM] = sums[0];                                                   \
  }
#endif
