// Decodes header, key-value pairs and tensor infos.
//
// Every access is preceded by reach(); a claim that the file cannot meet is judged
// only once the whole file is known, so a stream gives the findings of a map.
// Nothing is allocated from a count alone: lists have room for as many entries as the
// bytes at hand could hold, and beyond that grow as entries are decoded.

#include "reference/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "reference/legacy.h"
#include "reference/quote.h"
#include "reference/shape.h"

namespace gcts {
namespace {

template <class T>
T byte_swap(T v) {
  if constexpr (sizeof(T) == 8) return __builtin_bswap64(v);
  return __builtin_bswap32(v);
}

constexpr bool kHostIsBig = std::endian::native == std::endian::big;

template <class T>
T load(const std::byte* from, ByteOrder order) {
  T v;
  std::memcpy(&v, from, sizeof v);
  return (order == ByteOrder::big) == kHostIsBig ? v : byte_swap(v);
}

constexpr uint64_t kSignedMax = INT64_MAX;

// What a string is, which decides the rule that a cut in it breaks.
enum class Role : uint8_t { key, value, element, name };

constexpr std::string_view role_name(Role role) {
  constexpr std::string_view kNames[] = {"key", "string value", "array string", "tensor name"};
  return kNames[static_cast<size_t>(role)];
}

struct Range {
  uint64_t offset = 0;
  uint64_t size = 0;
};

class Decoder {
 public:
  Decoder(Source& source, Reading& out) : source_(source), out_(out) {}

  void run() { out_.complete = magic() && header() && pairs() && tensor_infos(); }

 private:
  bool magic();
  bool foreign_magic(std::string_view magic);
  bool header();
  bool version();
  bool counts();
  bool version_1_widths();
  bool pairs();
  bool pair();
  bool value(ValueView& v, ValueType type);
  void note_alignment(const ValueView& v);
  bool scalar(ValueView& v);
  bool array(ValueView& v);
  bool array_header(ValueType& type, uint64_t& count);
  bool array_elements(ValueType type, uint64_t count, uint64_t header);
  bool strings(uint64_t count);
  bool string(Role role, Range& range);
  bool bad_string(Role role, uint64_t length);
  bool other_byte_order(Role role);
  bool tensor_infos();
  bool tensor_info();
  bool rank_allowed(uint64_t at, uint32_t rank);
  void size_tensor(TensorView& t);

  bool stop(rule::Index rule, uint64_t offset, std::string message, bool root = true) {
    out_.findings.add(rule, offset, std::move(message), root);
    return false;
  }
  const std::byte* at(uint64_t offset) const { return source_.data() + offset; }
  // Whether `size` bytes follow the position.  After false the size of the file is known,
  // also where the sum does not fit 64 bits.
  bool have(uint64_t size) { return source_.reach(size <= UINT64_MAX - pos_ ? pos_ + size : UINT64_MAX); }
  // Room for `count` entries of at least `least` bytes each in the file.
  template <class Entry>
  void reserve(std::vector<Entry>& list, uint64_t count, uint64_t least) {
    constexpr uint64_t kMost = uint64_t{1} << 20;  // beyond this, growing step by step costs little
    list.reserve(std::min({count, remaining() / least, kMost}));
  }
  uint64_t remaining() const { return source_.size() - pos_; }
  uint32_t u32(uint64_t offset) const { return load<uint32_t>(at(offset), out_.layout.order); }
  uint64_t u64(uint64_t offset) const { return load<uint64_t>(at(offset), out_.layout.order); }
  uint64_t count_at(uint64_t offset) const { return count_bytes_ == 4 ? u32(offset) : u64(offset); }
  std::string_view text(Range r) const { return {reinterpret_cast<const char*>(at(r.offset)), r.size}; }

