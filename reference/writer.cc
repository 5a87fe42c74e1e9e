// Encodes a model field by field; every strategy goes through the same encoder.

#include "reference/writer.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace gcts {
namespace {

constexpr std::string_view kMagic = "GGUF";

constexpr std::string_view kFieldKindNames[] = {
    "magic",  "version",       "tensor_count", "metadata_count", "key_length",    "key_bytes",   "value_type",
    "scalar", "string_length", "string_bytes", "element_type",   "element_count", "name_length", "name_bytes",
    "rank",   "dimension",     "tensor_type",  "tensor_offset",  "padding",       "tensor_data",
};
static_assert(std::size(kFieldKindNames) == static_cast<size_t>(FieldKind::tensor_data) + 1);

// Appends fields to bytes, and notes each in a map if there is one.
class Encoder {
 public:
  Encoder(Bytes& bytes, std::vector<Field>* fields, Layout layout)
      : bytes_(bytes), fields_(fields), layout_(layout) {}

  void number(FieldKind kind, uint64_t value, uint32_t size, uint32_t item, uint32_t part = 0) {
    note(kind, size, item, part);
    put(value, size);
  }
  void count(FieldKind kind, uint64_t value, uint32_t item, uint32_t part = 0) {
    number(kind, value, layout_.count_bytes(), item, part);
  }
  void text(FieldKind kind, std::string_view text, uint32_t item, uint32_t part = 0) {
    note(kind, text.size(), item, part);
    const auto* data = reinterpret_cast<const std::byte*>(text.data());
    bytes_.insert(bytes_.end(), data, data + text.size());
  }
  void value(const Value& value, uint32_t item);

 private:
  // Index of the next field of each kind within one value.
  struct Parts {
    uint32_t scalar = 0, string = 0, array = 0;
  };

  void note(FieldKind kind, uint64_t size, uint32_t item, uint32_t part) {
    if (fields_ && size > 0) fields_->push_back({kind, item, part, bytes_.size(), size});
  }
  void put(uint64_t value, uint32_t size) {
    for (uint32_t i = 0; i < size; ++i) {
      const uint32_t byte = layout_.order == ByteOrder::little ? i : size - 1 - i;
      bytes_.push_back(static_cast<std::byte>(value >> (8 * byte)));
    }
  }
  void string(const Value& value, uint32_t item, Parts& parts) {
    count(FieldKind::string_length, value.text.size(), item, parts.string);
    text(FieldKind::string_bytes, value.text, item, parts.string);
    ++parts.string;
  }
  void array_head(const Value& value, uint32_t item, Parts& parts) {
    number(FieldKind::element_type, static_cast<uint32_t>(value.element_type), 4, item, parts.array);
    count(FieldKind::element_count, value.elements.size(), item, parts.array);
    ++parts.array;
  }
  void packed(const Value& array, uint32_t item, Parts& parts);

