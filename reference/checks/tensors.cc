// Checks of tensor infos: names, types and shapes.

#include <fmt/format.h>

#include <ranges>
#include <string>
#include <vector>

#include "reference/check.h"
#include "reference/checks/fields.h"
#include "reference/duplicates.h"
#include "reference/padding.h"
#include "reference/quote.h"
#include "reference/shape.h"
#include "reference/survey.h"
#include "reference/tensor_type.h"
#include "reference/utf8.h"

namespace gcts {
namespace {

constexpr size_t kLongestName = 64;

// Types that ggml added after the list in the document ended.
constexpr uint32_t kNewestInDocument = 39;

// The tensors that a check of single tensors can find something about.
auto odd_tensors(const Reading& reading) {
  return reading.survey->odd_tensors |
         std::views::transform([&](uint64_t i) -> const TensorView& { return reading.tensors[i]; });
}

std::string shape(const TensorView& t) {
  std::string out = "[";
  for (uint32_t i = 0; i < t.rank && i < kMaxRank; ++i) out += fmt::format("{}{}", i == 0 ? "" : ", ", t.dims[i]);
  return out + "]";
}

// Reports the tensors whose shape has one of the faults; `offset` picks the field.
template <class Offset>
void report_shapes(const Reading& reading, Findings& findings, rule::Index rule, ShapeFault fault,
                   std::string_view what, Offset offset) {
  for (const TensorView& t : odd_tensors(reading)) {
    if (t.sized) continue;
    const ShapeSize size = measure(t.type, t.rank, t.dims);
    if (size.fault != fault) continue;
    findings.add(rule, offset(TensorFields(reading, t), size),
                 fmt::format("tensor {} has shape {}, {}", quote(t.name), shape(t), what));
  }
}

uint64_t at_dims(const TensorFields& fields, const ShapeSize&) { return fields.dims; }

// The tensors whose type is not one that files may hold.
template <class Match>
void report_types(const Reading& reading, Findings& findings, rule::Index rule, std::string_view what, Match match) {
  for (const TensorView& t : odd_tensors(reading)) {
    if (t.rank > kMaxRank || !match(t.type)) continue;
    const TensorType* row = find_tensor_type(t.type);
    findings.add(rule, TensorFields(reading, t).type,
                 fmt::format("tensor {} has type {}{}, {}", quote(t.name), t.type,
                             row == nullptr ? "" : fmt::format(" ({})", row->name), what));
  }
}

bool q4_2_or_q4_3(uint32_t type) { return type == 4 || type == 5; }

}  // namespace

void check_tensor_name_64_bytes(const Reading& reading, Findings& findings) {
  for (const TensorView& t : odd_tensors(reading))
    if (t.name.size() == kLongestName)
      findings.add(rule::tensor_name_64_bytes, t.info_offset,
                   fmt::format("the tensor name {} has 64 bytes; ggml allows 63", quote(t.name)));
}

void check_tensor_name_length(const Reading& reading, Findings& findings) {
  for (const TensorView& t : odd_tensors(reading))
    if (t.name.size() > kLongestName)
      findings.add(rule::tensor_name_length, t.info_offset,
                   fmt::format("the tensor name {} has {} bytes; at most {} are allowed", quote(t.name), t.name.size(),
                               kLongestName));
}

void check_tensor_name_not_empty(const Reading& reading, Findings& findings) {
  for (const TensorView& t : odd_tensors(reading))
    if (t.name.empty()) findings.add(rule::tensor_name_not_empty, t.info_offset, "a tensor has an empty name");
}

void check_tensor_name_unique(const Reading& reading, Findings& findings) {
  NameList names(reading.tensors.size());
  for (const TensorView& t : reading.tensors) names.add(t.name);
  for (const Duplicate& d : find_duplicates(names.all()))
    findings.add(rule::tensor_name_unique, reading.tensors[d.index].info_offset,
                 fmt::format("the tensor name {} occurs again; it stands first at offset {}", quote(reading.tensors[d.index].name),
                             reading.tensors[d.first].info_offset));
}

void check_tensor_name_without_nul(const Reading& reading, Findings& findings) {
  for (const TensorView& t : odd_tensors(reading)) {
    const size_t nul = t.name.find('\0');
    if (nul == t.name.npos) continue;
    findings.add(rule::tensor_name_without_nul, TensorFields(reading, t).name + nul,
                 fmt::format("the tensor name {} holds a NUL byte", quote(t.name)));
  }
}

void check_tensor_name_is_utf8(const Reading& reading, Findings& findings) {
  for (const TensorView& t : odd_tensors(reading)) {
    const size_t bad = find_invalid_utf8(t.name);
    if (bad == t.name.size()) continue;
    findings.add(rule::tensor_name_is_utf8, TensorFields(reading, t).name + bad,
                 fmt::format("the tensor name {} is not UTF-8", quote(t.name)));
  }
}

void check_dimension_range(const Reading& reading, Findings& findings) {
  report_shapes(reading, findings, rule::dimension_range, ShapeFault::dimension_range,
                "with a dimension of 2^63 or more",
                [](const TensorFields& fields, const ShapeSize& size) { return fields.dim(size.dimension); });
}

void check_elements_wrap_to_zero(const Reading& reading, Findings& findings) {
  report_shapes(reading, findings, rule::elements_wrap_to_zero, ShapeFault::wraps_to_zero,
                "whose element count is 0 when it wraps in 64 bits", at_dims);
}

void check_elements_wrap_negative(const Reading& reading, Findings& findings) {
  report_shapes(reading, findings, rule::elements_wrap_negative, ShapeFault::wraps_negative,
                "whose element count is negative in 64 bits", at_dims);
}

void check_elements_wrap_small(const Reading& reading, Findings& findings) {
  report_shapes(reading, findings, rule::elements_wrap_small, ShapeFault::wraps_small,
                "whose element count wraps to another in 64 bits", at_dims);
}

void check_tensor_bytes_representable(const Reading& reading, Findings& findings) {
  report_shapes(reading, findings, rule::tensor_bytes_representable, ShapeFault::bytes_wrap,
                "whose size in bytes does not fit 64 bits", at_dims);
}

void check_elements_below_int64_max(const Reading& reading, Findings& findings) {
  report_shapes(reading, findings, rule::elements_below_int64_max, ShapeFault::int64_max,
                "whose element count is 2^63 - 1, which ggml refuses", at_dims);
}

void check_row_is_whole_blocks(const Reading& reading, Findings& findings) {
  for (const TensorView& t : odd_tensors(reading)) {
    if (t.sized || measure(t.type, t.rank, t.dims).fault != ShapeFault::partial_block) continue;
    const TensorType& row = *find_tensor_type(t.type);
    const TensorFields fields(reading, t);
    findings.add(rule::row_is_whole_blocks, t.rank == 0 ? fields.rank : fields.dim(0),
                 fmt::format("tensor {} of type {} has rows of {} elements, which are not whole blocks of {}",
                             quote(t.name), row.name, t.rank == 0 ? 1 : t.dims[0], row.block_elements));
  }
}

void check_tensor_sizes_sum(const Reading& reading, Findings& findings) {
  uint64_t total = reading.data_start;
  const std::vector<Extent>& extents = reading.survey->extents;
  for (uint64_t i = 0; i < extents.size(); ++i) {
    const Extent& t = extents[i];
    if (!t.sized()) continue;
    const uint64_t room = UINT64_MAX - total;
    const uint64_t over = past_alignment(t.size, reading.alignment);
    const uint64_t padding = over == 0 ? 0 : reading.alignment - over;
    if (t.size > room || padding > room - t.size) {
      const TensorView& view = reading.tensors[i];
      findings.add(rule::tensor_sizes_sum, TensorFields(reading, view).dims,
                   fmt::format("with tensor {} of {} bytes the padded sizes of all tensors no longer fit 64 bits",
                               quote(view.name), t.size));
      return;
    }
    total += t.size + padding;
  }
}

void check_tensor_type_known(const Reading& reading, Findings& findings) {
  static const std::string kWhat = fmt::format("which is not known; types are 0 to {}", tensor_types().size() - 1);
  report_types(reading, findings, rule::tensor_type_known, kWhat,
               [](uint32_t type) { return find_tensor_type(type) == nullptr; });
}

void check_tensor_type_q4_2_q4_3(const Reading& reading, Findings& findings) {
  report_types(reading, findings, rule::tensor_type_q4_2_q4_3, "which was removed from the format", q4_2_or_q4_3);
}

void check_tensor_type_repacked(const Reading& reading, Findings& findings) {
  report_types(reading, findings, rule::tensor_type_repacked, "a repacked type that was removed from the format",
               [](uint32_t type) {
                 const TensorType* row = find_tensor_type(type);
                 return row != nullptr && row->status == TensorStatus::removed && !q4_2_or_q4_3(type);
               });
}

void check_tensor_type_newer_than_document(const Reading& reading, Findings& findings) {
  static const std::string kWhat =
      fmt::format("which ggml knows but the document's list, up to {}, does not", kNewestInDocument);
  report_types(reading, findings, rule::tensor_type_newer_than_document, kWhat,
               [](uint32_t type) { return type > kNewestInDocument && find_tensor_type(type) != nullptr; });
}

}  // namespace gcts
