// Writes a model again with its tensors in another type, by the reference quantizers.
//
// Every F32, F16 and BF16 tensor whose rows are whole blocks of the target type is
// converted; the others are copied as they are.  Keys keep their order;
// general.file_type gets the document's number of the type (the key is left out for a
// type without one), general.quantization_version is 2 where the target is quantized.
// The output is what the canonical writer gives, version 3, in the input's byte
// order.  Values pass through in pieces, so memory does not grow with the model.

#ifndef GCTS_HARNESS_QUANTIZE_FILE_H_
#define GCTS_HARNESS_QUANTIZE_FILE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "harness/mapped_file.h"
#include "reference/reader.h"
#include "reference/tensor_type.h"

namespace gcts {

// What became of one tensor.
struct QuantizedTensor {
  std::string_view name;
  const TensorType* from = nullptr;
  const TensorType* to = nullptr;
  bool converted = false;
  uint64_t elements = 0;
  // Of the finite elements, in the values that the reference reads back.
  double root_mean_square_error = 0;
  double signal_to_noise_db = 0;  // infinite where there is no error
  double largest_error = 0;
  uint64_t not_finite = 0;        // elements that were NaN or infinite
};

// Writes to `descriptor`, which is empty and seekable.  The reading is complete and
// valid.  Calls `told` for each tensor in file order.  False and an explanation if
// something cannot be read or written.
bool quantize_file(const MappedFile& in, const Reading& reading, const TensorType& target, int descriptor,
                   const std::function<void(const QuantizedTensor&)>& told, std::string& error);

}  // namespace gcts

#endif  // GCTS_HARNESS_QUANTIZE_FILE_H_
