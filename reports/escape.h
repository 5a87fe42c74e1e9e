// Makes hostile text harmless for the place it goes to.
//
// Names, strings and messages in a report may come from the file under test, so
// they hold whatever its author liked: terminal escapes, markup, right-to-left
// overrides, formulas, bytes that are no UTF-8.  Every format passes text through
// the function for its target.  None of them ever fails, and each keeps plain
// ASCII words readable.

#ifndef GCTS_REPORTS_ESCAPE_H_
#define GCTS_REPORTS_ESCAPE_H_

#include <string>
#include <string_view>

namespace gcts {

// One line for a terminal: control characters, bytes that are not UTF-8, and
// invisible or direction-changing code points come out as \n, \x1b, \u{202e}.
std::string escape_terminal(std::string_view text);

// XML 1.0 text or attribute value: markup characters become entities; code points
// that XML forbids, and what escape_terminal makes visible, come out as it does.
std::string escape_xml(std::string_view text);

// One line of Markdown, in a table cell too: every character with a meaning in
// Markdown or HTML is disarmed.
std::string escape_markdown(std::string_view text);

// A Markdown code span, its fence longer than any run of backticks inside.
std::string markdown_code(std::string_view text);

// A field of RFC 4180 CSV, quoted where needed.  Text that a spreadsheet would run
// as a formula (it starts with = + - @, or with one of them behind white space)
// gets a leading apostrophe.
std::string csv_field(std::string_view text);

// The description of a TAP test point: # and \ are escaped, so that no directive
// can be smuggled in.
std::string escape_tap(std::string_view text);

// A JSON string with its quotes: ASCII only, so that it is harmless on a terminal;
// bytes that are not UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

// True if the text is UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::string_view text);

}  // namespace gcts

#endif  // GCTS_REPORTS_ESCAPE_H_
