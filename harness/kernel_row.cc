// A row of a plugin's kernel table in the reference's terms.

#include <array>
#include <numeric>

#include <fmt/format.h>

#include "harness/kernel_case.h"
#include "reference/codec.h"

namespace gcts {
namespace {

AccuracyClass accuracy_class(const gcts_accuracy& a) {
  AccuracyClass c;
  c.leaf_group = a.leaf_group;
  c.chain = a.chain;
  c.extra_roundings = a.extra_roundings;
  c.accumulate = static_cast<FloatFormat>(a.accumulate);
  c.result = static_cast<FloatFormat>(a.result);
  c.truncating = a.truncating != 0;
  c.flushes_subnormals = a.flushes_subnormals != 0;
  // On the wire 0 (F32) means the same as EXACT: weights are not rounded.
  c.weights = a.weights == GCTS_FORMAT_F32 ? FloatFormat::exact : static_cast<FloatFormat>(a.weights);
  c.zero_point_leaf = a.zero_point_leaf != 0;
  c.activation = static_cast<Activation>(a.activation);
  c.activation_group = a.activation_group;
  c.block_sum = static_cast<BlockSum>(a.block_sum);
  c.code_min_unsupported = a.code_min_unsupported != 0;
  c.activation_offset = a.activation_offset != 0;
  c.inner_group = a.inner_group;
  c.inner_accumulate = static_cast<FloatFormat>(a.inner_accumulate);
  return c;
}

bool known(const gcts_accuracy& a) {
  return a.accumulate <= GCTS_FORMAT_EXACT && a.result <= GCTS_FORMAT_EXACT &&
         a.weights <= GCTS_FORMAT_EXACT && a.inner_accumulate <= GCTS_FORMAT_EXACT &&
         a.activation <= GCTS_ACTIVATION_BF16 && a.block_sum <= GCTS_SUM_F16_VALUES;
}

const char* row_fault(const KernelRow& row) {
  const uint32_t op = row.description.row.op;
  if (op > GCTS_OP_MATMUL_ID) return "the op is not known";
  if (!row.type || row.type->status != TensorStatus::current) return "the tensor type is not known";
  if (row.dot() && (!row.activation_type || row.activation_type->status != TensorStatus::current))
    return "the activation type is not known";
  const uint32_t a = row.description.row.alignment;
  if ((a & (a - 1)) != 0 || a > 64) return "the alignment is no power of two up to 64";
  if (!known(row.description.row.accuracy))
    return "the accuracy class has a value that the ABI does not name";
  if (row.op == GCTS_OP_QUANTIZE && !row.type->codec->quantize)
    return "the reference has no quantizer for the type";
  return row.dot() ? class_fault(row.accuracy) : nullptr;
}

}  // namespace

std::string_view op_name(gcts_op op) {
  static constexpr std::array<std::string_view, 5> kNames = {"dequantize", "quantize", "vec_dot", "matmul",
                                                             "matmul_id"};
  return static_cast<size_t>(op) < kNames.size() ? kNames[op] : "unknown";
}

uint64_t KernelRow::unit() const {
  uint64_t unit = type->block_elements;
  if (dot()) unit = std::lcm(unit, activation_type->block_elements);
  if (const uint32_t group = dot() ? accuracy.activation_group : 0) unit = std::lcm<uint64_t>(unit, group);
  if (accuracy.activation == Activation::q8_k && dot()) unit = std::lcm<uint64_t>(unit, 256);
  if ((accuracy.activation == Activation::q8_0 || accuracy.activation == Activation::q8_1) && dot())
    unit = std::lcm<uint64_t>(unit, 32);
  if (description.row.multiple > 1) unit = std::lcm<uint64_t>(unit, description.row.multiple);
  return unit;
}

KernelRow kernel_row(const KernelDescription& description, uint64_t index) {
  KernelRow row;
  row.index = index;
  row.description = description;
  row.op = static_cast<gcts_op>(description.row.op);
  row.type = find_tensor_type(description.row.tensor_type);
  row.activation_type = find_tensor_type(description.row.activation_type);
  if (known(description.row.accuracy)) row.accuracy = accuracy_class(description.row.accuracy);
  row.id = fmt::format(
      "kernel/{}/{}/{}", op_name(row.op),
      row.type ? std::string(row.type->name) : fmt::format("type_{}", description.row.tensor_type),
      description.variant.empty() ? "unnamed" : description.variant);
  if (const char* fault = row_fault(row)) row.unusable = fault;
  return row;
}

}  // namespace gcts
