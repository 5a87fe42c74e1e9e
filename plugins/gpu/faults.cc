// The deliberate bugs: each changes a few words of the kernels' source.

#include <cstdlib>
#include <string>
#include <string_view>

#include "faults.h"
#include "source.h"

namespace gpu {
namespace {

// Everywhere in the text; a program that lacks the words does not compile, so that no
// fault can pass for lack of a place.
void replace(std::string& text, std::string_view from, std::string_view to) {
  size_t at = text.find(from);
  if (at == std::string::npos) text += "\n#error the fault has no place here\n";
  for (; at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
}

// float through_half(float), in front of the kernels.
void add_through_half(std::string& text) {
  replace(text, "// Blocks lie at even addresses",
          "#ifdef __OPENCL_VERSION__\n"
          "GPU_FUNCTION float through_half(float v) {\n"
          "  ushort bits;\n"
          "  vstore_half_rte(v, 0, (__private half*)&bits);\n"
          "  return float_of_half(bits);\n"
          "}\n"
          "#else\n"
          "GPU_FUNCTION float through_half(float v) {\n"
          "  ushort bits;\n"
          "  asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(bits) : \"f\"(v));\n"
          "  return float_of_half(bits);\n"
          "}\n"
          "#endif\n"
          "// Blocks lie at even addresses");
}

void last_item_unguarded(std::string& text) { replace(text, "if (i < count) {", "if (i <= count) {"); }
void one_activation_past_the_end(std::string& text) { replace(text, "if (i + j < k) sum +=", "if (i + j <= k) sum +="); }
void one_activation_before_the_start(std::string& text) {
  replace(text, "if (i + j < k) sum +=", "if (sum += 0 * (float)(a + with_bytes * (i + j))[-1], i + j < k) sum +=");
}
void weights_written(std::string& text) {
  replace(text, "y[GPU_RUN(j, GPU_ITEM)] =", "((GPU_GLOBAL uchar*)weights)[weights_at + i / elements * bytes] = 0xa5, y[GPU_RUN(j, GPU_ITEM)] =");
}
void columns_past_n_stored(std::string& text) { replace(text, "if (at_n < n && at_m < m)", "if (at_n <= n && at_m < m)"); }
void odd_n_unwritten(std::string& text) { replace(text, "if (at_n < n && at_m < m)", "if (at_n < n / 2 * 2 && at_m < m)"); }
void stride_of_activations_ignored(std::string& text) {
  replace(text, "GPU_GROUP(1) * activation_stride", "GPU_GROUP(1) * 4 * k");
}

void row_offset_in_32_bits(std::string& text) {
  replace(text, "GPU_GROUP(0) * weight_stride", "(uint)GPU_GROUP(0) * (uint)weight_stride");
}

void barrier_missing_before_the_sum(std::string& text) { replace(text, "GPU_BARRIER();  // all sums are there", ""); }
void barrier_missing_before_the_tile_is_used(std::string& text) { replace(text, "GPU_BARRIER(); /* the tile is filled */", ""); }
void barrier_missing_after_the_tile_is_used(std::string& text) { replace(text, "GPU_BARRIER(); /* the tile is used */", ""); }
void barrier_missing_between_two_sums(std::string& text) { replace(text, "GPU_BARRIER(); /* the sum is taken */", ""); }
void barrier_for_half_the_items(std::string& text) {
  replace(text, "GPU_BARRIER();  // all sums are there", "if (GPU_ITEM < 32) GPU_BARRIER();");
}
void local_memory_uninitialised(std::string& text) {
  replace(text, "GPU_SHARED float sums[64];", "GPU_SHARED float sums[128];");
  replace(text, "uint distance = 32;", "uint distance = 64;");
}
void local_memory_over_read(std::string& text) { replace(text, "if (GPU_ITEM < distance)", "if (GPU_ITEM <= distance)"); }

void half_accumulator(std::string& text) {
  add_through_half(text);
  replace(text, "if (i + j < k) sum += values[j]", "if (i + j < k) sum = through_half(sum), sum += values[j]");
}
void result_through_half(std::string& text) {
  add_through_half(text);
  replace(text, "return sums[0];", "return through_half(sums[0]);");
}
void products_in_16_bits(std::string& text) {
  replace(text, "int products = 0, codes = 0;", "short products = 0; int codes = 0;");
}
void tail_of_the_row_dropped(std::string& text) {
  replace(text, "i < k; i += 8 * 64", "i + 8 * (64 - GPU_ITEM) <= k; i += 8 * 64");
}
void minimum_added(std::string& text) { replace(text, "-(load_half(b + 2) * (float)minimum)", "load_half(b + 2) * (float)minimum"); }
void negative_zero_lost(std::string& text) { replace(text, "c->offset = -0.0f;", "c->offset = 0.0f;"); }
void exponent_one_too_large(std::string& text) {
  replace(text, "e < 2 ? 0x00200000u << e : (e - 1) << 23", "e < 1 ? 0x00400000u : e << 23");
}
void activations_rounded_toward_zero(std::string& text) {
  replace(text, "GPU_NEAREST(x[j + l] * up * inverse)", "(int)(x[j + l] * up * inverse)");
}
void largest_activation_of_a_run(std::string& text) {
  replace(text, "for (uint j = 0; j < 32; ++j) { /* the largest */", "for (uint j = 0; j < 8; ++j) {");
}
void minimum_without_its_sum(std::string& text) { replace(text, "if (minimum) sums[r] +=", "if (0) sums[r] +="); }

}  // namespace

void change_source(const Program&, std::string& text) {
  const char* fault = std::getenv("GCTS_FAULT");
#define GPU_FAULT(name, catches, check, modelled_on) \
  if (fault && std::string_view(fault) == #name) name(text);
#include "faults.inc"
#undef GPU_FAULT
}

}  // namespace gpu
