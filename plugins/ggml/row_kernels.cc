// The row functions of the trait tables as kernels: to_float of the base library, its
// quantizers, and from_float and vec_dot of each CPU variant.
//
// A row's context is the library's function itself, so that a call costs one jump more
// than in ggml.

#include <climits>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "library.h"
#include "plugin_parts.h"

namespace peer {
namespace {

constexpr uint32_t kF32 = 0, kF16 = 1, kQ8_1 = 9, kQ8_K = 15, kIq4Nl = 20, kBF16 = 30;

// What a variant's kernels are written in, by what a claim begins to hold or fails.
enum Code { scalar, sse, avx, avx2, never };

struct DotType {
  int id;
  uint32_t group;
  Code zero_apart, code_min_wrong;  // from which on
};
constexpr DotType kDotTypes[] = {
#define DOT_TYPE(id, group, zero, code_min) {id, group, zero, code_min},
#include "types.inc"
#undef DOT_TYPE
};

struct Variant {
  const char* name;
  const char* features;
  Code code;
  bool flushes_bf16;
};
constexpr bool keeps = false, flushes = true;
constexpr Variant kVariants[] = {
#define VARIANT(name, features, code, bf16) {#name, features, code, bf16},
#include "variants.inc"
#undef VARIANT
};

const Variant* find_variant(const char* name) {
  for (const Variant& variant : kVariants)
    if (std::strcmp(variant.name, name) == 0) return &variant;
  return nullptr;
}

template <typename F>
void* context(F* f) {
  return reinterpret_cast<void*>(f);
}

gcts_status dequantize(void* context, const void* blocks, float* values, uint64_t count) {
  reinterpret_cast<decltype(TypeTraits::to_float)>(context)(blocks, values, static_cast<int64_t>(count));
  return GCTS_OK;
}

gcts_status quantize(void* context, const float* values, const float*, void* blocks, uint64_t count) {
  reinterpret_cast<decltype(CpuTraits::from_float)>(context)(values, blocks, static_cast<int64_t>(count));
  return GCTS_OK;
}

// What writes model files: one row of `count` elements, with the importance of each.
gcts_status quantize_chunk(void* context, const float* values, const float* importance, void* blocks, uint64_t count) {
  const Base& api = library().base;
  const int type = static_cast<int>(reinterpret_cast<intptr_t>(context));
  std::vector<float> even;
  if (!importance && api.ggml_quantize_requires_imatrix(type)) {
    even.assign(count, 1.0f);
    importance = even.data();
  }
  api.ggml_quantize_chunk(type, values, blocks, 0, 1, static_cast<int64_t>(count), importance);
  return GCTS_OK;
}

gcts_status vec_dot(void* context, const void* weights, const void* activations, float* result, uint64_t count) {
  if (count > INT_MAX) return GCTS_UNSUPPORTED;
  reinterpret_cast<decltype(CpuTraits::vec_dot)>(context)(static_cast<int>(count), result, 0, weights, 0, activations, 0, 1);
  return GCTS_OK;
}

gcts_kernel row(gcts_op op, int type, uint32_t activation_type, const char* variant, const char* features, void* context, gcts_fn run) {
  gcts_kernel k{};
  k.op = op;
  k.tensor_type = static_cast<uint32_t>(type);
  k.activation_type = activation_type;
  k.flags = GCTS_KERNEL_THREAD_SAFE;
  k.variant = variant;
  k.features = features;
  k.context = context;
  k.run = run;
  return k;
}

template <typename F>
gcts_fn run(F* f) {
  return reinterpret_cast<gcts_fn>(f);
}

// The quantizers of IQ1 and IQ2 make tables at the first call of a process that take
// seconds of CPU time, more than a case may: they are offered where asked for.
bool makes_tables(int type) { return type == 16 || type == 17 || type == 19 || type == 22 || type == 29; }
// The row quantizers of IQ2 and IQ3 rely on tables that the chunk quantizer makes.
bool relies_on_tables(int type) { return makes_tables(type) || type == 18 || type == 21; }

void add_base(int type, std::vector<gcts_kernel>& out) {
  const TypeTraits& traits = *library().base.ggml_get_type_traits(type);
  if (traits.to_float) out.push_back(row(GCTS_OP_DEQUANTIZE, type, kF32, "base", "", context(traits.to_float), run(dequantize)));
  if (traits.from_float_ref && !relies_on_tables(type)) out.push_back(row(GCTS_OP_QUANTIZE, type, kF32, "ref", "", context(traits.from_float_ref), run(quantize)));
  // The chunk quantizer has the types that files hold: Q8_1 and Q8_K are none.
  // Of IQ4_NL it searches another answer than the one that the type defines.
  if (!traits.is_quantized || type == kQ8_1 || type == kQ8_K || type == kIq4Nl) return;
  if (makes_tables(type) && !getenv("GCTS_GGML_TABLES")) return;
  gcts_kernel chunk = row(GCTS_OP_QUANTIZE, type, kF32, "chunk", "", reinterpret_cast<void*>(static_cast<intptr_t>(type)), run(quantize_chunk));
  chunk.flags = 0;  // tables are made at the first call
  out.push_back(chunk);
}

void add_cpu(int type, const Cpu& cpu, std::vector<gcts_kernel>& out) {
  const CpuTraits& traits = *cpu.ggml_get_type_traits_cpu(type);
  const char* variant = cpu.variant.c_str();
  const char* features = variant_features(variant);
  const bool is_code = library().base.ggml_get_type_traits(type)->is_quantized || type == kF16 || type == kBF16;
  if (traits.from_float && is_code) {
    out.push_back(row(GCTS_OP_QUANTIZE, type, kF32, variant, features, context(traits.from_float), run(quantize)));
  }
  if (traits.vec_dot) {
    gcts_kernel dot = row(GCTS_OP_VEC_DOT, type, static_cast<uint32_t>(traits.vec_dot_type), variant, features, context(traits.vec_dot), run(vec_dot));
    dot.accuracy = dot_accuracy(type, traits.vec_dot_type, variant);
    out.push_back(dot);
  }
  if (type == kF16 && cpu.ggml_cpu_fp16_to_fp32) {
    out.push_back(row(GCTS_OP_DEQUANTIZE, type, kF32, variant, features, context(cpu.ggml_cpu_fp16_to_fp32), run(dequantize)));
  }
  if (type == kBF16 && cpu.ggml_cpu_bf16_to_fp32) {
    out.push_back(row(GCTS_OP_DEQUANTIZE, type, kF32, variant, features, context(cpu.ggml_cpu_bf16_to_fp32), run(dequantize)));
  }
}

}  // namespace

const char* variant_features(const char* variant) {
  const Variant* found = find_variant(variant);
  return found ? found->features : "";
}

gcts_accuracy dot_accuracy(int type, int activation_type, const char* name) {
  const Variant* variant = find_variant(name);
  gcts_accuracy a{};
  if (activation_type == kQ8_1) a.block_sum = GCTS_SUM_F16_CODES;
  a.flushes_subnormals = type == kBF16 && variant && variant->flushes_bf16;
  for (const DotType& dot : kDotTypes) {
    if (dot.id != type) continue;
    const Code code = variant ? variant->code : avx2;
    a.leaf_group = dot.group;
    a.zero_point_leaf = code >= dot.zero_apart;
    a.code_min_unsupported = code >= dot.code_min_wrong;
  }
  return a;
}

void add_row_kernels(std::vector<gcts_kernel>& out) {
  for (int type : library().types) {
    add_base(type, out);
    for (const Cpu& cpu : library().cpus) add_cpu(type, cpu, out);
  }
}

}  // namespace peer