  Bytes& bytes_;
  std::vector<Field>* fields_;
  Layout layout_;
};

// The scalars of one array, one field.
void Encoder::packed(const Value& array, uint32_t item, Parts& parts) {
  const uint32_t size = scalar_bytes(array.element_type);
  note(FieldKind::scalar, size * array.elements.size(), item, parts.scalar);
  if (!array.elements.empty()) ++parts.scalar;
  for (const Value& element : array.elements) put(element.bits, size);
}

// An array's elements are written as its element type says, so that a model can hold
// an array whose elements disagree with it.  Iterative: nesting has no limit.
void Encoder::value(const Value& root, uint32_t item) {
  Parts parts;
  if (root.type == ValueType::string) return string(root, item, parts);
  if (root.type != ValueType::array) {
    number(FieldKind::scalar, root.bits, scalar_bytes(root.type), item);
    return;
  }
  struct Level {
    const Value* array;
    size_t next;
  };
  std::vector<Level> levels;
  array_head(root, item, parts);
  levels.push_back({&root, 0});
  while (!levels.empty()) {
    Level& level = levels.back();
    const Value& array = *level.array;
    if (array.element_type == ValueType::array && level.next < array.elements.size()) {
      const Value& inner = array.elements[level.next++];
      array_head(inner, item, parts);
      levels.push_back({&inner, 0});
      continue;
    }
    if (array.element_type == ValueType::string) {
      for (const Value& element : array.elements) string(element, item, parts);
    } else if (array.element_type != ValueType::array) {
      packed(array, item, parts);
    }
    levels.pop_back();
  }
}

// Where the tensors' bytes go, relative to the data start.
struct Placement {
  std::vector<uint64_t> offsets;  // as the tensor infos say
  std::vector<uint64_t> places;   // where the bytes are put
  uint64_t end = 0;               // of the last byte of any tensor
};

uint64_t applied_alignment(const File& file) {
  const uint64_t alignment = file.alignment();
  return alignment <= kMaxGap ? alignment : kDefaultAlignment;
}

Placement place(const File& file) {
  const uint64_t alignment = applied_alignment(file);
  Placement placement;
  uint64_t next = 0;
  for (const Tensor& tensor : file.tensors) {
    const uint64_t offset = tensor.offset.value_or(next);
    const uint64_t at = offset <= next + kMaxGap ? offset : next;
    placement.offsets.push_back(offset);
    placement.places.push_back(at);
    placement.end = std::max(placement.end, at + tensor.data.size());
    next = align_up(std::max(next, at + tensor.data.size()), alignment);
  }
  return placement;
}

void encode_metadata(const File& file, const Placement& placement, Bytes& bytes, std::vector<Field>* fields) {
  Encoder out(bytes, fields, file.layout);
  out.text(FieldKind::magic, kMagic, 0);
  out.number(FieldKind::version, file.layout.version, 4, 0);
  out.count(FieldKind::tensor_count, file.tensors.size(), 0);
  out.count(FieldKind::metadata_count, file.metadata.size(), 0);
  for (uint32_t i = 0; i < file.metadata.size(); ++i) {
    const KeyValue& pair = file.metadata[i];
    out.count(FieldKind::key_length, pair.key.size(), i);
    out.text(FieldKind::key_bytes, pair.key, i);
    out.number(FieldKind::value_type, static_cast<uint32_t>(pair.value.type), 4, i);
    out.value(pair.value, i);
  }
  for (uint32_t i = 0; i < file.tensors.size(); ++i) {
    const Tensor& tensor = file.tensors[i];
    out.count(FieldKind::name_length, tensor.name.size(), i);
    out.text(FieldKind::name_bytes, tensor.name, i);
    out.number(FieldKind::rank, tensor.dims.size(), 4, i);
    for (uint32_t d = 0; d < tensor.dims.size(); ++d) out.count(FieldKind::dimension, tensor.dims[d], i, d);
    out.number(FieldKind::tensor_type, tensor.type, 4, i);
    out.number(FieldKind::tensor_offset, placement.offsets[i], 8, i);
  }
}

void fill(Bytes& bytes, uint64_t size, std::vector<Field>* fields, uint32_t item, uint32_t part) {
  if (size == 0) return;
  if (fields) fields->push_back({FieldKind::padding, item, part, bytes.size(), size});
  bytes.resize(bytes.size() + size);
}

// One run of a tensor's bytes that no later tensor covers.
struct Run {
  uint64_t begin, end;
  uint32_t tensor;
};

// The runs of all tensors in file order.
std::vector<Run> visible_runs(const File& file, const Placement& placement) {
  std::vector<Run> runs;
  bool ordered = true;
  uint64_t end = 0;
  for (uint32_t i = 0; i < file.tensors.size(); ++i) {
    const uint64_t at = placement.places[i];
    if (file.tensors[i].data.empty()) continue;
    ordered = ordered && at >= end;
    end = at + file.tensors[i].data.size();
    runs.push_back({at, end, i});
  }
  if (ordered) return runs;
  std::vector<uint64_t> cuts;
  for (const Run& run : runs) cuts.insert(cuts.end(), {run.begin, run.end});
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::vector<Run> visible;
  for (size_t c = 0; c + 1 < cuts.size(); ++c) {
    const Run* top = nullptr;
    for (const Run& run : runs)
      if (run.begin <= cuts[c] && run.end >= cuts[c + 1]) top = &run;
    if (!top) continue;
    if (!visible.empty() && visible.back().tensor == top->tensor && visible.back().end == cuts[c])
      visible.back().end = cuts[c + 1];
    else
      visible.push_back({cuts[c], cuts[c + 1], top->tensor});
  }
  return visible;
}

// Appends the tensor data to bytes that end at the data start.
void encode_data(const File& file, const Placement& placement, const WriteOptions& options, Bytes& bytes,
                 std::vector<Field>* fields) {
  const uint64_t start = bytes.size();
  std::vector<uint32_t> fragments(file.tensors.size());
  uint32_t previous = 0;
  for (const Run& run : visible_runs(file, placement)) {
    fill(bytes, start + run.begin - bytes.size(), fields, previous, 1);
    if (fields)
      fields->push_back(
          {FieldKind::tensor_data, run.tensor, fragments[run.tensor]++, bytes.size(), run.end - run.begin});
    const auto data =
        file.tensors[run.tensor].data.begin() - static_cast<ptrdiff_t>(placement.places[run.tensor]);
    bytes.insert(bytes.end(), data + static_cast<ptrdiff_t>(run.begin),
                 data + static_cast<ptrdiff_t>(run.end));
    previous = run.tensor;
  }
  if (options.pad_last_tensor) {
    const uint64_t end = align_up(placement.end, applied_alignment(file));
    fill(bytes, start + end - bytes.size(), fields, previous, 1);
  }
}

void pad_metadata(const File& file, const WriteOptions& options, Bytes& bytes, std::vector<Field>* fields) {
  if (file.tensors.empty() && !options.pad_without_tensors) return;
  fill(bytes, align_up(bytes.size(), applied_alignment(file)) - bytes.size(), fields, 0, 0);
}

void write_whole(const File& file, const WriteOptions& options, Bytes& bytes, std::vector<Field>* fields) {
  const Placement placement = place(file);
  encode_metadata(file, placement, bytes, fields);
  pad_metadata(file, options, bytes, fields);
  encode_data(file, placement, options, bytes, fields);
}

// The metadata stand complete before a tensor's bytes are looked at; the data follow.
void write_metadata_first(const File& file, const WriteOptions& options, Bytes& bytes,
                          std::vector<Field>* fields) {
  const Placement placement = place(file);
  Bytes head;
  encode_metadata(file, placement, head, fields);
  pad_metadata(file, options, head, fields);
  bytes = std::move(head);
  encode_data(file, placement, options, bytes, fields);
}

// Room is left for the metadata, the data are written, then the room is filled.
void write_reserved(const File& file, const WriteOptions& options, Bytes& bytes, std::vector<Field>* fields) {
  const Placement placement = place(file);
  Bytes head;
  encode_metadata(file, placement, head, nullptr);
  pad_metadata(file, options, head, nullptr);
  bytes.resize(head.size());
  std::vector<Field> data_fields;
  encode_data(file, placement, options, bytes, fields ? &data_fields : nullptr);
  head.clear();
  encode_metadata(file, placement, head, fields);
  pad_metadata(file, options, head, fields);
  std::copy(head.begin(), head.end(), bytes.begin());
  if (fields) fields->insert(fields->end(), data_fields.begin(), data_fields.end());
}

using StrategyFunction = void (*)(const File&, const WriteOptions&, Bytes&, std::vector<Field>*);
constexpr StrategyFunction kStrategies[] = {write_whole, write_metadata_first, write_reserved};

}  // namespace

