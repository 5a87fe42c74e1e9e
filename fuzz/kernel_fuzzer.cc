// All variants of one kernel on the same bytes: each within the bound of its accuracy
// class, nothing touched beside its operands, the processor's state left alone.
//
// Bytes 0 and 1 choose the operation and types, 2 and 3 the shape, 4 how activations are
// made and where operands lie; the rest, repeated as often as needed, are weights and
// activations.  Operands end, or begin, at an unmapped page.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include "fuzz/finding.h"
#include "fuzz/plugin_call.h"
#include "fuzz/promise.h"
#include "harness/kernel_case.h"
#include "harness/worker/checked_call.h"
#include "harness/worker/features.h"
#include "harness/worker/region.h"
#include "reference/activations.h"
#include "reference/codec.h"
#include "reference/oracle.h"

using namespace gcts;
using worker::Region;

namespace {

constexpr size_t kHead = 5;
constexpr uint8_t kPoison = 0xff;  // as a float a NaN that no operation produces

struct Variant {
  const FuzzedPlugin* plugin = nullptr;
  gcts_kernel kernel{};
  KernelRow row;
};
using Group = std::vector<Variant>;

std::optional<Variant> variant_of(const FuzzedPlugin& plugin, uint64_t index) {
  Variant out;
  out.plugin = &plugin;
  out.kernel = plugin.tables.kernel(index);
  if (!out.kernel.run || (out.kernel.flags & GCTS_KERNEL_ON_DEVICE)) return std::nullopt;
  if (!worker::missing_feature(out.kernel.features ? out.kernel.features : "").empty()) return std::nullopt;
  KernelDescription description;
  description.row = out.kernel;
  description.variant = out.kernel.variant ? out.kernel.variant : "";
  description.prepares = out.kernel.prepare != nullptr;
  out.row = kernel_row(description, index);
  if (!out.row.unusable.empty()) return std::nullopt;
  return out;
}

// Rows of one operation on one pair of types, of all plugins.
const std::vector<Group>& groups() {
  static const std::vector<Group> all = [] {
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Group> by_kind;
    for (const FuzzedPlugin& plugin : fuzzed_plugins()) {
      for (uint64_t i = 0; i < plugin.tables.table.kernel_count; ++i) {
        if (auto variant = variant_of(plugin, i))
          by_kind[{variant->kernel.op, variant->kernel.tensor_type, variant->kernel.activation_type}].push_back(std::move(*variant));
      }
    }
    std::vector<Group> out;
    for (auto& [kind, group] : by_kind) out.push_back(std::move(group));
    return out;
  }();
  return all;
}

struct Chosen {
  uint64_t k = 0, n = 1, m = 1;
  bool raw_bits = false;  // activations are any floats, else small integers over 16
  worker::Placement placement = worker::Placement::end;
  std::span<const uint8_t> bytes;

