// A block of zeros leaves the 16 sums of Q8_K unwritten: they keep what was in memory.
//   cc q8_k_zero_block.c -o q8_k_zero_block -ldl && ./q8_k_zero_block FOLDER/libggml-base.so FOLDER/libggml-cpu-haswell.so
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

struct cpu_traits {
  void (*from_float)(const float* values, void* blocks, long count);
};

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  void* cpu = dlopen(argv[2], RTLD_NOW);
  if (!cpu) return puts(dlerror()), 2;
  ((void (*)(void))dlsym(cpu, "ggml_cpu_init"))();
  const struct cpu_traits* q8_k = ((const struct cpu_traits* (*)(int))dlsym(cpu, "ggml_get_type_traits_cpu"))(15);
  float values[256] = {0};
  unsigned char block[292];  // scale f32, 256 codes, 16 sums i16
  memset(block, 0x5a, sizeof(block));
  q8_k->from_float(values, block, 256);
  short sum;
  memcpy(&sum, block + 260, 2);
  printf("first sum of a block of zeros: %d (0 is right)\n", sum);
  return sum != 0;
}
