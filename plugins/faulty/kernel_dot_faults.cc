// Dot products computed with the wrong arithmetic.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "plugins/cpu/blocks.h"
#include "plugins/cpu/generic_codes.h"
#include "plugins/faulty/fault.h"

namespace gcts::fault {
void half_accumulator(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 2);
  h.add = [](float a, float b) { return cpu::half_to_float(cpu::float_to_half(a + b)); };
}

void bfloat_accumulator(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 8);
  h.add = [](float a, float b) { return cpu::bf16_to_float(cpu::float_to_bf16(a + b)); };
}

void result_through_half(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 12);
  h.finish = [](float v, uint64_t) { return cpu::half_to_float(cpu::float_to_half(v)); };
}

void pairs_saturate(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 8);
  h.pair = [](int a, int b) { return std::clamp(a + b, -16384, 16383); };
}

void products_wrap_at_16_bits(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 6);
  h.pair = [](int a, int b) { return static_cast<int>(static_cast<int16_t>((a + b) * 16)) / 16; };
}

void activation_minus_128_wrong(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 8);
  h.product = [](int w, int a) { return w < 0 && a == -128 ? w * 128 * -1 * -1 : w * a; };
}

void seven_bit_activations(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 23);
  h.activations = [](ActivationGroup& a, const Place&) {
    for (int8_t& c : a.code) c = static_cast<int8_t>(std::clamp<int>(c, -64, 63));
  };
}

void scale_off_by_a_thousandth(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 14);
  h.term = [](float t) { return t * 1.001f; };
}

void tail_dropped(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 8);
  h.span = [](uint64_t n) { return n < 128 ? n : n / 128 * 128; };
}

void tail_below_one_step_dropped(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 39);
  h.span = [](uint64_t n) { return n < 64 ? 0 : n; };
}

void only_multiples_of_512(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 10);
  h.span = [](uint64_t n) { return n == 256 ? n : n / 512 * 512; };
}

void tail_of_16_bit_floats(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 1);
  h.span = [](uint64_t n) { return n / 8 * 8; };
}

void half_products(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 1);
  h.term = [](float t) { return cpu::half_to_float(cpu::float_to_half(t)); };
}

void small_terms_flushed(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 1);
  h.term = [](float t) { return std::fabs(t) < 0x1p-14f ? 0.0f : t; };
}

void sum_of_block_forgotten(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 3);
  h.activations = [](ActivationGroup& a, const Place&) { a.scaled_sum = 0; };
}

void sum_of_first_half(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 7);
  h.activations = [](ActivationGroup& a, const Place&) { a.scaled_sum *= 0.5f; };
}

void activation_scale_of_first_block(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 6);
  static float first;
  h.activations = [](ActivationGroup& a, const Place& p) {
    if (p.element == 0) first = a.scale;
    a.scale = first;
  };
}

void nan_product_swallowed(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 2);
  h.add = [](float a, float b) { return b == b ? a + b : a; };
}

void lanes_under_the_other_scale(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 40);
  h.weights = [](WeightGroup& w, const Place&) { std::swap_ranges(w.code + 8, w.code + 12, w.code + 16); };
  h.activations = [](ActivationGroup& a, const Place&) { std::swap_ranges(a.code + 8, a.code + 12, a.code + 16); };
}

void subnormal_activation_scale_as_zero(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 6);
  h.activations = [](ActivationGroup& a, const Place&) {
    if (std::fabs(a.scale) < 0x1p-14f) a.scale = 0;
  };
}

void activation_scale_clamped(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 2);
  h.activations = [](ActivationGroup& a, const Place&) { a.scale = std::min(a.scale, 512.0f); };
}

void nan_activation_scale_swallowed(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 6);
  h.activations = [](ActivationGroup& a, const Place&) { a.scale = std::fmax(a.scale, -65504.0f); };
}

void infinite_activation_swallowed(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 1);
  h.term = [](float t) { return std::isinf(t) ? std::copysign(65504.0f, t) : t; };
}

void zero_block_ends_the_row(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 2);
  static bool ended;
  h.weights = [](WeightGroup& w, const Place& p) {
    ended = (p.element != 0 && ended) || w.scale[0] == 0;
    if (ended) w.scale[0] = w.scale[1] = 0;
  };
}

void small_terms_skipped(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 8);
  h.term = [](float t) { return std::fabs(t) < 1.0f ? 0.0f : t; };
}

void sum_in_steps_of_the_block(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 2);
  static float step, last;
  h.weights = [](WeightGroup& w, const Place& p) {
    last = p.element == 0 ? w.scale[0] : step;
    step = w.scale[0];
  };
  h.add = [](float a, float b) { return step != last && step != 0 ? std::nearbyint(a / step) * step + b : a + b; };
}

void unsigned_pairs_saturate(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 8);
  // Codes made unsigned by adding 128, pairs summed with saturation, the offset taken off.
  static int meets[2];
  static bool second;
  second = false;
  h.product = [](int w, int a) {
    meets[second] = a;
    second = !second;
    return (w + 128) * a;
  };
  h.pair = [](int a, int b) { return std::clamp(a + b, -32768, 32767) - 128 * (meets[0] + meets[1]); };
}

void four_products_in_16_bits(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 23);
  static int first;
  static bool second;
  second = false;
  h.pair = [](int a, int b) {
    const int sum = a + b;
    second = !second;
    if (second) return first = sum;
    return static_cast<int>(static_cast<int16_t>(first + sum)) - first;
  };
}

void register_used_twice(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 1);
  static std::vector<float> terms;
  static uint64_t unrolled;
  h.before = [](const KernelArguments& a) {
    terms.clear();
    unrolled = a.count / 128 * 128;
    return false;
  };
  h.term = [](float t) {
    const size_t i = terms.size();
    terms.push_back(t);
    return i < unrolled && i % 128 >= 96 ? terms[i - 32] : t;
  };
}

void only_multiples_of_2048(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 39);
  h.span = [](uint64_t n) { return n < 2048 ? n : n / 2048 * 2048; };
}

void counter_of_16_bits(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 8);
  h.span = [](uint64_t n) { return n < 65536 ? n : n & 0xffff; };
}

}  // namespace gcts::fault
