// What a reader found in a file, as one flat run of records.
//
// A reader under test runs in a worker; what it pushes into its sink crosses to the
// main process in this form, and what the reference read is put into the same form,
// so that equal contents are equal bytes.  Only where they differ are the records
// decoded, to name the first difference (contents_diff.h).
//
// The header comes first whenever it was reported; then records in file order.  A
// record: tag u8, then fields little-endian; strings are length u64 and bytes.
//
//   'H' reported u8, version u32, big_endian u32, alignment u32
//   'K' key
//   'S' type u32, count u64, count packed scalars, little-endian
//   'T' string
//   '[' element_type u32, count u64      ... elements ...      ']'
//   'N' name, type u32, rank u32, dims rank x u64, offset u64, size u64,
//       has_bytes u8, and if so a digest of the bytes (16 bytes): their 128-bit XXH3 if
//       has_bytes is 1, the first half of their SHA-256 if it is 2
//
// Records of a process (process_protocol.h) may leave facts out: a field of the header,
// an array's element type, a tensor's offset or size that is all ones is untold, and
//
//   '#' count u64, count x text: numbers whose type is untold (contents_told.h)
//   'U' at the end: no tensor is told
//
// Consecutive scalar runs of one array are merged: how a reader cuts them is its own
// affair.  The file is compiled into the worker too, so it uses nothing but the
// standard library.

#ifndef GCTS_HARNESS_CONTENTS_H_
#define GCTS_HARNESS_CONTENTS_H_

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "gcts/plugin.h"

namespace gcts {

// Bytes that grow at their end.  Where they live is up to the subclass: in the
// worker, shared memory, so that what is recorded about a file is not counted as
// memory of the reader under test.
class GrowingBytes {
 public:
  virtual ~GrowingBytes() = default;
  uint8_t* data() const { return data_; }
  uint64_t size() const { return size_; }
  void truncate(uint64_t size) { size_ = size < size_ ? size : size_; }
  // Room for `size` more bytes at the end, uninitialised; null if there is none.
  uint8_t* extend(uint64_t size) {
    if (size > capacity_ - size_ && !grow(size_ + size)) return nullptr;
    uint8_t* at = data_ + size_;
    size_ += size;
    return at;
  }

 protected:
  // Makes capacity_ at least `needed`; data_ may move.
  virtual bool grow(uint64_t needed) = 0;

  uint8_t* data_ = nullptr;
  uint64_t size_ = 0;
  uint64_t capacity_ = 0;
};

// On the heap.
class HeapBytes final : public GrowingBytes {
 public:
  std::span<const uint8_t> bytes() const { return {data_, size_}; }

 private:
  bool grow(uint64_t needed) override;
  std::vector<uint8_t> storage_;
};

// Collects records.  `sink()` is what a reader under test is handed; nothing it
// does can make the collector fail: misuse (array_end without a begin, a null
// pointer with a size) sets `misuse()`, and what follows is not recorded.
class ContentsWriter {
 public:
  static constexpr uint64_t kHeaderBytes = 14;
  static constexpr size_t kMaxMessage = 2000;  // bytes kept of what the reader explains

  // Appends to `out`, at most `limit` bytes.  With `digests` tensor bytes are
  // recorded by digest, else left out.
  ContentsWriter(GrowingBytes& out, bool digests, uint64_t limit = UINT64_MAX);
  ContentsWriter(const ContentsWriter&) = delete;
  ContentsWriter& operator=(const ContentsWriter&) = delete;

  const gcts_sink* sink() const { return &sink_; }
  // Checks that what was opened is closed; call after the reader accepted.
  void finish();
  std::span<const uint8_t> bytes() const { return {out_.data() + start_, out_.size() - start_}; }
  const std::string& message() const { return message_; }
  const std::string& misuse() const { return misuse_; }

 private:
  struct Calls;
  uint8_t* extend(uint64_t size);
  void put_u8(uint8_t v);
  void put_u32(uint32_t v);
  void put_u64(uint64_t v);
  void put_bytes(const void* data, uint64_t size);
  bool take(bool ok, const char* why);  // !ok: misuse

  gcts_sink sink_;
  GrowingBytes& out_;
  uint64_t start_;
  uint64_t limit_;
  bool digests_;
  std::string message_, misuse_;
  uint64_t depth_ = 0;
  uint64_t open_run_ = 0;    // offset of the 'S' record that the next scalars may extend; 0: none
  bool value_due_ = false;   // a key without its value yet
  bool in_tensors_ = false;
};

inline constexpr uint32_t kUntold32 = UINT32_MAX;
inline constexpr uint64_t kUntold64 = UINT64_MAX;

// Bytes of one scalar of a value type as it crosses the ABI; 0 for other types.
uint32_t scalar_width(uint32_t type);

}  // namespace gcts

#endif  // GCTS_HARNESS_CONTENTS_H_
