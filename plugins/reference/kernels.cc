// Calls of the reference's codecs and exact sums, behind the kernel ABI.

#include "plugins/reference/kernels.h"

#include <new>
#include <vector>

#include "reference/codec.h"
#include "reference/exact.h"
#include "reference/tensor_type.h"
#include "reference/terms.h"

namespace gcts {
namespace {

struct Pair {
  const TensorType* weights;
  const TensorType* activations;
};

gcts_status dequantize(void* context, const void* blocks, float* values, uint64_t count) {
  static_cast<const TensorType*>(context)->codec->dequantize(static_cast<const std::byte*>(blocks), values, count);
  return GCTS_OK;
}

gcts_status quantize(void* context, const float* values, const float* importance, void* blocks, uint64_t count) {
  static_cast<const TensorType*>(context)->codec->quantize(values, importance, static_cast<std::byte*>(blocks), count);
  return GCTS_OK;
}

// A product and a min are added apart: their sum need not fit in a double.
gcts_status vec_dot(void* context, const void* weights, const void* activations, float* result,
                    uint64_t count) noexcept try {
  const Pair& pair = *static_cast<const Pair*>(context);
  const RowTerms w = row_terms(*pair.weights, static_cast<const std::byte*>(weights), count);
  const RowTerms a = row_terms(*pair.activations, static_cast<const std::byte*>(activations), count);
  ExactSum sum;
  for (uint64_t i = 0; i < count; ++i) sum.add_product(w.product[i], a.product[i]);
  for (uint64_t i = 0; i < w.offset.size(); ++i) sum.add_product(w.offset[i], a.product[i]);
  *result = static_cast<float>(sum.value(FloatFormat::f32));
  return GCTS_OK;
} catch (const std::bad_alloc&) {
  return GCTS_FAILED;
}

template <typename Function>
gcts_kernel row(gcts_op op, uint32_t type, uint32_t activation_type, const void* context, Function* run) {
  gcts_kernel k{};
  k.op = op;
  k.tensor_type = type;
  k.activation_type = activation_type;
  k.flags = GCTS_KERNEL_THREAD_SAFE;
  k.variant = "exact";
  k.features = "";
  k.context = const_cast<void*>(context);
  k.run = reinterpret_cast<gcts_fn>(run);
  return k;
}

std::vector<gcts_kernel> make_table() {
  std::vector<gcts_kernel> rows;
  for (const TensorType& type : tensor_types()) {
    if (!type.codec) continue;
    rows.push_back(row(GCTS_OP_DEQUANTIZE, type.id, tensor::f32, &type, dequantize));
    if (type.codec->quantize) rows.push_back(row(GCTS_OP_QUANTIZE, type.id, tensor::f32, &type, quantize));
  }
  static const Pair kPairs[] = {
#define DOT_PAIR(weights, activations) {find_tensor_type(tensor::weights), find_tensor_type(tensor::activations)},
#include "plugins/reference/dot_pairs.inc"
#undef DOT_PAIR
  };
  for (const Pair& pair : kPairs)
    rows.push_back(row(GCTS_OP_VEC_DOT, pair.weights->id, pair.activations->id, &pair, vec_dot));
  return rows;
}

}  // namespace

std::span<const gcts_kernel> reference_kernels() {
  static const std::vector<gcts_kernel> rows = make_table();
  return rows;
}

}  // namespace gcts
