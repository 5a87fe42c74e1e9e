// Fields of a message put in and taken out one after the other.

#ifndef GCTS_HARNESS_WORKER_WIRE_H_
#define GCTS_HARNESS_WORKER_WIRE_H_

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace gcts::worker {

class WireWriter {
 public:
  template <typename T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
    bytes_.resize(bytes_.size() + sizeof(T));
    std::memcpy(bytes_.data() + bytes_.size() - sizeof(T), &value, sizeof(T));
  }
  void put_text(std::string_view text) {
    put<uint64_t>(text.size());
    put_raw(text);
  }
  void put_raw(std::string_view text) { bytes_.insert(bytes_.end(), text.begin(), text.end()); }
  const std::vector<uint8_t>& bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  std::vector<uint8_t> bytes_;
};

// Total: past the end everything reads as zero and ok() is false.
class WireReader {
 public:
  explicit WireReader(std::span<const uint8_t> bytes) : rest_(bytes) {}
  template <typename T>
  T take() {
    T value{};
    if (rest_.size() < sizeof(T)) {
      fail();
      return value;
    }
    std::memcpy(&value, rest_.data(), sizeof(T));
    rest_ = rest_.subspan(sizeof(T));
    return value;
  }
  std::string_view take_raw(uint64_t size) {
    if (rest_.size() < size) {
      fail();
      return {};
    }
    const std::string_view text(reinterpret_cast<const char*>(rest_.data()), size);
    rest_ = rest_.subspan(size);
    return text;
  }
  std::string_view take_text() { return take_raw(take<uint64_t>()); }
  std::string_view take_rest() { return take_raw(rest_.size()); }
  uint64_t left() const { return rest_.size(); }
  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }

 private:
  void fail() {
    ok_ = false;
    rest_ = {};
  }
  std::span<const uint8_t> rest_;
  bool ok_ = true;
};

}  // namespace gcts::worker

#endif  // GCTS_HARNESS_WORKER_WIRE_H_
