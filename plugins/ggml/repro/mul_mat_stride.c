// ggml_mul_mat of a view whose rows lie 2 bytes further apart than whole blocks: accepted,
// and every row but the first is read from the wrong place (x86, tiled products).
//   cc mul_mat_stride.c -o mul_mat_stride -ldl && ./mul_mat_stride FOLDER/libggml-base.so FOLDER/libggml-cpu-haswell.so
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { K = 64, N = 4, M = 4, BLOCK = 34, ROW = 2 * BLOCK, STRIDE = ROW + 2, Q8_0 = 8, F32 = 0 };
struct params {
  size_t size;
  void* memory;
  _Bool no_alloc;
};

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  void* base = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  void* cpu = dlopen(argv[2], RTLD_NOW);
  if (!base || !cpu) return puts(dlerror()), 2;
#define BASE(result, name, ...) result(*name)(__VA_ARGS__) = (result(*)(__VA_ARGS__))dlsym(base, #name)
#define CPU(result, name, ...) result(*name)(__VA_ARGS__) = (result(*)(__VA_ARGS__))dlsym(cpu, #name)
  BASE(void*, ggml_init, struct params);
  BASE(void*, ggml_new_tensor_1d, void*, int, long);
  BASE(void*, ggml_new_tensor_2d, void*, int, long, long);
  BASE(void*, ggml_view_2d, void*, void*, long, long, size_t, size_t);
  BASE(void*, ggml_mul_mat, void*, void*, void*);
  BASE(void*, ggml_get_data, void*);
  BASE(void*, ggml_new_graph, void*);
  BASE(void, ggml_build_forward_expand, void*, void*);
  BASE(int, ggml_backend_graph_compute, void*, void*);
  CPU(void, ggml_cpu_init, void);
  CPU(void*, ggml_backend_cpu_init, void);
  ggml_cpu_init();
  void* context = ggml_init((struct params){16 << 20, NULL, 0});
  void* memory = ggml_new_tensor_1d(context, Q8_0, 32 * 16);
  unsigned char* at = ggml_get_data(memory);
  for (int n = 0; n < N; ++n)
    for (int b = 0; b < 2; ++b) {  // scale 1, codes n + 1
      unsigned char* block = at + n * STRIDE + b * BLOCK;
      block[0] = 0x00, block[1] = 0x3c;
      memset(block + 2, n + 1, 32);
    }
  void* weights = ggml_view_2d(context, memory, K, N, STRIDE, 0);
  void* activations = ggml_new_tensor_2d(context, F32, K, M);
  float* a = ggml_get_data(activations);
  for (int i = 0; i < K * M; ++i) a[i] = 127;
  void* product = ggml_mul_mat(context, weights, activations);
  void* graph = ggml_new_graph(context);
  ggml_build_forward_expand(graph, product);
  ggml_backend_graph_compute(ggml_backend_cpu_init(), graph);
  const float* y = ggml_get_data(product);
  int wrong = 0;
  for (int n = 0; n < N; ++n) {
    printf("row %d: %g, %d is right\n", n, y[n], K * 127 * (n + 1));
    wrong |= y[n] != K * 127 * (n + 1);
  }
  return wrong;
}
