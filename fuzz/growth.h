// Changes that make a file larger or richer, which the mutator of the corpus does not.
//
// Faults that need many of something, or one of each, or a string at a certain place, are
// out of reach of a mutator that changes field by field; here a file gets in one step 300
// pairs, tensors of five types, a string across a buffer's end, a key that differs after
// its NUL, a size that wraps when it is padded.

#ifndef GCTS_FUZZ_GROWTH_H_
#define GCTS_FUZZ_GROWTH_H_

#include <cstddef>
#include <span>

#include "reference/generator.h"
#include "reference/gguf.h"

namespace gcts {

// `file` with one thing more; empty where it cannot be read to its end, or where the
// result would have more than max_size bytes.
Bytes grow(std::span<const std::byte> file, Generator random, size_t max_size);

}  // namespace gcts

#endif  // GCTS_FUZZ_GROWTH_H_
