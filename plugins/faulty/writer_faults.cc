// Faults in a writer: what it makes of the model, of refusals, of the bytes, and of
// the output.

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "plugins/faulty/fault.h"
#include "plugins/reference/writer.h"

namespace gcts::fault {
namespace {

std::string_view text(gcts_string s) { return {s.data, s.size}; }

bool is_array(const Value& value) { return value.type == ValueType::array; }

// Drops the pairs whose value the writer takes for "nothing".
template <typename IsNothing>
void drop_pairs(WriterHooks& hooks, IsNothing is_nothing) {
  hooks.misunderstand = [is_nothing](File& model) {
    std::erase_if(model.metadata, [&](const KeyValue& pair) { return is_nothing(pair.value); });
  };
}

// Overwrites every field of a kind that `change` takes.
template <typename Change>
void change_fields(WriterHooks& hooks, FieldKind kind, Change change) {
  hooks.miswrite = [kind, change](Written& written, WriteStrategy) {
    for (const Field& field : written.fields)
      if (field.kind == kind) change(written, field);
  };
}

// Lays the tensors out for `alignment` although the metadata say another.
Written laid_out_for(const Written& written, uint32_t alignment) {
  File model = to_file(read(written.bytes));
  for (Tensor& tensor : model.tensors) tensor.offset.reset();
  const uint32_t declared = model.alignment();
  for (KeyValue& pair : model.metadata)
    if (pair.key == kAlignmentKey) pair.value = Value::u32(alignment);
  Written other = write(model);
  for (uint32_t i = 0; i < model.metadata.size(); ++i)
    if (model.metadata[i].key == kAlignmentKey) other.patch(*other.find(FieldKind::scalar, i), declared);
  return other;
}

// A value as the request has it, without the refusals that a model asks for.
Value forced(const gcts_value& from) {
  Value to;
  to.type = static_cast<ValueType>(from.type);
  if (to.type == ValueType::string) {
    to.text.assign(static_cast<const char*>(from.data), from.count);
  } else if (to.type == ValueType::array) {
    to.element_type = static_cast<ValueType>(from.element_type);
    const auto* elements = static_cast<const gcts_value*>(from.data);
    for (uint64_t i = 0; i < from.count; ++i) to.elements.push_back(forced(elements[i]));
  } else {
    to = Value::scalar(to.type, from.bits);
  }
  return to;
}

void force_metadata(WriterHooks& hooks) {
  hooks.force = [](const gcts_write_request& request, File& model) {
    model = {};
    model.layout = {request.version, request.big_endian ? ByteOrder::big : ByteOrder::little};
    for (uint64_t i = 0; i < request.metadata_count; ++i)
      model.metadata.push_back({std::string(text(request.metadata[i].key)), forced(request.metadata[i].value)});
  };
}

}  // namespace

// ----------------------------------- Header -----------------------------------

void version_2_written(WriterHooks& hooks) {
  hooks.misunderstand = [](File& model) {
    if (model.layout.order == ByteOrder::little) model.layout.version = 2;
  };
}

void pair_count_one_short(WriterHooks& hooks) {
  change_fields(hooks, FieldKind::metadata_count, [](Written& written, const Field& field) {
    const uint64_t count = written.read(field);
    if (count > 0) written.patch(field, count - 1);
  });
}

void big_endian_magic_swapped(WriterHooks& hooks) {
  change_fields(hooks, FieldKind::magic, [](Written& written, const Field& field) {
    if (written.layout.order == ByteOrder::big)
      std::reverse(&written.bytes[field.offset], &written.bytes[field.offset] + field.size);
  });
}

void big_endian_offsets_not_swapped(WriterHooks& hooks) {
  change_fields(hooks, FieldKind::tensor_offset, [](Written& written, const Field& field) {
    if (written.layout.order == ByteOrder::big)
      std::reverse(&written.bytes[field.offset], &written.bytes[field.offset] + field.size);
  });
}

// ---------------------------------- Metadata ----------------------------------

void keys_sorted(WriterHooks& hooks) {
  hooks.misunderstand = [](File& model) {
    std::sort(model.metadata.begin(), model.metadata.end(),
                     [](const KeyValue& a, const KeyValue& b) { return a.key < b.key; });
  };
}

void tensors_sorted(WriterHooks& hooks) {
  hooks.misunderstand = [](File& model) {
    std::sort(model.tensors.begin(), model.tensors.end(),
                     [](const Tensor& a, const Tensor& b) { return a.name < b.name; });
  };
}

void keys_prefixed(WriterHooks& hooks) {
  hooks.misunderstand = [](File& model) {
    for (KeyValue& pair : model.metadata)
      if (!pair.key.starts_with("general.") && !pair.key.starts_with("tokenizer.")) pair.key = "llama." + pair.key;
  };
}

void empty_arrays_dropped(WriterHooks& hooks) {
  drop_pairs(hooks, [](const Value& value) { return is_array(value) && value.elements.empty(); });
}

void empty_strings_dropped(WriterHooks& hooks) {
  drop_pairs(hooks, [](const Value& value) { return value.type == ValueType::string && value.text.empty(); });
}

// Type id 0 is taken for "no type".
void byte_arrays_dropped(WriterHooks& hooks) {
  drop_pairs(hooks, [](const Value& value) { return is_array(value) && value.element_type == ValueType::uint8; });
}

void strings_cut_at_nul(WriterHooks& hooks) {
  hooks.misunderstand = [](File& model) {
    for (KeyValue& pair : model.metadata) {
      std::string& value = pair.value.text;
      value.resize(std::min(value.size(), value.find('\0')));
    }
  };
}

void bools_written_as_all_ones(WriterHooks& hooks) {
  hooks.miswrite = [](Written& written, WriteStrategy) {
    for (const Field& field : written.fields) {
      const Field* type = field.kind == FieldKind::scalar ? written.find(FieldKind::value_type, field.item) : nullptr;
      if (type && written.read(*type) == GCTS_BOOL && written.read(field) == 1) written.patch(field, 0xFF);
    }
  };
}

void float_nans_made_quiet(WriterHooks& hooks) {
  hooks.misunderstand = [](File& model) {
    for (KeyValue& pair : model.metadata)
      if (pair.value.type == ValueType::float32 && (pair.value.bits & 0x7FFFFFFF) > 0x7F800000)
        pair.value.bits = 0x7FC00000;
  };
}

void duplicates_written(WriterHooks& hooks) {
  hooks.permit = [](const Finding& finding) {
    return finding.rule == rule::key_unique || finding.rule == rule::tensor_name_unique;
  };
}

void integers_wrapped(WriterHooks& hooks) { force_metadata(hooks); }

void mixed_array_converted(WriterHooks& hooks) { force_metadata(hooks); }

// ----------------------------------- Tensors ----------------------------------

void names_cut_at_63(WriterHooks& hooks) {
  hooks.misunderstand = [](File& model) {
    for (Tensor& tensor : model.tensors) tensor.name.resize(std::min<size_t>(tensor.name.size(), 63));
  };
}

void trailing_ones_not_written(WriterHooks& hooks) {
  hooks.misunderstand = [](File& model) {
    for (Tensor& tensor : model.tensors)
      while (tensor.dims.size() > 1 && tensor.dims.back() == 1) tensor.dims.pop_back();
  };
}

void alignment_key_not_applied(WriterHooks& hooks) {
  hooks.miswrite = [](Written& written, WriteStrategy) { written = laid_out_for(written, kDefaultAlignment); };
}

// The alignment of the model that was copied stays in force after its key is gone.
void alignment_applied_without_key(WriterHooks& hooks) {
  hooks.misunderstand = [](File& model) {
    if (model.find(kAlignmentKey)) return;
    uint64_t next = 0;
    for (Tensor& tensor : model.tensors) {
      tensor.offset = next;
      next = align_up(next + tensor.data.size(), 8);
    }
  };
  hooks.permit = [](const Finding&) { return true; };
}

// The padding goes out with the data, but not into the size that offsets come from.
void padding_not_in_running_size(WriterHooks& hooks) {
  hooks.misunderstand = [](File& model) {
    uint64_t size = 0;
    for (Tensor& tensor : model.tensors) {
      tensor.offset = size;
      size += tensor.data.size();
    }
  };
  hooks.permit = [](const Finding&) { return true; };
}

// What stands in the offset of the first tensor is whatever the memory held.
void tensor_offset_not_set(WriterHooks& hooks) {
  change_fields(hooks, FieldKind::tensor_offset, [](Written& written, const Field& field) {
    if (field.item == 0) written.patch(field, 0x7F7F7F7F7F7F7F7F);
  });
}

void padding_not_zero(WriterHooks& hooks) {
  change_fields(hooks, FieldKind::padding, [](Written& written, const Field& field) {
    std::memset(&written.bytes[field.offset], 0xCC, field.size);
  });
}

void last_tensor_not_padded(WriterHooks& hooks) {
  hooks.miswrite = [](Written& written, WriteStrategy) {
    if (!written.fields.empty() && written.fields.back().kind == FieldKind::padding)
      written.bytes.resize(written.fields.back().offset);
  };
}

// ----------------------------------- Output -----------------------------------

// The data are appended to metadata that nobody padded.
void appended_without_padding(WriterHooks& hooks) {
  hooks.miswrite = [](Written& written, WriteStrategy strategy) {
    const Field* padding = written.find(FieldKind::padding, 0, 0);
    if (strategy != WriteStrategy::metadata_first || !padding) return;
    const auto begin = written.bytes.begin() + static_cast<ptrdiff_t>(padding->offset);
    written.bytes.erase(begin, begin + static_cast<ptrdiff_t>(padding->size));
  };
}

// What is reserved is the metadata without its padding.
void reserved_too_little(WriterHooks& hooks) {
  hooks.put = [](const Written& written, WriteStrategy strategy, const gcts_output& output) {
    const Field* data = written.find(FieldKind::tensor_data);
    const Field* padding = written.find(FieldKind::padding, 0, 0);
    if (strategy != WriteStrategy::reserve || !data || !padding) return put(written, strategy, output);
    const auto* bytes = written.bytes.data();
    return output.write_at(output.context, padding->offset, bytes + data->offset, written.bytes.size() - data->offset) ==
               0 &&
           output.write_at(output.context, 0, bytes, padding->offset) == 0;
  };
}

void output_error_ignored(WriterHooks& hooks) {
  hooks.put = [](const Written& written, WriteStrategy strategy, const gcts_output& output) {
    put(written, strategy, output);
    return true;
  };
}

}  // namespace gcts::fault
