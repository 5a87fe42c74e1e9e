// Known answers for each tensor type, as a JSON document that anyone can use without
// this program.
//
// A document holds, for one type:
//
//   schema, type, id, block_elements, block_bytes, license, about
//   notes       flag -> what the tests that carry it show, and what goes wrong otherwise
//   dequantize  tests: {id, comment, flags, block, values, result}
//   quantize    tests: {id, comment, flags, input, block, result}
//
// block: the bytes in file order, two hex digits each; several blocks in a row are
// allowed.  values, input: f32 bit patterns of eight hex digits each, the first element
// first; 7fc00000 in values stands for any NaN, and zeros have their sign.  result is
// about the block's bytes: "valid"; "invalid" where a scale or value is NaN or infinite;
// "disputed" where implementations differ and only --strict counts it.  In every case
// the values are what the block decodes to here.
//
// The documents are made from the codecs, the same on every machine, and committed in
// corpus/vectors/; write_vectors makes them again.

#ifndef GCTS_CORPUS_VECTORS_H_
#define GCTS_CORPUS_VECTORS_H_

#include <string>

#include "reference/tensor_type.h"

namespace gcts {

// The document for a type that is current, ending with a newline.
std::string vectors_json(const TensorType& type);

}  // namespace gcts

#endif  // GCTS_CORPUS_VECTORS_H_
