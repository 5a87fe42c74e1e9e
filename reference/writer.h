// Writes a model as GGUF bytes, and says where each field went.
//
// The writer is canonical: one model gives one sequence of bytes.  Keys and tensors
// keep their order; tensors lie in order, each padded with zeros to the alignment,
// the last one too; padding before the data is written even without tensors only
// where the options ask for it.  All three strategies of the GGUF C API give the
// same bytes.
//
// It is also the tool that breaks files on purpose.  It writes what it is given:
// a File with wrong offsets, duplicate names or illegal types comes out as told,
// and the field map lets a recipe or a mutator change any single field after that.
// A tensor with an offset of its own has its bytes put there, over those of earlier
// tensors if they overlap, and zeros fill the gaps; an offset more than kMaxGap past
// the place that is next in order is written into the tensor info alone, and the
// bytes stay in order.  An alignment above kMaxGap does not move anything either.

#ifndef GCTS_REFERENCE_WRITER_H_
#define GCTS_REFERENCE_WRITER_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "reference/gguf.h"

namespace gcts {

// The largest gap in the tensor data that the writer fills with zeros.
inline constexpr uint64_t kMaxGap = uint64_t{1} << 24;

enum class FieldKind : uint8_t {
  magic,
  version,
  tensor_count,
  metadata_count,
  key_length,
  key_bytes,
  value_type,
  scalar,  // one scalar, or the packed scalars of one array
  string_length,
  string_bytes,
  element_type,
  element_count,
  name_length,
  name_bytes,
  rank,
  dimension,
  tensor_type,
  tensor_offset,
  padding,  // before the data, and after each tensor
  tensor_data,
};
std::string_view field_kind_name(FieldKind kind);

// One field as written; never empty.  `item`: index of the key-value pair or tensor
// that it belongs to.  `part`: of a dimension, its index; of a field within a value,
// how many of its kind stand before it in that value; of padding, 0 before the data
// and 1 after the tensor `item`; of tensor data, 0, or more where another tensor
// interrupts it.
struct Field {
  FieldKind kind;
  uint32_t item = 0;
  uint32_t part = 0;
  uint64_t offset = 0;
  uint64_t size = 0;
};

struct Written {
  Bytes bytes;
  std::vector<Field> fields;  // in file order, covering every byte
  Layout layout;

  // The field of a kind, item and part; null if there is none.
  const Field* find(FieldKind kind, uint32_t item = 0, uint32_t part = 0) const;
  // Overwrites a field with the low bytes of `value` in the file's byte order.
  void patch(const Field& field, uint64_t value);
  uint64_t read(const Field& field) const;
};

enum class WriteStrategy : uint8_t { whole, metadata_first, reserve };

struct WriteOptions {
  bool pad_last_tensor = true;  // ggml requires it when it loads the data
  bool pad_without_tensors = false;
  WriteStrategy strategy = WriteStrategy::whole;
};

Written write(const File& file, const WriteOptions& options = {});
// The bytes alone, without a field map.
Bytes write_bytes(const File& file, const WriteOptions& options = {});

}  // namespace gcts

#endif  // GCTS_REFERENCE_WRITER_H_
