// The reference's writer behind the plugin ABI, in its three steps: the request
// becomes a model, the model is encoded and judged, and the bytes are put out in the
// order that the strategy asks for.

#ifndef GCTS_PLUGINS_REFERENCE_WRITER_H_
#define GCTS_PLUGINS_REFERENCE_WRITER_H_

#include <string>

#include "gcts/plugin.h"
#include "reference/finding.h"
#include "reference/writer.h"

namespace gcts {

// The model that a request asks for.  False and an explanation where it holds what
// no file can: a scalar wider than its type, an array whose elements disagree with
// its element type, a type id that does not exist, bytes that do not fill a tensor.
bool model_of(const gcts_write_request& request, File& model, std::string& why_not);

// Whether a finding on the bytes as written is a reason not to put them out: all that
// the profile demands, and unique names in any profile.
bool is_refusal(const Finding& finding);

// Puts the bytes out as the strategy orders.  False if the output refused some.
bool put(const Written& written, WriteStrategy strategy, const gcts_output& output);

gcts_status reference_write(const gcts_write_request* request, const gcts_output* output) noexcept;

}  // namespace gcts

#endif  // GCTS_PLUGINS_REFERENCE_WRITER_H_
