// What the reference read, as the records that a reader under test is compared with.

#ifndef GCTS_HARNESS_REFERENCE_CONTENTS_H_
#define GCTS_HARNESS_REFERENCE_CONTENTS_H_

#include <cstdint>
#include <vector>

#include "reference/reader.h"

namespace gcts {

// `digests`: tensor bytes too, as a reader that hands them over is held to; with
// `sha256` their digest is the one that processes can make.
std::vector<uint8_t> encode_reading(const Reading& reading, bool digests);
// The files of a shard set as one model: metadata of the first, tensors of all.
std::vector<uint8_t> encode_readings(std::span<const Reading> readings, bool digests, bool sha256 = false);

}  // namespace gcts

#endif  // GCTS_HARNESS_REFERENCE_CONTENTS_H_
