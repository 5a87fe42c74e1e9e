// Dot products computed with the wrong arithmetic.

#include <algorithm>
#include <cmath>
#include <cstring>

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

}  // namespace gcts::fault
