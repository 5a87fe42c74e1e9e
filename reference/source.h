// The bytes of a file as the reader sees them: mapped, or arriving in chunks.
//
// A mapped source has everything from the start.  A streamed source keeps what has
// arrived in a buffer that grows with the bytes that really came, never with what a
// field of the file claims.  Either way reach(end) answers the one question that a
// decoder has: does the file hold the bytes [0, end)?

#ifndef GCTS_REFERENCE_SOURCE_H_
#define GCTS_REFERENCE_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "reference/gguf.h"

namespace gcts {

class Source {
 public:
  // Delivers the next bytes: returns how many, 0 at the end.
  using Chunks = std::function<size_t(std::byte* buffer, size_t size)>;
  // Is shown a part of the file that begins at `offset`.
  using Observer = std::function<void(uint64_t offset, std::span<const std::byte> bytes)>;

  explicit Source(std::span<const std::byte> mapped)
      : data_(mapped.data()), size_(mapped.size()), ended_(true), mapped_(true) {}
  explicit Source(const Chunks& chunks) : chunks_(&chunks) {}

  // Makes the bytes [0, end) available if the file has them.  After false the whole
  // file is available and size() is its size.
  bool reach(uint64_t end) { return end <= size_ || fetch(end); }

  const std::byte* data() const { return data_; }  // valid until the next reach()
  uint64_t size() const { return size_; }          // bytes available
  bool mapped() const { return mapped_; }

  // Reads a stream to its end without keeping what arrives, shows every byte from
  // `from` on to `observer`, and returns the size of the file.
  uint64_t drain(uint64_t from, const Observer& observer);

  // The buffer of a stream, cut to what arrived.
  Bytes take();

 private:
  bool fetch(uint64_t end);

  const Chunks* chunks_ = nullptr;
  Bytes buffer_;
  const std::byte* data_ = nullptr;
  uint64_t size_ = 0;
  bool ended_ = false;
  bool mapped_ = false;
};

}  // namespace gcts

#endif  // GCTS_REFERENCE_SOURCE_H_
