// Matrix products through the graph interface: one node, computed by a variant's CPU
// backend on the operands where they lie.

#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "library.h"
#include "plugin_parts.h"

namespace peer {
namespace {

constexpr int kF32 = 0, kF16 = 1, kQ8_0 = 8, kQ8_1 = 9, kQ8_K = 15, kI32 = 26, kBF16 = 30;
// What ggml demands of the memory of a tensor.
constexpr uint32_t kAlignment = 32;
constexpr size_t kMostTensors = 16, kMostNodes = 16;

// One variant's backend, made at its first product and kept.
struct Engine {
  const Cpu* cpu = nullptr;
  Backend* backend = nullptr;
  std::vector<char> arena;  // of the graph of one call
  std::vector<float> rows;  // of an output whose rows lie apart
};

struct Plan {
  Engine* engine;
  int type;
  int64_t block_elements;
  uint64_t block_bytes;
};

// One tensor over memory of the host.
class Operands {
 public:
  Operands(Engine& engine, const Base& api) : api_(api) {
    engine.arena.resize(kMostTensors * api.ggml_tensor_overhead() + api.ggml_graph_overhead_custom(kMostNodes, false));
    context_ = api.ggml_init({engine.arena.size(), engine.arena.data(), true});
  }
  ~Operands() {
    for (size_t i = 0; i < used_; ++i) api_.ggml_backend_buffer_free(buffers_[i]);
    api_.ggml_free(context_);
  }
  Operands(const Operands&) = delete;
  Context* context() const { return context_; }

  // Rows of `dims[0]` elements, `strides` bytes from one row and one matrix to the next.
  Tensor* over(const void* data, int type, const int64_t (&dims)[3], const uint64_t (&strides)[2], int64_t block_elements,
               uint64_t block_bytes) {
    const uint64_t row = static_cast<uint64_t>(dims[0] / block_elements) * block_bytes;
    if (strides[0] == row && strides[1] == row * static_cast<uint64_t>(dims[1])) return placed(data, type, 3, dims);
    // A view may have any strides; what it views is one long row that holds it.
    const uint64_t reach = strides[1] * static_cast<uint64_t>(dims[2] - 1) + strides[0] * static_cast<uint64_t>(dims[1] - 1) + row;
    const int64_t whole[3] = {static_cast<int64_t>((reach + block_bytes - 1) / block_bytes) * block_elements, 1, 1};
    Tensor* view = api_.ggml_view_3d(context_, placed(data, type, 1, whole), dims[0], dims[1], dims[2], strides[0], strides[1], 0);
    api_.ggml_backend_view_init(view);
    return view;
  }

  void place(Tensor* tensor, const void* data) {
    void* memory = const_cast<void*>(data);
    buffers_[used_] = api_.ggml_backend_cpu_buffer_from_ptr(memory, api_.ggml_nbytes(tensor));
    api_.ggml_backend_tensor_alloc(buffers_[used_++], tensor, memory);
  }

 private:
  Tensor* placed(const void* data, int type, int rank, const int64_t (&dims)[3]) {
    Tensor* tensor = api_.ggml_new_tensor(context_, type, rank, dims);
    place(tensor, data);
    return tensor;
  }

