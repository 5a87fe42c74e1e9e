// Faults in what a reader makes of tensors: alignment, shapes, types, offsets, bytes.

#include <algorithm>
#include <string>
#include <vector>

#include "plugins/faulty/fault.h"
#include "plugins/faulty/harm.h"

namespace gcts::fault {
namespace {

// The reader's own arithmetic on where the data start, instead of the right one.
template <typename StartOf>
void start_data_at(ReaderHooks& hooks, StartOf start_of) {
  hooks.misunderstand = [start_of](Reading& reading, std::span<const std::byte> file) {
    const uint64_t start = start_of(reading);
    for (TensorView& tensor : reading.tensors) {
      const uint64_t at = start + tensor.offset;
      if (!tensor.data.empty() && at <= file.size() && tensor.size <= file.size() - at)
        tensor.data = file.subspan(at, tensor.size);
    }
  };
}

// Harm in place of the message that a broken rule deserves.
template <typename Harm>
void harm_on(ReaderHooks& hooks, rule::Index broken, Harm harm) {
  hooks.on_reject = [broken, harm](const Finding& finding, std::span<const std::byte>) -> std::optional<gcts_status> {
    if (finding.rule == broken) harm();
    return std::nullopt;
  };
}

// A rule that another profile demands is taken for one of the document.
void demand(ReaderHooks& hooks, rule::Index index) {
  hooks.misunderstand = [index](Reading& reading, std::span<const std::byte>) {
    if (reading.findings.has(index))
      reading.findings.add(rule::tensor_in_file, reading.metadata_end, "demanded although the document does not");
  };
}

const KeyValueView* alignment_pair(const Reading& reading) { return reading.find(kAlignmentKey); }

}  // namespace

// ---------------------------------- Alignment ---------------------------------

void alignment_always_32(ReaderHooks& hooks) {
  start_data_at(hooks, [](const Reading& r) { return align_up(r.metadata_end, kDefaultAlignment); });
}

void alignment_key_taken_from_first_pair(ReaderHooks& hooks) {
  start_data_at(hooks, [](const Reading& r) {
    const bool first = !r.metadata.empty() && alignment_pair(r) == &r.metadata.front();
    return align_up(r.metadata_end, first ? r.alignment : kDefaultAlignment);
  });
}

// A page buffer of 4096 bytes limits what can be skipped.
void alignment_above_4096_cut(ReaderHooks& hooks) {
  start_data_at(hooks, [](const Reading& r) { return align_up(r.metadata_end, std::min(r.alignment, 4096u)); });
}

void alignment_type_unchecked(ReaderHooks& hooks) { hooks.ignore(rule::alignment_is_uint32); }
void alignment_odd_accepted(ReaderHooks& hooks) { hooks.ignore(rule::alignment_legal); }
void alignment_small_accepted(ReaderHooks& hooks) { hooks.ignore(rule::alignment_multiple_of_8); }
void alignment_24_refused(ReaderHooks& hooks) { demand(hooks, rule::alignment_power_of_two); }

void alignment_zero_divides(ReaderHooks& hooks) {
  harm_on(hooks, rule::alignment_not_zero, [] { divide_by(0); });
}

// ----------------------------------- Names ------------------------------------

void tensor_name_64_refused(ReaderHooks& hooks) { demand(hooks, rule::tensor_name_64_bytes); }
void tensor_name_65_accepted(ReaderHooks& hooks) { hooks.ignore(rule::tensor_name_length); }
void tensor_name_bad_utf8_accepted(ReaderHooks& hooks) { hooks.ignore(rule::tensor_name_is_utf8); }

// ----------------------------------- Shapes -----------------------------------

void rank_5_accepted(ReaderHooks& hooks) { hooks.ignore(rule::tensor_rank); }

void rank_overruns_array(ReaderHooks& hooks) {
  harm_on(hooks, rule::tensor_rank, [] { overrun_stack_array(uint64_t{1} << 24); });
}

void rank_allocated(ReaderHooks& hooks) { harm_on(hooks, rule::tensor_rank_fits_file, occupy_memory); }

void dimension_negative_accepted(ReaderHooks& hooks) { hooks.ignore(rule::dimension_range); }
void elements_wrap_to_zero_accepted(ReaderHooks& hooks) { hooks.ignore(rule::elements_wrap_to_zero); }
void elements_wrap_negative_accepted(ReaderHooks& hooks) { hooks.ignore(rule::elements_wrap_negative); }
void elements_wrap_small_accepted(ReaderHooks& hooks) { hooks.ignore(rule::elements_wrap_small); }
void tensor_bytes_wrap(ReaderHooks& hooks) { hooks.ignore(rule::tensor_bytes_representable); }
void tensor_sizes_sum_wraps(ReaderHooks& hooks) { hooks.ignore(rule::tensor_sizes_sum); }

// The test for an overflowing product divides by each dimension.
void dimension_zero_divides(ReaderHooks& hooks) {
  hooks.misunderstand = [](Reading& reading, std::span<const std::byte>) {
    for (const TensorView& tensor : reading.tensors)
      for (const uint64_t dim : tensor.dims) divide_by(dim);
  };
}

void dimensions_reversed(ReaderHooks& hooks) {
  hooks.misunderstand = [](Reading& reading, std::span<const std::byte>) {
    for (TensorView& tensor : reading.tensors) std::reverse(tensor.dims.begin(), tensor.dims.begin() + tensor.rank);
  };
}

void trailing_ones_dropped(ReaderHooks& hooks) {
  hooks.misunderstand = [](Reading& reading, std::span<const std::byte>) {
    for (TensorView& tensor : reading.tensors)
      while (tensor.rank > 1 && tensor.dims[tensor.rank - 1] == 1) --tensor.rank;
  };
}

// ------------------------------------ Types -----------------------------------

void tensor_type_unchecked(ReaderHooks& hooks) { hooks.ignore(rule::tensor_type_known); }
void tensor_type_repacked_accepted(ReaderHooks& hooks) { hooks.ignore(rule::tensor_type_repacked); }

// A removed type has a row of zeros in the table of block sizes.
void tensor_type_removed_divides(ReaderHooks& hooks) {
  harm_on(hooks, rule::tensor_type_q4_2_q4_3, [] { divide_by(0); });
}

void row_of_part_blocks_accepted(ReaderHooks& hooks) { hooks.ignore(rule::row_is_whole_blocks); }

// ----------------------------------- Offsets ----------------------------------

void offset_unaligned_accepted(ReaderHooks& hooks) { hooks.ignore(rule::tensor_offset_aligned); }

void offset_from_file_start(ReaderHooks& hooks) {
  start_data_at(hooks, [](const Reading&) { return uint64_t{0}; });
}

void offset_gap_refused(ReaderHooks& hooks) { demand(hooks, rule::offsets_without_gap); }
void offset_first_not_zero_refused(ReaderHooks& hooks) { demand(hooks, rule::first_offset_zero); }

// A tensor is thought to reach to the offset of the next in the list.
void size_from_next_offset(ReaderHooks& hooks) {
  hooks.misunderstand = [](Reading& reading, std::span<const std::byte> file) {
    for (size_t i = 0; i + 1 < reading.tensors.size(); ++i) {
      TensorView& tensor = reading.tensors[i];
      const uint64_t next = reading.tensors[i + 1].offset, at = reading.data_start + tensor.offset;
      tensor.size = next - tensor.offset;
      tensor.data = at < file.size() ? file.subspan(at, std::min(tensor.size, file.size() - at)) : tensor.data;
    }
  };
}

void tensor_outside_accepted(ReaderHooks& hooks) { hooks.ignore(rule::tensor_in_file); }
void tensor_end_wraps(ReaderHooks& hooks) { hooks.ignore(rule::tensor_end_representable); }

// ------------------------------------- Data -----------------------------------

void data_cut_accepted(ReaderHooks& hooks) { hooks.ignore(rule::tensor_data_complete); }
void padding_cut_accepted(ReaderHooks& hooks) { hooks.ignore(rule::prefix_rejected); }
void metadata_taken_for_model(ReaderHooks& hooks) { hooks.ignore(rule::metadata_only); }
void last_padding_demanded(ReaderHooks& hooks) { demand(hooks, rule::last_tensor_padded); }

void padding_demanded_without_tensors(ReaderHooks& hooks) {
  hooks.misunderstand = [](Reading& reading, std::span<const std::byte> file) {
    if (reading.tensors.empty() && align_up(reading.metadata_end, reading.alignment) > file.size())
      reading.findings.add(rule::prefix_rejected, reading.metadata_end, "the file ends before the data");
  };
}

// ------------------------------------ Shards ----------------------------------

void shards_not_followed(ReaderHooks& hooks) {
  hooks.misjoin = [](std::vector<Reading>& shards) {
    for (size_t i = 1; i < shards.size(); ++i) shards[i].tensors.clear();
  };
}

void metadata_of_last_shard(ReaderHooks& hooks) {
  hooks.misjoin = [](std::vector<Reading>& shards) { shards.front().metadata = shards.back().metadata; };
}

// ------------------------------------- Bytes ----------------------------------

// A file opened in text mode ends at its first byte 26.
void tensor_read_in_text_mode(ReaderHooks& hooks) {
  class TextMode final : public Reporter {
   public:
    using Reporter::Reporter;
    void tensor(std::string_view name, uint32_t type, uint32_t rank, const uint64_t* dims, uint64_t offset,
                const void* data, uint64_t size) override {
      if (!data) return Reporter::tensor(name, type, rank, dims, offset, data, size);
      const auto* begin = static_cast<const char*>(data);
      std::string bytes(begin, begin + size);
      std::fill(std::find(bytes.begin(), bytes.end(), '\x1A'), bytes.end(), '\0');
      Reporter::tensor(name, type, rank, dims, offset, bytes.data(), size);
    }
  };
  hooks.reporter = [](const gcts_sink& to) { return std::make_unique<TextMode>(to); };
}

}  // namespace gcts::fault
