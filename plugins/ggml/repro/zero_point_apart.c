// Q6_K, TQ1_0 and TQ2_0: vector code sums unsigned codes in some lanes and takes the zero
// point off in others, with the sums that an activation block carries.  A block of weights
// that are all 0 then leaves large sums of opposite signs, and what is small beside them is
// rounded away.  A declared accuracy class, no failure.
//   cc zero_point_apart.c -o zero_point_apart -ldl
//   ./zero_point_apart FOLDER/libggml-base.so FOLDER/libggml-cpu-haswell.so
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

struct cpu_traits {
  void (*from_float)(const float* values, void* blocks, long count);
  void (*vec_dot)(int count, float* result, size_t bs, const void* x, size_t bx, const void* y, size_t by, int rows);
};
struct q8_k {
  float scale;
  signed char codes[256];
  short sums[16];
};
struct type {
  int id;
  const char* name;
  int bytes, scale_at, zero;  // of a block; a byte that makes all its codes the zero point
};

static float dot(const struct cpu_traits* traits, int blocks, const void* weights, const struct q8_k* activations) {
  float sum = 0;
  traits->vec_dot(256 * blocks, &sum, 0, weights, 0, activations, 0, 1);
  return sum;
}

int main(int argc, char** argv) {
  static const struct type types[] = {{14, "q6_k", 210, 208, 0}, {34, "tq1_0", 54, 52, 0x80}, {35, "tq2_0", 66, 64, 0x55}};
  if (argc != 3) return 2;
  dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  void* cpu = dlopen(argv[2], RTLD_NOW);
  if (!cpu) return puts(dlerror()), 2;
  ((void (*)(void))dlsym(cpu, "ggml_cpu_init"))();
  int apart = 0;
  for (int i = 0; i < 3; ++i) {
    const struct type* t = &types[i];
    const struct cpu_traits* traits = ((const struct cpu_traits* (*)(int))dlsym(cpu, "ggml_get_type_traits_cpu"))(t->id);
    // Two blocks of weights 0 with scales of 2^15 and 1, but for the first weight of the
    // second, which is 1 (TQ1_0's byte holds five of them).
    unsigned char weights[2 * 210];
    memset(weights, t->zero, sizeof(weights));
    unsigned char *first = weights, *second = weights + t->bytes;
    if (t->id == 14) {
      memset(weights, 0, sizeof(weights));
      for (int b = 0; b < 2; ++b) memset(weights + b * t->bytes + 128, 0xaa, 64);  // high bits: 32
      memset(first + 192, 127, 16), memset(second + 192, 1, 16);                   // sub-scales
    }
    first[t->scale_at] = 0, first[t->scale_at + 1] = 0x78;
    second[t->scale_at] = 0, second[t->scale_at + 1] = 0x3c;
    second[0] = t->id == 14 ? 1 : t->id == 34 ? 0xd5 : 0x56;
    // Activations of 127 meet weights of 0, one of 1 meets the weight of 1.
    struct q8_k activations[2];
    memset(activations, 0, sizeof(activations));
    activations[0].scale = activations[1].scale = 1;
    memset(activations[0].codes, 127, 16), activations[0].sums[0] = 16 * 127;
    activations[1].codes[0] = activations[1].sums[0] = 1;
    const float sum = dot(traits, 2, weights, activations), second_alone = dot(traits, 1, second, activations + 1);
    activations[1].sums[0] = 0;
    const float without = dot(traits, 1, second, activations + 1);
    printf("%s: 0 + 1 * 1 = %g (1 is right); the second block alone %g, and %g where its sums are left 0\n", t->name, sum, second_alone,
           without);
    apart |= sum != 1;
  }
  return apart;
}
