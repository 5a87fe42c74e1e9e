// Open addressing over XXH3; half the slots stay free.

#include "reference/name_set.h"

#include <bit>
#include <random>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace gcts {
namespace {

uint64_t process_seed() {
  static const uint64_t seed = [] {
    std::random_device device;
    return (static_cast<uint64_t>(device()) << 32) | device();
  }();
  return seed;
}

}  // namespace

NameSet::NameSet(uint64_t count) : slots_(std::bit_ceil(2 * count + 2)) {}

uint64_t NameSet::insert(std::string_view name, uint64_t index) {
  const uint64_t mask = slots_.size() - 1;
  for (uint64_t i = XXH3_64bits_withSeed(name.data(), name.size(), process_seed()) & mask;; i = (i + 1) & mask) {
    Slot& slot = slots_[i];
    if (slot.index == kNew) {
      slot = {name, index};
      return kNew;
    }
    if (slot.name == name) return slot.index;
  }
}

}  // namespace gcts
