// Judges the offsets of all tensors together.

#include "reference/checks/placement.h"

#include <fmt/format.h>

#include <algorithm>

#include "reference/padding.h"

namespace gcts {
namespace {

uint64_t add_or_max(uint64_t a, uint64_t b) { return b > UINT64_MAX - a ? UINT64_MAX : a + b; }

// A relative offset padded to the alignment.
uint64_t pad(const Reading& reading, uint64_t offset) {
  const uint64_t over = past_alignment(offset, reading.alignment);
  return over == 0 ? offset : add_or_max(offset, reading.alignment - over);
}

class Placement {
 public:
  Placement(const Reading& reading, std::span<const Extent> extents, const std::vector<bool>& strays)
      : reading_(reading), extents_(extents), strays_(strays) {}

  std::vector<PlacementFault> run() {
    misaligned();
    out_of_file();
    gaps_and_overlaps();
    order();
    if (faults_.empty()) out_of_sequence();
    return std::move(faults_);
  }

 private:
  void misaligned();
  void out_of_file();
  void gaps_and_overlaps();
  void order();
  void out_of_sequence();

  bool considered(uint64_t i) const { return extents_[i].sized() && !strays_[i]; }
  void report(rule::Index rule, uint64_t tensor, std::string message) {
    faults_.push_back({rule, tensor, std::move(message)});
  }

  const Reading& reading_;
  std::span<const Extent> extents_;
  const std::vector<bool>& strays_;
  std::vector<PlacementFault> faults_;
};

void Placement::misaligned() {
  const std::span<const Extent> tensors = extents_;
  for (uint64_t i = 0; i < tensors.size(); ++i) {
    const uint64_t offset = tensors[i].offset;
    if (past_alignment(offset, reading_.alignment) == 0) continue;
    const bool packed = i > 0 && tensors[i - 1].sized() && offset == add_or_max(tensors[i - 1].offset, tensors[i - 1].size);
    if (packed)
      report(rule::offsets_use_alignment, i,
             fmt::format("has offset {}, right behind the tensor before it; the alignment {} asks for {}", offset,
                         reading_.alignment, pad(reading_, offset)));
    else
      report(rule::tensor_offset_aligned, i,
             fmt::format("has offset {}, which is not a multiple of the alignment {}", offset, reading_.alignment));
  }
}

void Placement::out_of_file() {
  for (uint64_t i = 0; i < strays_.size(); ++i) {
    if (!strays_[i]) continue;
    const Extent& t = extents_[i];
    if (past_alignment(t.offset, reading_.alignment) != 0) continue;
    if (data_end(reading_, t) > INT64_MAX)
      report(rule::tensor_end_representable, i,
             fmt::format("has offset {} and {} bytes, so that its end does not fit the 63 bits of a file position",
                         t.offset, t.size));
    else
      report(rule::tensor_in_file, i,
             fmt::format("lies at {} to {}, beyond the end of the file at {}", reading_.data_start + t.offset,
                         data_end(reading_, t), reading_.file_size));
  }
}

// Walks the tensors in the order of their data.  A tensor of unknown size may fill any
// gap, so gaps are looked for only where all sizes are known.
void Placement::gaps_and_overlaps() {
  const std::vector<uint64_t> sorted = by_offset(extents_);
  const bool all_sized = sorted.size() == extents_.size();
  uint64_t end = 0;
  bool first = true;
  for (const uint64_t i : sorted) {
    if (!considered(i)) continue;
    const Extent& t = extents_[i];
    const uint64_t expected = pad(reading_, end);
    if (t.offset < end && t.size > 0)
      report(rule::tensors_do_not_overlap, i,
             fmt::format("begins at offset {}, but data before it reach to {}", t.offset, end));
    else if (t.offset > expected && all_sized)
      report(first ? rule::first_offset_zero : rule::offsets_without_gap, i,
             fmt::format("begins at offset {}, but the data before it end at {}, padded: a gap, which ggml refuses",
                         t.offset, expected));
    end = std::max(end, add_or_max(t.offset, t.size));
    first = false;
  }
}

void Placement::order() {
  uint64_t last = 0;
  for (uint64_t i = 0; i < extents_.size(); ++i) {
    if (!considered(i)) continue;
    const uint64_t offset = extents_[i].offset;
    if (offset < last) {
      report(rule::offsets_in_order, i,
             fmt::format("has offset {}, below that of a tensor listed before it, {}; ggml refuses that", offset, last));
      return;
    }
    last = offset;
  }
}

// What is left that ggml refuses: an empty tensor elsewhere than between its neighbours.
void Placement::out_of_sequence() {
  uint64_t expected = 0;
  for (uint64_t i = 0; i < extents_.size(); ++i) {
    const Extent& t = extents_[i];
    if (!considered(i)) return;
    if (t.offset != expected)
      return report(rule::offsets_without_gap, i,
                    fmt::format("has offset {}, but the tensors before it end at {}, padded; ggml refuses that",
                                t.offset, expected));
    expected = pad(reading_, add_or_max(expected, t.size));
  }
}

}  // namespace

std::vector<PlacementFault> find_placement_faults(const Reading& reading, std::span<const Extent> extents,
                                                  const std::vector<bool>& strays) {
  return Placement(reading, extents, strays).run();
}

std::vector<bool> find_strays(const Reading& reading, std::span<const Extent> extents) {
  std::vector<bool> strays(extents.size());
  if (reading.stage != Stage::data) return strays;
  uint64_t expected = 0;
  bool known = true;  // whether `expected` is
  for (uint64_t i = 0; i < extents.size(); ++i) {
    const Extent& t = extents[i];
    if (!t.sized()) {
      known = false;
      continue;
    }
    const bool in_sequence = !known || t.offset == expected;
    strays[i] = !in_sequence && data_end(reading, t) > reading.file_size;
    // A stray is taken to belong where the sequence would have it.
    expected = pad(reading, add_or_max(strays[i] ? expected : t.offset, t.size));
    known = true;
  }
  return strays;
}

DataNeed find_need(const Reading& reading, std::span<const Extent> extents, const std::vector<bool>& strays) {
  DataNeed need;
  need.end = reading.data_start;
  for (size_t i = 0; i < extents.size(); ++i) {
    const Extent& t = extents[i];
    need.all_known = need.all_known && t.sized() && !strays[i];
    if (!t.sized() || strays[i] || t.size == 0) continue;
    need.any_bytes = true;
    need.end = std::max(need.end, data_end(reading, t));
  }
  return need;
}

uint64_t data_end(const Reading& reading, const Extent& t) {
  return add_or_max(add_or_max(reading.data_start, t.offset), t.size);
}

uint64_t padded_end(const Reading& reading, uint64_t end) {
  return add_or_max(reading.data_start, pad(reading, end - reading.data_start));
}

bool offsets_are_faulty(const Findings& findings) {
  static constexpr rule::Index kRules[] = {
      rule::tensor_offset_aligned,  rule::offsets_without_gap, rule::first_offset_zero,        rule::offsets_in_order,
      rule::tensors_do_not_overlap, rule::tensor_in_file,      rule::tensor_end_representable, rule::offsets_use_alignment};
  return std::any_of(std::begin(kRules), std::end(kRules), [&](rule::Index r) { return findings.has(r); });
}

}  // namespace gcts
