// Scans what a file's prefix holds, field by field, and changes fields, models or plain bytes.

#include "corpus/mutator.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "reference/reader.h"
#include "reference/tensor_type.h"

namespace gcts {
namespace {

// Walks the shape of a file, noting each field; stops at the first that is not there.
class Scanner {
 public:
  explicit Scanner(std::span<const std::byte> file) : file_(file) {
    constexpr size_t kUsual = 96;  // fields of a small model
    scan_.fields.reserve(std::min(kUsual, file.size() / 4 + 1));
  }

  Scan run() {
    if (!header()) return finish();
    for (uint64_t i = 0; i < metadata_count_; ++i)
      if (!pair(static_cast<uint32_t>(i))) return finish();
    for (uint64_t i = 0; i < tensor_count_; ++i)
      if (!tensor(static_cast<uint32_t>(i))) return finish();
    return finish();
  }

 private:
  Scan finish() {
    scan_.end = at_;
    if (at_ < file_.size() && scan_.fields.size() < kMaxScanned)
      scan_.fields.push_back({FieldKind::tensor_data, 0, 0, at_, file_.size() - at_});
    return std::move(scan_);
  }

  uint64_t value(uint64_t offset, uint64_t size) const {
    uint64_t v = 0;
    for (uint64_t i = 0; i < size; ++i) {
      const uint64_t byte = std::to_integer<uint64_t>(file_[offset + i]);
      v |= byte << (8 * (scan_.layout.order == ByteOrder::little ? i : size - 1 - i));
    }
    return v;
  }

  // One field of `size` bytes; its value if it is short.
  bool field(FieldKind kind, uint32_t item, uint32_t part, uint64_t size, uint64_t* out = nullptr) {
    if (size > file_.size() - at_ || scan_.fields.size() >= kMaxScanned) return false;
    scan_.fields.push_back({kind, item, part, at_, size});
    if (out) *out = value(at_, size);
    at_ += size;
    return true;
  }

  bool header() {
    uint64_t version = 0;
    if (!field(FieldKind::magic, 0, 0, 4) || !field(FieldKind::version, 0, 0, 4, &version)) return false;
    if ((version & 0xffff) == 0 && version != 0) {
      scan_.layout.order = ByteOrder::big;
      version = value(4, 4);
    }
    scan_.layout.version = version == 1 ? 1 : static_cast<uint32_t>(version);
    const uint64_t count = scan_.layout.count_bytes();
    return field(FieldKind::tensor_count, 0, 0, count, &tensor_count_) &&
           field(FieldKind::metadata_count, 0, 0, count, &metadata_count_);
  }

  bool string(FieldKind length, FieldKind bytes, uint32_t item, uint32_t part) {
    uint64_t size = 0;
    return field(length, item, part, scan_.layout.count_bytes(), &size) && field(bytes, item, part, size);
  }

  bool pair(uint32_t item) {
    uint64_t type = 0;
    if (!string(FieldKind::key_length, FieldKind::key_bytes, item, 0)) return false;
    if (!field(FieldKind::value_type, item, 0, 4, &type)) return false;
    return content(item, type);
  }

  // A value, nested arrays included, with the counts still open on a list.
  bool content(uint32_t item, uint64_t type) {
    struct Open {
      uint64_t type, left;
    };
    std::vector<Open> open{{type, 1}};
    // Counted as the writer counts them: each kind of field for itself.
    uint32_t strings = 0, arrays = 0, scalars = 0;
    while (!open.empty()) {
      if (open.back().left == 0) {
        open.pop_back();
        continue;
      }
      const uint64_t kind = open.back().type;
      const uint32_t bytes = scalar_bytes(static_cast<ValueType>(kind));
      if (bytes != 0) {
        const uint64_t count = open.back().left;
        open.back().left = 0;
        if (count > file_.size() || !field(FieldKind::scalar, item, scalars++, count * bytes)) return false;
        continue;
      }
      --open.back().left;
      if (kind == static_cast<uint64_t>(ValueType::string)) {
        if (!string(FieldKind::string_length, FieldKind::string_bytes, item, strings++)) return false;
      } else if (kind == static_cast<uint64_t>(ValueType::array)) {
        Open inner{0, 0};
        if (!field(FieldKind::element_type, item, arrays, 4, &inner.type) ||
            !field(FieldKind::element_count, item, arrays, scan_.layout.count_bytes(), &inner.left))
          return false;
        ++arrays;
        open.push_back(inner);
      } else {
        return false;
      }
    }
    return true;
  }

