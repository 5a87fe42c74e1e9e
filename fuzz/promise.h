// What a fuzz target does when something does not hold: says what, and ends.

#ifndef GCTS_FUZZ_PROMISE_H_
#define GCTS_FUZZ_PROMISE_H_

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace gcts {

// `what` is one constant sentence: findings with the same sentence are one finding.
inline void promise(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

// A number that depends on every byte, for choices that an input does not state.
inline uint64_t choice(const uint8_t* data, size_t size) {
  uint64_t hash = 0xcbf29ce484222325 ^ size;
  for (size_t i = 0; i < size; i += 8) {
    uint64_t eight = 0;
    std::memcpy(&eight, data + i, size - i < 8 ? size - i : 8);
    hash = (hash ^ eight) * 0x100000001b3;
    hash ^= hash >> 29;
  }
  return hash ^ hash >> 32;
}

}  // namespace gcts

#endif  // GCTS_FUZZ_PROMISE_H_