  void fill(std::span<std::byte> to, size_t from) const {
    for (size_t i = 0; i < to.size(); ++i) to[i] = std::byte{bytes[(from + i) % bytes.size()]};
  }
  // Where a kernel rounds or quantizes what it is given, far apart magnitudes leave the
  // formats that it rounds to: such get small numbers.
  std::vector<float> floats(size_t count, bool any) const {
    std::vector<float> out(count);
    for (size_t i = 0; i < count; ++i) {
      uint8_t raw[4];
      for (size_t b = 0; b < 4; ++b) raw[b] = bytes[(bytes.size() / 2 + 4 * i + b) % bytes.size()];
      std::memcpy(&out[i], raw, 4);
      if (!any || !raw_bits || !std::isfinite(out[i]) || std::fabs(out[i]) > 1e12f) out[i] = static_cast<float>(static_cast<int8_t>(raw[0])) / 16;
    }
    return out;
  }
};

// One unit fits every variant of the group.
uint64_t common_unit(const Group& group) {
  uint64_t unit = 1;
  for (const Variant& v : group) unit = std::lcm(unit, v.row.unit());
  return unit;
}

// Legal blocks that all decoders read alike: some scale bytes of the fp4 types are a NaN, a
// number or zero, depending on whom one asks.
bool legal(const TensorType& type, std::span<const std::byte> blocks) {
  const bool strict = type.id == tensor::mxfp4 || type.id == tensor::nvfp4;
  return type.codec->scan(blocks.data(), blocks.size() / type.block_bytes, strict) == blocks.size() / type.block_bytes;
}

// No rounding of these is left open by the class.
void settle(std::span<float> values, const Variant& variant) {
  const AccuracyClass& accuracy = variant.row.accuracy;
  if (accuracy.activation == Activation::f16) return clear_of_float_ties(values, FloatFormat::f16);
  if (accuracy.activation == Activation::bf16) return clear_of_float_ties(values, FloatFormat::bf16);
  const uint32_t group = activation_group(*variant.row.activation_type, accuracy, values.size());
  if (group == 0) return;
  if (accuracy.activation_offset) clear_of_offset_ties(values, group);
  else clear_of_int8_ties(values, group);
}

// Blocks of the activation type out of floats, row by row; false if there are none.
bool make_activations(const Chosen& chosen, const Variant& variant, std::vector<std::byte>& out) {
  const TensorType& type = *variant.row.activation_type;
  std::vector<float> values = chosen.floats(chosen.m * chosen.k, type.id == tensor::f32 && variant.row.accuracy.activation == Activation::as_given);
  out.resize(chosen.m * row_bytes(type, chosen.k));
  for (uint64_t row = 0; row < chosen.m; ++row) {
    const std::span<float> one(values.data() + row * chosen.k, chosen.k);
    settle(one, variant);
    std::byte* blocks = out.data() + row * row_bytes(type, chosen.k);
    if (type.id == tensor::f32) std::memcpy(blocks, one.data(), one.size_bytes());
    else if (type.codec->quantize) type.codec->quantize(one.data(), nullptr, blocks, chosen.k);
    else return false;
  }
  return true;
}

struct Call {
  Region weights, activations, output, prepared;
  gcts_matmul matmul{};
  uint64_t arguments[5] = {};
};

uint64_t number(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

bool load(Region& region, std::span<const std::byte> bytes, const Variant& v, worker::Placement placement) {
  if (bytes.empty()) return true;
  if (!region.allocate(bytes.size(), v.kernel.alignment, placement, 0)) return false;
  std::memcpy(region.data(), bytes.data(), bytes.size());
  region.make_read_only();
  return true;
}

void set_arguments(Call& call, const Variant& v, const Chosen& chosen) {
  uint64_t* a = call.arguments;
  a[0] = number(v.kernel.context);
  if (v.row.op == GCTS_OP_QUANTIZE) {
    a[1] = number(call.activations.data()), a[2] = 0, a[3] = number(call.output.data()), a[4] = chosen.k;
  } else if (v.row.op == GCTS_OP_DEQUANTIZE) {
    a[1] = number(call.weights.data()), a[2] = number(call.output.data()), a[3] = chosen.k;
  } else if (v.row.op == GCTS_OP_VEC_DOT) {
    a[1] = number(call.weights.data()), a[2] = number(call.activations.data()), a[3] = number(call.output.data()), a[4] = chosen.k;
  } else {
    gcts_matmul& m = call.matmul;
    m.m = chosen.m, m.n = chosen.n, m.k = chosen.k;
    m.weights = call.weights.data(), m.weight_stride = row_bytes(*v.row.type, chosen.k);
    m.activations = call.activations.data(), m.activation_stride = row_bytes(*v.row.activation_type, chosen.k);
    m.output = reinterpret_cast<float*>(call.output.data()), m.output_stride = 4 * chosen.n;
    m.threads = 1, m.experts = 1;
    m.prepared = call.prepared.size() ? call.prepared.data() : nullptr;
    a[1] = number(&m);
  }
}

// What is wrong with one call; "" if nothing is.
std::string run(const Variant& v, const Chosen& chosen, Call& call, uint64_t output_bytes) {
  if (!call.output.allocate(output_bytes, v.kernel.alignment, chosen.placement, 0)) return "";
  std::memset(call.output.data(), kPoison, output_bytes);
  if (v.kernel.prepare) {
    const uint64_t size = v.kernel.prepare->prepared_size(v.kernel.context, chosen.n, chosen.k);
    if (!call.prepared.allocate(std::max<uint64_t>(size, 1), 64, chosen.placement, 0)) return "";
  }
  set_arguments(call, v, chosen);
  gcts_status status = GCTS_OK;
  uint32_t environment = 0;
  const Accident accident = watched_call(v.plugin->name, "kernel_", uint64_t{64} << 20, [&] {
    if (v.kernel.prepare)
      status = v.kernel.prepare->prepare(v.kernel.context, call.weights.data(), row_bytes(*v.row.type, chosen.k), chosen.n, chosen.k, call.prepared.data());
    if (status == GCTS_OK) status = worker::checked_call(v.kernel.run, call.arguments, environment);
  });
  if (!accident.kind.empty()) return accident.returned ? accident.kind + " " + accident.what : "";  // a fault is reported already
  if (status != GCTS_OK) return "does not return GCTS_OK";
  if (environment != 0) return "changes the processor's state";
  if (call.output.damaged_slack() != UINT64_MAX) return "writes beside its output";
  return "";
}

bool same_value(float a, float b) { return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, 4) == 0; }

std::string judge_values(const Variant& v, const Chosen& chosen, std::span<const std::byte> weights, const Region& output) {
  std::vector<float> expected(chosen.k);
  v.row.type->codec->dequantize(weights.data(), expected.data(), chosen.k);
  const auto* got = reinterpret_cast<const std::byte*>(output.data());
  for (uint64_t i = 0; i < chosen.k; ++i) {
    float value;
    std::memcpy(&value, got + 4 * i, 4);
    if (!same_value(value, expected[i])) return "decodes another value";
  }
  return "";
}

std::string judge_blocks(const Variant& v, const Chosen& chosen, std::span<const float> values, const Region& output) {
  const TensorType& type = *v.row.type;
  const std::span<const std::byte> got = std::as_bytes(std::span(output.data(), output.size()));
  if (!legal(type, got)) return "encodes an illegal block";
  if (type.codec->searches) return "";
  std::vector<std::byte> expected(row_bytes(type, chosen.k));
  type.codec->quantize(values.data(), nullptr, expected.data(), chosen.k);
  return std::equal(got.begin(), got.end(), expected.begin()) ? "" : "encodes other blocks";
}

std::string judge_products(const Variant& v, const Chosen& chosen, const Operands& operands, const Region& output) {
  const DotShape shape{v.row.type, v.row.activation_type, v.row.accuracy, chosen.k, chosen.n, chosen.m};
  DotOracle oracle(shape, pattern::nan_scale, operands);
  for (uint64_t n = 0; n < chosen.n; ++n) {
    for (uint64_t m = 0; m < chosen.m; ++m) {
      float got;
      std::memcpy(&got, output.data() + 4 * (m * chosen.n + n), 4);
      if (!judge(oracle.expect(n, m), got).pass) return "is beyond its error bound";
    }
  }
  return "";
}

std::string check(const Variant& v, const Chosen& chosen) {
  Call call;
  Operands operands;
  if (v.row.op == GCTS_OP_QUANTIZE) {
    std::vector<float> values = chosen.floats(chosen.k, false);
    if (v.row.type->block_elements > 1) clear_of_int8_ties(values, v.row.type->block_elements);
    if (v.row.type->id == tensor::mxfp4) clear_of_power_of_two(values, v.row.type->block_elements);
    if (!load(call.activations, std::as_bytes(std::span(values)), v, chosen.placement)) return "";
    const std::string wrong = run(v, chosen, call, row_bytes(*v.row.type, chosen.k));
    return wrong.empty() ? judge_blocks(v, chosen, values, call.output) : wrong;
  }
  operands.weights.resize(chosen.n * row_bytes(*v.row.type, chosen.k));
  chosen.fill(operands.weights, 0);
  if (!legal(*v.row.type, operands.weights) || !load(call.weights, operands.weights, v, chosen.placement)) return "";
  if (v.row.op == GCTS_OP_DEQUANTIZE) {
    const std::string wrong = run(v, chosen, call, 4 * chosen.k);
    return wrong.empty() ? judge_values(v, chosen, operands.weights, call.output) : wrong;
  }
  if (!make_activations(chosen, v, operands.activations)) return "";
  if (!load(call.activations, operands.activations, v, chosen.placement)) return "";
  const std::string wrong = run(v, chosen, call, 4 * chosen.m * chosen.n);
  return wrong.empty() ? judge_products(v, chosen, operands, call.output) : wrong;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size <= kHead || groups().empty()) return 0;
  const Group& group = groups()[(data[0] + 256u * data[1]) % groups().size()];
  const gcts_op op = group.front().row.op;
  if (op == GCTS_OP_MATMUL_ID) return 0;
  Chosen chosen;
  chosen.k = common_unit(group) * (1 + data[2] % 4);
  chosen.raw_bits = data[4] & 1;
  chosen.placement = data[4] & 2 ? worker::Placement::start : worker::Placement::end;
  chosen.bytes = {data + kHead, size - kHead};
  if (group.front().row.product()) {
    uint64_t step = 1;
    for (const Variant& v : group) step = std::lcm(step, std::max<uint64_t>(1, v.kernel.row_multiple));
    chosen.m = 1 + data[3] % 3;
    chosen.n = step * (1 + data[3] / 3 % 3);
  }
  watch_input(std::as_bytes(std::span(data, size)));
  for (const Variant& v : group) {
    const std::string wrong = check(v, chosen);
    if (!wrong.empty()) report({v.plugin->name, "kernel", v.row.id + " " + wrong, "", v.row.id + " " + wrong}, std::as_bytes(std::span(data, size)));
  }
  return 0;
}
