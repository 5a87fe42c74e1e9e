// Finds names that occur twice, in linear time.

#ifndef GCTS_REFERENCE_DUPLICATES_H_
#define GCTS_REFERENCE_DUPLICATES_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace gcts {

struct Duplicate {
  uint64_t index;
  uint64_t first;  // index of the first name equal to it
};

// In the order of `index`.  The hash is seeded anew in each process, so that no file
// can be made to collide.
std::vector<Duplicate> find_duplicates(std::span<const std::string_view> names);

}  // namespace gcts

#endif  // GCTS_REFERENCE_DUPLICATES_H_
