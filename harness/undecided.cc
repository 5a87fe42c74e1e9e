// The traits that leave a verdict open.

#include "harness/undecided.h"

#include <algorithm>
#include <string_view>

#include "corpus/mutator.h"
#include "reference/split.h"
#include "reference/tensor_type.h"

namespace gcts {
namespace {

// The nesting that readers must follow; above it they may decline (nesting_moderate).
constexpr uint64_t kModerateDepth = 63;
// An alignment that is negative as an int32 is left open (alignment_large).
constexpr uint32_t kOpenAlignment = 0x80000000u;

}  // namespace

uint64_t nesting(std::span<const std::byte> file) {
  uint64_t deepest = 0, run = 0;
  for (const Field& field : scan_fields(file).fields) {
    if (field.kind == FieldKind::element_type) deepest = std::max(deepest, ++run);
    else if (field.kind != FieldKind::element_count) run = 0;
  }
  return deepest;
}

bool alignment_is_open(const Reading& reading) {
  const ValueView* first = nullptr;
  for (const KeyValueView& pair : reading.metadata) {
    if (pair.key != kAlignmentKey) continue;
    if (first && (first->type != pair.value.type || first->bits() != pair.value.bits())) return true;
    if (!first) first = &pair.value;
  }
  return false;
}

bool follows_from_alignment(rule::Index rule) {
  const std::string_view area = rule_at(rule).area;
  return area == "offsets" || area == "data";
}

std::string undecided(const Reading& reading, uint64_t depth) {
  std::string reason;
  for (const Finding& finding : reading.findings.all()) {
    const Rule& rule = rule_at(finding.rule);
    if (rule.spec != Severity::should) continue;
    if (rule.level == Level::undefined && finding.rule != rule::no_trailing_bytes) return "undefined";
    if (rule.ggml == Severity::must) reason = "divergence";
  }
  if (reading.alignment >= kOpenAlignment || alignment_is_open(reading)) return "undefined";
  for (const TensorView& tensor : reading.tensors) {
    const TensorType* type = find_tensor_type(tensor.type);
    const bool blocks = type && type->block_elements > 1;
    if (tensor.rank == 0 || std::find(tensor.dims.begin(), tensor.dims.end(), 0u) != tensor.dims.end()) return "undefined";
    if (blocks && reading.layout.order == ByteOrder::big) return "undefined";
  }
  if (depth > kModerateDepth) return "limit";
  if (is_shard("model.gguf", reading)) return "divergence";
  return reason;
}

}  // namespace gcts
