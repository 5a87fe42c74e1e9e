// Records of a reader whose host language cannot tell everything.
//
// A process may leave facts of a file out (contents.h marks them): the type of a number,
// of an array's elements, a field of the header, a tensor's offset or size.  What it does
// tell is compared all the same, numbers by value.

#ifndef GCTS_HARNESS_CONTENTS_TOLD_H_
#define GCTS_HARNESS_CONTENTS_TOLD_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gcts {

// `expected` without what `actual` leaves out, as far as both run in step.
std::vector<uint8_t> as_told(std::span<const uint8_t> expected, std::span<const uint8_t> actual);

// `actual` with its pairs and tensors in the order of `expected`, by name: for a reader
// that keeps them in a map.  What has no namesake comes last.
std::vector<uint8_t> in_order_of(std::span<const uint8_t> expected, std::span<const uint8_t> actual);

// One text for each number: decimal where it is whole, else the shortest text that
// gives the double back; "nan", "inf", "-inf"; one zero; "true" and "false".
std::string number_text(uint32_t type, const void* scalar);
// The same from the text of a number; "" if it is none.
std::string number_text(std::string_view text);

}  // namespace gcts

#endif  // GCTS_HARNESS_CONTENTS_TOLD_H_
