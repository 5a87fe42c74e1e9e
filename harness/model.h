// A model that a plugin is asked to write, as it crosses to the worker.
//
// Fields little-endian; texts are length u64 and bytes:
//
//   version u32, big_endian u32, strategy u32, 0 u32, metadata_count u64, tensor_count u64
//   metadata_count x { key text, value }
//   tensor_count x { name text, type u32, rank u32, dims 4 x u64, data text }
//   value = type u32, element_type u32, count u64, bits u64,
//           then a string's bytes or an array's elements, values themselves
//
// A model may be one that no file can hold (a value too wide for its type, an array
// of mixed elements): writers have to refuse it.

#ifndef GCTS_HARNESS_MODEL_H_
#define GCTS_HARNESS_MODEL_H_

#include <cstdint>
#include <vector>

#include "reference/gguf.h"
#include "reference/writer.h"

namespace gcts {

std::vector<uint8_t> encode_model(const File& model, WriteStrategy strategy);

}  // namespace gcts

#endif  // GCTS_HARNESS_MODEL_H_
