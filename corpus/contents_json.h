// What a file holds, as JSON that loses nothing in any host language.
//
//   {"version": 3, "endianness": "little", "alignment": 32, "data_start": "96",
//    "metadata": [{"key": "a.b", "type": "uint64", "value": "18446744073709551615"}, ...],
//    "tensors": [{"name": "weight", "type": "f32", "type_id": 0, "dims": ["8"],
//                 "offset": "0", "size": "32", "sha256": "..."}]}
//
// Numbers of a file are texts.  Floats carry their bits too: {"value": "-0", "bits":
// "0x80000000"}.  A string (key, value or name) that is not valid UTF-8 stands under
// its field's name with "_hex" appended, as hexadecimal digits, and the plain field is
// absent.  An array has "element_type", "count" and "values": texts for integers and
// bools, objects as above for floats, strings ({"value": ...}) and inner arrays.
// An array of more than kMaxListed elements has no "values" but "sha256": of its
// elements as they stand in the file.

#ifndef GCTS_CORPUS_CONTENTS_JSON_H_
#define GCTS_CORPUS_CONTENTS_JSON_H_

#include <string>

#include "reference/reader.h"

namespace gcts {

inline constexpr uint64_t kMaxListed = 10'000;

// Ends with a newline; the same text for the same reading everywhere.
std::string contents_json(const Reading& reading);

}  // namespace gcts

#endif  // GCTS_CORPUS_CONTENTS_JSON_H_
