// What the codec targets share: one type of a family, any bytes as blocks of it, and
// any bytes as floats to encode.
//
// Byte 0 of an input chooses the type, bit 0 of byte 1 whether weights are given.  The
// buffers are exactly as large as they have to be, so that a sanitizer sees every access
// beyond.

#ifndef GCTS_FUZZ_CODEC_BLOCKS_H_
#define GCTS_FUZZ_CODEC_BLOCKS_H_

#include <cstddef>
#include <cstdint>

#include "reference/tensor_type.h"

namespace gcts {

enum class CodecFamily : uint8_t { plain, simple, k, iq };

// Every current type is of one family, by the shape of its row in tensor_types.inc.
CodecFamily family_of(const TensorType& type);

void check_codec(CodecFamily family, const uint8_t* data, size_t size);

}  // namespace gcts

#endif  // GCTS_FUZZ_CODEC_BLOCKS_H_
