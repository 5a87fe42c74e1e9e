// The checks: the second run of the reader, over what was decoded.
//
// Each rule of kind `check` has a function check_<name> in checks/<area>.cc, declared
// here from the table, so that a missing one is a link error.  Checks run in the order
// of rules.inc and may ask what was found before them.

#ifndef GCTS_REFERENCE_CHECK_H_
#define GCTS_REFERENCE_CHECK_H_

#include "reference/finding.h"
#include "reference/padding.h"
#include "reference/reader.h"

namespace gcts {

#define GCTS_DECLARE_decode(name)
#define GCTS_DECLARE_check(name) void check_##name(const Reading& reading, Findings& findings);
#define GCTS_DECLARE_set(name)
#define GCTS_DECLARE_permit(name)
#define GCTS_DECLARE_writer(name)
#define GCTS_DECLARE_api(name)
#define GCTS_DECLARE_resource(name)
#define RULE(id, name, area, level, kind, spec, ggml, source, statement, effect) GCTS_DECLARE_##kind(name)
#include "reference/rules.inc"
#undef RULE
#undef GCTS_DECLARE_decode
#undef GCTS_DECLARE_check
#undef GCTS_DECLARE_set
#undef GCTS_DECLARE_permit
#undef GCTS_DECLARE_writer
#undef GCTS_DECLARE_api
#undef GCTS_DECLARE_resource

// Runs the checks that the stage, the options and what was decoded call for.
void run_checks(Reading& reading, std::vector<Extent> extents, const ReadOptions& options);

}  // namespace gcts

#endif  // GCTS_REFERENCE_CHECK_H_
