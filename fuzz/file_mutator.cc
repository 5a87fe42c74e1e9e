// Gives an engine the structure-aware mutator for targets whose inputs are files.
//
// One change in eight is left to the engine's own mutations, where it has some: they
// use its dictionary and what it saw compared.  One in five makes the file larger or richer
// first.  A corpus fills with files that stop in their first bytes, from which nothing
// grows: every second change of such a file begins with a sound model instead.  Where GCTS_FUZZ_MUTATOR is "bytes" all changes are the engine's, to show what the
// mutator is worth.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include "corpus/models.h"
#include "corpus/mutator.h"
#include "fuzz/growth.h"
#include "reference/reader.h"
#include "reference/tensor_type.h"

extern "C" {

[[gnu::weak]] size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t* a, size_t a_size, const uint8_t* b, size_t b_size, uint8_t* out, size_t max_size,
                                 unsigned int seed);
}

namespace {

std::span<const std::byte> bytes(const uint8_t* data, size_t size) { return {reinterpret_cast<const std::byte*>(data), size}; }

size_t hand_over(const gcts::Bytes& from, uint8_t* to, size_t max_size) {
  const size_t size = std::min(from.size(), max_size);
  if (size != 0) std::memcpy(to, from.data(), size);
  return size;
}

bool bytes_alone() {
  static const bool alone = [] {
    const char* set = std::getenv("GCTS_FUZZ_MUTATOR");
    return LLVMFuzzerMutate && set && std::strcmp(set, "bytes") == 0;
  }();
  return alone;
}

gcts::Bytes sound_file(gcts::Generator random) {
  using namespace gcts;
  switch (random.below(5)) {
    case 0: return write_bytes(minimal());
    case 1: return write_bytes(one_tensor());
    case 2: return write_bytes(two_tensors());
    case 3: return write_bytes(with_tensors({filled("q", tensor::q4_0, {32, 2})}));
    default: return write_bytes(rich());
  }
}

bool leads_nowhere(std::span<const std::byte> file) { return !gcts::read(file, {.stage = gcts::Stage::metadata, .lint = false}).complete; }

}  // namespace

size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  gcts::Generator random(seed, "mutate");
  if (bytes_alone() || (LLVMFuzzerMutate && random.chance(1, 8))) return LLVMFuzzerMutate(data, size, max_size);
  gcts::Bytes sound;
  std::span<const std::byte> from = bytes(data, size);
  if (random.chance(1, 2) && leads_nowhere(from)) from = sound = sound_file(random.stream("sound"));
  if (random.chance(1, 5)) {
    const gcts::Bytes grown = gcts::grow(from, random.stream("grow"), max_size);
    if (!grown.empty()) {
      if (random.chance(1, 2)) return hand_over(grown, data, max_size);
      return hand_over(gcts::mutate(grown, random, max_size), data, max_size);
    }
  }
  return hand_over(gcts::mutate(from, random, max_size), data, max_size);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t* a, size_t a_size, const uint8_t* b, size_t b_size, uint8_t* out, size_t max_size,
                                 unsigned int seed) {
  if (bytes_alone()) return 0;
  const gcts::Generator random(seed, "cross over");
  return hand_over(gcts::cross_over(bytes(a, a_size), bytes(b, b_size), random, max_size), out, max_size);
}
