// Both runs are decoded side by side, one record at a time, with the place they are at.

#include "harness/contents_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/contents.h"
#include "harness/worker/wire.h"
#include "reference/gguf.h"
#include "reference/tensor_type.h"

namespace gcts {
namespace {

using worker::WireReader;

std::string type_name(uint32_t type) {
  if (type == kUntold32) return "untold type";
  return type < kValueTypeCount ? std::string(value_type_name(static_cast<ValueType>(type)))
                                : fmt::format("type {}", type);
}

std::string quoted(std::string_view text) {
  constexpr size_t kShown = 60;
  if (text.size() <= kShown) return fmt::format("'{}'", text);
  return fmt::format("'{}...' ({} bytes)", text.substr(0, kShown), text.size());
}

// "float32 0.1 (0x3dcccccd)": the bits tell NaNs and zeros apart.
std::string scalar_text(uint32_t type, const char* bytes) {
  const uint32_t width = scalar_width(type);
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, width);
  const std::string hex = fmt::format("{:#0{}x}", bits, width * 2 + 2);
  const int shift = 64 - static_cast<int>(width) * 8;
  const int64_t with_sign = static_cast<int64_t>(bits << shift) >> shift;
  switch (type) {
    case GCTS_FLOAT32:
      return fmt::format("float32 {} ({})", std::bit_cast<float>(static_cast<uint32_t>(bits)), hex);
    case GCTS_FLOAT64:
      return fmt::format("float64 {} ({})", std::bit_cast<double>(bits), hex);
    case GCTS_BOOL:
      return bits < 2 ? fmt::format("bool {}", bits == 1) : fmt::format("bool {}", hex);
    case GCTS_INT8:
    case GCTS_INT16:
    case GCTS_INT32:
    case GCTS_INT64:
      return fmt::format("{} {}", type_name(type), with_sign);
    default:
      return fmt::format("{} {}", type_name(type), bits);
  }
}

// One record, decoded.
struct Token {
  char tag = 0;  // 0: the end
  uint32_t type = 0;
  uint64_t count = 0;
  std::string_view text;  // key, string, packed scalars, tensor name
  uint32_t version = 0, big_endian = 0, alignment = 0;
  bool reported = false;
  std::vector<uint64_t> dims;
  uint64_t offset = 0, size = 0;
  bool has_bytes = false;
  uint8_t digest_kind = 0;
  uint64_t digest[2] = {};
  std::vector<std::string_view> numbers;
};

Token next_token(WireReader& in) {
  Token t;
  if (in.at_end()) return t;
  t.tag = static_cast<char>(in.take<uint8_t>());
  switch (t.tag) {
    case 'H':
      t.reported = in.take<uint8_t>();
      t.version = in.take<uint32_t>();
      t.big_endian = in.take<uint32_t>();
      t.alignment = in.take<uint32_t>();
      break;
    case 'K':
    case 'T':
      t.text = in.take_text();
      break;
    case 'S':
      t.type = in.take<uint32_t>();
      t.count = in.take<uint64_t>();
      t.text = in.take_raw(t.count * scalar_width(t.type));
      break;
    case '[':
      t.type = in.take<uint32_t>();
      t.count = in.take<uint64_t>();
      break;
    case '#':
      t.count = in.take<uint64_t>();
      for (uint64_t i = 0; i < t.count && in.ok(); ++i) t.numbers.push_back(in.take_text());
      break;
    case 'N': {
      t.text = in.take_text();
      t.type = in.take<uint32_t>();
      const uint32_t rank = in.take<uint32_t>();
      for (uint32_t d = 0; d < rank && in.ok(); ++d) t.dims.push_back(in.take<uint64_t>());
      t.offset = in.take<uint64_t>();
      t.size = in.take<uint64_t>();
      t.digest_kind = in.take<uint8_t>();
      t.has_bytes = t.digest_kind != 0;
      if (t.has_bytes) {
        t.digest[0] = in.take<uint64_t>();
        t.digest[1] = in.take<uint64_t>();
      }
      break;
    }
    default:
      break;
  }
  return t;
}

std::string shape(const Token& t) {
  return fmt::format("{}", fmt::join(t.dims, " x ")) + (t.dims.empty() ? "(no dimensions)" : "");
}

std::string tensor_type_text(uint32_t id) {
  const TensorType* type = find_tensor_type(id);
  return type ? fmt::format("{} (id {})", type->name, id) : fmt::format("type id {}", id);
}

std::string in_words(const Token& t) {
  switch (t.tag) {
    case 0: return "nothing more";
    case 'K': return "key " + quoted(t.text);
    case 'T': return "string " + quoted(t.text);
    case 'S': return t.count == 1 ? scalar_text(t.type, t.text.data())
                                  : fmt::format("{} x {}", t.count, type_name(t.type));
    case '#': return t.count == 1 ? fmt::format("number {}", t.numbers[0]) : fmt::format("{} numbers", t.count);
    case '[': return fmt::format("array of {} x {}", t.count, type_name(t.type));
    case ']': return "the end of the array";
    case 'N': return "tensor " + quoted(t.text);
    case 'U': return "no word of tensors";
    default: return fmt::format("record {:#x}", static_cast<unsigned char>(t.tag));
  }
}

std::string digest_text(const Token& t) {
  if (t.digest_kind == 1) return fmt::format("with XXH3 {:016x}{:016x}", t.digest[1], t.digest[0]);
  return fmt::format("with SHA-256 {:016x}{:016x}...", __builtin_bswap64(t.digest[0]), __builtin_bswap64(t.digest[1]));
}

// The first field in which two tensors or headers differ.
void name_field(const Token& e, const Token& a, ContentsDifference& out) {
  const auto field = [&](bool same, const char* name, std::string expected, std::string actual) {
    if (same || !out.expected.empty()) return;
    out.expected = fmt::format("{} {}", name, expected);
    out.actual = fmt::format("{} {}", name, actual);
  };
  if (e.tag == 'H') {
    field(e.reported == a.reported, "header", e.reported ? "reported" : "not reported",
          a.reported ? "reported" : "not reported");
    field(e.version == a.version, "version", std::to_string(e.version), std::to_string(a.version));
    field(e.big_endian == a.big_endian, "byte order", e.big_endian ? "big-endian" : "little-endian",
          a.big_endian ? "big-endian" : "little-endian");
    field(e.alignment == a.alignment, "alignment", std::to_string(e.alignment), std::to_string(a.alignment));
    return;
  }
  field(e.type == a.type, "type", tensor_type_text(e.type), tensor_type_text(a.type));
  field(e.dims == a.dims, "shape", shape(e), shape(a));
  field(e.offset == a.offset, "offset", std::to_string(e.offset), std::to_string(a.offset));
  field(e.size == a.size, "size in bytes", std::to_string(e.size), std::to_string(a.size));
  field(e.has_bytes == a.has_bytes, "bytes", e.has_bytes ? "reported" : "not reported",
        a.has_bytes ? "reported" : "not reported");
  field(e.digest[0] == a.digest[0] && e.digest[1] == a.digest[1], "bytes",
        digest_text(e), digest_text(a));
}

// Where in the file two readers are: the key, and the index at each level of nesting.
class Place {
 public:
  void pass(const Token& t) {
    if (t.tag == 'K') key_ = t.text;
    if (t.tag == '[') return indices_.push_back(0);
    if (t.tag == ']' && !indices_.empty()) indices_.pop_back();
    if (!indices_.empty() && t.tag != 'K') indices_.back() += t.tag == 'S' || t.tag == '#' ? t.count : 1;
  }
  std::string text(uint64_t further = 0) const {
    std::string out = "key " + quoted(key_.value_or(""));
    for (size_t i = 0; i < indices_.size(); ++i) {
      out += fmt::format("[{}]", indices_[i] + (i + 1 == indices_.size() ? further : 0));
    }
    return out;
  }
  bool at_key() const { return key_.has_value(); }

