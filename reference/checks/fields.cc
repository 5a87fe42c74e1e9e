// Which findings put the alignment and the sizes of tensors in doubt.

#include "reference/checks/fields.h"

#include <algorithm>
#include <iterator>

namespace gcts {
namespace {

template <size_t kCount>
bool any(const Findings& findings, const rule::Index (&which)[kCount]) {
  return std::any_of(std::begin(which), std::end(which), [&](rule::Index r) { return findings.has(r); });
}

}  // namespace

bool alignment_is_faulty(const Findings& findings) {
  static constexpr rule::Index kRules[] = {rule::alignment_is_uint32, rule::alignment_not_zero,
                                           rule::alignment_power_of_two, rule::alignment_multiple_of_8,
                                           rule::alignment_legal};
  return any(findings, kRules);
}

bool sizes_are_faulty(const Findings& findings) {
  static constexpr rule::Index kRules[] = {
      rule::tensor_rank,         rule::dimension_range,        rule::elements_wrap_to_zero,
      rule::elements_wrap_small, rule::elements_wrap_negative, rule::tensor_bytes_representable,
      rule::tensor_sizes_sum,    rule::elements_below_int64_max, rule::tensor_type_known,
      rule::tensor_type_q4_2_q4_3, rule::tensor_type_repacked, rule::row_is_whole_blocks};
  return alignment_is_faulty(findings) || any(findings, kRules);
}

}  // namespace gcts