  bool tensor(uint32_t item) {
    uint64_t rank = 0;
    if (!string(FieldKind::name_length, FieldKind::name_bytes, item, 0)) return false;
    if (!field(FieldKind::rank, item, 0, 4, &rank)) return false;
    for (uint64_t d = 0; d < rank; ++d)
      if (!field(FieldKind::dimension, item, static_cast<uint32_t>(d), scan_.layout.count_bytes())) return false;
    return field(FieldKind::tensor_type, item, 0, 4) && field(FieldKind::tensor_offset, item, 0, 8);
  }

  std::span<const std::byte> file_;
  Scan scan_;
  uint64_t at_ = 0, tensor_count_ = 0, metadata_count_ = 0;
};

// ------------------------------ Values that hurt ------------------------------

template <size_t N>
uint64_t pick(const std::array<uint64_t, N>& from, Generator& random) {
  return from[random.below(N)];
}

constexpr uint64_t kTop = uint64_t{1} << 63;
constexpr std::array<uint64_t, 16> kEdges = {0, 1, 2, 3, 127, 128, 255, 256, 65535, 65536, 0x7fffffff, 0x80000000,
                                             0xffffffff, uint64_t{1} << 32, kTop, ~uint64_t{0}};
constexpr std::array<uint64_t, 8> kVersions = {0, 1, 2, 3, 4, 0x03000000, 0x00010000, 0xffffffff};
constexpr std::array<uint64_t, 12> kDimensions = {0, 1, 31, 32, 33, uint64_t{1} << 31, uint64_t{1} << 32,
                                                  uint64_t{1} << 61, (uint64_t{1} << 61) + 1, uint64_t{1} << 62,
                                                  kTop - 1, kTop};
constexpr std::array<uint64_t, 12> kAlignments = {0, 1, 2, 4, 8, 16, 24, 33, 64, 4096, 65536, 0x80000000};
constexpr std::array<uint64_t, 8> kLengths = {0, 1, 63, 64, 65, 65535, 65536, uint64_t{1} << 40};

// A value for a field of this kind that readers are known to stumble over.
uint64_t hostile_value(const Field& field, uint64_t now, uint64_t left, Generator& random) {
  if (random.chance(1, 4)) return random.chance(1, 2) ? now + 1 : now - 1;
  if (random.chance(1, 8)) return pick(kEdges, random);
  switch (field.kind) {
    case FieldKind::magic: return now ^ (uint64_t{1} << random.below(32));
    case FieldKind::version: return pick(kVersions, random);
    case FieldKind::tensor_count: return random.chance(1, 2) ? left / 24 + random.below(3) : random.below(8);
    case FieldKind::metadata_count: return random.chance(1, 2) ? left / 13 + random.below(3) : random.below(8);
    case FieldKind::key_length:
    case FieldKind::string_length:
    case FieldKind::name_length:
      return random.chance(1, 2) ? left - std::min<uint64_t>(left, random.below(9)) + random.below(2)
                                 : pick(kLengths, random);
    case FieldKind::element_count: {
      const uint64_t size = uint64_t{1} << random.below(4);
      return random.chance(1, 2) ? left / size + random.below(3) : (uint64_t{1} << (63 - random.below(6))) + random.below(3);
    }
    case FieldKind::value_type:
    case FieldKind::element_type: return random.below(15);
    case FieldKind::rank: return random.below(7);
    case FieldKind::dimension: return pick(kDimensions, random);
    case FieldKind::tensor_type: return random.below(46);
    case FieldKind::tensor_offset:
      return random.chance(1, 2) ? now + 32 * (random.below(5) - 2) : ~uint64_t{0} - 31 - 32 * random.below(2);
    default: return random.next();
  }
}

void patch(Bytes& bytes, const Field& field, uint64_t value, ByteOrder order) {
  const uint64_t size = std::min<uint64_t>(field.size, 8);
  for (uint64_t i = 0; i < size; ++i) {
    const uint64_t place = order == ByteOrder::little ? i : size - 1 - i;
    bytes[field.offset + i] = static_cast<std::byte>(value >> (8 * place));
  }
}

uint64_t peek(const Bytes& bytes, const Field& field, ByteOrder order) {
  const uint64_t size = std::min<uint64_t>(field.size, 8);
  uint64_t v = 0;
  for (uint64_t i = 0; i < size; ++i) {
    const uint64_t place = order == ByteOrder::little ? i : size - 1 - i;
    v |= std::to_integer<uint64_t>(bytes[field.offset + i]) << (8 * place);
  }
  return v;
}

// ------------------------------- Ways to change -------------------------------

void change_byte(Bytes& bytes, uint64_t from, uint64_t size, Generator& random) {
  if (size == 0) return;
  std::byte& b = bytes[from + random.below(size)];
  b = random.chance(1, 2) ? b ^ static_cast<std::byte>(1u << random.below(8)) : static_cast<std::byte>(random.next());
}

void change_plain(Bytes& bytes, Generator& random) {
  if (bytes.empty() || random.chance(1, 8)) {
    bytes.insert(bytes.begin() + static_cast<ptrdiff_t>(random.below(bytes.size() + 1)), 1 + random.below(8),
                 static_cast<std::byte>(random.next()));
  } else if (random.chance(1, 4)) {
    const uint64_t at = random.below(bytes.size()), n = 1 + random.below(std::min<uint64_t>(16, bytes.size() - at));
    bytes.erase(bytes.begin() + static_cast<ptrdiff_t>(at), bytes.begin() + static_cast<ptrdiff_t>(at + n));
  } else {
    change_byte(bytes, 0, bytes.size(), random);
  }
}

constexpr std::array<std::string_view, 10> kSnippets = {
    std::string_view("\0", 1), "\xff\xfe", "\xed\xa0\x80", "\xc0\x80", "\xef\xbb\xbf", "\x1b[31m", "<b>", ".", "A", " "};

// Text gains a snippet that readers mistreat; the length field follows unless the
// change is meant to leave it behind.
void change_text(Bytes& bytes, const Scan& scan, size_t index, Generator& random) {
  const Field text = scan.fields[index], length = scan.fields[index - 1];
  if (text.size != 0 && random.chance(1, 3)) return change_byte(bytes, text.offset, text.size, random);
  const std::string_view snippet = kSnippets[random.below(kSnippets.size())];
  const auto at = bytes.begin() + static_cast<ptrdiff_t>(text.offset + random.below(text.size + 1));
  std::vector<std::byte> add(snippet.size());
  std::memcpy(add.data(), snippet.data(), snippet.size());
  bytes.insert(at, add.begin(), add.end());
  if (!random.chance(1, 6)) patch(bytes, length, text.size + snippet.size(), scan.layout.order);
}

bool is_text(FieldKind kind) {
  return kind == FieldKind::key_bytes || kind == FieldKind::string_bytes || kind == FieldKind::name_bytes;
}

void change_field(Bytes& bytes, const Scan& scan, Generator& random) {
  const size_t index = random.below(scan.fields.size());
  const Field& field = scan.fields[index];
  if (random.chance(1, 12)) {  // end the file here, or in the middle of the field
    bytes.resize(field.offset + random.below(field.size + 1));
  } else if (is_text(field.kind)) {
    change_text(bytes, scan, index, random);
  } else if (field.kind == FieldKind::scalar || field.kind == FieldKind::tensor_data || field.size > 8) {
    change_byte(bytes, field.offset, field.size, random);
  } else {
    const uint64_t left = bytes.size() - field.offset - field.size;
    patch(bytes, field, hostile_value(field, peek(bytes, field, scan.layout.order), left, random), scan.layout.order);
  }
}

template <typename T>
void shuffle_items(std::vector<T>& items, Generator& random) {
  if (items.empty()) return;
  const size_t a = random.below(items.size()), b = random.below(items.size());
  switch (random.below(3)) {
    case 0: items.erase(items.begin() + static_cast<ptrdiff_t>(a)); break;
    case 1: {
      T copy = items[a];
      items.insert(items.begin() + static_cast<ptrdiff_t>(b), std::move(copy));
      break;
    }
    default: std::swap(items[a], items[b]);
  }
}

Value odd_value(Generator& random) {
  switch (random.below(6)) {
    case 0: return Value::boolean(random.chance(1, 2));
    case 1: return Value::scalar(ValueType::boolean, random.below(256));
    case 2: return Value::string(kSnippets[random.below(kSnippets.size())]);
    case 3: return Value::f32(random.normal());
    case 4: {
      Value v = Value::array(ValueType::uint8, {});
      for (uint64_t depth = random.below(70); depth > 0; --depth) v = Value::array(ValueType::array, {std::move(v)});
      return v;
    }
    default: return Value::u64(random.next());
  }
}

// Changes the model and writes it anew, so that everything that depends on the change
// is right again.
void change_model(File& file, Generator& random) {
  switch (random.below(8)) {
    case 0: shuffle_items(file.metadata, random); break;
    case 1: shuffle_items(file.tensors, random); break;
    case 2: file.set(kAlignmentKey, Value::u32(static_cast<uint32_t>(pick(kAlignments, random)))); break;
    case 3: file.set(kAlignmentKey, odd_value(random)); break;
    case 4: file.layout.order = file.layout.order == ByteOrder::little ? ByteOrder::big : ByteOrder::little; break;
    case 5: file.layout.version = static_cast<uint32_t>(1 + random.below(3)); break;
    case 6:
      if (!file.metadata.empty()) file.metadata[random.below(file.metadata.size())].value = odd_value(random);
      else file.set("a.b", odd_value(random));
      break;
    default:
      if (file.tensors.empty()) break;
      Tensor& t = file.tensors[random.below(file.tensors.size())];
      if (random.chance(1, 2)) t.name.resize(62 + random.below(4), 'n');
      else t.offset = t.offset.value_or(0) + 8 * (random.below(9) - 4);
  }
}

// The model of a file that reads to its end and is small enough to copy.
bool model_of(std::span<const std::byte> bytes, File& out) {
  if (bytes.size() > (1u << 20)) return false;
  const Reading reading = read(bytes, {.stage = Stage::data, .lint = false});
  if (!reading.complete) return false;
  for (const TensorView& t : reading.tensors)
    if (!t.sized || t.data.size() != t.size) return false;
  out = to_file(reading);
  // Offsets are placed anew unless the change sets one.
  for (Tensor& t : out.tensors) t.offset.reset();
  return true;
}

// Whether the model can be written without far more padding than there is in it: an alignment
// may come from a file that has no tensors.
bool is_small(const File& model) {
  const uint64_t alignment = model.alignment();
  return alignment > kMaxGap || alignment <= 2 * kMaxGap / (model.tensors.size() + 2);
}

}  // namespace

Scan scan_fields(std::span<const std::byte> file) { return Scanner(file).run(); }

Bytes mutate(std::span<const std::byte> file, Generator random, size_t max_size) {
  Bytes bytes(file.begin(), file.end());
  for (uint64_t times = 1 + random.below(4); times > 0; --times) {
    File model;
    if (random.chance(1, 3) && model_of(bytes, model)) {
      change_model(model, random);
      if (is_small(model)) bytes = write_bytes(model, {.pad_last_tensor = !random.chance(1, 8)});
    } else if (const Scan scan = scan_fields(bytes); !scan.fields.empty() && !random.chance(1, 10)) {
      change_field(bytes, scan, random);
    } else {
      change_plain(bytes, random);
    }
  }
  if (bytes.size() > max_size) bytes.resize(max_size);
  return bytes;
}

Bytes cross_over(std::span<const std::byte> a, std::span<const std::byte> b, Generator random, size_t max_size) {
  Bytes bytes;
  File first, second;
  if (model_of(a, first) && model_of(b, second)) {
    for (KeyValue& kv : second.metadata)
      if (random.chance(1, 2)) first.metadata.push_back(std::move(kv));
    for (Tensor& t : second.tensors)
      if (random.chance(1, 2)) first.tensors.push_back(std::move(t));
    if (is_small(first)) bytes = write_bytes(first);
  }
  if (bytes.empty()) {
    bytes.assign(a.begin(), a.begin() + static_cast<ptrdiff_t>(random.below(a.size() + 1)));
    bytes.insert(bytes.end(), b.begin() + static_cast<ptrdiff_t>(random.below(b.size() + 1)), b.end());
  }
  if (bytes.size() > max_size) bytes.resize(max_size);
  return bytes;
}

}  // namespace gcts
