// The first run of the reader: from bytes to header, pairs and tensor infos.

#ifndef GCTS_REFERENCE_DECODE_H_
#define GCTS_REFERENCE_DECODE_H_

#include "reference/reader.h"
#include "reference/source.h"

namespace gcts {

// Fills `out` up to the end of the tensor infos and reports what stops or disturbs
// decoding.  The views in `out` refer to the source's bytes as they lay when each
// was read; point_views() sets them right once no more bytes are fetched.
void decode(Source& source, Reading& out);

// Points every view of a reading into `file`, the bytes of the file from its start.
void point_views(Reading& reading, const std::byte* file);

}  // namespace gcts

#endif  // GCTS_REFERENCE_DECODE_H_
