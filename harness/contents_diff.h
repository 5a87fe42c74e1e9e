// The first difference between two runs of records, in words.

#ifndef GCTS_HARNESS_CONTENTS_DIFF_H_
#define GCTS_HARNESS_CONTENTS_DIFF_H_

#include <cstdint>
#include <span>
#include <string>

namespace gcts {

struct ContentsDifference {
  std::string where;     // "key 'general.alignment'", "tensor 'w'", "header"
  std::string expected;  // "uint32 32 (0x00000020)"
  std::string actual;

  std::string sentence() const;  // "key 'a': expected ..., got ..."
};

// The records differ; says where first.  Text of the file is quoted as it is: each
// report escapes for where it goes.
ContentsDifference first_difference(std::span<const uint8_t> expected, std::span<const uint8_t> actual);

}  // namespace gcts

#endif  // GCTS_HARNESS_CONTENTS_DIFF_H_
