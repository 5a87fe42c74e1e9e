// Files that nobody wrote by hand, about which the suite has not made up its mind.
//
// Where the corpus holds that either verdict is right, so does a file with the same trait,
// whether a mutation made it or a fuzzer did.

#ifndef GCTS_HARNESS_UNDECIDED_H_
#define GCTS_HARNESS_UNDECIDED_H_

#include <cstdint>
#include <span>
#include <string>

#include "reference/reader.h"

namespace gcts {

// How deep arrays nest at most: the longest run of array heads, decodable to the end
// or not.
uint64_t nesting(std::span<const std::byte> file);

// Whether the file gives different alignments.  Nobody says which of them counts, and so where
// its data ought to lie.
bool alignment_is_open(const Reading& reading);

// Whether a rule is about where data lie.
bool follows_from_alignment(rule::Index rule);

// Why either verdict on the file is right, in the terms of Case::reason; "" if only
// one is.  `depth`: its nesting.
std::string undecided(const Reading& reading, uint64_t depth);

}  // namespace gcts

#endif  // GCTS_HARNESS_UNDECIDED_H_
