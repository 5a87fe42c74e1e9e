// The table of the honest kernels: each with the class that its arithmetic needs, or,
// where GCTS_UNDECLARED is set, none.

#include <stdlib.h>

#include "plugins/honest/kernels.h"

namespace honest {
namespace {

constexpr uint32_t kF32 = 0, kQ4_0 = 2, kQ5_0 = 6, kQ8_0 = 8, kQ2_K = 10, kQ3_K = 11, kQ4_K = 12, kQ6_K = 14,
                   kQ8_K = 15, kMxfp4 = 39;

template <typename Change>
gcts_accuracy claim(Change change) {
  gcts_accuracy a{};
  if (!getenv("GCTS_UNDECLARED")) change(a);
  return a;
}
#define CLAIM(...) claim([]([[maybe_unused]] gcts_accuracy& a) { __VA_ARGS__; })

template <typename F>
gcts_kernel row(uint32_t op, uint32_t type, uint32_t activation_type, const char* variant, gcts_accuracy accuracy,
                F* run, const gcts_prepare* prepare = nullptr) {
  gcts_kernel k{};
  k.op = op;
  k.tensor_type = type;
  k.activation_type = activation_type;
  k.flags = GCTS_KERNEL_THREAD_SAFE;
  k.variant = variant;
  k.features = "";
  k.accuracy = accuracy;
  k.run = reinterpret_cast<gcts_fn>(run);
  k.prepare = prepare;
  return k;
}

#define VEC_DOT(type, activation, name, ...) \
  row(GCTS_OP_VEC_DOT, k##type, k##activation, #name, CLAIM(__VA_ARGS__), name)
#define MATMUL(type, name, ...) row(GCTS_OP_MATMUL, k##type, kF32, #name, CLAIM(__VA_ARGS__), name)

std::vector<gcts_kernel> make_table() {
  return {
      VEC_DOT(Q4_0, Q8_0, zero_point_leaf, a.leaf_group = 32, a.zero_point_leaf = 1),
      VEC_DOT(Q6_K, Q8_K, f16_weights, a.weights = GCTS_FORMAT_F16),
      VEC_DOT(Q5_0, Q8_0, bf16_weights, a.weights = GCTS_FORMAT_BF16),
      VEC_DOT(Q4_K, Q8_K, reversed_elements, ),
      VEC_DOT(Mxfp4, Q8_0, flushed_subnormals, a.flushes_subnormals = 1),
      VEC_DOT(F32, F32, pairwise, a.chain = 32),  // rows of up to 2^32 elements
      VEC_DOT(Q5_0, Q8_0, f16_block_sums, a.inner_group = 32, a.inner_accumulate = GCTS_FORMAT_F16),
      VEC_DOT(Q4_0, Q8_0, f16_sums, a.accumulate = GCTS_FORMAT_F16),
      VEC_DOT(Q8_0, Q8_0, bf16_sums, a.accumulate = GCTS_FORMAT_BF16),
      VEC_DOT(Q3_K, Q8_K, f64_sums, a.accumulate = GCTS_FORMAT_F64),
      VEC_DOT(Q8_0, Q8_0, f16_result, a.result = GCTS_FORMAT_F16),
      VEC_DOT(Q2_K, Q8_K, bf16_result, a.result = GCTS_FORMAT_BF16),
      VEC_DOT(F32, F32, truncating, a.truncating = 1),
      MATMUL(Q8_0, row_activations, a.activation = GCTS_ACTIVATION_ROW),
      MATMUL(Q4_0, groups_of_64, a.activation = GCTS_ACTIVATION_GROUP, a.activation_group = 64),
      MATMUL(Q4_0, bf16_sums_of_blocks, a.activation = GCTS_ACTIVATION_GROUP, a.activation_group = 64,
             a.accumulate = GCTS_FORMAT_BF16),
      MATMUL(Q6_K, offset_groups_of_128, a.activation = GCTS_ACTIVATION_GROUP, a.activation_group = 128,
             a.activation_offset = 1),
      MATMUL(Q4_K, bf16_activations, a.activation = GCTS_ACTIVATION_BF16),
      row(GCTS_OP_MATMUL, kQ8_0, kF32, "repacked", {}, repacked, &kRepack),
  };
}

}  // namespace
}  // namespace honest

extern "C" const gcts_plugin* gcts_plugin_entry(void) {
  static const std::vector<gcts_kernel> rows = honest::make_table();
  static const gcts_plugin plugin = {
      GCTS_ABI_VERSION, sizeof(gcts_plugin), "honest",            "0.1", nullptr, nullptr,
      rows.data(),      rows.size(),         sizeof(gcts_kernel), 0,     nullptr,
      nullptr,          nullptr,             0,                   0,     0};
  return &plugin;
}
