// UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF.

#ifndef GCTS_REFERENCE_UTF8_H_
#define GCTS_REFERENCE_UTF8_H_

#include <cstddef>
#include <string_view>

namespace gcts {

// The index of the first byte of the first ill-formed sequence, or text.size().
size_t find_invalid_utf8(std::string_view text);

}  // namespace gcts

#endif  // GCTS_REFERENCE_UTF8_H_
