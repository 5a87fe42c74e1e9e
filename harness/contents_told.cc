// Both runs are walked side by side; a record that is untold in one is untold in both.

#include "harness/contents_told.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <unordered_map>

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

// A header, a pair, a tensor, or the mark that none is told.
struct Entry {
  uint8_t tag = 0;
  std::string_view name;
  std::string_view bytes;
};

// Nothing if the records cannot be walked.
std::vector<Entry> entries_of(std::span<const uint8_t> records) {
  std::vector<Entry> out;
  WireReader in(records);
  const auto at = [&] { return reinterpret_cast<const char*>(records.data()) + (records.size() - in.left()); };
  while (!in.at_end()) {
    const char* start = at();
    const uint8_t tag = in.take<uint8_t>();
    std::string_view name;
    switch (tag) {
      case 'H': in.take_raw(13); break;
      case '[': in.take_raw(12); break;
      case 'K': name = in.take_text(); break;
      case 'N': {
        name = in.take_text();
        in.take<uint32_t>();
        const uint64_t rank = in.take<uint32_t>();
        in.take_raw(8 * rank + 16);
        if (in.take<uint8_t>()) in.take_raw(16);
        break;
      }
      default: copy(tag, in, nullptr);
    }
    if (!in.ok()) return {};
    const bool begins = tag == 'H' || tag == 'K' || tag == 'N' || tag == 'U';
    if (begins) out.push_back({tag, name, {start, 0}});
    else if (out.empty()) return {};
    Entry& entry = out.back();
    entry.bytes = {entry.bytes.data(), static_cast<size_t>(at() - entry.bytes.data())};
  }
  return out;
}

}  // namespace

std::vector<uint8_t> in_order_of(std::span<const uint8_t> expected, std::span<const uint8_t> actual) {
  const std::vector<Entry> entries = entries_of(actual), wanted = entries_of(expected);
  WireWriter out;
  for (const uint8_t tag : {uint8_t{'H'}, uint8_t{'K'}, uint8_t{'N'}, uint8_t{'U'}}) {
    std::unordered_multimap<std::string_view, size_t> by_name;
    for (size_t i = entries.size(); i-- > 0;) {
      if (entries[i].tag == tag) by_name.emplace(entries[i].name, i);
    }
    std::vector<bool> told(entries.size());
    for (const Entry& want : wanted) {
      const auto found = want.tag == tag ? by_name.find(want.name) : by_name.end();
      if (found == by_name.end()) continue;
      out.put_raw(entries[found->second].bytes);
      told[found->second] = true;
      by_name.erase(found);
    }
    for (size_t i = 0; i < entries.size(); ++i) {
      if (entries[i].tag == tag && !told[i]) out.put_raw(entries[i].bytes);
    }
  }
  return out.bytes();
}

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
    if (want == 'N' && got == 'U') {
      out.put(got);
      return out.bytes();
    }
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
  if (e.at_end() && a.left() == 1 && a.take<uint8_t>() == 'U') out.put<uint8_t>('U');
  out.put_raw(e.take_rest());
  return out.bytes();
}

}  // namespace gcts
