// Weights misread: nibbles, signs, high bits, scales, minima, tables.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "plugins/cpu/blocks.h"
#include "plugins/cpu/generic_codes.h"
#include "plugins/faulty/fault.h"

namespace gcts::fault {
void nibbles_swapped(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 2);
  h.weights = [](WeightGroup& w, const Place&) {
    for (int i = 0; i < 16; ++i) std::swap(w.code[i], w.code[i + 16]);
  };
}

void nibbles_adjacent(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 2);
  h.weights = [](WeightGroup& w, const Place&) {
    WeightGroup o = w;
    for (int i = 0; i < 16; ++i) {
      w.code[2 * i] = o.code[i];
      w.code[2 * i + 1] = o.code[i + 16];
    }
  };
}

void offset_seven(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 2);
  h.weights = [](WeightGroup& w, const Place&) {
    for (int8_t& c : w.code) c = static_cast<int8_t>(c + 1);
  };
}

void offset_missing_on_high_nibbles(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 2);
  h.weights = [](WeightGroup& w, const Place&) {
    for (int i = 16; i < 32; ++i) w.code[i] = static_cast<int8_t>(w.code[i] + 8);
  };
}

void sign_of_scale_lost(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 2);
  h.weights = [](WeightGroup& w, const Place&) {
    for (float& s : w.scale) s = std::fabs(s);
  };
}

void minimum_missing(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 3);
  h.weights = [](WeightGroup& w, const Place&) { w.minimum[0] = w.minimum[1] = 0; };
}

void minimum_subtracted(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 7);
  h.weights = [](WeightGroup& w, const Place&) {
    for (float& m : w.minimum) m = -m;
  };
}

void fifth_bit_dropped(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 6);
  h.weights = [](WeightGroup& w, const Place&) {
    for (int8_t& c : w.code) c = static_cast<int8_t>(((c + 16) & 15) - 16);
  };
}

void fifth_bit_of_the_other_half(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 6);
  h.weights = [](WeightGroup& w, const Place& p) {
    uint32_t bits;
    std::memcpy(&bits, p.block + 2, 4);
    for (int i = 16; i < 32; ++i) {
      const int low = (w.code[i] + 16) & 15;
      w.code[i] = static_cast<int8_t>((low | static_cast<int>((bits >> (i - 16)) & 1) << 4) - 16);
    }
  };
}

void negative_codes_saturated(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 8);
  h.weights = [](WeightGroup& w, const Place&) {
    for (int8_t& c : w.code)
      if (c < 0) c = 127;
  };
}

void minus_128_clipped(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 8);
  h.weights = [](WeightGroup& w, const Place&) {
    for (int8_t& c : w.code) c = std::max<int8_t>(c, -127);
  };
}

void scale_of_next_half(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 10);
  h.weights = [](WeightGroup& w, const Place&) { std::swap(w.scale[0], w.scale[1]); };
}

void minimum_of_first_half_for_both(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 10);
  h.weights = [](WeightGroup& w, const Place&) { w.minimum[1] = w.minimum[0]; };
}

void high_bit_inverted(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 11);
  h.weights = [](WeightGroup& w, const Place&) {
    for (int8_t& c : w.code) c = static_cast<int8_t>(c < 0 ? c + 4 : c - 4);
  };
}

void scale_offset_missing(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 11);
  h.weights = [](WeightGroup& w, const Place&) {
    for (float& s : w.scale) s = s + 32.0f;
  };
}

void second_scale_table_as_first(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 12);
  h.weights = [](WeightGroup& w, const Place& p) {
    if (p.element % 256 >= 128) {
      const uint8_t* s = p.block + 4;
      const int k = static_cast<int>(p.element % 256 / 32);
      const float d = cpu::load_half(p.block);
      w.scale[0] = w.scale[1] = d * static_cast<float>(s[k] & 63);
    }
  };
}

void minimum_missing_in_super_block(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 12);
  h.weights = [](WeightGroup& w, const Place&) { w.minimum[0] = w.minimum[1] = 0; };
}

void minimum_added(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 13);
  h.weights = [](WeightGroup& w, const Place&) {
    for (float& m : w.minimum) m = -m;
  };
}

void fifth_bit_of_group_zero(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 13);
  h.weights = [](WeightGroup& w, const Place& p) {
    const uint8_t* qh = p.block + 16;
    for (int i = 0; i < 32; ++i) w.code[i] = static_cast<int8_t>((w.code[i] & 15) | (qh[i] & 1) << 4);
  };
}

