// A plugin's writer asked for what the reference read.

#ifndef GCTS_FUZZ_PLUGIN_WRITER_H_
#define GCTS_FUZZ_PLUGIN_WRITER_H_

#include <optional>

#include "fuzz/reader_verdict.h"

namespace gcts {

// Writes the model of a valid file and has the reference, and the plugin's own reader, read
// the result.  Nothing where the plugin has no writer or the model is not its business.
std::optional<Sighting> judge_writer(FuzzedPlugin& plugin, const Expected& expected);

}  // namespace gcts

#endif  // GCTS_FUZZ_PLUGIN_WRITER_H_
