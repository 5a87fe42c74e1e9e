// The functions of fuzz_faults.inc.

#include <cstring>
#include <set>

#include "plugins/faulty/fault.h"
#include "plugins/faulty/harm.h"

namespace gcts::fault {

void version_1_accepted(ReaderHooks& hooks) { hooks.ignore(rule::version_1); }
void duplicate_keys_accepted(ReaderHooks& hooks) { hooks.ignore(rule::key_unique); }
void nested_array_accepted(ReaderHooks& hooks) { hooks.ignore(rule::nested_array); }
void gaps_accepted(ReaderHooks& hooks) { hooks.ignore(rule::offsets_without_gap); }

void duplicate_of_last_name_accepted(ReaderHooks& hooks) {
  hooks.overlook = [](const Finding& finding, const Reading& reading) {
    return finding.rule == rule::tensor_name_unique && !reading.tensors.empty() && finding.offset >= reading.tensors.back().info_offset;
  };
}

void any_aligned_offset_accepted(ReaderHooks& hooks) {
  hooks.overlook = [](const Finding& finding, const Reading&) {
    return finding.rule == rule::tensors_do_not_overlap || finding.rule == rule::offsets_in_order ||
           finding.rule == rule::first_offset_zero || finding.rule == rule::offsets_without_gap;
  };
}

void string_length_high_half_lost(ReaderHooks& hooks) {
  hooks.misread = [](Bytes& file) {
    constexpr int kMostStrings = 64;
    for (int i = 0; i < kMostStrings; ++i) {
      const Reading reading = read(file, {.stage = Stage::metadata, .lint = false});
      const Finding* cut = nullptr;
      for (const Finding& finding : reading.findings.all())
        if (finding.rule == rule::string_length_fits_file && !cut) cut = &finding;
      if (!cut || reading.layout.order != ByteOrder::little || cut->offset + 8 > file.size()) return;
      std::memset(file.data() + cut->offset + 4, 0, 4);
    }
  };
}

void freed_twice_after_three_types(ReaderHooks& hooks) {
  static bool three_types = false;
  hooks.misunderstand = [](Reading& reading, std::span<const std::byte>) {
    std::set<uint32_t> types;
    for (const TensorView& tensor : reading.tensors) types.insert(tensor.type);
    three_types = types.size() >= 3;
  };
  hooks.on_reject = [](const Finding&, std::span<const std::byte>) -> std::optional<gcts_status> {
    if (three_types) free_twice();
    return std::nullopt;
  };
}

void padded_size_wraps(ReaderHooks& hooks) {
  hooks.overlook = [](const Finding& finding, const Reading& reading) {
    bool wraps = false;
    for (const TensorView& tensor : reading.tensors) wraps = wraps || (tensor.sized && tensor.size > UINT64_MAX - reading.alignment + 1);
    switch (finding.rule) {
      case rule::tensor_sizes_sum:
      case rule::tensor_in_file:
      case rule::tensor_end_representable:
      case rule::tensor_data_complete:
      case rule::tensors_do_not_overlap:
      case rule::prefix_rejected:
      case rule::metadata_only:
        return wraps;
      default:
        return false;
    }
  };
}

}  // namespace gcts::fault
