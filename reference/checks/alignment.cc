// Checks of general.alignment.  Each value breaks at most one rule.

#include <fmt/format.h>

#include <bit>

#include "reference/check.h"
#include "reference/checks/fields.h"

namespace gcts {
namespace {

// The declared alignment if it is a uint32, else null.
const ValueView* declared(const Reading& reading) {
  const KeyValueView* pair = reading.find(kAlignmentKey);
  return pair != nullptr && pair->value.type == ValueType::uint32 ? &pair->value : nullptr;
}

struct Kind {
  bool zero, power_of_two, multiple_of_8;
};

Kind kind_of(uint64_t alignment) {
  return {alignment == 0, std::has_single_bit(alignment), alignment % 8 == 0};
}

}  // namespace

void check_alignment_is_uint32(const Reading& reading, Findings& findings) {
  const KeyValueView* pair = reading.find(kAlignmentKey);
  if (pair == nullptr || pair->value.type == ValueType::uint32) return;
  findings.add(rule::alignment_is_uint32, value_type_offset(*pair),
               fmt::format("general.alignment has type {}; it is a uint32", value_type_name(pair->value.type)));
}

void check_alignment_not_zero(const Reading& reading, Findings& findings) {
  const ValueView* v = declared(reading);
  if (v != nullptr && kind_of(v->bits()).zero)
    findings.add(rule::alignment_not_zero, v->offset, "general.alignment is 0");
}

void check_alignment_power_of_two(const Reading& reading, Findings& findings) {
  const ValueView* v = declared(reading);
  if (v == nullptr) return;
  const Kind kind = kind_of(v->bits());
  if (!kind.zero && kind.multiple_of_8 && !kind.power_of_two)
    findings.add(rule::alignment_power_of_two, v->offset,
                 fmt::format("general.alignment is {}, a multiple of 8 but not a power of two; ggml refuses it", v->bits()));
}

void check_alignment_multiple_of_8(const Reading& reading, Findings& findings) {
  const ValueView* v = declared(reading);
  if (v == nullptr) return;
  const Kind kind = kind_of(v->bits());
  if (kind.power_of_two && !kind.multiple_of_8)
    findings.add(rule::alignment_multiple_of_8, v->offset,
                 fmt::format("general.alignment is {}, which is not a multiple of 8", v->bits()));
}

void check_alignment_legal(const Reading& reading, Findings& findings) {
  const ValueView* v = declared(reading);
  if (v == nullptr) return;
  const Kind kind = kind_of(v->bits());
  if (!kind.power_of_two && !kind.multiple_of_8)
    findings.add(rule::alignment_legal, v->offset,
                 fmt::format("general.alignment is {}, neither a multiple of 8 nor a power of two", v->bits()));
}

}  // namespace gcts