  Source& source_;
  Reading& out_;
  uint64_t pos_ = 0;
  uint64_t count_bytes_ = 8;
  bool aligned_ = false;  // whether general.alignment was met
  bool nested_ = false;  // nested_array is reported once a value
};

// ---- header ----

bool Decoder::magic() {
  if (!source_.reach(4)) {
    if (source_.size() == 0) return stop(rule::magic_present, 0, "the file is empty");
    return stop(rule::magic_present, 0,
                fmt::format("the file has {} bytes, fewer than the 4 of the magic \"GGUF\"", source_.size()));
  }
  const std::string magic(text({0, 4}));
  if (magic == "GGUF") return true;
  return foreign_magic(magic);
}

bool Decoder::foreign_magic(std::string_view magic) {
  source_.reach(kForeignHeadBytes);
  const size_t head = static_cast<size_t>(std::min<uint64_t>(source_.size(), kForeignHeadBytes));
  if (magic == "FUGG") {
    const uint32_t version = source_.size() < 8 ? 0 : load<uint32_t>(at(4), ByteOrder::big);
    if (version >= 1 && version <= kNewestVersion)
      return stop(rule::magic_reversed_big_endian, 0,
                  "the magic is \"FUGG\" before a big-endian body; a big-endian file begins with \"GGUF\" too");
    return stop(rule::magic_reversed, 0, "the magic is \"FUGG\", which is \"GGUF\" reversed and not a GGUF file");
  }
  const std::string_view name = recognise_foreign({source_.data(), head});
  const auto names = [&](std::initializer_list<std::string_view> all) {
    return std::find(all.begin(), all.end(), magic) != all.end();
  };
  const std::string found =
      name.empty() ? fmt::format("the file begins with {}, not with \"GGUF\"", quote(magic))
                   : fmt::format("the file begins with {}, not with \"GGUF\": it looks like {}", quote(magic), name);
  if (names({"lmgg", "fmgg", "tjgg", "algg"})) return stop(rule::legacy_magic, 0, found);
  if (names({"ggml", "ggmf", "ggjt", "ggla", "gguf"})) return stop(rule::magic_lower_case, 0, found);
  return stop(name.empty() ? rule::magic_is_gguf : rule::foreign_format, 0, found);
}

bool Decoder::header() {
  if (!source_.reach(8))
    return stop(rule::header_complete, 4, fmt::format("the file ends after {} bytes, inside the version", source_.size()));
  return version() && counts();
}

bool Decoder::version() {
  const uint32_t little = load<uint32_t>(at(4), ByteOrder::little);
  const uint32_t big = byte_swap(little);
  Layout& layout = out_.layout;
  if (little == 0) return stop(rule::version_not_zero, 4, "the version is 0; versions begin with 1");
  if ((little & 0xffff) == 0) {
    if (big > kNewestVersion)
      return stop(rule::version_order_known, 4,
                  fmt::format("the version is {:#010x}, which is no known version in either byte order", little));
    layout = {big, ByteOrder::big};
    if (big == 3)
      out_.findings.add(rule::big_endian_version_3, 4,
                        "the file is big-endian; readers on little-endian machines may refuse it");
    else
      out_.findings.add(rule::big_endian_version, 4,
                        fmt::format("the file is big-endian and of version {}; big-endian files begin with version 3", big));
  } else if (little > kNewestVersion) {
    return stop(rule::version_not_newer, 4,
                fmt::format("the version is {}, newer than {}, the newest known here: use a newer gguf-cts, or write the "
                            "file again as version {}",
                            little, kNewestVersion, kNewestVersion));
  } else {
    layout = {little, ByteOrder::little};
  }
  if (layout.version == 1)
    out_.findings.add(rule::version_1, 4,
                      "the file is of version 1 (32-bit counts), which most readers no longer read: convert it to version 3");
  count_bytes_ = layout.count_bytes();
  return true;
}

bool Decoder::counts() {
  pos_ = 8;
  if (!have(2 * count_bytes_))
    return stop(rule::header_complete, 8,
                fmt::format("the file ends after {} bytes; the header of version {} has {}", source_.size(),
                            out_.layout.version, 8 + 2 * count_bytes_));
  out_.tensor_count = count_at(8);
  out_.metadata_count = count_at(8 + count_bytes_);
  pos_ = 8 + 2 * count_bytes_;
  if (out_.layout.version == 1 && !version_1_widths()) return false;

  bool good = true;
  const auto check = [&](std::string_view what, rule::Index range, uint64_t count, uint64_t offset) {
    if (count > kSignedMax)
      good = stop(range, offset, fmt::format("the {} is {}, which is 2^63 or more", what, count), good);
    else if (!source_.reach(count))
      good = stop(rule::counts_fit_file, offset,
                  fmt::format("the {} is {}, but the whole file has only {} bytes", what, count, source_.size()), good);
  };
  check("tensor count", rule::tensor_count_range, out_.tensor_count, 8);
  check("count of key-value pairs", rule::metadata_count_range, out_.metadata_count, 8 + count_bytes_);
  return good;
}

// A body with 64-bit counts under version 1 reads as: pair count 0 (the upper half of
// the tensor count), then a length (the pair count) followed by four zero bytes where
// text should be.  No version 1 file looks so: names are not made of NULs.
bool Decoder::version_1_widths() {
  if (out_.metadata_count != 0 || !source_.reach(24) || u32(16) == 0 || u32(20) != 0) return true;
  return stop(rule::version_1_widths, 8,
              fmt::format("the version is 1, but the counts are written with 64 bits ({} tensors, {} pairs) as in "
                          "version 2 and 3",
                          u64(8), u64(16)));
}

// ---- key-value pairs ----

bool Decoder::pairs() {
  reserve(out_.metadata, out_.metadata_count, 5 + count_bytes_);
  for (uint64_t i = 0; i < out_.metadata_count; ++i) {
    if (!have(1))
      return stop(rule::metadata_count_met, pos_,
                  fmt::format("the header announces {} key-value pairs, but the file ends after {}",
                              out_.metadata_count, i));
    if (!pair()) return false;
  }
  out_.metadata_end = pos_;
  return true;
}

bool Decoder::pair() {
  KeyValueView pair;
  pair.offset = pos_;
  Range key;
  if (!string(Role::key, key)) return false;
  pair.key = text(key);
  if (!have(4))
    return stop(rule::scalar_complete, pos_, fmt::format("the file ends inside the value type of {}", quote(text(key))));
  const uint32_t type = u32(pos_);
  if (type >= kValueTypeCount) {
    if (byte_swap(type) >= 1 && byte_swap(type) < kValueTypeCount)
      return stop(rule::byte_order_uniform, pos_,
                  fmt::format("the value type of {} is {}, which is {} in the other byte order", quote(text(key)), type,
                              value_type_name(static_cast<ValueType>(byte_swap(type)))));
    return stop(rule::value_type_known, pos_,
                fmt::format("the value type of {} is {}; types are 0 to {}", quote(text(key)), type, kValueTypeCount - 1));
  }
  if (out_.layout.version == 1 && type > static_cast<uint32_t>(ValueType::array))
    out_.findings.add(rule::version_1_value_types, pos_,
                      fmt::format("{} has type {}, which version 1 does not know", quote(text(key)),
                                  value_type_name(static_cast<ValueType>(type))));
  pos_ += 4;
  if (!value(pair.value, static_cast<ValueType>(type))) return false;
  // The source may have moved its buffer since the key was read.
  pair.key = text(key);
  pair.value.bytes = {at(pair.value.offset), pair.value.bytes.size()};
  if (pair.key == kAlignmentKey && !std::exchange(aligned_, true)) note_alignment(pair.value);
  out_.metadata.push_back(pair);
  return true;
}

// Called while the pair's bytes are in place: a stream's buffer moves as it grows.
void Decoder::note_alignment(const ValueView& v) {
  if (v.type == ValueType::uint32 && v.bits() != 0) out_.alignment = static_cast<uint32_t>(v.bits());
}

bool Decoder::value(ValueView& v, ValueType type) {
  v.type = type;
  v.layout = out_.layout;
  if (type == ValueType::array) return array(v);
  if (type != ValueType::string) return scalar(v);
  Range range;
  if (!string(Role::value, range)) return false;
  v.offset = range.offset;
  v.count = range.size;
  v.bytes = {at(range.offset), range.size};
  return true;
}

bool Decoder::scalar(ValueView& v) {
  const uint32_t bytes = scalar_bytes(v.type);
  if (!have(bytes))
    return stop(rule::scalar_complete, pos_,
                fmt::format("a {} takes {} bytes, but {} remain in the file", value_type_name(v.type), bytes, remaining()));
  v.offset = pos_;
  v.bytes = {at(pos_), bytes};
  pos_ += bytes;
  return true;
}

// ---- arrays ----

// Nested arrays are walked with a stack of the counts still due, one entry a level;
// a level takes at least 8 bytes of the file.
bool Decoder::array(ValueView& v) {
  std::vector<uint64_t> due;
  nested_ = false;
  const uint64_t header = pos_;
  if (!array_header(v.element_type, v.count)) return false;
  v.offset = pos_;
  if (v.element_type != ValueType::array) {
    if (!array_elements(v.element_type, v.count, header)) return false;
  } else {
    due.push_back(v.count);
  }
  while (!due.empty()) {
    if (due.back() == 0) {
      due.pop_back();
      continue;
    }
    --due.back();
    const uint64_t inner = pos_;
    ValueType type;
    uint64_t count;
    if (!array_header(type, count)) return false;
    if (type == ValueType::array)
      due.push_back(count);
    else if (!array_elements(type, count, inner))
      return false;
  }
  v.bytes = {at(v.offset), pos_ - v.offset};
  return true;
}

bool Decoder::array_header(ValueType& type, uint64_t& count) {
  if (!have(4 + count_bytes_))
    return stop(rule::array_fits_file, pos_,
                fmt::format("an array begins with {} bytes of element type and count, but {} remain in the file",
                            4 + count_bytes_, remaining()));
  const uint64_t start = pos_;
  const uint32_t id = u32(start);
  if (id >= kValueTypeCount) {
    if (byte_swap(id) >= 1 && byte_swap(id) < kValueTypeCount)
      return stop(rule::byte_order_uniform, start,
                  fmt::format("the element type of an array is {}, which is {} in the other byte order", id,
                              value_type_name(static_cast<ValueType>(byte_swap(id)))));
    return stop(rule::array_element_type_known, start,
                fmt::format("the element type of an array is {}; types are 0 to {}", id, kValueTypeCount - 1));
  }
  type = static_cast<ValueType>(id);
  count = count_at(start + 4);
  pos_ = start + 4 + count_bytes_;
  if (type != ValueType::array) return true;

  if (!std::exchange(nested_, true))
    out_.findings.add(rule::nested_array, start, "an array holds arrays, which the document allows and ggml refuses");
  const uint64_t least = 4 + count_bytes_;
  if (count > UINT64_MAX / least)
    return stop(rule::array_size_representable, start + 4,
                fmt::format("an array of {} arrays does not fit into 64 bits of size", count));
  if (!have(count * least))
    return stop(rule::array_fits_file, start + 4,
                fmt::format("an array claims {} arrays of at least {} bytes each, but {} bytes remain", count, least,
                            remaining()));
  return true;
}

// The elements of an array of scalars or strings whose header begins at `header`.
bool Decoder::array_elements(ValueType type, uint64_t count, uint64_t header) {
  const bool text = type == ValueType::string;
  const uint64_t size = text ? count_bytes_ : scalar_bytes(type);
  if (count > UINT64_MAX / size)
    return stop(rule::array_size_representable, header + 4,
                fmt::format("an array claims {} elements of type {}, whose size does not fit 64 bits", count,
                            value_type_name(type)));
  if (!have(count * size))
    return stop(rule::array_fits_file, header + 4,
                fmt::format("an array claims {} elements of type {}, {}{} bytes, but {} remain in the file", count,
                            value_type_name(type), text ? "at least " : "", count * size, remaining()));
  if (text) return strings(count);
  pos_ += count * size;
  return true;
}

bool Decoder::strings(uint64_t count) {
  Range ignored;
  for (uint64_t i = 0; i < count; ++i)
    if (!string(Role::element, ignored)) return false;
  return true;
}

// ---- strings ----

bool Decoder::string(Role role, Range& range) {
  if (!have(count_bytes_))
    return stop(role == Role::name ? rule::tensor_info_complete : rule::string_complete, pos_,
                fmt::format("the file ends inside the length of a {}", role_name(role)));
  const uint64_t length = count_at(pos_);
  const uint64_t start = pos_ + count_bytes_;
  if (length > kSignedMax || !source_.reach(start + length)) return bad_string(role, length);
  range = {start, length};
  pos_ = start + length;
  return true;
}

bool Decoder::bad_string(Role role, uint64_t length) {
  const std::string_view what = role_name(role);
  if (other_byte_order(role))
    return stop(rule::byte_order_uniform, pos_,
                fmt::format("the length of a {} is {}, which fits the file only in the other byte order", what, length));
  if (length > kSignedMax)
    return stop(rule::string_length_range, pos_,
                fmt::format("the length of a {} is {}, which is 2^63 or more", what, length));
  if (length > source_.size())
    return stop(rule::string_length_fits_file, pos_,
                fmt::format("the length of a {} is {}, but the whole file has only {} bytes", what, length, source_.size()));
  return stop(role == Role::name ? rule::tensor_info_complete : rule::string_complete, pos_,
              fmt::format("a {} takes {} bytes, but {} remain in the file", what, length, remaining() - count_bytes_));
}

// Whether the name at the position makes sense with its length swapped: text of
// printable characters, then a small number in swapped order that may follow it.
bool Decoder::other_byte_order(Role role) {
  if (role != Role::key && role != Role::name) return false;
  const uint64_t length = count_bytes_ == 4 ? byte_swap(u32(pos_)) : byte_swap(u64(pos_));
  constexpr uint64_t kLongest = 65535;  // of a key
  if (length == 0 || length > kLongest || !source_.reach(pos_ + count_bytes_ + length + 4)) return false;
  const std::string_view name = text({pos_ + count_bytes_, length});
  for (const char c : name)
    if (c <= 0x20 || c > 0x7e) return false;
  const uint32_t next = byte_swap(u32(pos_ + count_bytes_ + length));
  return role == Role::key ? next < kValueTypeCount : next <= kMaxRank;
}

// ---- tensor infos ----

bool Decoder::tensor_infos() {
  reserve(out_.tensors, out_.tensor_count, 16 + count_bytes_);
  for (uint64_t i = 0; i < out_.tensor_count; ++i) {
    if (!have(1))
      return stop(rule::tensor_info_complete, pos_,
                  fmt::format("the header announces {} tensors, but the file ends after {} tensor infos",
                              out_.tensor_count, i));
    if (!tensor_info()) return false;
    out_.metadata_end = pos_;
  }
  return true;
}

bool Decoder::tensor_info() {
  TensorView t;
  t.info_offset = pos_;
  Range name;
  if (!string(Role::name, name)) return false;
  t.name = text(name);
  const auto cut = [&](std::string_view field, bool root = true) {
    return stop(rule::tensor_info_complete, pos_,
                fmt::format("the file ends inside the {} of tensor {}", field, quote(text(name))), root);
  };
  if (!have(4)) return cut("number of dimensions");
  t.rank = u32(pos_);
  if (t.rank > kMaxRank && !rank_allowed(pos_, t.rank)) return false;
  pos_ += 4;
  if (!have(t.rank * count_bytes_)) return cut("dimensions", t.rank <= kMaxRank);
  for (uint32_t d = 0; d < std::min(t.rank, kMaxRank); ++d) t.dims[d] = count_at(pos_ + d * count_bytes_);
  pos_ += t.rank * count_bytes_;
  if (!have(4)) return cut("type", t.rank <= kMaxRank);
  t.type = u32(pos_);
  pos_ += 4;
  if (!have(8)) return cut("offset", t.rank <= kMaxRank);
  t.offset = u64(pos_);
  pos_ += 8;
  t.name = text(name);
  size_tensor(t);
  out_.tensors.push_back(t);
  return true;
}

bool Decoder::rank_allowed(uint64_t at, uint32_t rank) {
  if (byte_swap(rank) <= kMaxRank)
    return stop(rule::byte_order_uniform, at,
                fmt::format("a tensor has {} dimensions, which is {} in the other byte order", rank, byte_swap(rank)));
  if (!source_.reach(rank * count_bytes_))
    return stop(rule::tensor_rank_fits_file, at,
                fmt::format("a tensor has {} dimensions, more than the whole file of {} bytes has room for", rank,
                            source_.size()));
  out_.findings.add(rule::tensor_rank, at, fmt::format("a tensor has {} dimensions; at most {} are allowed", rank, kMaxRank));
  return true;
}

void Decoder::size_tensor(TensorView& t) {
  const ShapeSize size = measure(t.type, t.rank, t.dims);
  t.sized = size.fault == ShapeFault::none;
  t.size = size.bytes;
}

}  // namespace

void decode(Source& source, Reading& out) { Decoder(source, out).run(); }

void point_views(Reading& reading, const std::byte* file) {
  const uint32_t prefix = reading.layout.count_bytes();
  const auto text = [&](uint64_t offset, size_t size) {
    return std::string_view(reinterpret_cast<const char*>(file + offset), size);
  };
  for (KeyValueView& pair : reading.metadata) {
    pair.key = text(pair.offset + prefix, pair.key.size());
    pair.value.bytes = {file + pair.value.offset, pair.value.bytes.size()};
  }
  for (TensorView& t : reading.tensors) t.name = text(t.info_offset + prefix, t.name.size());
}

}  // namespace gcts
