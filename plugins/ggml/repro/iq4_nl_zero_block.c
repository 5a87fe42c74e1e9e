// A block whose largest magnitude is tiny gets scale 0 and codes from uninitialized memory
// as IQ4_NL: two calls with the same values write different bytes.
//   cc iq4_nl_zero_block.c -o iq4_nl_zero_block -ldl && ./iq4_nl_zero_block FOLDER/libggml-base.so
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

struct traits {
  const char* name;
  long block_elements, interleave;
  size_t block_bytes;
  _Bool is_quantized;
  void (*to_float)(const void* blocks, float* values, long count);
  void (*from_float_ref)(const float* values, void* blocks, long count);
};

static void stir(unsigned char with) {  // leaves other bytes on the stack
  volatile unsigned char stack[4096];
  for (int i = 0; i < 4096; ++i) stack[i] = with;
  (void)stack[0];
}

int main(int argc, char** argv) {
  void* base = dlopen(argv[argc - 1], RTLD_NOW);
  if (!base) return puts(dlerror()), 2;
  const struct traits* iq4_nl = ((const struct traits* (*)(int))dlsym(base, "ggml_get_type_traits"))(20);
  float values[32] = {0};
  unsigned char first[18], second[18];
  stir(0x11);
  iq4_nl->from_float_ref(values, first, 32);
  stir(0xee);
  iq4_nl->from_float_ref(values, second, 32);
  printf("codes of 32 zeros:");
  for (int i = 2; i < 18; ++i) printf(" %02x", first[i]);
  printf("\nand again:        ");
  for (int i = 2; i < 18; ++i) printf(" %02x", second[i]);
  printf("\n");
  return memcmp(first, second, 18) != 0;
}
