// What escaping promises, over hostile text and over every byte.

#include <algorithm>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "reports/escape.h"
#include "reports/sample_report.h"

namespace gcts {
namespace {

BOOST_AUTO_TEST_SUITE(escape)

// Every byte, every pair, and the code points at the edges of the encodings.
std::vector<std::string> every_text() {
  std::vector<std::string> texts(std::begin(kHostile), std::end(kHostile));
  for (int a = 0; a < 256; ++a) {
    texts.push_back(std::string(1, static_cast<char>(a)));
    for (int b = 0; b < 256; b += 3) texts.push_back({static_cast<char>(a), static_cast<char>(b)});
    for (int b : {0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0}) {
      for (int c : {0x7f, 0x80, 0xbf, 0xc0}) {
        texts.push_back({static_cast<char>(a), static_cast<char>(b), static_cast<char>(c)});
        texts.push_back({static_cast<char>(a), static_cast<char>(b), static_cast<char>(c), '\x80'});
      }
    }
  }
  return texts;
}

// True if text without control characters is UTF-8; nlohmann's parser is the judge.
bool parses_as_utf8(const std::string& text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return nlohmann::json::accept(quoted + '"');
}

bool has_control(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x20 || c == 0x7f) return true;
    if (c == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0) return true;
  }
  return false;
}

BOOST_AUTO_TEST_CASE(terminal_text_is_one_visible_utf8_line) {
  for (const std::string& text : every_text()) {
    const std::string out = escape_terminal(text);
    BOOST_TEST(!has_control(out));
    BOOST_TEST(parses_as_utf8(out));
  }
  BOOST_TEST(escape_terminal("\x1b[2J") == "\\x1b[2J");
  BOOST_TEST(escape_terminal("a\nb\tc\r") == "a\\nb\\tc\\r");
  BOOST_TEST(escape_terminal("\xe2\x80\xae") == "\\u{202e}");
  BOOST_TEST(escape_terminal("\xed\xa0\x80") == "\\xed\\xa0\\x80");
  BOOST_TEST(escape_terminal("caf\xc3\xa9 \xf0\x9f\x99\x82") == "caf\xc3\xa9 \xf0\x9f\x99\x82");
}

BOOST_AUTO_TEST_CASE(xml_text_has_no_markup_and_no_forbidden_code_point) {
  for (const std::string& text : every_text()) {
    const std::string out = escape_xml(text);
    BOOST_TEST(out.find_first_of("<>\"'") == std::string::npos);
    BOOST_TEST(!has_control(out));
    BOOST_TEST(parses_as_utf8(out));
    BOOST_TEST(out.find("\xef\xbf\xbe") == std::string::npos);
    BOOST_TEST(out.find("\xef\xbf\xbf") == std::string::npos);
  }
  BOOST_TEST(escape_xml("a<b&c") == "a&lt;b&amp;c");
}

BOOST_AUTO_TEST_CASE(markdown_text_stays_in_its_cell) {
  for (const std::string& text : every_text()) {
    const std::string out = escape_markdown(text);
    BOOST_TEST(!has_control(out));
    for (size_t i = 0; i < out.size(); ++i) {
      if (out[i] == '|') BOOST_TEST((i > 0 && out[i - 1] == '\\'));
      BOOST_TEST(out[i] != '<');
      BOOST_TEST(out[i] != '@');
    }
    const std::string code = markdown_code(text);
    BOOST_TEST(!has_control(code));
    if (code.starts_with('`')) BOOST_TEST(code.find('|') == std::string::npos);
  }
  BOOST_TEST(markdown_code("a``b`c") == "``` a``b`c ```");
  BOOST_TEST(markdown_code("plain") == "`plain`");
}

BOOST_AUTO_TEST_CASE(csv_fields_are_no_formulas_and_come_back) {
  for (const std::string& text : every_text()) {
    std::string out = csv_field(text);
    BOOST_TEST(!has_control(out));
    if (out.starts_with('"')) {   // undo the quoting
      BOOST_REQUIRE(out.size() >= 2 && out.ends_with('"'));
      std::string plain;
      for (size_t i = 1; i + 1 < out.size(); ++i) {
        if (out[i] == '"') BOOST_TEST(out[++i] == '"');
        plain += out[i];
      }
      out = plain;
    } else {
      BOOST_TEST(out.find_first_of(",\"") == std::string::npos);
    }
    const size_t start = out.find_first_not_of(' ');
    if (start != std::string::npos) BOOST_TEST(std::string_view("=+-@").find(out[start]) == std::string_view::npos);
  }
  BOOST_TEST(csv_field("=1+1") == "'=1+1");
  BOOST_TEST(csv_field("\t=1") == "'\\t=1");
  BOOST_TEST(csv_field("a,\"b\"") == "\"a,\"\"b\"\"\"");
}

BOOST_AUTO_TEST_CASE(tap_text_holds_no_directive) {
  for (const std::string& text : every_text()) {
    const std::string out = escape_tap(text);
    BOOST_TEST(!has_control(out));
    for (size_t i = 0; i < out.size(); ++i) {
      if (out[i] == '\\') ++i;
      else BOOST_TEST(out[i] != '#');
    }
  }
}

BOOST_AUTO_TEST_CASE(utf8_is_told_from_other_bytes) {
  for (const std::string& text : every_text()) {
    const bool low = std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
    if (!low) BOOST_TEST(is_utf8(text) == parses_as_utf8(text));
  }
  BOOST_TEST(is_utf8(std::string_view("a\0b", 3)));
}

BOOST_AUTO_TEST_CASE(json_strings_parse_and_keep_valid_text) {
  for (const std::string& text : every_text()) {
    const std::string out = json_string(text);
    BOOST_TEST(!has_control(out));
    const auto parsed = nlohmann::json::parse(out, nullptr, false);
    BOOST_REQUIRE(parsed.is_string());
    if (text.find('\0') == std::string::npos && parses_as_utf8(text)) BOOST_TEST(parsed.get<std::string>() == text);
    for (char c : out) BOOST_TEST((c >= 0x20 && c < 0x7f));
  }
  BOOST_TEST(nlohmann::json::parse(json_string(kHostile[0])).get<std::string>() == kHostile[0]);
  BOOST_TEST(json_string("\xff") == "\"\\ufffd\"");
  BOOST_TEST(json_string("\xf0\x9f\x99\x82") == "\"\\ud83d\\ude42\"");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace gcts
