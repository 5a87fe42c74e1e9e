// Metadata values as text: for people, and as JSON without losing a bit.
//
// JSON: integers are numbers with all their digits (u64 too: a reader that keeps
// only doubles has to ask its parser for more).  Finite floats are numbers with as
// many digits as bring the same bits back; the others are the texts "inf", "-inf"
// and "nan:7fc00001", the bits in hexadecimal.  A boolean byte that is neither 0 nor
// 1 is a number.  A string that is not UTF-8 is {"hex":"…"}.  An array is an array,
// and an array inside an array {"element_type":…,"value":[…]}, because the type of
// its elements stands nowhere else.

#ifndef GCTS_HARNESS_VALUE_TEXT_H_
#define GCTS_HARNESS_VALUE_TEXT_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "reference/reader.h"

namespace gcts {

// A scalar of a metadata type from its bits, zero-extended.
std::string scalar_text(ValueType type, uint64_t bits);
std::string scalar_json(ValueType type, uint64_t bits);
std::string string_json(std::string_view text);
std::string hex(std::string_view bytes);

// The type for people: "uint32", "string[32000]", "array[2]".
std::string value_type_text(const ValueView& value);
// One line for people: at most `most` elements of an array and `width` bytes of a
// string, and how many there are in all.  Harmless on a terminal.
std::string value_line(const ValueView& value, size_t most = 6, size_t width = 60);

// Hands the JSON of a value on in pieces, so that a large array takes no memory.
void value_json(const ValueView& value, const std::function<void(std::string_view)>& out);

// 1234567890 as "1.23 G", with unit as "1.23 GB".
std::string short_number(double value, std::string_view unit = "");

}  // namespace gcts

#endif  // GCTS_HARNESS_VALUE_TEXT_H_
