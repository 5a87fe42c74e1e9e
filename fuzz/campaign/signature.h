// What the output of a target that failed says: which finding it is.

#ifndef GCTS_FUZZ_CAMPAIGN_SIGNATURE_H_
#define GCTS_FUZZ_CAMPAIGN_SIGNATURE_H_

#include <string>
#include <string_view>

namespace gcts {

struct Failure {
  std::string signature;  // equal for equal findings; "" where the output tells of none
  std::string kind;       // "accepts", "crash", "heap-buffer-overflow", "timeout", ...
  std::string rule;       // of the catalogue, where one is broken
  std::string what;       // one sentence
};

// Read in this order: a finding of finding.h, a promise, a report of a sanitizer, a word of
// the engine.  A report of a sanitizer is told from others by the three innermost
// functions of this code or of a plugin.
Failure failure_of(std::string_view output);

// A name for files: letters, digits and underscores of the signature, and a hash of all of it.
std::string slug_of(std::string_view signature);

}  // namespace gcts

#endif  // GCTS_FUZZ_CAMPAIGN_SIGNATURE_H_
