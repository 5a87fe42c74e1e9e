// The tensors of a model file as weights for kernels: their names, types, shapes and
// rows.  Rows are read when a case wants them; nothing of a large file is held.

#ifndef GCTS_HARNESS_MODEL_WEIGHTS_H_
#define GCTS_HARNESS_MODEL_WEIGHTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/mapped_file.h"
#include "reference/tensor_type.h"

namespace gcts {

struct WeightTensor {
  std::string name;  // as part of a case id: other characters than letters, digits, . _ - are _
  const TensorType* type = nullptr;
  uint64_t k = 0;     // elements of a row
  uint64_t rows = 0;
  uint64_t offset = 0;  // of the first row in the file
};

class ModelWeights {
 public:
  // Null and an explanation if the file cannot be opened or is not a readable GGUF file.
  static std::unique_ptr<ModelWeights> open(const std::string& path, std::string& error);

  // In file order; each tensor has rows, and all its bytes are in the file.
  const std::vector<WeightTensor>& tensors() const { return tensors_; }
  // One row, little-endian.  False if the file has become shorter.
  bool read_row(const WeightTensor& tensor, uint64_t row, std::byte* out) const;

 private:
  std::unique_ptr<MappedFile> file_;
  std::vector<WeightTensor> tensors_;
  bool big_endian_ = false;
};

}  // namespace gcts

#endif  // GCTS_HARNESS_MODEL_WEIGHTS_H_
