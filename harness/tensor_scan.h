// Looks at the bytes of tensors: are the blocks legal, what is their SHA-256,
// what do their values look like.
//
// From a file the work is cut into slices that the cores share; each reads its
// slices with pread() into a buffer of its own that stays in the cache, so a file
// of any size takes a few hundred kilobytes, and a file that shrinks meanwhile is
// no danger.  From a stream the bytes are fed as they pass by.  Results do not
// depend on the number of threads.
//
// Only tensors of known type and size whose bytes are all there are looked at; what
// keeps the others from it is a finding of the reader.

#ifndef GCTS_HARNESS_TENSOR_SCAN_H_
#define GCTS_HARNESS_TENSOR_SCAN_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/mapped_file.h"
#include "reference/reader.h"
#include "reference/summary.h"

namespace gcts {

// The illegal blocks of one tensor.
struct TensorFault {
  uint64_t first_block = 0;
  uint64_t offset = 0;      // of the byte that makes the first block illegal, in the file
  const char* what = nullptr;
  bool strict_only = false; // every illegal block is so only under --strict
  uint64_t blocks = 0;      // how many are illegal; 0: the tensor is legal
};

struct TensorScan {
  TensorFault fault;
  std::string sha256;       // hexadecimal, where it was asked for
  std::optional<TensorSummary> summary;  // likewise
  bool scanned = false;     // false: the bytes could not be looked at
};

struct ScanOptions {
  bool strict = false;      // also faults on which implementations disagree
  bool validate = true;
  bool digest = false;      // with either of these a tensor is read by one thread, in order
  bool summarize = false;
  unsigned threads = 0;     // 0: one a core
  // Called about five times a second with the bytes done and the bytes to do.
  std::function<void(uint64_t done, uint64_t total)> progress;
};

// One entry for each tensor of the reading, in its order.  Each byte of the file is
// looked at four times at most, however often hostile tensors overlap; tensors beyond that
// are left out.
std::vector<TensorScan> scan_tensors(const MappedFile& file, const Reading& reading, const ScanOptions& options);

// The same from bytes that pass by in order.  Of tensors that overlap, the first in
// the data is looked at.  The reading must outlive the scan.
class StreamScan {
 public:
  StreamScan(const Reading& reading, const ScanOptions& options);
  ~StreamScan();
  // The next bytes of the file; the first call delivers its first byte.
  void feed(std::span<const std::byte> bytes);
  std::vector<TensorScan> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gcts

#endif  // GCTS_HARNESS_TENSOR_SCAN_H_
