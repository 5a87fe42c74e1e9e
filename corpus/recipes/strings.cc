// Recipes for strings: length, bytes, UTF-8.

#include "corpus/models.h"
#include "corpus/recipe.h"

namespace gcts {
namespace {

using namespace std::string_literals;

constexpr std::string_view kKey = "gcts.text";
constexpr uint32_t kItem = 1;  // the pair of kKey in text()

File text(std::string_view value) { return with(kKey, Value::string(value)); }

// Another pair behind the string, which a wrong length would hit.
File text_then_pair(std::string_view value) {
  File file = text(value);
  file.set("gcts.after", Value::u32(0x12345678));
  return file;
}

std::string letters(uint64_t size) {
  std::string s(size, ' ');
  for (uint64_t i = 0; i < size; ++i) s[i] = static_cast<char>('a' + i % 23);
  return s;
}

Fault value_length(uint64_t length) {
  return [length](Written& w) { patch(w, FieldKind::string_length, kItem, length); };
}

}  // namespace

RECIPE(string_length_prefixed) {
  for (const uint64_t size : {0, 1, 7, 8, 31, 32, 255, 256, 65535, 65536})
    r.valid("length_" + std::to_string(size), text_then_pair(letters(size)),
            "a length around a power of two, then another pair");
  r.valid("multibyte", text_then_pair("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"),
          "the length counts bytes, not characters");
}

RECIPE(string_complete) {
  r.valid("last_value", text(letters(120)), "a string ends the file");
  r.broken("one_byte_more", "last_value", "the length runs one byte past the end", value_length(121));
  r.broken("eight_bytes_more", "last_value", "the length runs eight bytes past the end", value_length(128));
  r.broken("half_is_missing", "last_value", "the file ends in the middle of the string",
           [](Written& w) { cut(w, w.bytes.size() - 60); });
  r.broken("length_is_cut", "last_value", "the file ends in the middle of the length field",
           [](Written& w) { cut(w, field(w, FieldKind::string_length, kItem).offset + 3); });
  r.broken("in_the_key", "last_value", "the file ends in the middle of a key",
           [](Written& w) { cut(w, field(w, FieldKind::key_bytes, kItem).offset + 4); });
  File file = with("gcts.words", Value::strings({"alpha", "beta", "gamma"}));
  r.valid("last_array", file, "an array of strings ends the file");
  r.broken("in_an_array", "last_array", "the last element of an array runs past the end",
           [](Written& w) { patch_part(w, FieldKind::string_length, 1, 2, 6); });
}

RECIPE(string_length_range) {
  r.valid("value", text("abc"), "a short string");
  r.valid("tensor", one_tensor(), "a short tensor name");
  r.broken("value_two_to_63", "value", "the smallest length that is negative as an int64",
           value_length(uint64_t{1} << 63));
  r.broken("value_all_ones", "value", "the length is -1 as an int64, and adding one wraps to 0",
           value_length(~uint64_t{0}));
  r.broken("value_wraps_position", "value",
           "added to the position in the file the length wraps to the header",
           value_length(~uint64_t{0} - 60));
  r.broken("key_two_to_63", "value", "the length of a key is negative as an int64",
           [](Written& w) { patch(w, FieldKind::key_length, kItem, uint64_t{1} << 63); });
  r.broken("key_all_ones", "value", "the length of a key is -1 as an int64",
           [](Written& w) { patch(w, FieldKind::key_length, kItem, ~uint64_t{0}); });
  r.broken("tensor_name_two_to_63", "tensor", "the length of a tensor name is negative as an int64",
           [](Written& w) { patch(w, FieldKind::name_length, 0, uint64_t{1} << 63); });
}

RECIPE(string_length_fits_file) {
  r.valid("value", text("abc"), "a short string");
  r.valid("tensor", one_tensor(), "a short tensor name");
  r.broken("value_two_to_40", "value", "a reader that allocates first takes a terabyte",
           value_length(uint64_t{1} << 40));
  r.broken("value_two_to_32", "value", "cut to 32 bits the length is 0", value_length(uint64_t{1} << 32));
  r.broken("value_two_to_30", "value", "a gigabyte, which some readers allow before they look",
           value_length(uint64_t{1} << 30));
  r.broken("key_two_to_40", "value", "the length of a key",
           [](Written& w) { patch(w, FieldKind::key_length, kItem, uint64_t{1} << 40); });
  r.broken("tensor_name_two_to_40", "tensor", "the length of a tensor name",
           [](Written& w) { patch(w, FieldKind::name_length, 0, uint64_t{1} << 40); });
}

RECIPE(long_string) {
  constexpr uint64_t kMega = 1'000'000, kMebi = uint64_t{1} << 20;
  struct Row {
    std::string_view suffix;
    uint64_t size;
    std::string_view comment;
    bool limit;
  };
  constexpr Row kRows[] = {
      {"100_kb", 100'000, "longer than any common buffer", false},
      {"1_mb", kMega, "a small embedded tokenizer", false},
      {"9_mb", 9 * kMega, "an embedded tokenizer of a large vocabulary", false},
      {"11_mb", 11 * kMega, "above the 10,000,000 bytes that one reader allows", true},
      {"16_mib", 16 * kMebi, "the largest that another reader allows", true},
      {"17_mb", 17 * kMebi, "above the 16 MiB that another reader allows", true},
  };
  for (const Row& row : kRows) {
    Draft& draft = r.bytes(row.suffix, row.comment,
                           [size = row.size] { return write_bytes(text_then_pair(letters(size))); });
    draft.tag("limit:string=" + std::to_string(row.size));
    if (row.size >= kMega) draft.large();
    if (row.limit) draft.either("limit");
  }
  r.family("growing", "a reader that copies a string more than once shows in its memory", 3'000'000,
           [](uint64_t n) { return write_bytes(text_then_pair(letters(n))); });
}

RECIPE(string_whole) {
  for (const uint64_t size : {4'085u, 4'096u, 32'768u, 65'537u})
    r.valid("length_" + std::to_string(size), text_then_pair(letters(size)),
            "a string that crosses a common buffer size, then another pair");
  r.bytes("3_mb", "one reader returns the first 1,999,951 bytes and no error", [] {
     return write_bytes(text_then_pair(letters(3'000'000)));
   }).large();
}

RECIPE(empty_string) {
  r.valid("value", text(""), "an empty string ends the file");
  r.valid("value_then_pair", text_then_pair(""),
          "a reader that takes length 0 for \"to the end of the buffer\" loses the next pair");
  r.valid("elements", with("gcts.words", Value::strings({"", "", "x", ""})),
          "empty elements at both ends of an array");
  r.valid("many", with("gcts.words", Value::strings(std::vector<std::string>(100))),
          "an array of empty strings");
}

RECIPE(string_is_utf8) {
  struct Row {
    std::string_view suffix, bytes, comment;
  };
  constexpr Row kSound[] = {
      {"ascii", "plain", "ASCII is UTF-8"},
      {"two_bytes", "\xc2\x80\xdf\xbf", "the first and the last character of two bytes"},
      {"three_bytes", "\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf",
       "three bytes: first, both sides of the surrogates, last"},
      {"four_bytes", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", "the first and the last character of four bytes"},
      {"replacement", "\xef\xbf\xbd", "U+FFFD itself is a sound character"},
  };
  constexpr Row kBroken[] = {
      {"ff_fe", "\xff\xfe", "a UTF-16 byte order mark: bytes that UTF-8 never has"},
      {"surrogate_high", "\xed\xa0\x80", "a lone high surrogate"},
      {"surrogate_low", "\xed\xbf\xbf", "a lone low surrogate"},
      {"surrogate_pair", "\xed\xa0\xbd\xed\xb8\x80",
       "a pair of surrogates, as CESU-8 writes characters above U+FFFF"},
      {"overlong_nul", "\xc0\x80", "NUL in two bytes, as Java's modified UTF-8 writes it"},
      {"overlong_slash", "\xe0\x80\xaf", "a slash in three bytes"},
      {"overlong_four", "\xf0\x8f\xbf\xbf", "U+FFFF in four bytes"},
      {"truncated_two", "a\xc3", "the second byte of two is missing"},
      {"truncated_three", "a\xe2\x82", "the third byte of three is missing"},
      {"truncated_four", "a\xf0\x9f\x98", "the fourth byte of four is missing"},
      {"truncated_inside",
       "\xe2\x82"
       "a",
       "a letter stands where the third byte belongs"},
      {"stray_continuation",
       "a\x80"
       "b",
       "a continuation byte without a start"},
      {"above_10ffff", "\xf4\x90\x80\x80", "U+110000, above the last character"},
      {"five_bytes", "\xf8\x88\x80\x80\x80", "a sequence of five bytes"},
      {"latin_1", "caf\xe9", "Latin-1 text, the most common accident"},
  };
  for (const Row& row : kSound) r.valid(row.suffix, text(row.bytes), row.comment);
  for (const Row& row : kBroken)
    r.broken(row.suffix, "ascii", row.comment,
             [bytes = row.bytes](File& f) { f.metadata[kItem].value.text = bytes; });
  r.valid("array", with("gcts.words", Value::strings({"a", "\xc3\xa4", "b"})), "sound UTF-8 in an array");
  r.broken("in_an_array", "array",
           "tokens are arrays of strings, and token bytes are often cut in the middle of a character",
           [](File& f) { f.metadata[1].value.elements[1].text = "\xc3"; });
}

RECIPE(string_with_nul) {
  r.valid("inside", text("x\0y"s), "a reader that returns a C string gives \"x\"");
  r.valid("first", text_then_pair("\0xy"s), "a reader that returns a C string gives \"\"");
  r.valid("only", text_then_pair("\0"s), "a string of one NUL is not empty");
  r.valid("in_an_array", with("gcts.words", Value::strings({"a\0b"s, "\0"s, "c"})), "tokens that hold NUL");
}

RECIPE(string_trailing_nul) {
  r.valid("one", text("xy\0"s), "the length is 3");
  r.valid("three", text_then_pair("xy\0\0\0"s), "the length is 5");
  r.valid("twins", with("gcts.words", Value::strings({"a", "a\0"s, "a\0\0"s})),
          "three tokens that are one to a reader that strips NULs");
}

RECIPE(string_whitespace) {
  r.valid("both_ends", text(" \n x \t"), "a reader that trims gives \"x\"");
  r.valid("only", text_then_pair(" "), "a reader that trims gives \"\"");
  r.valid("tokens", with("gcts.words", Value::strings({" ", "\n", "\t", "\r\n", " a", "a "})),
          "tokens of white space are common in vocabularies");
  r.valid("unicode", text("\xc2\xa0x\xe3\x80\x80"), "a no-break and an ideographic space at the ends");
}

RECIPE(string_byte_order_mark) {
  r.valid("leading", text("\xef\xbb\xbfx"), "decoders drop a leading byte order mark unless told not to");
  r.valid("only", text_then_pair("\xef\xbb\xbf"), "a string that is a byte order mark");
  r.valid("tokens", with("gcts.words", Value::strings({"x", "\xef\xbb\xbfx"})),
          "two tokens that differ in the mark alone");
}

RECIPE(string_not_normalised) {
  r.valid("composed", text("\xc3\xa9"), "e with acute accent as one character");
  r.valid("decomposed", text("e\xcc\x81"), "e with acute accent as two characters");
  r.valid("twins", with("gcts.words", Value::strings({"\xc3\xa9", "e\xcc\x81", "\xe2\x84\xab", "\xc3\x85"})),
          "pairs that are equal after normalisation");
  r.valid("line_ends", text("a\r\nb\nc\rd"), "a file opened in text mode loses the carriage returns");
  r.valid("case",
          with("gcts.words", Value::strings({"Stra\xc3\x9f"
                                             "e",
                                             "STRASSE", "strasse"})),
          "words that are equal after case folding");
}

}  // namespace gcts