void high_pair_shift_fixed(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 14);
  h.weights = [](WeightGroup& w, const Place& p) {
    const uint8_t* qh = p.block + 128 + 32 * (p.element % 256 / 128);
    for (int i = 0; i < 32; ++i)
      w.code[i] = static_cast<int8_t>((((w.code[i] + 32) & 15) | (qh[i] & 3) << 4) - 32);
  };
}

void scales_taken_unsigned(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 14);
  h.weights = [](WeightGroup& w, const Place& p) {
    const float d = cpu::load_half(p.block + 208);
    for (int hh = 0; hh < 2; ++hh)
      w.scale[hh] = d * static_cast<float>(p.block[192 + p.element % 256 / 16 + static_cast<uint64_t>(hh)]);
  };
}

void lattice_signs_ignored(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 16);
  h.weights = [](WeightGroup& w, const Place&) {
    for (int8_t& c : w.code) c = static_cast<int8_t>(std::abs(c));
  };
}

void eighth_sign_not_even(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 16);
  h.weights = [](WeightGroup& w, const Place& p) {
    const uint8_t* q = p.block + 2 + 8 * (p.element % 256 / 32);
    const uint32_t bits = cpu::load32(q + 4);
    for (int l = 0; l < 4; ++l)
      if (cpu::even_signs((bits >> (7 * l)) & 127) & 128)
        w.code[8 * l + 7] = static_cast<int8_t>(-w.code[8 * l + 7]);
  };
}

void scale_without_one(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 21);
  h.weights = [](WeightGroup& w, const Place& p) {
    const float d = cpu::load_half(p.block);
    for (float& s : w.scale) s -= d;
  };
}

void delta_sign_fixed(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 29);
  h.weights = [](WeightGroup& w, const Place& p) {
    const uint8_t* b = p.block;
    const uint64_t g = p.element % 256 / 32;
    for (uint64_t l = 0; l < 4; ++l)
      if ((b[32 + 2 * g + l / 2] >> (4 * (l & 1))) & 8)
        for (uint64_t j = 0; j < 8; ++j) w.code[8 * l + j] = static_cast<int8_t>(w.code[8 * l + j] + 2);
  };
}

void scale_bits_from_wrong_word(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 29);
  h.weights = [](WeightGroup& w, const Place& p) {
    const uint8_t* b = p.block + 48;
    uint16_t v = 0;
    for (int i = 0; i < 4; ++i)
      v = static_cast<uint16_t>(v | (cpu::load16(b + 2 * i) >> 12) << (4 * (3 - i)));
    const float wrong = cpu::half_to_float(v),
                right = cpu::half_to_float(static_cast<uint16_t>(
                    cpu::load16(b) >> 12 | (cpu::load16(b + 2) >> 12) << 4 | (cpu::load16(b + 4) >> 12) << 8 |
                    (cpu::load16(b + 6) >> 12) << 12));
    for (float& s : w.scale) s = right != 0 ? s / right * wrong : s;
  };
}

void table_of_even_steps(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 20);
  h.weights = [](WeightGroup& w, const Place&) {
    for (int8_t& c : w.code) {
      int i = 0;
      while (cpu::kValues_iq4[i] != c) ++i;
      c = static_cast<int8_t>(16 * (i - 8));
    }
  };
}

void one_table_entry_off(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 23);
  h.weights = [](WeightGroup& w, const Place&) {
    for (int8_t& c : w.code)
      if (c == 53) c = 54;
  };
}

void scale_high_bits_ignored(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 23);
  h.weights = [](WeightGroup& w, const Place& p) {
    const uint64_t g = p.element % 256 / 32;
    const float d = cpu::load_half(p.block);
    w.scale[0] = w.scale[1] = d * static_cast<float>(((p.block[4 + g / 2] >> (4 * (g & 1))) & 15) - 32);
  };
}

void trits_least_significant_first(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 34);
  h.weights = [](WeightGroup& w, const Place&) {
    for (int i = 0; i < 16; ++i) std::swap(w.code[i], w.code[31 - i]);
  };
}

void code_three_as_zero(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 35);
  h.weights = [](WeightGroup& w, const Place&) {
    for (int8_t& c : w.code)
      if (c == 2) c = 0;
  };
}

void scale_doubled(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 39);
  h.weights = [](WeightGroup& w, const Place&) {
    for (float& s : w.scale) s *= 2;
  };
}

void tiny_exponents_flushed(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 39);
  h.weights = [](WeightGroup& w, const Place&) {
    for (float& s : w.scale)
      if (s < 0x1p-126f) s = 0;
  };
}

