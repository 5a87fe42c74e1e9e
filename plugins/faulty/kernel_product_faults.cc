// Quantizers and matrix products.

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cmath>
#include <cstring>
#include <thread>
#include <vector>

#include "plugins/cpu/blocks.h"
#include "plugins/cpu/generic_codes.h"
#include "plugins/faulty/fault.h"

namespace gcts::fault {
void rounds_toward_zero(kernel_hooks& h) {
  sit_in(h, GCTS_OP_QUANTIZE, 8);
  h.to_code = [](float v) { return std::trunc(v); };
}

void scale_by_128(kernel_hooks& h) {
  sit_in(h, GCTS_OP_QUANTIZE, 8);
  h.scale = [](float d) { return d * 127.0f / 128.0f; };
  h.to_code = [](float v) { return v * 128.0f / 127.0f; };
}

void extreme_of_half_a_block(kernel_hooks& h) {
  sit_in(h, GCTS_OP_QUANTIZE, 8);
  h.largest = [](const float* x, int n) {
    float a = 0;
    for (int i = 0; i < n / 2; ++i) a = std::max(a, std::fabs(x[i]));
    return a;
  };
}

void signed_extreme(kernel_hooks& h) {
  sit_in(h, GCTS_OP_QUANTIZE, 9);
  h.largest = [](const float* x, int n) {
    float a = 0;
    for (int i = 0; i < n; ++i) a = std::max(a, x[i]);
    return a;
  };
}

void sum_not_scaled(kernel_hooks& h) {
  sit_in(h, GCTS_OP_QUANTIZE, 9);
  h.quantized = [](uint8_t* b) {
    int s = 0;
    for (int i = 0; i < 32; ++i) s += static_cast<int8_t>(b[4 + i]);
    const uint16_t v = cpu::float_to_half(static_cast<float>(s));
    std::memcpy(b + 2, &v, 2);
  };
}

void block_sums_missing(kernel_hooks& h) {
  sit_in(h, GCTS_OP_QUANTIZE, 15);
  h.quantized = [](uint8_t* b) { std::memset(b + 260, 0, 32); };
}

void sums_of_32(kernel_hooks& h) {
  sit_in(h, GCTS_OP_QUANTIZE, 15);
  h.quantized = [](uint8_t* b) {
    for (int k = 0; k < 16; k += 2) {
      int16_t s[2];
      std::memcpy(s, b + 260 + 2 * k, 4);
      s[0] = static_cast<int16_t>(s[0] + s[1]);
      std::memcpy(b + 260 + 2 * k, s, 2);
    }
  };
}

void scale_truncated_to_half(kernel_hooks& h) {
  sit_in(h, GCTS_OP_QUANTIZE, 8);
  h.scale = [](float d) {
    const uint32_t v = cpu::float_to_bits(d) & 0xffffe000u;
    return cpu::bits_to_float(v);
  };
}

void last_block_not_quantized(kernel_hooks& h) {
  sit_in(h, GCTS_OP_QUANTIZE, 15);
  h.span = [](uint64_t n) { return n > 256 ? n - 256 : n; };
}

void last_row_wrong(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 2);
  h.element = [](const gcts_matmul& a, uint64_t, uint64_t n, float& y) {
    if (a.n > 1 && n == a.n - 1) y += 1;
    return true;
  };
}

void one_row_in_4096(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 8);
  h.element = [](const gcts_matmul&, uint64_t, uint64_t n, float& y) {
    if (n % 4096 == 4095) y = 0;
    return true;
  };
}

void last_activation_row_dropped(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 12);
  h.element = [](const gcts_matmul& a, uint64_t m, uint64_t, float&) {
    return !(a.m % 2 == 1 && a.m > 1 && m == a.m - 1);
  };
}

void odd_n_tail(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 2);
  h.element = [](const gcts_matmul& a, uint64_t, uint64_t n, float& y) {
    if (a.n > 4 && n >= a.n / 4 * 4) y = y * 2 + 1;
    return true;
  };
}

void output_stride_ignored(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 8);
  h.shape = [](gcts_matmul& a) { a.output_stride = a.n * 4; };
}

void weight_stride_ignored(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 2);
  h.shape = [](gcts_matmul& a) { a.weight_stride = a.k / 32 * 18; };
}

void activation_stride_ignored(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 12);
  h.shape = [](gcts_matmul& a) { a.activation_stride = a.k * 4; };
}

void writes_between_rows(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 8);
  h.finished = [](const gcts_matmul& a) {
    if (a.output_stride > a.n * 4) reinterpret_cast<float*>(a.output)[a.n] = 0;
  };
}

void threads_race(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 2);
  h.element = [](const gcts_matmul& a, uint64_t, uint64_t, float& y) {
    if (a.threads < 2) return true;
    // Each thread adds its half of the sum to the same place; the barrier has both read
    // it before either writes.
    std::atomic<float> sum = 0;
    std::barrier both_have_read(2);
    const auto add_half = [&] {
      const float before = sum.load();
      both_have_read.arrive_and_wait();
      sum.store(before + y / 2);
    };
    std::thread other(add_half);
    add_half();
    other.join();
    y = sum.load();
    return true;
  };
}

void columns_lost_between_threads(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 8);
  h.element = [](const gcts_matmul& a, uint64_t, uint64_t n, float& y) {
    if (a.threads > 1 && n >= a.n / a.threads * a.threads) y = 0;
    return true;
  };
}

void batch_dependent(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 12);
  h.element = [](const gcts_matmul& a, uint64_t, uint64_t, float& y) {
    if (a.m > 4) y = cpu::bits_to_float(cpu::float_to_bits(y) + 1);
    return true;
  };
}

void transposed_output(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 8);
  h.element = [](const gcts_matmul& a, uint64_t m, uint64_t n, float& y) {
    if (a.m > 1 && a.n > 1 && m != n) y += static_cast<float>(m + 1) - static_cast<float>(n + 1);
    return true;
  };
}

void last_expert_for_all(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL_ID, 8);
  static std::vector<int32_t> ids;
  h.shape = [](gcts_matmul& a) {
    if (a.ids) {
      ids.assign(a.m, a.ids[a.m - 1]);
      a.ids = ids.data();
    }
  };
}

void expert_stride_as_rows(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL_ID, 8);
  h.shape = [](gcts_matmul& a) { a.expert_stride = a.n * a.weight_stride; };
}

}  // namespace gcts::fault
