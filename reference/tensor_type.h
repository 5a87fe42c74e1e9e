// The tensor types of GGUF: ids, block sizes, and the codec that gives a block its
// meaning.
//
// A tensor's rows are whole blocks: dims[0] is a multiple of block_elements, and a
// tensor takes (dims[0] / block_elements) * block_bytes * dims[1] * dims[2] * dims[3]
// bytes.  Ids, names and sizes stand in tensor_types.inc, one row a type.

#ifndef GCTS_REFERENCE_TENSOR_TYPE_H_
#define GCTS_REFERENCE_TENSOR_TYPE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace gcts {

struct Codec;  // codec.h

enum class TensorStatus : uint8_t { current, removed };

struct TensorType {
  uint32_t id;
  std::string_view name;    // "q4_0"
  uint32_t block_elements;  // 0 for removed types
  uint32_t block_bytes;     // 0 for removed types
  TensorStatus status;
  const Codec* codec;       // null for removed types
};

// Every known id, in order; index = id.
std::span<const TensorType> tensor_types();
// Null for an id that is not known; a removed type has a row.
const TensorType* find_tensor_type(uint32_t id);
const TensorType* find_tensor_type(std::string_view name);

// The tensor type ids by name: tensor::q4_0.
namespace tensor {
enum Id : uint32_t {
#define TENSOR_TYPE(id, name, elements, bytes, status) name = id,
#include "reference/tensor_types.inc"
#undef TENSOR_TYPE
};
}  // namespace tensor

}  // namespace gcts

#endif  // GCTS_REFERENCE_TENSOR_TYPE_H_
