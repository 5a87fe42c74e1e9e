// Buffers a stream as far as the reader has to see it.

#include "reference/source.h"

#include <algorithm>
#include <utility>

namespace gcts {
namespace {

// Requests to the callback begin with kFirst, which holds many a small file whole, and go
// on with at least kRequest: large enough that a pipe is drained in full reads, small
// enough that a header does not cost a megabyte.
constexpr size_t kFirst = size_t{1} << 10;
constexpr size_t kRequest = size_t{1} << 16;

}  // namespace

bool Source::fetch(uint64_t end) {
  while (size_ < end && !ended_) {
    if (size_ == buffer_.size()) {
      buffer_.resize(buffer_.empty() ? kFirst : buffer_.size() + std::max(kRequest, buffer_.size() / 2));
      data_ = buffer_.data();
    }
    const size_t room = buffer_.size() - size_;
    const size_t got = (*chunks_)(buffer_.data() + size_, room);
    if (got == 0) ended_ = true;
    size_ += std::min(got, room);
  }
  return end <= size_;
}

uint64_t Source::drain(uint64_t from, const Observer& observer) {
  if (from < size_) observer(from, {data_ + from, size_ - from});
  uint64_t end = size_;
  // What the buffer has left serves until a request fills it, which may be never.
  Bytes more;
  std::span<std::byte> chunk = std::span(buffer_).subspan(size_);
  const auto ask_for_more = [&] {
    more.resize(4 * kRequest);
    chunk = more;
  };
  if (chunk.empty() && !ended_) ask_for_more();
  while (!ended_) {
    const size_t got = std::min((*chunks_)(chunk.data(), chunk.size()), chunk.size());
    if (got == 0) ended_ = true;
    if (end + got > from) {
      const uint64_t skip = from > end ? from - end : 0;
      observer(end + skip, {chunk.data() + skip, got - skip});
    }
    end += got;
    if (got == chunk.size() && more.empty()) ask_for_more();
  }
  return end;
}

Bytes Source::take() {
  buffer_.resize(size_);
  // A small buffer is not worth a copy.
  if (buffer_.capacity() > std::max(kRequest, 2 * buffer_.size())) buffer_.shrink_to_fit();
  return std::move(buffer_);
}

}  // namespace gcts
