// Checks of the tensor data against the end of the file, and of padding.

#include <fmt/format.h>

#include <algorithm>

#include "reference/check.h"
#include "reference/checks/fields.h"
#include "reference/checks/placement.h"
#include "reference/quote.h"
#include "reference/survey.h"

namespace gcts {
namespace {

bool is_root(const Findings& findings) { return !sizes_are_faulty(findings) && !offsets_are_faulty(findings); }

bool ends_before_data(const Reading& reading) { return reading.file_size <= reading.data_start; }
bool ends_in_padding(const Reading& reading) {
  return reading.file_size > reading.metadata_end && reading.file_size < reading.data_start;
}

// Where the file should end at the latest.
uint64_t expected_end(const Reading& reading) { return padded_end(reading, reading.survey->need.end); }

}  // namespace

void check_padding_before_data_zero(const Reading& reading, Findings& findings) {
  if (reading.tensors.empty() && reading.file_size > reading.data_start) return;  // trailing bytes
  for (const DirtyPadding& dirty : reading.dirty_padding)
    if (dirty.tensor == DirtyPadding::kBeforeData)
      findings.add(rule::padding_before_data_zero, dirty.offset, "the padding before the tensor data is not zero",
                   is_root(findings));
}

void check_data_start_in_file(const Reading& reading, Findings& findings) {
  const DataNeed& need = reading.survey->need;
  if (reading.tensors.empty() || need.any_bytes || !need.all_known || reading.file_size >= reading.data_start) return;
  findings.add(rule::data_start_in_file, reading.file_size,
               fmt::format("all tensors are empty, but the file ends at {}, before its data start at {}",
                           reading.file_size, reading.data_start),
               is_root(findings));
}

void check_tensor_data_complete(const Reading& reading, Findings& findings) {
  if (ends_before_data(reading)) return;  // metadata_only, prefix_rejected
  if (reading.survey->need.end <= reading.file_size) return;
  const std::vector<bool>& strays = reading.survey->strays;
  bool root = is_root(findings);
  for (size_t i = 0; i < reading.tensors.size(); ++i) {
    const Extent& t = reading.survey->extents[i];
    const uint64_t end = data_end(reading, t);
    if (!t.sized() || strays[i] || t.size == 0 || end <= reading.file_size) continue;
    const uint64_t start = reading.data_start + t.offset;
    findings.add(rule::tensor_data_complete, reading.file_size,
                 fmt::format("the file ends at {}, with {} of the {} bytes of tensor {}", reading.file_size,
                             reading.file_size > start ? reading.file_size - start : 0, t.size,
                             quote(reading.tensors[i].name)),
                 root);
    root = false;
  }
}

void check_last_tensor_padded(const Reading& reading, Findings& findings) {
  const DataNeed& need = reading.survey->need;
  const uint64_t padded = padded_end(reading, need.end);
  if (!need.any_bytes || need.end > reading.file_size || reading.file_size >= padded) return;
  findings.add(rule::last_tensor_padded, reading.file_size,
               fmt::format("the file ends at {}, but the last tensor padded to the alignment ends at {}; ggml refuses to "
                           "load the data",
                           reading.file_size, padded),
               is_root(findings));
}

void check_no_trailing_bytes(const Reading& reading, Findings& findings) {
  const DataNeed& need = reading.survey->need;
  const uint64_t end = expected_end(reading);
  if (!need.all_known || reading.file_size <= end) return;
  findings.add(rule::no_trailing_bytes, end,
               fmt::format("{} bytes follow the end of the model at {}", reading.file_size - end, end), is_root(findings));
}

void check_tensor_padding_zero(const Reading& reading, Findings& findings) {
  for (const DirtyPadding& dirty : reading.dirty_padding) {
    if (dirty.tensor == DirtyPadding::kBeforeData) continue;
    findings.add(rule::tensor_padding_zero, dirty.offset,
                 fmt::format("the padding after tensor {} is not zero", quote(reading.tensors[dirty.tensor].name)),
                 is_root(findings));
  }
}

void check_metadata_only(const Reading& reading, Findings& findings) {
  if (!reading.survey->need.any_bytes || !ends_before_data(reading) || ends_in_padding(reading)) return;
  findings.add(rule::metadata_only, reading.file_size,
               fmt::format("the file ends at {}, where the tensor data would begin: it holds metadata only",
                           reading.file_size),
               is_root(findings));
}

void check_prefix_rejected(const Reading& reading, Findings& findings) {
  if (!reading.survey->need.any_bytes || !ends_in_padding(reading)) return;
  findings.add(rule::prefix_rejected, reading.file_size,
               fmt::format("the file is cut at {}, inside the padding before the tensor data at {}", reading.file_size,
                           reading.data_start),
               is_root(findings));
}

}  // namespace gcts
