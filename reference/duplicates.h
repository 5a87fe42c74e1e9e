// Finds names that occur twice, in linear time.

#ifndef GCTS_REFERENCE_DUPLICATES_H_
#define GCTS_REFERENCE_DUPLICATES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace gcts {

struct Duplicate {
  uint64_t index;
  uint64_t first;  // index of the first name equal to it
};

// Names to look through; a few need no memory of their own.
class NameList {
 public:
  explicit NameList(size_t most) { if (most > few_.size()) many_.reserve(most); }
  void add(std::string_view name) {
    if (many_.capacity() > 0) many_.push_back(name);
    else few_[count_++] = name;
  }
  std::span<const std::string_view> all() const { return many_.capacity() > 0 ? std::span(many_) : std::span(few_).first(count_); }

 private:
  std::array<std::string_view, 16> few_;
  size_t count_ = 0;  // in few_
  std::vector<std::string_view> many_;
};

// In the order of `index`.  The hash is seeded anew in each process, so that no file
// can be made to collide.
std::vector<Duplicate> find_duplicates(std::span<const std::string_view> names);

}  // namespace gcts

#endif  // GCTS_REFERENCE_DUPLICATES_H_
