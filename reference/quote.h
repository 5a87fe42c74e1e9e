// Text from a file, made fit for a message: short, printable, quoted.

#ifndef GCTS_REFERENCE_QUOTE_H_
#define GCTS_REFERENCE_QUOTE_H_

#include <string>
#include <string_view>

namespace gcts {

// "text" in double quotes.  Bytes outside printable ASCII, quotes and backslashes
// become \xNN; after 64 bytes the rest is replaced by an ellipsis.
std::string quote(std::string_view text);

}  // namespace gcts

#endif  // GCTS_REFERENCE_QUOTE_H_
