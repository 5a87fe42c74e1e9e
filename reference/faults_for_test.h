// Files with one fault each: a model without findings, and a change to it for every
// rule that the reader reports.

#ifndef GCTS_REFERENCE_FAULTS_FOR_TEST_H_
#define GCTS_REFERENCE_FAULTS_FOR_TEST_H_

#include <string>
#include <vector>

#include "reference/finding.h"
#include "reference/gguf.h"
#include "reference/reader.h"
#include "reference/writer.h"

namespace gcts {

// Two f32 tensors, a few keys, no findings under any profile.
File sound_model();

struct Fault {
  rule::Index rule;
  std::string what;
  Bytes bytes;
};

// At least one for each rule of kind decode or check.
std::vector<Fault> faults();

// Delivers bytes, which must outlive it, in chunks of at most `size`.
ChunkSource chunks_of(const Bytes& bytes, size_t size);

// The findings as text, one a line.
std::string describe(const Findings& findings);

}  // namespace gcts

#endif  // GCTS_REFERENCE_FAULTS_FOR_TEST_H_
