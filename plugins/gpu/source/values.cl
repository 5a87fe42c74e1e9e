// Numbers of the plain types, and eight weights of any type as floats: elements i to i + 7
// of a row of `count`; what lies beyond the row is zero.

GPU_FUNCTION float value_f32(GPU_GLOBAL const uchar* p) { return *(GPU_GLOBAL const float*)p; }
GPU_FUNCTION float value_f16(GPU_GLOBAL const uchar* p) { return load_half(p); }
GPU_FUNCTION float value_bf16(GPU_GLOBAL const uchar* p) { return float_of_bits(load16(p) << 16); }

#define GPU_VALUES(name, elements, bytes)                                                              \
  GPU_FUNCTION void values_##name(GPU_GLOBAL const uchar* row, ulong i, ulong count, float* values) { \
    Codes c;                                                                                           \
    codes_##name(row + i / elements * bytes, (uint)(i % elements), &c);                                \
    for (int j = 0; j < 8; ++j) values[j] = c.scale * (float)c.code[j] + c.offset;                     \
  }
#define GPU_VALUES_PLAIN(name, bytes)                                                                  \
  GPU_FUNCTION void values_##name(GPU_GLOBAL const uchar* row, ulong i, ulong count, float* values) { \
    for (uint j = 0; j < 8; ++j) values[j] = i + j < count ? value_##name(row + bytes * (i + j)) : 0;  \
  }
