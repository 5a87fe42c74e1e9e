// Where tensors lie, judged as a whole: one wrong offset shows in many ways, and only
// the first fault found is a root.

#ifndef GCTS_REFERENCE_CHECKS_PLACEMENT_H_
#define GCTS_REFERENCE_CHECKS_PLACEMENT_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "reference/finding.h"
#include "reference/padding.h"
#include "reference/reader.h"

namespace gcts {

struct PlacementFault {
  rule::Index rule;
  uint64_t tensor;      // index
  std::string message;  // what follows the tensor's name
};

// The faults of all offsets, the root first: misaligned ones, ones out of the file,
// gaps and overlaps, order.  `strays` is what find_strays() gives.
std::vector<PlacementFault> find_placement_faults(const Reading& reading, std::span<const Extent> extents,
                                                  const std::vector<bool>& strays);

// For each tensor, whether it is not where the sequence of tensors puts it and reaches
// beyond the end of the file.
std::vector<bool> find_strays(const Reading& reading, std::span<const Extent> extents);

// What the tensors need of the file.
struct DataNeed {
  uint64_t end = 0;        // of the last byte of a tensor that has bytes; the data start if none has
  bool any_bytes = false;  // whether there is one
  bool all_known = true;   // all sizes, and no strays
};
DataNeed find_need(const Reading& reading, std::span<const Extent> extents, const std::vector<bool>& strays);

// First byte after a tensor's data, in the file; UINT64_MAX if it wraps.
uint64_t data_end(const Reading& reading, const Extent& t);
// `end`, a position at or after the data start, padded to the alignment; UINT64_MAX if it wraps.
uint64_t padded_end(const Reading& reading, uint64_t end);

// Whether any offset was found faulty.
bool offsets_are_faulty(const Findings& findings);

}  // namespace gcts

#endif  // GCTS_REFERENCE_CHECKS_PLACEMENT_H_
