// The sound models that recipes start from: each the smallest that has what its name
// says, free of lint, and the same bytes everywhere.

#ifndef GCTS_CORPUS_MODELS_H_
#define GCTS_CORPUS_MODELS_H_

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "reference/gguf.h"

namespace gcts {

// `size` bytes that depend on `seed` and on their place.  All lie in 0x01 to 0x3b, so
// that read as blocks of any tensor type no scale is NaN or infinite.
Bytes pattern(uint64_t size, std::string_view seed);

// Bytes that a tensor of these dimensions takes; 0 for types without a size.
uint64_t tensor_size(uint32_t type, const std::vector<uint64_t>& dims);
// A tensor with patterned bytes that are legal blocks of its type.
Tensor filled(std::string_view name, uint32_t type, std::vector<uint64_t> dims);

File minimal();                                  // general.architecture alone
File with(std::string_view key, Value value);    // minimal() and one more pair
File with_tensors(std::vector<Tensor> tensors);  // minimal() and tensors
File one_tensor();                               // "weight", 8 x f32: a whole alignment unit
File two_tensors();                              // "first" 8 x f32, "second" 4 x f32
File rich();                                     // every kind of value and of field, three tensors

// The file in another byte order: tensors of scalar types swapped, others as they stand.
File in_order(File file, ByteOrder order);
File in_version(File file, uint32_t version);
// Every tensor is of a scalar type, so that its other byte order is defined.
bool has_scalar_tensors(const File& file);

// depth arrays around one u8.
Value nested(uint32_t depth);

}  // namespace gcts

#endif  // GCTS_CORPUS_MODELS_H_
