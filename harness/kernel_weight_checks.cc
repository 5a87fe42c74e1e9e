// Checks on the tensors of a model file: its types, its shapes, its blocks.

#include <fmt/format.h>

#include <algorithm>

#include "harness/kernel_operands.h"
#include "harness/model_weights.h"
#include "reference/codec.h"

namespace gcts {
namespace {

// `most` of [0, size), the ends among them.
std::vector<uint64_t> spread_over(uint64_t size, uint64_t most) {
  std::vector<uint64_t> out;
  const uint64_t count = std::min(size, most);
  for (uint64_t i = 0; i < count; ++i) out.push_back(count == 1 ? 0 : i * (size - 1) / (count - 1));
  return out;
}

// A call whose weights are rows of the tensor.  Sharpness is not asked for: a model may
// hold blocks of zeros, where no wrong code shows.
std::string add_call(const KernelRow& row, const ModelWeights& model, const WeightTensor& tensor,
                     std::span<const uint64_t> rows, pattern::Index pattern, const Generator& g,
                     std::vector<KernelJob>& jobs) {
  KernelShape shape{.k = tensor.k};
  if (row.product()) shape.n = rows.size(), shape.m = 2;
  std::string why;
  const KernelInputs drawn = draw_input(row, shape, pattern, g.stream(patterns()[pattern].name), rows.front(), why);
  if (!drawn) return why;
  auto input = std::make_shared<KernelInput>(*drawn);
  const uint64_t bytes = row_bytes(*row.type, tensor.k);
  for (size_t i = 0; i < rows.size(); ++i)
    if (!model.read_row(tensor, rows[i], input->operands.weights.data() + i * bytes)) return "the file became shorter";
  if (row.op == GCTS_OP_DEQUANTIZE)
    row.type->codec->dequantize(input->operands.weights.data(), reinterpret_cast<float*>(input->expected.data()), tensor.k);
  KernelJob job = usual_job(row, std::move(input));
  job.judge = [judge = job.judge](const Answer& answer, KernelScore& score) {
    KernelScore own;
    const Problem problem = judge(answer, own);
    score.judged += own.judged;
    score.worst_share = std::max(score.worst_share, own.worst_share);
    if (!own.unusable.empty()) score.unusable = own.unusable;
    return problem;
  };
  jobs.push_back(std::move(job));
  return "";
}

std::string add_tensor(const KernelRow& row, const ModelWeights& model, const WeightTensor& tensor, uint64_t most_rows,
                       const Generator& g, std::vector<KernelJob>& jobs) {
  if (tensor.k % row.unit() != 0) return fmt::format("rows of {} elements are no multiple of {}", tensor.k, row.unit());
  std::vector<uint64_t> rows = spread_over(tensor.rows, most_rows);
  const uint64_t step = row.product() ? std::max<uint64_t>(1, row.description.row.row_multiple) : 1;
  rows.resize(rows.size() / step * step);
  if (rows.empty()) return fmt::format("the tensor has fewer than {} rows", step);
  std::vector<pattern::Index> wanted{pattern::normal};
  if (row.dot()) wanted.push_back(pattern::probe);
  std::string why;
  for (const pattern::Index p : wanted)
    for (size_t i = 0; i < rows.size(); i += row.product() ? rows.size() : 1) {
      const std::string reason =
          add_call(row, model, tensor, std::span(rows).subspan(i, row.product() ? rows.size() : 1), p, g, jobs);
      if (why.empty()) why = reason;
    }
  return jobs.empty() ? why : "";
}

}  // namespace

void add_weights(const KernelRow& row, KernelCaseList& cases) {
  const ModelWeights* model = cases.weights();
  if (!model) return;
  std::vector<const WeightTensor*> of_type;
  for (const WeightTensor& tensor : model->tensors())
    if (tensor.type == row.type) of_type.push_back(&tensor);
  const uint64_t most = cases.tier() == Tier::smoke ? 2 : cases.tier() == Tier::full ? 8 : of_type.size();
  const uint64_t most_rows = cases.smoke() ? 4 : 16;
  for (const uint64_t index : spread_over(of_type.size(), most))
    cases.add("weights", of_type[index]->name,
              [&row, model, tensor = of_type[index], most_rows](const Generator& g, std::vector<KernelJob>& jobs) {
                return add_tensor(row, *model, *tensor, most_rows, g, jobs);
              });
}

}  // namespace gcts
