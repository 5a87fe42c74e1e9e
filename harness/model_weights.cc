// Finds the tensors of a model that kernels can be judged on.

#include "harness/model_weights.h"

#include <algorithm>
#include <set>

#include "reference/codec.h"
#include "reference/operands.h"
#include "reference/reader.h"

namespace gcts {
namespace {

std::string id_part(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
    if (!plain) c = '_';
  }
  return out.empty() ? "_" : out;
}

}  // namespace

std::unique_ptr<ModelWeights> ModelWeights::open(const std::string& path, std::string& error) {
  auto weights = std::make_unique<ModelWeights>();
  weights->file_ = MappedFile::open(path, error);
  if (!weights->file_) {
    error = path + ": " + error;
    return nullptr;
  }
  const Reading reading = read(weights->file_->bytes(), {.stage = Stage::metadata, .lint = false});
  if (!reading.complete) {
    error = path + ": not a readable GGUF file; gguf-cts check says why";
    return nullptr;
  }
  weights->big_endian_ = reading.layout.order == ByteOrder::big;
  std::set<std::string> names;
  for (const TensorView& tensor : reading.tensors) {
    const TensorType* type = find_tensor_type(tensor.type);
    if (!type || !type->codec || !tensor.sized || tensor.size == 0) continue;
    const uint64_t room = weights->file_->size() - std::min(weights->file_->size(), reading.data_start);
    if (tensor.offset > room || tensor.size > room - tensor.offset) continue;
    WeightTensor w{id_part(tensor.name), type, tensor.dims[0], 0, reading.data_start + tensor.offset};
    if (w.k % type->block_elements != 0) continue;
    w.rows = tensor.size / row_bytes(*type, w.k);
    while (!names.insert(w.name).second) w.name += "-" + std::to_string(weights->tensors_.size());
    weights->tensors_.push_back(std::move(w));
  }
  return weights;
}

bool ModelWeights::read_row(const WeightTensor& tensor, uint64_t row, std::byte* out) const {
  const uint64_t size = row_bytes(*tensor.type, tensor.k);
  if (file_->read_at(tensor.offset + row * size, out, size) != size) return false;
  if (big_endian_) swap_fields(*tensor.type->codec, out, tensor.k / tensor.type->block_elements);
  return true;
}

}  // namespace gcts