 private:
  std::optional<std::string_view> key_;
  std::vector<uint64_t> indices_;
};

// The first element in which two runs of scalars differ.
void name_element(const Token& e, const Token& a, const Place& place, ContentsDifference& out) {
  const uint32_t width = scalar_width(e.type);
  const uint64_t both = std::min(e.count, a.count);
  for (uint64_t i = 0; i < both; ++i) {
    if (std::memcmp(e.text.data() + i * width, a.text.data() + i * width, width) == 0) continue;
    out.where = place.text(i);
    out.expected = scalar_text(e.type, e.text.data() + i * width);
    out.actual = scalar_text(a.type, a.text.data() + i * width);
    return;
  }
  const auto next = [&](const Token& t) {
    return t.count > both ? scalar_text(t.type, t.text.data() + both * width) : "the end of the array";
  };
  out.where = place.text(both);
  out.expected = next(e);
  out.actual = next(a);
}

// The same for numbers.
void name_number(const Token& e, const Token& a, const Place& place, ContentsDifference& out) {
  uint64_t i = 0;
  while (i < e.count && i < a.count && e.numbers[i] == a.numbers[i]) ++i;
  const auto at = [&](const Token& t) {
    return i < t.count ? fmt::format("number {}", t.numbers[i]) : std::string("the end of the array");
  };
  out.where = place.text(i);
  out.expected = at(e);
  out.actual = at(a);
}

bool same(const Token& e, const Token& a) {
  return e.tag == a.tag && e.type == a.type && e.count == a.count && e.text == a.text &&
         e.reported == a.reported && e.version == a.version && e.big_endian == a.big_endian &&
         e.alignment == a.alignment && e.dims == a.dims && e.offset == a.offset && e.size == a.size &&
         e.has_bytes == a.has_bytes && e.digest[0] == a.digest[0] && e.digest[1] == a.digest[1] &&
         e.digest_kind == a.digest_kind && e.numbers == a.numbers;
}

}  // namespace

std::string ContentsDifference::sentence() const {
  return fmt::format("{}: expected {}, got {}", where, expected, actual);
}

ContentsDifference first_difference(std::span<const uint8_t> expected, std::span<const uint8_t> actual) {
  WireReader in_expected(expected), in_actual(actual);
  Place place;
  while (true) {
    const Token e = next_token(in_expected);
    const Token a = next_token(in_actual);
    if (same(e, a) && e.tag != 0) {
      place.pass(e);
      continue;
    }
    ContentsDifference out;
    if (e.tag == 'H' && a.tag == 'H') {
      out.where = "header";
      name_field(e, a, out);
    } else if (e.tag == 'N' && a.tag == 'N' && e.text == a.text) {
      out.where = "tensor " + quoted(e.text);
      name_field(e, a, out);
    } else if (e.tag == 'S' && a.tag == 'S' && e.type == a.type) {
      name_element(e, a, place, out);
    } else if (e.tag == '#' && a.tag == '#') {
      name_number(e, a, place, out);
    } else {
      const bool after_value = e.tag == 'K' || e.tag == 'N' || e.tag == 0;
      out.where = !place.at_key() ? "after the header" : after_value ? "after " + place.text() : place.text();
      out.expected = in_words(e);
      out.actual = in_words(a);
    }
    return out;
  }
}

}  // namespace gcts
