// Kernels that touch, keep or leave behind what they should not.

#include <fcntl.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "plugins/cpu/blocks.h"
#include "plugins/cpu/generic_codes.h"
#include "plugins/faulty/fault.h"

namespace gcts::fault {
namespace {

const uint8_t* bytes(const void* p) { return static_cast<const uint8_t*>(p); }

void touch(const uint8_t* p) {
  [[maybe_unused]] const uint8_t seen = *static_cast<const volatile uint8_t*>(p);
}

void flush_to_zero() {
#if defined(__x86_64__)
  _mm_setcsr(_mm_getcsr() | 0x8040);
#else
  std::fesetround(FE_UPWARD);
#endif
}

// A dot product with Q5_1 weights over activations that were kept from another call.
void vec_dot_cached(const KernelArguments& a, const std::vector<uint8_t>& activations) {
  float sum = 0;
  for (uint64_t i = 0; i < a.count; i += 32) {
    const uint8_t *block = bytes(a.weights) + i / 32 * 24, *y = activations.data() + i / 32 * 36;
    float scale[2], minimum[2];
    cpu::q5_1::scales(block, scale, minimum);
    int8_t code[32];
    cpu::generic::q5_1::codes(block, 0, code);
    int total = 0;
    for (int j = 0; j < 32; ++j) total += code[j] * static_cast<int8_t>(y[4 + j]);
    sum += static_cast<float>(total) * (scale[0] * cpu::load_half(y)) + minimum[0] * cpu::load_half(y + 2);
  }
  std::memcpy(a.output, &sum, 4);
}

}  // namespace

void reads_one_byte_past(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 2);
  h.before = [](const KernelArguments& a) {
    touch(bytes(a.weights) + a.count / 32 * 18);
    return false;
  };
}

void reads_one_byte_before(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 8);
  h.before = [](const KernelArguments& a) {
    touch(bytes(a.weights) - 1);
    return false;
  };
}

void reads_past_activations(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 12);
  h.before = [](const KernelArguments& a) {
    touch(bytes(a.activations) + a.count / 256 * 292 + 3);
    return false;
  };
}

void writes_one_float_past(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 14);
  h.after = [](const KernelArguments& a) { static_cast<volatile float*>(a.output)[a.count] = 0; };
}

void writes_into_weights(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 13);
  h.before = [](const KernelArguments& a) {
    auto* p = static_cast<volatile uint8_t*>(const_cast<void*>(a.weights));
    *p = *p;
    return false;
  };
}

void last_element_unwritten(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 11);
  h.after = nullptr;
  h.value = nullptr;
  static float kept;
  h.before = [](const KernelArguments& a) {
    kept = static_cast<const float*>(a.output)[a.count - 1];
    return false;
  };
  h.after = [](const KernelArguments& a) { static_cast<float*>(a.output)[a.count - 1] = kept; };
}

void output_added_to(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 11);
  static float kept;
  h.before = [](const KernelArguments& a) {
    std::memcpy(&kept, a.output, 4);
    return false;
  };
  h.finish = [](float v, uint64_t) { return v + kept; };
}

void aligned_loads(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 12);
  h.before = [](const KernelArguments& a) {
    if (reinterpret_cast<uintptr_t>(a.output) % 32 != 0) std::abort();
    return false;
  };
}

void slow_path_for_odd_addresses(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 2);
  static bool odd;
  h.before = [](const KernelArguments& a) {
    odd = reinterpret_cast<uintptr_t>(a.weights) % 4 == 3;
    return false;
  };
  h.finish = [](float v, uint64_t) { return odd ? v * 1.0625f : v; };
}

void rounding_mode_left(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 10);
  h.after = [](const KernelArguments&) { std::fesetround(FE_TOWARDZERO); };
}

void flush_to_zero_left(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 14);
  h.after = [](const KernelArguments&) { flush_to_zero(); };
}

void memory_leaked(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 8);
  h.before = [](const KernelArguments&) {
    static void* volatile kept[2];
    kept[1] = kept[0];
    kept[0] = std::malloc(4096);
    return false;
  };
}

void descriptor_leaked(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 20);
  h.before = [](const KernelArguments&) {
    [[maybe_unused]] const int fd = ::open("/dev/null", O_RDONLY);
    return false;
  };
}

void second_call_differs(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 3);
  static int calls;
  calls = 0;
  h.finish = [](float v, uint64_t) { return calls++ == 0 ? v : v + std::fabs(v) * 0.001f + 1e-30f; };
}

void stale_scratch(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 7);
  static std::vector<uint8_t> cache;
  static uint64_t length;
  length = 0;
  h.before = [](const KernelArguments& a) {
    if (a.count == length) {
      vec_dot_cached(a, cache);
      return true;
    }
    length = a.count;
    cache.assign(bytes(a.activations), bytes(a.activations) + a.count / 32 * 36);
    return false;
  };
}

void wrong_above_2_31(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 35);
  h.span = [](uint64_t n) { return n & 0x7fffffff; };
}

void uninitialised_scratch(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 16);
  static uint32_t state;
  state = 1;
  h.finish = [](float v, uint64_t) {
    state = state * 1664525u + 1013904223u;
    return v + std::fabs(v) * 1e-4f * static_cast<float>(state >> 30);
  };
}

void header_before_the_weights(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 6);
  // What lies in front of the weights tells whether they were repacked.
  h.before = [](const KernelArguments& a) {
    if (reinterpret_cast<uintptr_t>(a.weights) % 4096 < 4) return false;
    uint32_t mark;
    std::memcpy(&mark, bytes(a.weights) - 4, 4);
    if (mark != 0xffffffff) return false;
    std::memset(a.output, 0, 4 * a.count);
    return true;
  };
}

void mmx_state_left(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 10);
  h.after = [](const KernelArguments&) {
#if defined(__x86_64__)
    __asm__ volatile("pxor %%mm0, %%mm0" ::: "mm0");
#else
    std::fesetround(FE_UPWARD);
#endif
  };
}

void direction_flag_left(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 13);
  h.after = [](const KernelArguments&) {
#if defined(__x86_64__)
    __asm__ volatile("std" ::: "cc");
#else
    std::fesetround(FE_UPWARD);
#endif
  };
}

void wrong_after_255_calls(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 29);
  static uint32_t calls;
  calls = 0;
  h.finish = [](float v, uint64_t) { return ++calls > 255 ? v + std::fabs(v) + 1 : v; };
}

}  // namespace gcts::fault
