// Finds names that occur twice, in linear time.

#ifndef GCTS_REFERENCE_NAME_SET_H_
#define GCTS_REFERENCE_NAME_SET_H_

#include <cstdint>
#include <string_view>
#include <vector>

namespace gcts {

// A hash table of names that stand elsewhere.  Its hash is seeded anew in each
// process, so that no file can be made to collide.
class NameSet {
 public:
  static constexpr uint64_t kNew = UINT64_MAX;

  // `count` names at most are inserted.
  explicit NameSet(uint64_t count);
  // The index under which an equal name was inserted first, or kNew.
  uint64_t insert(std::string_view name, uint64_t index);

 private:
  struct Slot {
    std::string_view name;
    uint64_t index = kNew;
  };
  std::vector<Slot> slots_;
};

}  // namespace gcts

#endif  // GCTS_REFERENCE_NAME_SET_H_
