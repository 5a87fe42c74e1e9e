// Bugs in kernels whose accuracy class leaves room: each is beyond what its class allows.

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <map>
#include <tuple>
#include <vector>

#include "plugins/cpu/blocks.h"
#include "plugins/faulty/fault.h"
#include "plugins/faulty/kernel_parts.h"

namespace gcts::fault {

// -------------------------------- Short sums ----------------------------------

void half_sums_lose_odd_block(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 2, "f16_sums");
  h.span = [](uint64_t n) { return n > 32 ? n / 64 * 64 : n; };
}

void half_sums_scale_off(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 2, "f16_sums");
  h.term = [](float t) { return t * 1.03f; };
}

void half_sums_one_code_off(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 2, "f16_sums");
  h.weights = [](WeightGroup& w, const Place&) {
    if (w.code[21] == 5) w.code[21] = 4;
  };
}

void bfloat_sums_take_next_scale(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 8, "bf16_sums");
  h.weights = [](WeightGroup& w, const Place& p) {
    const uint64_t next = p.element + 32 < p.count ? 34 : 0;
    w.scale[0] = w.scale[1] = cpu::load_half(p.block + next);
  };
}

void bfloat_sums_lose_last_code(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 8, "bf16_sums");
  h.weights = [](WeightGroup& w, const Place&) { w.code[31] = 0; };
}

void bfloat_sums_scale_off_in_fourth_block(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 8, "bf16_sums");
  h.activations = [](ActivationGroup& a, const Place& p) {
    if (p.element % 128 == 96) a.scale *= 1.5f;
  };
}

// ---------------------------- Zero point of its own ---------------------------

void zero_term_of_previous_block(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 6, "zero_term");
  static float previous;
  h.zero = [](float zero, const Place& p) {
    const float before = p.element == 0 ? zero : previous;
    previous = zero;
    return before;
  };
}

void zero_term_fifteen(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 6, "zero_term");
  h.zero = [](float zero, const Place&) { return zero * (15.0f / 16.0f); };
}

// ----------------------------- Flushed subnormals -----------------------------

void flushed_far_above_subnormals(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 39, "flushed");
  h.term = [](float t) { return std::fabs(t) < 0x1p-96f ? 0.0f : t; };
}

void scale_product_in_half(kernel_hooks& h) {
  sit_in(h, GCTS_OP_VEC_DOT, 39, "flushed");
  h.weights = [](WeightGroup& w, const Place&) {
    for (float& s : w.scale) s = cpu::half_to_float(cpu::float_to_half(s));
  };
}

// ------------------------------ A scale for a row -----------------------------

void row_scale_of_first_256(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 8, "row_scale");
  h.largest = [](const float* x, int n) {
    float amax = 0;
    for (int i = 0; i < std::min(n, 256); ++i) amax = std::max(amax, std::fabs(x[i]));
    return amax;
  };
}

void row_scale_of_row_before(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 8, "row_scale");
  static float before;
  before = 0;
  h.before = [](const KernelArguments&) {
    before = 0;
    return false;
  };
  h.largest = [](const float* x, int n) {
    float amax = 0;
    for (int i = 0; i < n; ++i) amax = std::max(amax, std::fabs(x[i]));
    const float used = before == 0 ? amax : before;
    before = amax;
    return used;
  };
}

// -------------------------------- With an offset ------------------------------

void offset_of_first_group(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 14, "offset");
  static float first;
  h.offset = [](float least, const Place& p) {
    if (p.element == 0) first = least;
    return first;
  };
}

void offset_codes_in_seven_bits(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 14, "offset");
  h.to_code = [](float v) { return std::min(v, 127.0f); };
}

void offset_one_code_off(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 14, "offset");
  h.weights = [](WeightGroup& w, const Place& p) {
    if (p.element % 256 == 64 && w.code[9] == -17) w.code[9] = -16;
  };
}

// ------------------------------ Repacked weights ------------------------------

void repacked_padding_not_cleared(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 2, "repacked");
  // The kernel finds in the padding what the memory held before.
  static std::vector<uint8_t> held;
  h.unprepared = [](uint8_t* prepared, uint64_t size) { held.assign(prepared, prepared + size); };
  h.prepared = [](const void*, uint8_t* prepared, uint64_t n, uint64_t k) {
    if (k / 32 % 2 == 0) return;
    const uint64_t blocks = k / 32 + 1, panel = 4 * 18;
    for (uint64_t p = 0; p < (n + 3) / 4; ++p) {
      const uint64_t at = (p * blocks + blocks - 1) * panel;
      std::memcpy(prepared + at, held.data() + at, panel);
    }
  };
}

