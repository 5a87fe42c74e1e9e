// One function a way of growing.

#include "fuzz/growth.h"

#include <array>
#include <optional>
#include <string>

#include "corpus/models.h"
#include "corpus/mutator.h"
#include "reference/reader.h"
#include "reference/tensor_type.h"
#include "reference/writer.h"

namespace gcts {
namespace {

std::string fresh(std::string_view what, uint64_t i) { return std::string(what) + std::to_string(i); }

template <typename T, size_t N>
T one_of(const std::array<T, N>& from, Generator& random) {
  return from[random.below(N)];
}

// The numbers at which an index of one byte, a page or a small table ends.
void add_pairs(File& file, Generator& random) {
  constexpr std::array<uint64_t, 8> kHowMany = {1, 2, 8, 32, 65, 128, 255, 270};
  const uint64_t count = one_of(kHowMany, random);
  for (uint64_t i = 0; i < count; ++i) file.metadata.push_back({fresh("k", file.metadata.size()), Value::u8(static_cast<uint8_t>(i))});
}

void add_tensors(File& file, Generator& random) {
  for (uint64_t count = 1 + random.below(5); count > 0; --count) {
    const TensorType& type = tensor_types()[random.below(tensor_types().size())];
    if (type.status != TensorStatus::current) continue;
    std::vector<uint64_t> dims{type.block_elements * (1 + random.below(2))};
    while (dims.size() < 4 && random.chance(1, 3)) dims.push_back(1 + random.below(3));
    file.tensors.push_back(filled(fresh("t", file.tensors.size()), type.id, std::move(dims)));
  }
}

// Long enough to reach over the end of a buffer of 4 KB, or just not.
void add_long_string(File& file, Generator& random) {
  constexpr std::array<uint64_t, 6> kLengths = {60, 250, 1000, 3900, 4096, 5000};
  std::string text(one_of(kLengths, random) + random.below(40), 'a');
  for (char& c : text) c = static_cast<char>('a' + random.below(26));
  file.metadata.push_back({fresh("s", file.metadata.size()), Value::string(text)});
}

// Where the data begin then depends on the alignment.
void set_alignment(File& file, Generator& random) {
  constexpr std::array<uint32_t, 9> kAlignments = {8, 16, 24, 64, 128, 1024, 4096, 8192, 12288};
  if (file.tensors.empty()) file.tensors.push_back(filled("t", 0, {8}));
  file.set(kAlignmentKey, Value::u32(one_of(kAlignments, random)));
}

// A key or a name that is another one up to a NUL, or the same again.
void add_twin(File& file, Generator& random) {
  const std::string tail = random.chance(1, 2) ? "" : std::string("\0x", 1 + random.below(2));
  if (!file.tensors.empty() && random.chance(1, 3)) {
    Tensor twin = file.tensors[random.below(file.tensors.size())];
    twin.name += tail;
    file.tensors.push_back(std::move(twin));
  } else if (!file.metadata.empty()) {
    KeyValue twin = file.metadata[random.below(file.metadata.size())];
    twin.key += tail;
    file.metadata.push_back(std::move(twin));
  }
}

Value odd_scalar(Generator& random) {
  switch (random.below(9)) {
    case 0: return Value::scalar(ValueType::int16, 0xffff - random.below(9));
    case 1: return Value::scalar(ValueType::float32, 0x7f800001 + random.below(1 << 22));
    case 2: return Value::scalar(ValueType::float32, 0x80000000);
    case 3: return Value::scalar(ValueType::float64, 1 + random.below(1000));
    case 4: return Value::scalar(ValueType::uint64, (uint64_t{1} << 53) + 1 + 2 * random.below(100));
    case 5: return Value::scalar(ValueType::int64, uint64_t{0} - 1 - random.below(100));
    case 6: return Value::scalar(ValueType::int8, 0x80 + random.below(128));
    case 7: return Value::scalar(ValueType::boolean, random.below(4));
    default: return Value::scalar(ValueType::int32, 0x80000000u + random.below(100));
  }
}

void add_odd_value(File& file, Generator& random) {
  using namespace std::string_view_literals;
  constexpr std::array<std::string_view, 6> kTexts = {"a\r\nb"sv, "\xef\xbb\xbf"sv, "a\0b"sv, "tail\0"sv, " a\t"sv, ""sv};
  Value value = random.chance(1, 2) ? odd_scalar(random) : Value::string(one_of(kTexts, random));
  if (random.chance(1, 3)) {
    const ValueType type = value.type;
    std::vector<Value> elements(1 + random.below(5), value);
    value = Value::array(type, std::move(elements));
  }
  if (random.chance(1, 4)) {
    // Inner arrays of differing types.
    value = Value::array(ValueType::array, {Value::array(value.type, {value}), Value::array(ValueType::uint8, {Value::u8(1)})});
  }
  file.metadata.push_back({fresh("v", file.metadata.size()), std::move(value)});
}

void move_alignment(File& file, Generator& random) {
  for (size_t i = 0; i < file.metadata.size(); ++i) {
    if (file.metadata[i].key != kAlignmentKey) continue;
    std::swap(file.metadata[i], file.metadata[random.below(file.metadata.size())]);
    return;
  }
  set_alignment(file, random);
}

void set_layout(File& file, Generator& random) {
  file.layout.version = static_cast<uint32_t>(1 + random.below(3));
  file.layout.order = random.chance(1, 3) ? ByteOrder::big : ByteOrder::little;
}

// Names that a grammar, a limit or a map stumbles over.
void rename(File& file, Generator& random) {
  using namespace std::string_view_literals;
  constexpr std::array<std::string_view, 10> kNames = {""sv, "."sv, "a..b"sv, "A"sv, "0.a"sv, "__proto__"sv, "version"sv, "a\0b"sv, "\xc3\xa9"sv, "kv_count"sv};
  if (!file.tensors.empty() && random.chance(1, 2)) {
    std::string& name = file.tensors[random.below(file.tensors.size())].name;
    if (random.chance(1, 2)) name = one_of(kNames, random);
    else name.assign(62 + random.below(4), 'n');
  } else if (!file.metadata.empty()) {
    file.metadata[random.below(file.metadata.size())].key = one_of(kNames, random);
  }
}

using Way = void (*)(File& file, Generator& random);
constexpr std::array<Way, 9> kWays = {add_pairs, add_tensors, add_long_string, set_alignment, add_twin, add_odd_value, move_alignment, set_layout, rename};

// A tensor whose size becomes 0 when it is padded, before one that lies where it does.
Bytes with_wrapped_size(File file, Generator& random) {
  if (file.tensors.empty()) file.tensors.push_back(filled("t", 0, {8}));
  Tensor first = filled("wide", 0, {1});
  first.data.clear();
  file.tensors.insert(file.tensors.begin(), std::move(first));
  Written written = write(file);
  if (const Field* dimension = written.find(FieldKind::dimension)) written.patch(*dimension, (uint64_t{1} << 62) - 1 - random.below(7));
  return std::move(written.bytes);
}

std::optional<File> model_of(std::span<const std::byte> bytes) {
  const Reading reading = read(bytes, {.stage = Stage::data, .lint = false});
  if (!reading.complete) return std::nullopt;
  for (const TensorView& tensor : reading.tensors)
    if (!tensor.sized || tensor.data.size() != tensor.size) return std::nullopt;
  File file = to_file(reading);
  for (Tensor& tensor : file.tensors) tensor.offset.reset();
  return file;
}

}  // namespace

Bytes grow(std::span<const std::byte> bytes, Generator random, size_t max_size) {
  std::optional<File> file = model_of(bytes);
  if (!file) return {};
  Bytes out;
  if (random.chance(1, 12)) {
    out = with_wrapped_size(std::move(*file), random);
  } else {
    for (uint64_t times = 1 + random.below(2); times > 0; --times) one_of(kWays, random)(*file, random);
    out = write_bytes(*file, {.pad_last_tensor = !random.chance(1, 8)});
  }
  if (out.size() > max_size) out.clear();
  return out;
}

}  // namespace gcts
