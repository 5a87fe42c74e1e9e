// One work group an output: output[m][n] = sum over k of activations[m][k] * weights[n][k].
// Work items add up every 64th run of eight elements, then the group adds their sums.

GPU_FUNCTION float sum_of_group(GPU_TO_SHARED float* sums, float sum) {
  sums[GPU_ITEM] = sum;
  GPU_BARRIER();  // all sums are there
  for (uint distance = 32; distance > 0; distance /= 2) {
    if (GPU_ITEM < distance) sums[GPU_ITEM] += sums[GPU_ITEM + distance];
    GPU_BARRIER();  // a level is done
  }
  return sums[0];
}

// Activations of the type `with`, whose numbers are `with_bytes` apart.
#define GPU_PRODUCTS(name, with, with_bytes)                                                            \
  GPU_KERNEL(64) products_##name##_##with(GPU_GLOBAL const uchar* weights, ulong weights_at, ulong weight_stride, \
                                 GPU_GLOBAL const uchar* activations, ulong activations_at,             \
                                 ulong activation_stride, GPU_GLOBAL uchar* output, ulong output_at,    \
                                 ulong output_stride, ulong k) {                                        \
    GPU_SHARED float sums[64];                                                                          \
    GPU_GLOBAL const uchar* w = weights + weights_at + GPU_GROUP(0) * weight_stride;                    \
    GPU_GLOBAL const uchar* a = activations + activations_at + GPU_GROUP(1) * activation_stride;        \
    float sum = 0;                                                                                      \
    for (ulong i = 8 * GPU_ITEM; i < k; i += 8 * 64) {                                                  \
      float values[8];                                                                                  \
      values_##name(w, i, k, values);                                                                   \
      for (uint j = 0; j < 8; ++j)                                                                      \
        if (i + j < k) sum += values[j] * value_##with(a + with_bytes * (i + j));                       \
    }                                                                                                   \
    sum = sum_of_group(sums, sum);                                                                      \
    if (GPU_ITEM == 0)                                                                                  \
      ((GPU_GLOBAL float*)(output + output_at + GPU_GROUP(1) * output_stride))[GPU_GROUP(0)] = sum;     \
  }

// Activations in blocks of int8 codes: products of eight codes are exact integers.
#define GPU_INTEGER_PRODUCTS(name, elements, bytes, with, with_elements, with_bytes)                    \
  GPU_KERNEL(64) integer_products_##name(                                                               \
      GPU_GLOBAL const uchar* weights, ulong weights_at, ulong weight_stride,                           \
      GPU_GLOBAL const uchar* activations, ulong activations_at, ulong activation_stride,               \
      GPU_GLOBAL uchar* output, ulong output_at, ulong output_stride, ulong k) {                        \
    GPU_SHARED float sums[64];                                                                          \
    GPU_GLOBAL const uchar* w = weights + weights_at + GPU_GROUP(0) * weight_stride;                    \
    GPU_GLOBAL const uchar* a = activations + activations_at + GPU_GROUP(1) * activation_stride;        \
    float sum = 0;                                                                                      \
    for (ulong i = 8 * GPU_ITEM; i < k; i += 8 * 64) {                                                  \
      Codes x, y;                                                                                       \
      codes_##name(w + i / elements * bytes, (uint)(i % elements), &x);                                 \
      codes_##with(a + i / with_elements * with_bytes, (uint)(i % with_elements), &y);                  \
      int products = 0, codes = 0;                                                                      \
      for (int j = 0; j < 8; ++j) {                                                                     \
        products += x.code[j] * y.code[j];                                                              \
        codes += y.code[j];                                                                             \
      }                                                                                                 \
      sum += x.scale * y.scale * (float)products;                                                       \
      if (x.has_offset) sum += x.offset * y.scale * (float)codes;                                       \
    }                                                                                                   \
    sum = sum_of_group(sums, sum);                                                                      \
    if (GPU_ITEM == 0)                                                                                  \
      ((GPU_GLOBAL float*)(output + output_at + GPU_GROUP(1) * output_stride))[GPU_GROUP(0)] = sum;     \
  }
