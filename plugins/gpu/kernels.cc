// Rows of the kernel table, and the calls that start kernels.

#include "kernels.h"

#include <algorithm>
#include <array>
#include <vector>

#include "backend.h"

namespace gpu {
namespace {

constexpr uint32_t kF32 = 0, kF16 = 1;
constexpr uint64_t kRun = 8;  // elements that a work item decodes at a time
// Groups of the second dimension that every device takes in one launch.
constexpr uint64_t kMostRows = 32768;

// What a row's `context` points to.
struct Kernel {
  Program program;
  uint64_t per_item;   // dequantize: elements
  uint64_t columns, rows;  // products: outputs of a group
  uint64_t even;       // strides of the weights are multiples of this
};

uint64_t groups_for(uint64_t count, uint64_t each) { return (count + each - 1) / each; }

gcts_status started(const Launch& launch) { return backend().launch(launch) ? GCTS_OK : GCTS_FAILED; }

gcts_status dequantize(void* context, const void* blocks, float* values, uint64_t count) {
  const Kernel& kernel = *static_cast<const Kernel*>(context);
  if (count == 0) return GCTS_OK;
  const Argument arguments[] = {blocks, values, count};
  return started({kernel.program, {groups_for(count, kItems * kernel.per_item), 1}, arguments});
}

gcts_status vec_dot(void* context, const void* weights, const void* activations, float* result, uint64_t count) {
  const Kernel& kernel = *static_cast<const Kernel*>(context);
  const uint64_t none = 0;
  const Argument arguments[] = {weights, none, activations, none, result, none, count};
  return started({kernel.program, {1, 1}, arguments});
}

gcts_status matmul(void* context, const gcts_matmul* args) {
  const Kernel& kernel = *static_cast<const Kernel*>(context);
  if (args->weight_stride % kernel.even != 0 || args->activation_stride % 4 != 0 || args->output_stride % 4 != 0)
    return GCTS_UNSUPPORTED;
  const auto* activations = static_cast<const char*>(args->activations);
  auto* output = reinterpret_cast<char*>(args->output);
  for (uint64_t first = 0; first < args->m; first += kMostRows) {
    const uint64_t rows = std::min(kMostRows, args->m - first);
    std::vector<Argument> arguments = {args->weights, args->weight_stride,
                                       activations + first * args->activation_stride, args->activation_stride,
                                       output + first * args->output_stride, args->output_stride, args->k};
    if (kernel.columns > 1) arguments.insert(arguments.end(), {args->n, rows});
    const Launch launch{kernel.program, {groups_for(args->n, kernel.columns), groups_for(rows, kernel.rows)}, arguments};
    if (const gcts_status status = started(launch); status != GCTS_OK) return status;
  }
  return GCTS_OK;
}

// Activations as they are given, products and sums in f32 in whatever order: the
// strictest class.  Int8 activations: eight products are an exact integer.
constexpr gcts_accuracy grouped(uint32_t leaf_group) {
  gcts_accuracy a{};
  a.leaf_group = leaf_group;
  return a;
}
constexpr gcts_accuracy kElements = grouped(0), kRunsOfEight = grouped(kRun);

// Activations rounded to int8 in groups of 32, products of a group an exact integer.
constexpr gcts_accuracy requantized() {
  gcts_accuracy a = grouped(32);
  a.activation = GCTS_ACTIVATION_GROUP;
  a.activation_group = 32;
  return a;
}

const std::string& variant(const char* suffix) {
  const std::string base = kVariant;
  static const std::array<std::pair<std::string, std::string>, 4> names = {
      {{"", base}, {"_int8", base + "_int8"}, {"_tiled", base + "_tiled"}, {"_int8_tiled", base + "_int8_tiled"}}};
  return std::find_if(names.begin(), names.end(), [&](const auto& n) { return n.first == suffix; })->second;
}

gcts_kernel row(uint32_t op, uint32_t type, uint32_t activation, const char* suffix, const gcts_accuracy& accuracy,
                const Kernel& kernel, gcts_fn run) {
  gcts_kernel k{};
  k.op = op;
  k.tensor_type = type;
  k.activation_type = activation;
  k.flags = GCTS_KERNEL_ON_DEVICE;
  k.variant = variant(suffix).c_str();
  k.features = "";
  k.alignment = 4;
  k.accuracy = accuracy;
  k.context = const_cast<Kernel*>(&kernel);
  k.run = run;
  return k;
}

// Blocks of odd size are read byte by byte, all others in pairs of bytes.
constexpr uint64_t even(uint64_t bytes) { return bytes % 2 == 0 ? 2 : 1; }

#define GPU_TYPE(name, id, elements, bytes) \
  const Kernel kDequantize_##name{{"dequantize_" #name, "GPU_DEQUANTIZE(" #name ", " #elements ", " #bytes ")"}, kRun, 0, 0, 0};
#include "types.inc"
#undef GPU_TYPE
#define GPU_PLAIN(name, id, bytes) \
  const Kernel kDequantize_##name{{"dequantize_" #name, "GPU_DEQUANTIZE_PLAIN(" #name ", " #bytes ")"}, 1, 0, 0, 0};
#include "plain.inc"
#undef GPU_PLAIN

#define GPU_PRODUCT(name, id, elements, bytes, with, with_id, with_elements, with_bytes)                                  \
  const Kernel kProducts_##name{{"products_" #name "_f32", "GPU_VALUES(" #name ", " #elements ", " #bytes                        \
                                                    ")\nGPU_PRODUCTS(" #name ", f32, 4)"}, 0, 1, 1, even(bytes)};            \
  const Kernel kIntegers_##name{{"integer_products_" #name, "GPU_INTEGER_PRODUCTS(" #name ", " #elements ", " #bytes ", " \
                                                            #with ", " #with_elements ", " #with_bytes ")"}, 0, 1, 1, 0};    \
  const Kernel kTiles_##name{{"tiles_" #name, "GPU_VALUES(" #name ", " #elements ", " #bytes                              \
                                              ")\nGPU_TILES(" #name ")"}, 0, 32, 32, even(bytes)};
#include "products.inc"
#undef GPU_PRODUCT
#define GPU_REQUANTIZED(name, id, bytes, bias, minimum)                                                                    \
  const Kernel kRequantized_##name{{"requantized_" #name, "GPU_REQUANTIZED(" #name ", (" #bias "), " #minimum ")"},      \
                                   0, 8, 1, even(bytes)};                                                                \
  const Kernel kRequantizedTiles_##name{{"requantized_tiles_" #name, "GPU_REQUANTIZED_TILES(" #name ", (" #bias "), "    \
                                                                     #minimum ")"}, 0, 32, 32, even(bytes)};
#include "requantized.inc"
#undef GPU_REQUANTIZED
const Kernel kProducts_f16{{"products_f16_f32", "GPU_VALUES_PLAIN(f16, 2)\nGPU_PRODUCTS(f16, f32, 4)"}, 0, 1, 1, 2};
const Kernel kHalves_f16{{"products_f16_f16", "GPU_VALUES_PLAIN(f16, 2)\nGPU_PRODUCTS(f16, f16, 2)"}, 0, 1, 1, 2};
const Kernel kTiles_f16{{"tiles_f16", "GPU_VALUES_PLAIN(f16, 2)\nGPU_TILES(f16)"}, 0, 32, 32, 2};

template <typename F>
gcts_fn function(F* f) {
  return reinterpret_cast<gcts_fn>(f);
}

std::vector<gcts_kernel> make_rows() {
  std::vector<gcts_kernel> rows;
#define GPU_TYPE(name, id, elements, bytes) \
  rows.push_back(row(GCTS_OP_DEQUANTIZE, id, kF32, "", {}, kDequantize_##name, function(dequantize)));
#include "types.inc"
#undef GPU_TYPE
#define GPU_PLAIN(name, id, bytes) \
  rows.push_back(row(GCTS_OP_DEQUANTIZE, id, kF32, "", {}, kDequantize_##name, function(dequantize)));
#include "plain.inc"
#undef GPU_PLAIN
#define GPU_PRODUCT(name, id, elements, bytes, with, with_id, with_elements, with_bytes)                              \
  rows.push_back(row(GCTS_OP_VEC_DOT, id, kF32, "", kElements, kProducts_##name, function(vec_dot)));                 \
  rows.push_back(row(GCTS_OP_VEC_DOT, id, with_id, "_int8", kRunsOfEight, kIntegers_##name, function(vec_dot)));      \
  rows.push_back(row(GCTS_OP_MATMUL, id, kF32, "", kElements, kProducts_##name, function(matmul)));                   \
  rows.push_back(row(GCTS_OP_MATMUL, id, kF32, "_tiled", kElements, kTiles_##name, function(matmul)));
#include "products.inc"
#undef GPU_PRODUCT
#define GPU_REQUANTIZED(name, id, bytes, bias, minimum)                                                                     \
  rows.push_back(row(GCTS_OP_MATMUL, id, kF32, "_int8", requantized(), kRequantized_##name, function(matmul)));             \
  rows.push_back(row(GCTS_OP_MATMUL, id, kF32, "_int8_tiled", requantized(), kRequantizedTiles_##name, function(matmul)));
#include "requantized.inc"
#undef GPU_REQUANTIZED
  rows.push_back(row(GCTS_OP_VEC_DOT, kF16, kF16, "", kElements, kHalves_f16, function(vec_dot)));
  rows.push_back(row(GCTS_OP_MATMUL, kF16, kF32, "", kElements, kProducts_f16, function(matmul)));
  rows.push_back(row(GCTS_OP_MATMUL, kF16, kF32, "_tiled", kElements, kTiles_f16, function(matmul)));
  return rows;
}

}  // namespace

std::span<const gcts_kernel> kernels() {
  static const std::vector<gcts_kernel> rows = make_rows();
  return rows;
}

const Program& program_of(const gcts_kernel& kernel) { return static_cast<const Kernel*>(kernel.context)->program; }

}  // namespace gpu