std::string_view field_kind_name(FieldKind kind) { return kFieldKindNames[static_cast<size_t>(kind)]; }

const Field* Written::find(FieldKind kind, uint32_t item, uint32_t part) const {
  for (const Field& field : fields)
    if (field.kind == kind && field.item == item && field.part == part) return &field;
  return nullptr;
}

void Written::patch(const Field& field, uint64_t value) {
  for (uint64_t i = 0; i < field.size; ++i) {
    const uint64_t at = layout.order == ByteOrder::little ? i : field.size - 1 - i;
    bytes[field.offset + at] = i < 8 ? static_cast<std::byte>(value >> (8 * i)) : std::byte{0};
  }
}

uint64_t Written::read(const Field& field) const {
  uint64_t value = 0;
  for (uint64_t i = 0; i < std::min<uint64_t>(field.size, 8); ++i) {
    const uint64_t at = layout.order == ByteOrder::little ? i : field.size - 1 - i;
    value |= std::to_integer<uint64_t>(bytes[field.offset + at]) << (8 * i);
  }
  return value;
}

Written write(const File& file, const WriteOptions& options) {
  Written written;
  written.layout = file.layout;
  kStrategies[static_cast<size_t>(options.strategy)](file, options, written.bytes, &written.fields);
  return written;
}

Bytes write_bytes(const File& file, const WriteOptions& options) {
  Bytes bytes;
  kStrategies[static_cast<size_t>(options.strategy)](file, options, bytes, nullptr);
  return bytes;
}

}  // namespace gcts
