// Both runs are walked side by side; a record that is untold in one is untold in both.

#include "harness/contents_told.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>

#include "harness/contents.h"
#include "harness/worker/wire.h"

namespace gcts {
namespace {

using worker::WireReader;
using worker::WireWriter;

std::string double_text(double v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
  if (v == 0) return "0";
  if (v == std::trunc(v) && std::fabs(v) < 1e21) return fmt::format("{:.0f}", v);
  return fmt::format("{}", v);
}

template <typename T>
T load(const void* at) {
  T v;
  std::memcpy(&v, at, sizeof(v));
  return v;
}

void told_header(WireReader& e, WireReader& a, WireWriter& out) {
  out.put(e.take<uint8_t>());
  a.take<uint8_t>();
  for (int field = 0; field < 3; ++field) {
    const uint32_t want = e.take<uint32_t>(), got = a.take<uint32_t>();
    out.put(got == kUntold32 ? kUntold32 : want);
  }
}

// Scalars on one side, numbers on the other.
void told_numbers(WireReader& e, WireReader& a, WireWriter& out) {
  const uint32_t type = e.take<uint32_t>();
  const uint64_t count = e.take<uint64_t>();
  const uint64_t width = scalar_width(type);
  out.put<uint8_t>('#');
  out.put(count);
  for (uint64_t i = 0; i < count; ++i) out.put_text(number_text(type, e.take_raw(width).data()));
  const uint64_t got = a.take<uint64_t>();
  for (uint64_t i = 0; i < got && a.ok(); ++i) a.take_text();
}

void told_tensor(WireReader& e, WireReader& a, WireWriter& out) {
  out.put_text(e.take_text());
  a.take_text();
  out.put(e.take<uint32_t>());
  a.take<uint32_t>();
  const uint32_t rank = e.take<uint32_t>(), other = a.take<uint32_t>();
  out.put(rank);
  for (uint32_t d = 0; d < rank; ++d) out.put(e.take<uint64_t>());
  for (uint32_t d = 0; d < other && a.ok(); ++d) a.take<uint64_t>();
  for (int field = 0; field < 2; ++field) {
    const uint64_t want = e.take<uint64_t>(), got = a.take<uint64_t>();
    out.put(got == kUntold64 ? kUntold64 : want);
  }
  const uint8_t has_bytes = e.take<uint8_t>();
  out.put(has_bytes);
  if (has_bytes) out.put_raw(e.take_raw(16));
  if (a.take<uint8_t>()) a.take_raw(16);
}

// A record that either side tells in full.
void copy(uint8_t tag, WireReader& in, WireWriter* out) {
  const auto raw = [&](uint64_t size) {
    const std::string_view bytes = in.take_raw(size);
    if (out) out->put_raw(bytes);
  };
  const auto number = [&] {
    const uint64_t v = in.take<uint64_t>();
    if (out) out->put(v);
    return v;
  };
  switch (tag) {
    case 'K':
    case 'T': raw(number()); break;
    case 'S': {
      const uint32_t type = in.take<uint32_t>();
      if (out) out->put(type);
      raw(number() * scalar_width(type));
      break;
    }
    case '#':
      for (uint64_t count = number(); count > 0 && in.ok(); --count) raw(number());
      break;
    default: break;  // ']'
  }
}

}  // namespace

std::string number_text(uint32_t type, const void* scalar) {
  switch (type) {
    case GCTS_UINT8: return std::to_string(load<uint8_t>(scalar));
    case GCTS_INT8: return std::to_string(load<int8_t>(scalar));
    case GCTS_UINT16: return std::to_string(load<uint16_t>(scalar));
    case GCTS_INT16: return std::to_string(load<int16_t>(scalar));
    case GCTS_UINT32: return std::to_string(load<uint32_t>(scalar));
    case GCTS_INT32: return std::to_string(load<int32_t>(scalar));
    case GCTS_UINT64: return std::to_string(load<uint64_t>(scalar));
    case GCTS_INT64: return std::to_string(load<int64_t>(scalar));
    case GCTS_FLOAT32: return double_text(load<float>(scalar));
    case GCTS_FLOAT64: return double_text(load<double>(scalar));
    case GCTS_BOOL: return load<uint8_t>(scalar) ? "true" : "false";
    default: return "";
  }
}

std::string number_text(std::string_view text) {
  if (text == "true" || text == "false") return std::string(text);
  if (!text.empty() && text.find_first_not_of("0123456789", text[0] == '-' ? 1 : 0) == std::string_view::npos) {
    // A whole number of any size keeps its digits.
    const bool negative = text[0] == '-';
    const size_t first = text.find_first_not_of('0', negative ? 1 : 0);
    if (text.size() == (negative ? 1u : 0u)) return "";
    if (first == std::string_view::npos) return "0";
    return (negative ? "-" : "") + std::string(text.substr(first));
  }
  double v = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
  return error == std::errc{} && end == text.data() + text.size() && !text.empty() ? double_text(v) : "";
}

std::vector<uint8_t> as_told(std::span<const uint8_t> expected, std::span<const uint8_t> actual) {
  WireReader e(expected), a(actual);
  WireWriter out;
  while (!e.at_end() && !a.at_end()) {
    const uint8_t want = e.take<uint8_t>(), got = a.take<uint8_t>();
    if (want != got && !(want == 'S' && got == '#')) {
      out.put(want);
      break;
    }
    if (got == '#') {
      told_numbers(e, a, out);
      continue;
    }
    out.put(want);
    if (want == 'H') told_header(e, a, out);
    else if (want == 'N') told_tensor(e, a, out);
    else if (want == '[') {
      const uint32_t type = e.take<uint32_t>();
      out.put(a.take<uint32_t>() == kUntold32 ? kUntold32 : type);
      out.put(e.take<uint64_t>());
      a.take<uint64_t>();
    } else {
      copy(want, e, &out);
      copy(want, a, nullptr);
    }
  }
  out.put_raw(e.take_rest());
  return out.bytes();
}

}  // namespace gcts
