// Changes GGUF files with the rules in mind.
//
// A mutation parses whatever prefix of the bytes can be parsed, changes one or several
// fields to values at which readers break (counts at the limit of what is left,
// products that wrap, lengths, types, offsets, alignment, padding, nesting, byte order,
// version), repairs what depends on them or deliberately does not, and falls back to
// plain bytes where nothing can be parsed.  It has no state and no engine: the fuzz
// targets call it, and so does the run that makes format/mutated/<n>.

#ifndef GCTS_CORPUS_MUTATOR_H_
#define GCTS_CORPUS_MUTATOR_H_

#include <cstddef>
#include <span>
#include <vector>

#include "reference/generator.h"
#include "reference/gguf.h"
#include "reference/writer.h"

namespace gcts {

// The fields of the longest prefix that has the shape of a GGUF file, whatever rules
// their values break.  At most kMaxScanned fields.
struct Scan {
  Layout layout;
  std::vector<Field> fields;
  uint64_t end = 0;  // first byte that is no part of a field
};
inline constexpr size_t kMaxScanned = 4096;
Scan scan_fields(std::span<const std::byte> file);

// `file` changed one to four times; the result has at most max_size bytes.  The same
// input and generator give the same result.
Bytes mutate(std::span<const std::byte> file, Generator random, size_t max_size);

// Some key-value pairs and tensors of each; where one of them cannot be parsed, a
// prefix of one and a suffix of the other.
Bytes cross_over(std::span<const std::byte> a, std::span<const std::byte> b, Generator random,
                 size_t max_size);

}  // namespace gcts

#endif  // GCTS_CORPUS_MUTATOR_H_
