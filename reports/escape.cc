// Makes hostile text harmless; see escape.h.

#include "reports/escape.h"

#include <cstdint>

namespace gcts {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

// One step through text: a code point and its bytes, or one byte that is no UTF-8.
struct Piece {
  uint32_t code = 0;
  size_t size = 1;
  bool valid = false;
};

Piece next_piece(std::string_view text) {
  auto at = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = at(0);
  if (first < 0x80) return {first, 1, true};
  const size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < size) return {first, 1, false};
  uint32_t code = first & (0x7fu >> size);
  for (size_t i = 1; i < size; ++i) {
    if ((at(i) & 0xc0) != 0x80) return {first, 1, false};
    code = code << 6 | (at(i) & 0x3fu);
  }
  const bool overlong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (overlong || surrogate || code > 0x10ffff) return {first, 1, false};
  return {code, size, true};
}

// Code points that a reader cannot see, or that move what stands beside them.
bool is_hidden(uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code <= 0xa0) || code == 0xad ||
         code == 0x61c || (code >= 0x180b && code <= 0x180f) ||
         (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202f) ||
         (code >= 0x2060 && code <= 0x206f) || (code >= 0xe000 && code <= 0xf8ff) ||
         (code >= 0xfdd0 && code <= 0xfdef) || (code >= 0xfe00 && code <= 0xfe0f) || code == 0xfeff ||
         (code >= 0xfff0 && code <= 0xfffb) || (code & 0xfffe) == 0xfffe || code >= 0xe0000;
}

void append_hex_byte(std::string& out, uint32_t byte) {
  out += "\\x";
  out += kHex[byte >> 4 & 15];
  out += kHex[byte & 15];
}

void append_visible(std::string& out, const Piece& piece) {
  if (piece.valid && piece.code == '\n') {
    out += "\\n";
  } else if (piece.valid && piece.code == '\t') {
    out += "\\t";
  } else if (piece.valid && piece.code == '\r') {
    out += "\\r";
  } else if (!piece.valid || piece.code < 0x80) {
    append_hex_byte(out, piece.code);
  } else {
    out += "\\u{";
    bool started = false;
    for (int shift = 20; shift >= 0; shift -= 4) {
      const uint32_t digit = piece.code >> shift & 15;
      started = started || digit != 0 || shift == 0;
      if (started) out += kHex[digit];
    }
    out += '}';
  }
}

// Walks text; hidden pieces come out visible, `ascii` writes the ASCII ones.
template <class Ascii>
std::string walk(std::string_view text, Ascii ascii) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  while (!text.empty()) {
    const Piece piece = next_piece(text);
    if (!piece.valid || is_hidden(piece.code)) {
      append_visible(out, piece);
    } else if (piece.code < 0x80) {
      ascii(out, static_cast<char>(piece.code));
    } else {
      out.append(text.substr(0, piece.size));
    }
    text.remove_prefix(piece.size);
  }
  return out;
}

}  // namespace

std::string escape_terminal(std::string_view text) {
  return walk(text, [](std::string& out, char c) { out += c; });
}

std::string escape_xml(std::string_view text) {
  return walk(text, [](std::string& out, char c) {
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '"') out += "&quot;";
    else if (c == '\'') out += "&#39;";
    else out += c;
  });
}

std::string escape_markdown(std::string_view text) {
  return walk(text, [](std::string& out, char c) {
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '@') out += "&#64;";   // no mention of a person
    else if (c == ':') out += "&#58;";   // no bare link, no emoji
    else if (std::string_view("\\`*_{}[]()#+!|~$").find(c) != std::string_view::npos) (out += '\\') += c;
    else out += c;
  });
}

std::string markdown_code(std::string_view text) {
  // A pipe ends a table cell even inside a code span, so it is an entity in <code>.
  const std::string visible = escape_terminal(text);
  if (visible.find('|') != std::string::npos) {
    std::string out = "<code>";
    for (char c : escape_markdown(visible)) out += c;
    return out + "</code>";
  }
  size_t longest = 0, run = 0;
  for (char c : visible) {
    run = c == '`' ? run + 1 : 0;
    longest = run > longest ? run : longest;
  }
  const std::string fence(longest + 1, '`');
  const std::string pad = longest > 0 || visible.empty() ? " " : "";
  return fence + pad + visible + pad + fence;
}

std::string csv_field(std::string_view text) {
  std::string out = escape_terminal(text);
  const size_t start = out.find_first_not_of(" '\"");
  const bool escaped_space = out.starts_with("\\t") || out.starts_with("\\r") || out.starts_with("\\n");
  if (escaped_space || (start != std::string::npos && std::string_view("=+-@").find(out[start]) != std::string_view::npos)) {
    out.insert(out.begin(), '\'');
  }
  if (out.find_first_of(",\"; ") == std::string::npos) return out;
  std::string quoted = "\"";
  for (char c : out) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string escape_tap(std::string_view text) {
  return walk(text, [](std::string& out, char c) {
    if (c == '#' || c == '\\') out += '\\';
    out += c;
  });
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  auto unit = [&](uint32_t value) {
    out += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) out += kHex[value >> shift & 15];
  };
  while (!text.empty()) {
    const Piece piece = next_piece(text);
    if (!piece.valid) {
      unit(0xfffd);
    } else if (piece.code == '"' || piece.code == '\\') {
      (out += '\\') += static_cast<char>(piece.code);
    } else if (piece.code >= 0x20 && piece.code < 0x7f) {
      out += static_cast<char>(piece.code);
    } else if (piece.code < 0x10000) {
      unit(piece.code);
    } else {
      unit(0xd800 + ((piece.code - 0x10000) >> 10));
      unit(0xdc00 + ((piece.code - 0x10000) & 0x3ff));
    }
    text.remove_prefix(piece.size);
  }
  return out + '"';
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Piece piece = next_piece(text);
    if (!piece.valid) return false;
    text.remove_prefix(piece.size);
  }
  return true;
}

}  // namespace gcts
