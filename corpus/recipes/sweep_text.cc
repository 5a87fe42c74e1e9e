// The hostile text sweep: strings that do harm where they are shown or taken for more
// than strings, in every place that holds a string.

#include <string>

#include "corpus/models.h"
#include "corpus/recipe.h"
#include "reference/tensor_type.h"

namespace gcts {
namespace {

using namespace std::string_view_literals;

struct Text {
  std::string_view name, bytes, comment;
  bool utf8;
};

constexpr Text kTexts[] = {
    {"nul", "a\0b"sv, "a C string ends at the NUL", true},
    {"ansi_colour", "\x1b[31mred\x1b[0m", "an escape sequence that colours the terminal", true},
    {"ansi_title", "\x1b]0;title\x07", "an escape sequence that renames the terminal's window", true},
    {"ansi_clear", "\x1b[2J\x1b[H", "an escape sequence that clears the terminal", true},
    {"c1_control",
     "\xc2\x9b"
     "31m",
     "an escape sequence in one character", true},
    {"html_script", "<script>alert(1)</script>", "a script, where a page shows the text", true},
    {"html_attribute", "\" onmouseover=\"alert(1)", "closes an attribute, where a page shows the text in one",
     true},
    {"xml_cdata", "]]>&bogus;<!--", "ends a CDATA section, names an unknown entity, opens a comment", true},
    {"json_quote", "\",\"level\":\"pass\"\\", "closes a string, where a report is glued together", true},
    {"csv_formula", "=1+2,\"x\"\r\n@SUM(A1)",
     "a formula, a quote and a line end, where a table shows the text", true},
    {"markdown", "| a | b |\n|---|\n[x](javascript:1)`", "a table, a link and a code mark", true},
    {"format", "%s%n%x{}{0}$HOME`id`", "directives of format functions and shells", true},
    {"sql", "'; DROP TABLE models; --", "ends a string of SQL", true},
    {"path", "../../../etc/passwd", "leaves a directory", true},
    {"device", "CON", "a device on Windows", true},
    {"proto", "__proto__", "the prototype of every JavaScript object", true},
    {"bidi",
     "\xe2\x80\xae"
     "gpj.exe",
     "turns the direction of the text behind it", true},
    {"zero_width",
     "a\xe2\x80\x8b"
     "b\xef\xbb\xbf",
     "characters without a width", true},
    {"combining", "Z\xcc\x80\xcc\x81\xcc\x82\xcc\x83\xcc\x84\xcc\x85\xcc\x86\xcc\x87",
     "a letter with eight marks", true},
    {"byte_order_mark", "\xef\xbb\xbfx", "a byte order mark in front", true},
    {"noncharacter", "\xef\xbf\xbe\xf4\x8f\xbf\xbf", "characters that are never assigned", true},
    {"carriage_return", "progress 100%\rpassed", "overwrites the line on a terminal", true},
    {"backspace", "failed\b\b\b\b\b\bpassed", "overwrites letters on a terminal", true},
    {"line_separator",
     "a\xe2\x80\xa8"
     "b\xe2\x80\xa9"
     "c",
     "line ends to JavaScript, not to others", true},
    {"invalid_ff",
     "a\xff"
     "b",
     "a byte that UTF-8 never has", false},
    {"surrogate",
     "a\xed\xa0\x80"
     "b",
     "a lone surrogate", false},
    {"overlong", "\xc0\xaf", "a slash in two bytes", false},
    {"truncated", "a\xe2\x82", "a character that is cut", false},
};

}  // namespace

SWEEP(hostile_text) {
  r.of(rule::string_whole)
      .valid("base_value", with("gcts.text", Value::string("plain")), "plain text as a value");
  r.valid("base_element", with("gcts.words", Value::strings({"before", "plain", "after"})),
          "plain text in an array");
  r.of(rule::tensor_name_free)
      .valid("base_name", with_tensors({filled("plain", tensor::f32, {8})}), "plain text as a tensor name");
  for (const Text& text : kTexts) {
    const std::string name(text.name), bytes(text.bytes);
    const auto as_value = [bytes](File& f) { f.metadata[1].value.text = bytes; };
    const auto as_element = [bytes](File& f) { f.metadata[1].value.elements[1].text = bytes; };
    const auto as_name = [bytes](File& f) { f.tensors[0].name = bytes; };
    if (!text.utf8) {
      r.of(rule::string_is_utf8).broken("value_" + name, "base_value", text.comment, as_value);
      r.of(rule::string_is_utf8).broken("element_" + name, "base_element", text.comment, as_element);
      r.of(rule::tensor_name_is_utf8).broken("name_" + name, "base_name", text.comment, as_name);
      continue;
    }
    const auto sound = [&](rule::Index rule, std::string_view place, Model model,
                           const auto& edit) -> Draft& {
      edit(model.file);
      return r.of(rule).valid(std::string(place) + name, std::move(model), text.comment);
    };
    sound(rule::string_whole, "value_", r.model("base_value"), as_value);
    sound(rule::string_whole, "element_", r.model("base_element"), as_element);
    if (text.bytes.find('\0') == std::string_view::npos)
      sound(rule::tensor_name_free, "name_", r.model("base_name"), as_name);
  }
}

}  // namespace gcts
