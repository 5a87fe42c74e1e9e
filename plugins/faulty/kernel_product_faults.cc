// Quantizers and matrix products.

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
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

void ties_leave_their_neighbours(kernel_hooks& h) {
  sit_in(h, GCTS_OP_QUANTIZE, 8);
  h.to_code = [](float v) { return std::fabs(v) - std::floor(std::fabs(v)) == 0.5f ? v + 1 : v; };
}

void codes_from_rounded_scale(kernel_hooks& h) {
  sit_in(h, GCTS_OP_QUANTIZE, 8);
  static float d;
  h.largest = [](const float* x, int n) {
    float amax = 0;
    for (int i = 0; i < n; ++i) amax = std::max(amax, std::fabs(x[i]));
    d = amax / 127.0f;
    return amax;
  };
  h.to_code = [](float v) {
    const float stored = cpu::half_to_float(cpu::float_to_half(d));
    return stored > 0 ? v * d / stored : v;
  };
}

void tiny_block_as_zero(kernel_hooks& h) {
  sit_in(h, GCTS_OP_QUANTIZE, 15);
  h.largest = [](const float* x, int n) {
    float a = 0;
    for (int i = 0; i < n; ++i) a = std::max(a, std::fabs(x[i]));
    return a < 1e-15f ? 0.0f : a;
  };
}

void extreme_through_half(kernel_hooks& h) {
  sit_in(h, GCTS_OP_QUANTIZE, 9);
  h.largest = [](const float* x, int n) {
    float a = 0;
    for (int i = 0; i < n; ++i) a = std::max(a, std::fabs(x[i]));
    return std::min(a, 65504.0f);
  };
}

void reciprocal_estimated(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 8);
  h.to_code = [](float v) { return v * (1 + 0x1.8p-12f); };
}

void tail_columns_of_first_row(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 2);
  static std::vector<float> first;
  h.element = [](const gcts_matmul& a, uint64_t m, uint64_t n, float& y) {
    first.resize(a.n);
    if (m == 0) first[n] = y;
    if (n >= a.n / 4 * 4) y = first[n];
    return true;
  };
}

void columns_after_64_zero(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 8);
  h.element = [](const gcts_matmul& a, uint64_t, uint64_t n, float& y) {
    if (a.m > 1 && a.n > 64 && n >= a.n / 64 * 64) y = 0;
    return true;
  };
}

void last_panel_replaces_sum(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 12);
  static bool panels;
  h.shape = [](gcts_matmul& a) { panels = a.m >= 8; };
  h.weights = [](WeightGroup& w, const Place& p) {
    // Panels of 512: each stores its sum where the one before did.
    if (panels && p.element < (p.count - 1) / 512 * 512) w = {};
  };
}

void rows_written_in_pairs(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 12);
  h.finished = [](const gcts_matmul& a) {
    if (a.m % 2 == 0) return;
    auto* past = reinterpret_cast<uint8_t*>(a.output) + a.m * a.output_stride;
    for (uint64_t n = 0; n < a.n; ++n) reinterpret_cast<volatile float*>(past)[n] = 0;
  };
}

void activation_rows_read_in_fours(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 8);
  h.shape = [](gcts_matmul& a) {
    const auto* last = static_cast<const volatile uint8_t*>(a.activations) + ((a.m + 3) / 4 * 4 - 1) * a.activation_stride;
    [[maybe_unused]] const uint8_t seen = *last;
  };
}

void more_threads_than_columns(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 2);
  h.element = [](const gcts_matmul& a, uint64_t, uint64_t n, float& y) {
    if (a.threads > a.n && n == a.n - 1) y = 0;
    return true;
  };
}

void chunks_overlap_from_26_threads(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 2);
  h.element = [](const gcts_matmul& a, uint64_t, uint64_t n, float& y) {
    if (a.threads >= 26 && n % 4 == 3) y += y;
    return true;
  };
}

void odd_chunk_loses_a_column(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 8);
  h.element = [](const gcts_matmul& a, uint64_t, uint64_t n, float& y) {
    if (a.threads < 2) return true;
    const uint64_t chunk = (a.n + a.threads - 1) / a.threads, last = std::min(n / chunk * chunk + chunk, a.n);
    if ((last - n / chunk * chunk) % 2 == 1 && n == last - 1) y = 0;
    return true;
  };
}

void row_offset_in_32_bits(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 8);
  h.row_offset = [](uint64_t bytes) { return bytes & 0xffffffff; };
}

void expert_offset_in_32_bits(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL_ID, 12);
  h.expert_offset = [](uint64_t bytes) { return bytes & 0xffffffff; };
}

void strides_ignored_from_8_rows(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 2);
  h.shape = [](gcts_matmul& a) {
    if (a.m >= 8) a.weight_stride = a.k / 32 * 18;
  };
}

void thread_left_by_each_call(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 2);
  h.shape = [](gcts_matmul& a) {
    if (a.threads > 1) std::thread([] { std::this_thread::sleep_for(std::chrono::hours(1)); }).detach();
  };
}

void scratch_shared_by_threads(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 12);
  // The first activation is kept where every thread keeps its own; it is read back once
  // another thread has come by, if one does.
  static std::atomic<int> entered = 0;
  static std::atomic<float> scratch;
  h.element = [](const gcts_matmul& a, uint64_t m, uint64_t n, float& y) {
    if (m != 0 || n != 0) return true;
    const float own = *static_cast<const float*>(a.activations);
    const int before = ++entered;
    scratch = own;
    for (int i = 0; i < 8 && entered == before; ++i) std::this_thread::sleep_for(std::chrono::microseconds(50));
    if (scratch != own) y += 1;
    return true;
  };
}

}  // namespace gcts::fault