void repacked_memory_one_byte_short(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 2, "repacked");
  h.prepared_size = [](uint64_t size) { return size - 1; };
}

void repacked_weights_changed_by_use(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 2, "repacked");
  h.finished = [](const gcts_matmul& a) {
    auto* p = static_cast<volatile uint8_t*>(a.prepared);
    p[0] = static_cast<uint8_t>(p[0] ^ 1);
  };
}

void repacked_once_for_an_address(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 2, "repacked");
  h.prepared = [](const void* weights, uint8_t* prepared, uint64_t n, uint64_t k) {
    static std::map<std::tuple<const void*, uint64_t, uint64_t>, std::vector<uint8_t>> done;
    const uint64_t size = (n + 3) / 4 * 4 * ((k / 32 + 1) / 2 * 2) * 18;
    const auto [at, fresh] = done.try_emplace({weights, n, k}, prepared, prepared + size);
    if (!fresh) std::memcpy(prepared, at->second.data(), size);
  };
}

void repacked_rows_in_whole_panels(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 2, "repacked");
  h.prepared = [](const void*, uint8_t* prepared, uint64_t n, uint64_t k) {
    const uint64_t panel = 4 * 18 * ((k / 32 + 1) / 2 * 2);
    if (n > 4 && n % 4 != 0) std::memset(prepared + n / 4 * panel, 0, panel);
  };
}

// ------------------------- Results depend on the batch ------------------------

void batched_half_forgotten(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 8, "batched");
  h.halves = [](float first, float second) { return first == 0 ? second : first; };
}

void batched_scales_off(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 8, "batched");
  h.halves = [](float first, float second) { return (first + second) * 1.0005f; };
}

void batched_and_changing(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL, 8, "batched");
  static int calls;
  calls = 0;
  h.finished = [](const gcts_matmul& a) {
    // Another order of summation on every second call.
    if (++calls % 2 == 0)
      for (uint64_t n = 0; n < a.n; ++n) {
        float& y = *parts::output_at(a, 0, n);
        y = cpu::bits_to_float(cpu::float_to_bits(y) ^ 1);
      }
  };
}

// ------------------------------ Mixtures of experts ---------------------------

void experts_grouped_not_scattered(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL_ID, 12);
  // Rows are sorted by expert to be multiplied together, and stored in that order.
  h.finished = [](const gcts_matmul& a) {
    std::vector<uint64_t> order(a.m);
    for (uint64_t m = 0; m < a.m; ++m) order[m] = m;
    std::stable_sort(order.begin(), order.end(), [&](uint64_t x, uint64_t y) { return a.ids[x] < a.ids[y]; });
    std::vector<float> rows(a.m * a.n);
    for (uint64_t m = 0; m < a.m; ++m)
      for (uint64_t n = 0; n < a.n; ++n) rows[m * a.n + n] = *parts::output_at(a, order[m], n);
    for (uint64_t m = 0; m < a.m; ++m)
      for (uint64_t n = 0; n < a.n; ++n) *parts::output_at(a, m, n) = rows[m * a.n + n];
  };
}

void expert_ids_in_eight_bits(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL_ID, 12);
  static std::vector<int32_t> ids;
  h.shape = [](gcts_matmul& a) {
    ids.assign(a.ids, a.ids + a.m);
    for (int32_t& id : ids) id &= 0xff;
    a.ids = ids.data();
  };
}

void expert_zero_for_none(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL_ID, 12);
  h.element = [](const gcts_matmul& a, uint64_t m, uint64_t, float& y) {
    if (a.ids[m] == 0) y = 0;
    return true;
  };
}

void experts_without_rows_end_it(kernel_hooks& h) {
  sit_in(h, GCTS_OP_MATMUL_ID, 12);
  // The loop over experts stops at the first that no row asks for.
  h.element = [](const gcts_matmul& a, uint64_t m, uint64_t, float& y) {
    for (int32_t e = 0; e < a.ids[m]; ++e)
      if (std::find(a.ids, a.ids + a.m, e) == a.ids + a.m) y = 0;
    return true;
  };
}

}  // namespace gcts::fault
