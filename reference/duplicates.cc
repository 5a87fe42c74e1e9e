// Hashes all names, sorts the hashes into parts that fit a cache, and looks for equal
// ones within each part.  A table over all names at once would miss the cache for
// nearly every name of a large vocabulary.  A few names are compared one by one.

#include "reference/duplicates.h"

#include <algorithm>
#include <bit>
#include <random>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace gcts {
namespace {

struct Entry {
  uint64_t hash;
  uint64_t index;
};

uint64_t process_seed() {
  static const uint64_t seed = [] {
    std::random_device device;
    return (static_cast<uint64_t>(device()) << 32) | device();
  }();
  return seed;
}

// The top bits of the hash choose the part; 1024 entries of 16 bytes fit the first
// level of every cache.
constexpr uint64_t kPart = 1024;

class PartFinder {
 public:
  explicit PartFinder(std::span<const std::string_view> names) : names_(names) {}

  // Entries of equal names are in the order of their index.
  void look(std::span<const Entry> part) {
    table_.assign(std::bit_ceil(2 * part.size() + 1), 0);
    const uint64_t mask = table_.size() - 1;
    for (uint64_t e = 0; e < part.size(); ++e) {
      for (uint64_t slot = part[e].hash & mask;; slot = (slot + 1) & mask) {
        if (table_[slot] == 0) {
          table_[slot] = e + 1;
          break;
        }
        const Entry& first = part[table_[slot] - 1];
        if (first.hash != part[e].hash || names_[first.index] != names_[part[e].index]) continue;
        found_.push_back({part[e].index, first.index});
        break;
      }
    }
  }

  std::vector<Duplicate> take() {
    std::sort(found_.begin(), found_.end(), [](const Duplicate& a, const Duplicate& b) { return a.index < b.index; });
    return std::move(found_);
  }

 private:
  std::span<const std::string_view> names_;
  std::vector<uint64_t> table_;  // 1 + position in the part, 0: free
  std::vector<Duplicate> found_;
};

// What is cheaper than hashing: each name against those before it.
constexpr size_t kFew = 16;

std::vector<Duplicate> compare_all(std::span<const std::string_view> names) {
  std::vector<Duplicate> found;
  for (size_t i = 1; i < names.size(); ++i) {
    size_t first = 0;
    while (first < i && names[first] != names[i]) ++first;
    if (first < i) found.push_back({i, first});
  }
  return found;
}

}  // namespace

std::vector<Duplicate> find_duplicates(std::span<const std::string_view> names) {
  if (names.size() <= kFew) return compare_all(names);
  // A power of two of parts, so that the part is the hash's top bits.
  const int bits = std::bit_width(names.size() / kPart);
  const auto part_of = [&](uint64_t hash) { return bits == 0 ? 0 : hash >> (64 - bits); };
  std::vector<uint64_t> hashes(names.size());
  std::vector<uint64_t> starts((uint64_t{1} << bits) + 1);
  for (uint64_t i = 0; i < names.size(); ++i) {
    hashes[i] = XXH3_64bits_withSeed(names[i].data(), names[i].size(), process_seed());
    ++starts[part_of(hashes[i]) + 1];
  }
  for (size_t p = 1; p < starts.size(); ++p) starts[p] += starts[p - 1];
  std::vector<Entry> entries(names.size());
  std::vector<uint64_t> next(starts.begin(), starts.end() - 1);
  for (uint64_t i = 0; i < names.size(); ++i) entries[next[part_of(hashes[i])]++] = {hashes[i], i};

  PartFinder finder(names);
  const std::span<const Entry> all(entries);
  for (size_t p = 0; p + 1 < starts.size(); ++p) finder.look(all.subspan(starts[p], starts[p + 1] - starts[p]));
  return finder.take();
}

}  // namespace gcts
