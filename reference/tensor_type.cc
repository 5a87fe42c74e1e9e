// The table of tensor types, and look-ups in it.

#include "reference/tensor_type.h"

#include <iterator>

#include "reference/codec.h"

namespace gcts {
namespace {

constexpr TensorType kTypes[] = {
#define GCTS_CODEC_current(name) &codec::name
#define GCTS_CODEC_removed(name) nullptr
#define TENSOR_TYPE(id, name, elements, bytes, status) \
  {id, #name, elements, bytes, TensorStatus::status, GCTS_CODEC_##status(name)},
#include "reference/tensor_types.inc"
#undef TENSOR_TYPE
#undef GCTS_CODEC_current
#undef GCTS_CODEC_removed
};

// index = id
constexpr bool ids_are_indices() {
  for (size_t i = 0; i < std::size(kTypes); ++i)
    if (kTypes[i].id != i) return false;
  return true;
}
static_assert(ids_are_indices());

}  // namespace

std::span<const TensorType> tensor_types() { return kTypes; }

const TensorType* find_tensor_type(uint32_t id) { return id < std::size(kTypes) ? &kTypes[id] : nullptr; }

const TensorType* find_tensor_type(std::string_view name) {
  for (const TensorType& type : kTypes)
    if (type.name == name) return &type;
  return nullptr;
}

}  // namespace gcts
