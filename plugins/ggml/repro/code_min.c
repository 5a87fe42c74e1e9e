// The int8 activation code -128, which no quantizer makes and the format allows: x86
// vector code gives another sum than scalar code.  A declared limit, no failure.
//   cc code_min.c -o code_min -ldl && ./code_min FOLDER/libggml-base.so FOLDER/libggml-cpu-haswell.so
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

struct cpu_traits {
  void (*from_float)(const float* values, void* blocks, long count);
  void (*vec_dot)(int count, float* result, size_t bs, const void* x, size_t bx, const void* y, size_t by, int rows);
};

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  void* cpu = dlopen(argv[2], RTLD_NOW);
  if (!cpu) return puts(dlerror()), 2;
  ((void (*)(void))dlsym(cpu, "ggml_cpu_init"))();
  const struct cpu_traits* q8_0 = ((const struct cpu_traits* (*)(int))dlsym(cpu, "ggml_get_type_traits_cpu"))(8);
  unsigned char weights[34] = {0x00, 0x3c}, activations[34] = {0x00, 0x3c};  // scales of 1
  memset(weights + 2, -1, 32);
  memset(activations + 2, -128, 32);
  float sum = 0;
  q8_0->vec_dot(32, &sum, 0, weights, 0, activations, 0, 1);
  printf("32 times -1 * -128: %g (4096 is right)\n", sum);
  return sum != 4096;
}
