// The tensor type sweep: every id, in every rank.

#include <string>

#include "corpus/models.h"
#include "corpus/recipe.h"
#include "reference/tensor_type.h"

namespace gcts {
namespace {

// Dimensions of a small tensor: two blocks a row where the rank is 1.
std::vector<uint64_t> shape(uint64_t block, size_t rank) {
  std::vector<uint64_t> dims = {rank == 1 ? 2 * block : block};
  constexpr uint64_t kOuter[] = {3, 2, 2};
  for (size_t d = 1; d < rank; ++d) dims.push_back(kOuter[d - 1]);
  return dims;
}

// What a tensor of an id that has no size breaks.
rule::Index broken_by_id(uint32_t id) {
  if (id == 4 || id == 5) return rule::tensor_type_q4_2_q4_3;
  return find_tensor_type(id) ? rule::tensor_type_repacked : rule::tensor_type_known;
}

constexpr uint32_t kLastOfDocument = tensor::mxfp4;

}  // namespace

SWEEP(tensor_types) {
  r.of(rule::tensor_bytes);
  for (const TensorType& type : tensor_types()) {
    if (type.status == TensorStatus::removed) continue;
    for (size_t rank = 1; rank <= kMaxRank; ++rank) {
      const File file = with_tensors(
          {filled("first", type.id, shape(type.block_elements, rank)), filled("next", tensor::i8, {3})});
      Draft& draft = r.valid(std::string(type.name) + "_" + std::to_string(rank) + "d", file,
                             "the next tensor's offset shows the size of this one");
      if (type.id > kLastOfDocument) draft.breaks(rule::tensor_type_newer_than_document);
    }
  }
  r.valid("base", with_tensors({filled("first", tensor::i8, {32}), filled("next", tensor::i8, {3})}),
          "two tensors of bytes");
  const auto with_id = [&](uint32_t id) {
    r.of(broken_by_id(id))
        .broken("id_" + std::to_string(id), "base", "an id without a block: its size cannot be known",
                [id](Written& w) { patch(w, FieldKind::tensor_type, 0, id); });
  };
  for (const TensorType& type : tensor_types())
    if (type.status == TensorStatus::removed) with_id(type.id);
  for (uint32_t id = static_cast<uint32_t>(tensor_types().size()); id < 64; ++id) with_id(id);
  for (const uint32_t id :
       {127u, 128u, 255u, 256u, 1'000u, 65'536u, 0x7fffffffu, 0x80000000u, 0xfffffffeu, 0xffffffffu})
    with_id(id);
  // A row that is not whole blocks, for every type that has them.
  for (const TensorType& type : tensor_types()) {
    if (type.block_elements < 2) continue;
    const std::string parent = std::string(type.name) + "_2d";
    const uint64_t block = type.block_elements;
    for (const auto& [name, row] :
         {std::pair{"one", uint64_t{1}}, std::pair{"half", block / 2}, std::pair{"one_more", block + 1}}) {
      Draft& draft =
          r.of(rule::row_is_whole_blocks)
              .broken(std::string(type.name) + "_row_" + name, parent, "a row that ends inside a block",
                      [row = row](Written& w) { patch(w, FieldKind::dimension, 0, row); });
      if (type.id > kLastOfDocument) draft.c.breaks.push_back(rule::tensor_type_newer_than_document);
    }
  }
}

}  // namespace gcts
