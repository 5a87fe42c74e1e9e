// Reads a GGUF file and reports every rule it breaks.
//
// The reader is total: it takes any bytes, never throws on account of them, never
// touches memory outside what it was given, and allocates at most a small multiple
// of the bytes that are really there, whatever counts and lengths claim.  Its time
// is linear in the file's size.  It does not recurse on the nesting of arrays.
//
// The bytes come from a memory map or from a callback that delivers chunks of any
// size; the findings are the same either way.
//
// Findings come in two runs: what stops or disturbs decoding, in file order, and then
// what the checks of checks/ find, in the order of rules.inc.  A structural error ends
// decoding (`complete` is false); the checks then look only at what was read.  A
// finding is a root unless it merely follows from another: offsets after a tensor of
// unknown size, sizes after an illegal alignment, later faults in the chain of offsets.
// Traits of a whole file (version 1, big-endian, nested arrays) are roots only where
// nothing else is wrong.
//
// Two stages.  `metadata` stops at the end of the tensor infos: what a reader that
// never touches tensor bytes can know.  `data` also looks at the tensor data:
// padding, offsets and sizes against the end of the file.

#ifndef GCTS_REFERENCE_READER_H_
#define GCTS_REFERENCE_READER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "reference/finding.h"
#include "reference/gguf.h"

namespace gcts {

enum class Stage : uint8_t { metadata, data };

// A metadata value as it stands in the file: a view of its encoded bytes.
struct ValueView {
  ValueType type = ValueType::uint8;
  ValueType element_type = ValueType::uint8;  // array
  uint64_t count = 1;                         // array: elements; string: bytes; scalar: 1
  uint64_t offset = 0;                        // in the file, of `bytes`
  // Scalar: its bytes.  String: its bytes without the length.  Array: its
  // elements as encoded, without element type and count.  In the file's layout.
  std::span<const std::byte> bytes;
  Layout layout;

  // A scalar's bits zero-extended, byte order undone.  For other types 0.
  uint64_t bits() const;
  std::string_view text() const;  // a string's bytes
  // An unsigned reading of any integer type or bool; nullopt for others and negatives.
  std::optional<uint64_t> as_unsigned() const;
  Value to_value() const;  // an owning copy (iterative at any depth)
};

// Calls back for each part of a value in file order, without recursion.  Arrays of
// scalars arrive in one call, as encoded in the file.
struct ValueVisitor {
  virtual ~ValueVisitor() = default;
  virtual void scalars(ValueType type, uint64_t count, std::span<const std::byte> bytes, Layout) = 0;
  virtual void string(std::string_view text) = 0;
  virtual void array_begin(ValueType element_type, uint64_t count) = 0;
  virtual void array_end() = 0;
};
void visit(const ValueView& value, ValueVisitor& visitor);

struct KeyValueView {
  std::string_view key;
  uint64_t offset = 0;  // of the pair (its key's length field) in the file
  ValueView value;
};

struct TensorView {
  std::string_view name;
  uint64_t info_offset = 0;  // of the tensor info in the file
  uint32_t type = 0;         // tensor type id as in the file
  uint32_t rank = 0;
  std::array<uint64_t, kMaxRank> dims{1, 1, 1, 1};  // 1 beyond the rank
  uint64_t offset = 0;       // relative to the data start, as in the file
  uint64_t size = 0;         // in bytes; 0 if it cannot be computed
  bool sized = false;        // type known, product representable
  // The tensor's bytes; empty if they are not all there or the source is a stream.
  std::span<const std::byte> data;
};

// Padding that holds something else than zeros.
struct DirtyPadding {
  static constexpr uint64_t kBeforeData = UINT64_MAX;
  uint64_t tensor = kBeforeData;  // index of the tensor that it follows
  uint64_t begin = 0;             // of the padding, in the file
  uint64_t offset = 0;            // of its first byte that is not zero
};

struct Survey;  // survey.h

// What was read.  Views refer to the mapped bytes, or to a buffer held here.
struct Reading {
  Layout layout;
  uint64_t tensor_count = 0;    // as claimed by the header
  uint64_t metadata_count = 0;
  std::vector<KeyValueView> metadata;
  std::vector<TensorView> tensors;
  uint32_t alignment = kDefaultAlignment;
  uint64_t metadata_end = 0;    // first byte after the last tensor info that was read
  uint64_t data_start = 0;      // metadata_end rounded up to the alignment
  uint64_t file_size = 0;       // in the metadata stage of a stream: bytes seen
  Stage stage = Stage::data;    // how far was read
  bool complete = false;        // every pair and tensor info was read
  std::vector<DirtyPadding> dirty_padding;  // in file order
  Findings findings;
  // What the checks share while they run; null afterwards.
  std::shared_ptr<const Survey> survey;
  std::shared_ptr<const Bytes> storage;  // what views refer to when the source was a stream

  const KeyValueView* find(std::string_view key) const;  // first match
  const TensorView* find_tensor(std::string_view name) const;
};

// Delivers the next bytes of a file: returns how many were stored, 1 to size, or 0
// at the end.
using ChunkSource = std::function<size_t(std::byte* buffer, size_t size)>;

struct ReadOptions {
  Stage stage = Stage::data;
  bool lint = true;   // also the metadata schema (ARCH, TOK) and padding rules
};

Reading read(std::span<const std::byte> file, const ReadOptions& options = {});
Reading read(const ChunkSource& source, const ReadOptions& options = {});

// An owning copy of what was read.  Tensor bytes are copied where they were there.
File to_file(const Reading& reading);

}  // namespace gcts

#endif  // GCTS_REFERENCE_READER_H_
