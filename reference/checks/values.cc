// Checks of scalar values.

#include <fmt/format.h>

#include "reference/check.h"
#include "reference/quote.h"

namespace gcts {
namespace {

constexpr uint64_t kAllOnes = 0xff;

void check_bools(const Reading& reading, Findings& findings, rule::Index rule, bool all_ones) {
  for (const KeyValueView& pair : reading.metadata) {
    if (pair.value.type != ValueType::boolean) continue;
    const uint64_t byte = pair.value.bits();
    if (byte <= 1 || (byte == kAllOnes) != all_ones) continue;
    findings.add(rule, pair.value.offset,
                 fmt::format("the bool {} is {}; a bool is 0 or 1", quote(pair.key), byte));
  }
}

}  // namespace

void check_bool_is_zero_or_one(const Reading& reading, Findings& findings) {
  check_bools(reading, findings, rule::bool_is_zero_or_one, false);
}

void check_bool_all_ones(const Reading& reading, Findings& findings) {
  check_bools(reading, findings, rule::bool_all_ones, true);
}

}  // namespace gcts
