// What the checks share: worked out once after decoding, so that a hundred checks over
// a million entries do not take a hundred passes.

#ifndef GCTS_REFERENCE_SURVEY_H_
#define GCTS_REFERENCE_SURVEY_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "reference/checks/placement.h"
#include "reference/padding.h"
#include "reference/reader.h"

namespace gcts {

struct Survey {
  Survey(const Reading& reading, std::vector<Extent> all_extents);

  // Indices of the pairs whose keys, and of the tensors whose infos, are out of the
  // ordinary in any way that a check of single keys or tensors looks for.
  std::vector<uint64_t> odd_keys;
  std::vector<uint64_t> odd_tensors;

  // The pairs of general, tokenizer, split and the architecture, by key and then in file
  // order; the first of a key.
  std::vector<const KeyValueView*> known;
  const KeyValueView* find(std::string_view key) const;
  // That of the key "<prefix>.<key>", which is not put together.
  const KeyValueView* find(std::string_view prefix, std::string_view key) const;

  std::vector<Extent> extents;           // of all tensors
  const TensorView* quantized = nullptr;  // the first tensor that is

  // Of a file that was read whole.
  std::vector<bool> strays;
  std::vector<PlacementFault> placement;
  DataNeed need;
};

}  // namespace gcts

#endif  // GCTS_REFERENCE_SURVEY_H_
