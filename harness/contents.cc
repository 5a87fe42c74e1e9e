// The collector behind a reader's sink.

#include "harness/contents.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace gcts {

bool HeapBytes::grow(uint64_t needed) {
  storage_.resize(needed < 256 ? 256 : needed + needed / 2);
  data_ = storage_.data();
  capacity_ = storage_.size();
  return true;
}

uint32_t scalar_width(uint32_t type) {
  static constexpr uint8_t kWidths[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
  return type < sizeof(kWidths) ? kWidths[type] : 0;
}

// Scalars cross in the order of the host process; records are little-endian.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "records of a big-endian host need swapping");

uint8_t* ContentsWriter::extend(uint64_t size) {
  if (size > limit_ - (out_.size() - start_)) {
    take(false, "reports more contents than the file can hold");
    return nullptr;
  }
  uint8_t* at = out_.extend(size);
  if (!at) take(false, "reports more contents than there is memory for");
  return at;
}

void ContentsWriter::put_u8(uint8_t v) { put_bytes(&v, 1); }
void ContentsWriter::put_u32(uint32_t v) { put_bytes(&v, 4); }
void ContentsWriter::put_u64(uint64_t v) { put_bytes(&v, 8); }

void ContentsWriter::put_bytes(const void* data, uint64_t size) {
  if (size == 0) return;
  if (uint8_t* at = extend(size)) std::memcpy(at, data, size);
}

bool ContentsWriter::take(bool ok, const char* why) {
  if (!ok && misuse_.empty()) misuse_ = why;
  return misuse_.empty();
}

struct ContentsWriter::Calls {
  static ContentsWriter& self(void* context) { return *static_cast<ContentsWriter*>(context); }

  // Before each part of a value: is one expected here?
  static bool value_part(ContentsWriter& w, bool scalar_run = false) {
    if (!w.take(w.value_due_ || w.depth_ > 0, "a value without a key")) return false;
    w.value_due_ = false;
    if (!scalar_run) w.open_run_ = 0;
    return true;
  }

  static void header(void* context, uint32_t version, int big_endian, uint32_t alignment) {
    ContentsWriter& w = self(context);
    uint8_t* at = w.out_.data() + w.start_;
    if (!w.take(at[1] == 0, "header reported twice")) return;
    if (!w.take(!w.in_tensors_, "header reported after a tensor")) return;
    const uint32_t fields[3] = {version, static_cast<uint32_t>(big_endian), alignment};
    at[1] = 1;
    std::memcpy(at + 2, fields, sizeof(fields));
  }

  static void key(void* context, gcts_string key) {
    ContentsWriter& w = self(context);
    if (!w.take(w.depth_ == 0, "a key inside an array that was not ended")) return;
    if (!w.take(!w.value_due_, "a key whose value was not reported")) return;
    if (!w.take(!w.in_tensors_, "a key after a tensor")) return;
    if (!w.take(key.data || key.size == 0, "a key with a null pointer")) return;
    w.open_run_ = 0;
    w.put_u8('K');
    w.put_u64(key.size);
    w.put_bytes(key.data, key.size);
    w.value_due_ = true;
  }

  static void scalars(void* context, uint32_t type, const void* values, uint64_t count) {
    ContentsWriter& w = self(context);
    const uint64_t width = scalar_width(type);
    if (!w.take(width != 0, "scalars of a type that is no scalar")) return;
    if (!w.take(values || count == 0, "scalars with a null pointer")) return;
    if (!w.take(count <= UINT64_MAX / width, "scalars whose size does not fit 64 bits")) return;
    if (!value_part(w, true) || count == 0) return;
    if (w.open_run_ != 0) {
      uint8_t* record = w.out_.data() + w.open_run_;
      uint32_t open_type;
      uint64_t open_count;
      std::memcpy(&open_type, record + 1, 4);
      std::memcpy(&open_count, record + 5, 8);
      if (open_type == type) {
        open_count += count;
        std::memcpy(record + 5, &open_count, 8);
        w.put_bytes(values, count * width);
        return;
      }
    }
    const uint64_t at = w.out_.size();
    w.put_u8('S');
    w.put_u32(type);
    w.put_u64(count);
    w.put_bytes(values, count * width);
    w.open_run_ = w.depth_ > 0 && w.misuse_.empty() ? at : 0;
  }

  static void string(void* context, gcts_string value) {
    ContentsWriter& w = self(context);
    if (!w.take(value.data || value.size == 0, "a string with a null pointer")) return;
    if (!value_part(w)) return;
    w.put_u8('T');
    w.put_u64(value.size);
    w.put_bytes(value.data, value.size);
  }

  static void array_begin(void* context, uint32_t element_type, uint64_t count) {
    ContentsWriter& w = self(context);
    if (!value_part(w)) return;
    w.put_u8('[');
    w.put_u32(element_type);
    w.put_u64(count);
    ++w.depth_;
  }

  static void array_end(void* context) {
    ContentsWriter& w = self(context);
    if (!w.take(w.depth_ > 0, "array_end without array_begin")) return;
    w.open_run_ = 0;
    w.put_u8(']');
    --w.depth_;
  }

  static void tensor(void* context, gcts_string name, uint32_t tensor_type, uint32_t rank,
                     const uint64_t* dims, uint64_t offset, const void* data, uint64_t size) {
    ContentsWriter& w = self(context);
    if (!w.take(w.depth_ == 0, "a tensor inside an array that was not ended")) return;
    if (!w.take(!w.value_due_, "a key whose value was not reported")) return;
    if (!w.take(name.data || name.size == 0, "a tensor name with a null pointer")) return;
    if (!w.take(rank <= 1024, "a tensor of more than 1024 dimensions")) return;
    if (!w.take(dims || rank == 0, "tensor dimensions with a null pointer")) return;
    w.open_run_ = 0;
    w.in_tensors_ = true;
    w.put_u8('N');
    w.put_u64(name.size);
    w.put_bytes(name.data, name.size);
    w.put_u32(tensor_type);
    w.put_u32(rank);
    w.put_bytes(dims, uint64_t{rank} * 8);
    w.put_u64(offset);
    w.put_u64(size);
    // A tensor of no bytes has no pointer worth looking at.
    const bool has_bytes = w.digests_ && (data || size == 0);
    w.put_u8(has_bytes);
    if (!has_bytes) return;
    const XXH128_hash_t digest = XXH3_128bits(size ? data : "", size);
    w.put_u64(digest.low64);
    w.put_u64(digest.high64);
  }

  static void message(void* context, const char* text) {
    ContentsWriter& w = self(context);
    if (!text || w.message_.size() >= kMaxMessage) return;
    if (!w.message_.empty()) w.message_ += "; ";
    w.message_.append(text, strnlen(text, kMaxMessage - std::min(kMaxMessage, w.message_.size())));
  }
};

ContentsWriter::ContentsWriter(GrowingBytes& out, bool digests, uint64_t limit)
    : sink_{this,          Calls::header,    Calls::key,    Calls::scalars, Calls::string,
            Calls::array_begin, Calls::array_end, Calls::tensor, Calls::message},
      out_(out),
      start_(out.size()),
      limit_(limit < kHeaderBytes ? kHeaderBytes : limit),
      digests_(digests) {
  if (uint8_t* at = extend(kHeaderBytes)) {
    std::memset(at, 0, kHeaderBytes);
    at[0] = 'H';
  }
}

void ContentsWriter::finish() {
  take(depth_ == 0, "an array that was not ended");
  take(!value_due_, "a key whose value was not reported");
}

}  // namespace gcts
