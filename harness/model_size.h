// What a model takes: parameters, bytes by type, memory, and the KV cache.

#ifndef GCTS_HARNESS_MODEL_SIZE_H_
#define GCTS_HARNESS_MODEL_SIZE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "reference/reader.h"

namespace gcts {

struct TypeShare {
  uint64_t tensors = 0, parameters = 0, bytes = 0;
};

struct ModelSize {
  uint64_t tensors = 0;
  uint64_t parameters = 0;     // elements of all tensors of known size
  uint64_t bytes = 0;          // of the same tensors, without padding
  std::map<std::string, TypeShare> by_type;
  uint64_t unsized = 0;        // tensors whose type or size is not known

  double bits_per_weight() const {
    return parameters == 0 ? 0 : 8.0 * static_cast<double>(bytes) / static_cast<double>(parameters);
  }
};
// Over all shards of a model.
ModelSize model_size(std::span<const Reading* const> shards);

// The KV cache of a transformer without sliding windows: for each block, context x
// key-value heads x (key length + value length) elements of two bytes.
struct KvCache {
  uint64_t context = 0;
  uint64_t blocks = 0;
  uint64_t elements_per_position = 0;  // summed over the blocks
  uint64_t bytes = 0;                  // as f16
};
// Nothing, and the key that is missing or unusable in `missing`, where the metadata
// do not say.  context 0: the model's own context length.
std::optional<KvCache> kv_cache(const Reading& reading, uint64_t context, std::string& missing);

}  // namespace gcts

#endif  // GCTS_HARNESS_MODEL_SIZE_H_
