// Where a deliberate bug can sit in a healthy kernel.
//
// The healthy kernels are plain loops over groups of 32 weights (plugins/cpu unpacks
// them), the same code for every type.  A fault names the rows that it sits in and sets
// a hook or two; all hooks are empty in the healthy twin.

#ifndef GCTS_PLUGINS_FAULTY_KERNEL_HOOKS_H_
#define GCTS_PLUGINS_FAULTY_KERNEL_HOOKS_H_

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "gcts/plugin.h"

namespace gcts {

// 32 weights: value = code * scale + minimum, two halves of 16.
struct WeightGroup {
  int8_t code[32];
  float scale[2];
  float minimum[2];
};

// The 32 activations that meet them.
struct ActivationGroup {
  int8_t code[32];
  float scale;
  float scaled_sum;  // Q8_1 only: what the block holds
  int sum[2];        // of the codes, 16 each, as Q8_K holds them
};

// Where a group stands: in elements from the start of the row, and the row's length.
struct Place {
  uint64_t element;
  uint64_t count;
  const uint8_t* block;  // of the weights
};

// The operands of a call as they came.
struct KernelArguments {
  const void* weights;
  const void* activations;
  void* output;
  uint64_t count;  // elements; of matmul: K
};

struct KernelHooks {
  gcts_op op = GCTS_OP_DEQUANTIZE;  // the row that the fault sits in
  uint32_t type = 0;
  const char* variant = "faulty";

  // Before and after the call; true: the call is over.
  std::function<bool(const KernelArguments&)> before;
  std::function<void(const KernelArguments&)> after;
  // How many of the elements are looked at.
  std::function<uint64_t(uint64_t count)> span;

  std::function<void(WeightGroup&, const Place&)> weights;
  std::function<void(ActivationGroup&, const Place&)> activations;
  std::function<int(int weight, int activation)> product;
  std::function<int(int, int)> pair;            // the sum of two neighbouring products
  std::function<float(float)> term;             // a group's contribution
  std::function<float(float, float)> add;
  std::function<float(float, uint64_t count)> finish;
  std::function<float(float, uint64_t index)> value;  // dequantize: one element

  std::function<float(float)> scale;            // quantize: the scale as stored
  std::function<float(float)> to_code;          // quantize: x / d before it is rounded
  std::function<float(const float* x, int n)> largest;
  std::function<void(uint8_t* block)> quantized;

  // Matrix products: one output element, and the arguments as the kernel takes them.
  std::function<void(gcts_matmul&)> shape;
  std::function<bool(const gcts_matmul&, uint64_t m, uint64_t n, float& out)> element;
  std::function<void(const gcts_matmul&)> finished;
  std::function<uint64_t(uint64_t bytes)> row_offset, expert_offset;  // from the first to another

  // Kernels of other accuracy classes (class_kernels.cc).
  std::function<float(float, const Place&)> zero;     // the zero point's term of a block
  std::function<float(float, const Place&)> offset;   // the least value of a group of activations
  std::function<float(float, float)> halves;          // the sums of the two halves of a row
  std::function<uint64_t(uint64_t)> prepared_size;
  std::function<void(uint8_t* prepared, uint64_t size)> unprepared;  // as the memory came
  std::function<void(const void* weights, uint8_t* prepared, uint64_t n, uint64_t k)> prepared;
  uint32_t flags = 0;
};

// The hooks that the kernels run with.
KernelHooks& kernel_hooks();

// Every healthy row, or the one that the fault sits in.
struct KernelTable {
  const gcts_kernel* rows;
  uint64_t count;
};
KernelTable all_kernels();
KernelTable one_kernel(gcts_op op, uint32_t type, std::string_view variant);
// The rows of class_kernels.cc.
std::vector<gcts_kernel> class_kernels();

}  // namespace gcts

#endif  // GCTS_PLUGINS_FAULTY_KERNEL_HOOKS_H_