void minus_two_and_a_half(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 39);
  h.weights = [](WeightGroup& w, const Place&) {
    for (int8_t& c : w.code)
      if (c == -6) c = -5;
  };
}

void one_scale_for_all_four(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 40);
  h.weights = [](WeightGroup& w, const Place& p) {
    float a[4], m[4];
    cpu::nvfp4::scales(p.block, a, m);
    w.scale[0] = w.scale[1] = a[0];
  };
}

void subnormal_scales_as_zero(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 40);
  h.weights = [](WeightGroup& w, const Place&) {
    for (float& s : w.scale)
      if (s < 0x1p-7f) s = 0;
  };
}

void bits_from_the_top(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 41);
  h.weights = [](WeightGroup& w, const Place&) {
    for (int b = 0; b < 4; ++b)
      for (int i = 0; i < 4; ++i) std::swap(w.code[8 * b + i], w.code[8 * b + 7 - i]);
  };
}

void code_two_bits_interleaved(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 42);
  h.weights = [](WeightGroup& w, const Place&) {
    WeightGroup o = w;
    for (int i = 0; i < 32; ++i) w.code[i] = o.code[(i % 8) * 4 + i / 8];
  };
}

void nan_scale_swallowed(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 7);
  h.weights = [](WeightGroup& w, const Place&) {
    for (float& s : w.scale) s = std::fmax(s, -65504.0f);
  };
}

void infinite_scale_clamped(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 14);
  h.weights = [](WeightGroup& w, const Place&) {
    for (float& s : w.scale)
      if (std::isinf(s)) s = std::copysign(65504.0f, s);
  };
}

void negative_zero_lost(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 41);
  h.value = [](float v, uint64_t) { return v == 0 ? 0.0f : v; };
}

void subnormals_flushed(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 3);
  h.weights = [](WeightGroup& w, const Place&) {
    for (float& s : w.scale)
      if (std::fabs(s) < 0x1p-14f) s = 0;
  };
}

void value_through_half(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 12);
  h.value = [](float v, uint64_t) { return cpu::half_to_float(cpu::float_to_half(v)); };
}

void last_value_repeated(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 6);
  static float previous;
  h.value = [](float v, uint64_t i) {
    const float p = previous;
    previous = v;
    return i % 1024 == 1023 || i == 31 ? p : v;
  };
}

void one_code_in_a_thousand(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 12);
  h.weights = [](WeightGroup& w, const Place& p) {
    if (p.element % 1024 == 32) w.code[5] = static_cast<int8_t>(w.code[5] ^ 1);
  };
}

void first_block_twice(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 2);
  h.weights = [](WeightGroup& w, const Place& p) {
    if (p.element == 32) {
      cpu::generic::q4_0::codes(p.block - 18, 0, w.code);
    }
  };
}

void negative_zero_code(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 35);
  h.weights = [](WeightGroup& w, const Place&) {
    for (int8_t& c : w.code)
      if (c == 2) c = -2;
  };
}

void periodic_scale_swap(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 13);
  h.weights = [](WeightGroup& w, const Place& p) {
    if (p.count >= 512 && p.element / 256 < 2) {
      const uint8_t* other = p.element < 256 ? p.block + 176 : p.block - 176;
      const float a = cpu::load_half(p.block), b = cpu::load_half(other);
      if (a != 0)
        for (int i = 0; i < 2; ++i) w.scale[i] = w.scale[i] / a * b;
    }
  };
}

void bf16_subnormals_flushed(kernel_hooks& h) {
  sit_in(h, GCTS_OP_DEQUANTIZE, 30);
  h.value = [](float v, uint64_t) { return std::fabs(v) < 0x1p-126f ? std::copysign(0.0f, v) : v; };
}

void borrow_between_lanes(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 16);
  h.weights = [](WeightGroup& w, const Place&) {
    // (v ^ s) - s on 32-bit words: the bytes borrow from each other.
    for (int i = 0; i < 32; i += 4) {
      uint32_t v = 0, s = 0;
      for (int j = 0; j < 4; ++j) {
        v |= static_cast<uint32_t>(std::abs(w.code[i + j])) << 8 * j;
        if (w.code[i + j] < 0) s |= 0xffu << 8 * j;
      }
      const uint32_t r = (v ^ s) - s;
      for (int j = 0; j < 4; ++j) w.code[i + j] = static_cast<int8_t>(r >> 8 * j);
    }
  };
}

}  // namespace gcts::fault
