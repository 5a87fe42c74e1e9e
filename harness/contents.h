// What a reader found in a file, as one flat run of records.
//
// A reader under test runs in a worker; what it pushes into its sink crosses to the
// main process in this form, and what the reference read is put into the same form,
// so that equal contents are equal bytes.  Only where they differ are the records
// decoded, to name the first difference.  Models to be written cross the other way.
//
// A record: tag u8, then fields little-endian; strings are length u64 and bytes.
//
//   'H' version u32, big_endian u32, alignment u32
//   'K' key
//   'S' type u32, count u64, count packed scalars, little-endian
//   'T' string
//   '[' element_type u32, count u64      ... elements ...      ']'
//   'N' name, type u32, rank u32, dims rank x u64, offset u64, size u64,
//       has_bytes u8, and if so the XXH3 128-bit digest of the bytes (16 bytes)
//   'M' message
//
// Consecutive scalar runs of one array are merged: how a reader cuts them is its own
// affair.  The file is compiled into the worker too, so it uses nothing but libc.

#ifndef GCTS_HARNESS_CONTENTS_H_
#define GCTS_HARNESS_CONTENTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "gcts/plugin.h"

namespace gcts {

// Collects records.  `sink()` is what a reader under test is handed; nothing it
// does can make the collector fail: misuse (array_end without a begin, a null
// pointer with a size) sets `misuse()`.
class ContentsWriter {
 public:
  ContentsWriter();
  const gcts_sink* sink() const { return &sink_; }
  const std::vector<uint8_t>& bytes() const { return bytes_; }
  const std::string& message() const { return message_; }
  const std::string& misuse() const { return misuse_; }
  void clear();

 private:
  struct Calls;
  void byte(uint8_t v) { bytes_.push_back(v); }
  void u32(uint32_t v);
  void u64(uint64_t v);
  void raw(const void* data, uint64_t size);

  gcts_sink sink_;
  std::vector<uint8_t> bytes_;
  std::string message_, misuse_;
  uint64_t depth_ = 0;
  uint64_t open_run_ = 0;   // offset of the 'S' record that the next scalars may extend; 0: none
};

}  // namespace gcts

#endif  // GCTS_HARNESS_CONTENTS_H_