  const Base& api_;
  Context* context_;
  Buffer* buffers_[4];
  size_t used_ = 0;
};

gcts_status multiply(void* plan_of, const gcts_matmul* args) {
  const Plan& plan = *static_cast<const Plan*>(plan_of);
  Engine& engine = *plan.engine;
  const Base& api = library().base;
  if (!engine.backend) engine.backend = engine.cpu->ggml_backend_cpu_init();
  const auto m = static_cast<int64_t>(args->m), n = static_cast<int64_t>(args->n), k = static_cast<int64_t>(args->k);
  const int64_t experts = args->ids ? args->experts : 1;

  Operands operands(engine, api);
  Tensor* weights = operands.over(args->weights, plan.type, {k, n, experts},
                                  {args->weight_stride, args->ids ? args->expert_stride : args->weight_stride * args->n},
                                  plan.block_elements, plan.block_bytes);
  Tensor* product;
  if (args->ids) {
    Tensor* activations = operands.over(args->activations, kF32, {k, 1, m}, {args->activation_stride, args->activation_stride}, 1, 4);
    Tensor* ids = operands.over(args->ids, kI32, {1, m, 1}, {4, 4 * args->m}, 1, 4);
    product = api.ggml_mul_mat_id(operands.context(), weights, activations, ids);
  } else {
    Tensor* activations = operands.over(args->activations, kF32, {k, m, 1}, {args->activation_stride, args->activation_stride * args->m}, 1, 4);
    product = api.ggml_mul_mat(operands.context(), weights, activations);
  }
  // The product's own rows lie one after the other.
  const size_t row = args->n * sizeof(float);
  const bool apart = args->m > 1 && args->output_stride != row;
  if (apart) engine.rows.resize(args->m * args->n + kAlignment);
  auto* packed = reinterpret_cast<float*>((reinterpret_cast<uintptr_t>(engine.rows.data()) + kAlignment - 1) / kAlignment * kAlignment);
  operands.place(product, apart ? packed : args->output);
  Graph* graph = api.ggml_new_graph_custom(operands.context(), kMostNodes, false);
  api.ggml_build_forward_expand(graph, product);
  engine.cpu->ggml_backend_cpu_set_n_threads(engine.backend, static_cast<int>(args->threads));
  if (api.ggml_backend_graph_compute(engine.backend, graph) != 0) return GCTS_FAILED;
  for (uint64_t i = 0; apart && i < args->m; ++i)
    std::memcpy(reinterpret_cast<char*>(args->output) + i * args->output_stride, packed + i * args->n, row);
  return GCTS_OK;
}

// What becomes of f32 activations: they are made the other operand of vec_dot.
uint32_t activation_of(int vec_dot_type) {
  switch (vec_dot_type) {
    case kF16: return GCTS_ACTIVATION_F16;
    case kBF16: return GCTS_ACTIVATION_BF16;
    case kQ8_0: return GCTS_ACTIVATION_Q8_0;
    case kQ8_1: return GCTS_ACTIVATION_Q8_1;
    case kQ8_K: return GCTS_ACTIVATION_Q8_K;
    default: return GCTS_ACTIVATION_AS_GIVEN;
  }
}

}  // namespace

void add_matmuls(std::vector<gcts_kernel>& out) {
  static std::deque<Engine> engines;
  static std::deque<Plan> plans;
  for (const Cpu& cpu : library().cpus) {
    Engine& engine = engines.emplace_back();
    engine.cpu = &cpu;
    for (int type : library().types) {
      const CpuTraits& traits = *cpu.ggml_get_type_traits_cpu(type);
      if (!traits.vec_dot) continue;
      const TypeTraits& layout = *library().base.ggml_get_type_traits(type);
      plans.push_back({&engine, type, layout.block_elements, layout.block_bytes});
      gcts_kernel k{};
      k.tensor_type = static_cast<uint32_t>(type);
      // ggml promises no bits: a product of several rows goes another way than one of one.
      k.flags = GCTS_KERNEL_NOT_BATCH_INVARIANT;
      k.variant = cpu.variant.c_str();
      k.features = variant_features(k.variant);
      k.alignment = kAlignment;
      k.accuracy = dot_accuracy(type, traits.vec_dot_type, k.variant);
      k.accuracy.activation = activation_of(traits.vec_dot_type);
      k.context = &plans.back();
      k.run = reinterpret_cast<gcts_fn>(multiply);
      for (gcts_op op : {GCTS_OP_MATMUL, GCTS_OP_MATMUL_ID}) {
        k.op = op;
        out.push_back(k);
      }
    }
  }
}

}  // namespace peer
