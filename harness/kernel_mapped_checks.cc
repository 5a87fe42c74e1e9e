// Zero-copy: weights stay where a model file has them.
//
// The file is a real one, with a general.alignment and a tensor in front, so that the
// weights begin at an odd multiple of the alignment: 8 modulo 16, 32 modulo 64, 64
// modulo 128.  The worker maps it and hands the kernel that address.

#include <fmt/format.h>

#include "harness/kernel_operands.h"
#include "reference/writer.h"

namespace gcts {
namespace {

// The operands, and the file that holds their weights.
struct MappedInput {
  KernelInputs input;
  Bytes file;
  uint64_t offset = 0;  // of the weights
};

Tensor bytes_in_front(uint64_t size) {
  Tensor tensor;
  tensor.name = "output_norm.weight";
  tensor.type = tensor::i8;
  tensor.dims = {size};
  tensor.data.assign(size, std::byte{0xff});
  return tensor;
}

void write_model(const KernelRow& row, uint32_t alignment, MappedInput& out) {
  const KernelInput& input = *out.input;
  File model;
  model.set("general.architecture", Value::string("llama"));
  model.set("general.alignment", Value::u32(alignment));
  Tensor weights;
  weights.name = "blk.0.ffn_up.weight";
  weights.type = row.type->id;
  weights.dims = {input.shape.k, input.shape.n * input.shape.experts};
  weights.data = input.operands.weights;
  model.tensors = {bytes_in_front(alignment), std::move(weights)};
  for (const uint64_t in_front : {1, 2}) {
    model.tensors[0] = bytes_in_front(in_front * alignment);
    Written written = write(model);
    out.offset = written.find(FieldKind::tensor_data, 1)->offset;
    out.file = std::move(written.bytes);
    if (out.offset / alignment % 2 == 1) return;
  }
}

}  // namespace

void add_mapped(const KernelRow& row, KernelCaseList& cases) {
  for (const uint32_t alignment : {8u, 32u, 64u})
    cases.add("mapped", fmt::format("alignment={}", alignment),
              [&row, alignment](const Generator& g, std::vector<KernelJob>& jobs) {
                if (row.description.row.alignment > alignment)
                  return fmt::format("the row asks for an alignment of {}", row.description.row.alignment);
                std::string why;
                auto mapped = std::make_shared<MappedInput>();
                mapped->input = draw_usual(row, small_shape(row), g, 0, why);
                if (!mapped->input) return why;
                write_model(row, alignment, *mapped);
                KernelJob job = usual_job(row, mapped->input);
                job.task.weights.file = mapped->file;
                job.task.weights.bytes = std::span(mapped->file).subspan(mapped->offset, mapped->input->operands.weights.size());
                job.keep = mapped;
                jobs.push_back(std::move(job));
                return std::string();
              });
}

}  // namespace gcts
