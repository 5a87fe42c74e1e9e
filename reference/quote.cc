// Escapes text from a file for messages.

#include "reference/quote.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace gcts {

std::string quote(std::string_view text) {
  constexpr size_t kShown = 64;  // as much as the longest tensor name
  std::string out;
  out.reserve(std::min(text.size(), kShown) + 2);
  out += '"';
  for (const char c : text.substr(0, kShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte > 0x7e || c == '"' || c == '\\')
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
    else
      out += c;
  }
  if (text.size() > kShown) out += "...";
  return out + '"';
}

}  // namespace gcts
