// Checks of split.* keys within one file; split.h judges the files of a set together.

#include <fmt/format.h>

#include "reference/check.h"
#include "reference/checks/fields.h"
#include "reference/survey.h"

namespace gcts {
namespace {

constexpr std::string_view kNumber = "split.no";
constexpr std::string_view kCount = "split.count";
constexpr std::string_view kTensors = "split.tensors.count";

// split.count if it is a uint16; 0 where it is absent.
uint64_t shard_count(const Reading& reading) {
  const KeyValueView* pair = reading.survey->find(kCount);
  return pair != nullptr && pair->value.type == ValueType::uint16 ? pair->value.bits() : 0;
}

void wrong_type(Findings& findings, rule::Index rule, const KeyValueView& pair, std::string_view type) {
  findings.add(rule, value_type_offset(pair),
               fmt::format("{} is of type {}; it is a {}", pair.key, value_type_name(pair.value.type), type));
}

}  // namespace

void check_split_number(const Reading& reading, Findings& findings) {
  const KeyValueView* pair = reading.survey->find(kNumber);
  const uint64_t count = shard_count(reading);
  if (pair == nullptr) {
    if (count > 1)
      findings.add(rule::split_number, reading.survey->find(kCount)->offset,
                   fmt::format("split.count is {}, but split.no is absent", count));
  } else if (pair->value.type != ValueType::uint16) {
    wrong_type(findings, rule::split_number, *pair, "uint16");
  } else if (count > 0 && pair->value.bits() >= count) {
    findings.add(rule::split_number, pair->value.offset,
                 fmt::format("split.no is {}, but split.count is {} and shards are numbered from 0", pair->value.bits(), count));
  }
}

void check_split_count(const Reading& reading, Findings& findings) {
  const KeyValueView* pair = reading.survey->find(kCount);
  if (pair != nullptr && pair->value.type != ValueType::uint16) wrong_type(findings, rule::split_count, *pair, "uint16");
}

void check_split_tensors_count(const Reading& reading, Findings& findings) {
  const KeyValueView* pair = reading.survey->find(kTensors);
  if (pair == nullptr) return;
  if (pair->value.type != ValueType::int32) return wrong_type(findings, rule::split_tensors_count, *pair, "int32");
  const auto total = static_cast<int32_t>(pair->value.bits());
  if (total < 0)
    return findings.add(rule::split_tensors_count, pair->value.offset, fmt::format("split.tensors.count is {}", total));
  const uint64_t here = reading.tensors.size();
  const bool whole = shard_count(reading) <= 1;
  if (static_cast<uint64_t>(total) < here || (whole && static_cast<uint64_t>(total) != here))
    findings.add(rule::split_tensors_count, pair->value.offset,
                 fmt::format("split.tensors.count is {}, but this file alone has {} tensors", total, here));
}

}  // namespace gcts
