// Where the fields of pairs and tensor infos stand in the file, and which findings
// make later ones mere consequences.

#ifndef GCTS_REFERENCE_CHECKS_FIELDS_H_
#define GCTS_REFERENCE_CHECKS_FIELDS_H_

#include "reference/finding.h"
#include "reference/reader.h"

namespace gcts {

inline uint64_t key_offset(const KeyValueView& pair) { return pair.offset + pair.value.layout.count_bytes(); }
inline uint64_t value_type_offset(const KeyValueView& pair) { return key_offset(pair) + pair.key.size(); }

// The fields of a tensor info with at most 4 dimensions.
struct TensorFields {
  TensorFields(const Reading& reading, const TensorView& t)
      : count_bytes(reading.layout.count_bytes()),
        name(t.info_offset + count_bytes),
        rank(name + t.name.size()),
        dims(rank + 4),
        type(dims + t.rank * count_bytes),
        offset(type + 4) {}

  uint64_t dim(uint32_t i) const { return dims + i * count_bytes; }

  uint64_t count_bytes, name, rank, dims, type, offset;
};

// Whether the alignment is in doubt.
bool alignment_is_faulty(const Findings& findings);
// Whether sizes or the alignment are in doubt, so that faults of offsets and data follow.
bool sizes_are_faulty(const Findings& findings);

}  // namespace gcts

#endif  // GCTS_REFERENCE_CHECKS_FIELDS_H_
