// Checks of tensor offsets.

#include <fmt/format.h>

#include "reference/check.h"
#include "reference/checks/fields.h"
#include "reference/checks/placement.h"
#include "reference/quote.h"
#include "reference/survey.h"

namespace gcts {
namespace {

void report(const Reading& reading, Findings& findings, rule::Index rule) {
  const std::vector<PlacementFault>& faults = reading.survey->placement;
  for (size_t i = 0; i < faults.size(); ++i) {
    if (faults[i].rule != rule) continue;
    const TensorView& t = reading.tensors[faults[i].tensor];
    const uint64_t offset = t.rank > kMaxRank ? t.info_offset : TensorFields(reading, t).offset;
    findings.add(rule, offset, fmt::format("tensor {} {}", quote(t.name), faults[i].message),
                 i == 0 && !sizes_are_faulty(findings));
  }
}

}  // namespace

void check_tensor_offset_aligned(const Reading& reading, Findings& findings) {
  report(reading, findings, rule::tensor_offset_aligned);
}
void check_offsets_without_gap(const Reading& reading, Findings& findings) {
  report(reading, findings, rule::offsets_without_gap);
}
void check_first_offset_zero(const Reading& reading, Findings& findings) {
  report(reading, findings, rule::first_offset_zero);
}
void check_offsets_in_order(const Reading& reading, Findings& findings) {
  report(reading, findings, rule::offsets_in_order);
}
void check_tensors_do_not_overlap(const Reading& reading, Findings& findings) {
  report(reading, findings, rule::tensors_do_not_overlap);
}
void check_tensor_in_file(const Reading& reading, Findings& findings) {
  report(reading, findings, rule::tensor_in_file);
}
void check_tensor_end_representable(const Reading& reading, Findings& findings) {
  report(reading, findings, rule::tensor_end_representable);
}
void check_offsets_use_alignment(const Reading& reading, Findings& findings) {
  report(reading, findings, rule::offsets_use_alignment);
}

}  // namespace gcts
