// The sound models that recipes start from.

#include "corpus/models.h"

#include <algorithm>
#include <string>
#include <utility>

#include "reference/codec.h"
#include "reference/tensor_type.h"

namespace gcts {

Bytes pattern(uint64_t size, std::string_view seed) {
  constexpr uint64_t kValues = 0x3b;
  uint64_t state = 1469598103934665603u;  // FNV-1a over the seed
  for (const char c : seed) state = (state ^ static_cast<uint8_t>(c)) * 1099511628211u;
  Bytes bytes(size);
  for (std::byte& byte : bytes) {
    state = state * 6364136223846793005u + 1442695040888963407u;  // Knuth's MMIX generator
    byte = static_cast<std::byte>(1 + (state >> 33) % kValues);
  }
  return bytes;
}

uint64_t tensor_size(uint32_t type, const std::vector<uint64_t>& dims) {
  const TensorType* row = find_tensor_type(type);
  if (!row || row->block_elements == 0) return 0;
  uint64_t blocks = dims.empty() ? 1 : dims[0] / row->block_elements;
  for (size_t d = 1; d < dims.size(); ++d) blocks *= dims[d];
  return blocks * row->block_bytes;
}

namespace {

// q8_k keeps the sums of its 16 runs of 16 codes: f32 scale, 256 x i8, 16 x i16.
void sum_q8_k(std::byte* block) {
  constexpr size_t kCodes = 4, kSums = kCodes + 256;
  for (size_t run = 0; run < 16; ++run) {
    int sum = 0;
    for (size_t i = 0; i < 16; ++i) sum += static_cast<int8_t>(block[kCodes + 16 * run + i]);
    block[kSums + 2 * run] = static_cast<std::byte>(sum & 0xff);
    block[kSums + 2 * run + 1] = static_cast<std::byte>((sum >> 8) & 0xff);
  }
}

// Turns patterned bytes into legal blocks: sums that fit their codes, and in place of
// a byte that the type never holds the next one that it does.
void make_legal(const TensorType& type, Bytes& data) {
  for (size_t at = 0; at + type.block_bytes <= data.size(); at += type.block_bytes) {
    std::byte* block = data.data() + at;
    if (type.id == tensor::q8_k) sum_q8_k(block);
    for (int tries = 0; tries < 256 * 64; ++tries) {
      const BlockFault fault = type.codec->validate(block);
      if (!fault.what) break;
      block[fault.byte] = static_cast<std::byte>(std::to_integer<int>(block[fault.byte]) + 1);
    }
  }
}

}  // namespace

Tensor filled(std::string_view name, uint32_t type, std::vector<uint64_t> dims) {
  const uint64_t size = tensor_size(type, dims);
  Tensor tensor{std::string(name), type, std::move(dims), pattern(size, name), {}};
  const TensorType* row = find_tensor_type(type);
  if (row && row->block_elements > 1) make_legal(*row, tensor.data);
  return tensor;
}

File minimal() {
  File file;
  file.set("general.architecture", Value::string("gcts"));
  return file;
}

File with(std::string_view key, Value value) {
  File file = minimal();
  file.metadata.push_back({std::string(key), std::move(value)});
  return file;
}

File with_tensors(std::vector<Tensor> tensors) {
  File file = minimal();
  const auto quantized = [](const Tensor& t) {
    const TensorType* type = find_tensor_type(t.type);
    return type && type->block_elements > 1;
  };
  if (std::any_of(tensors.begin(), tensors.end(), quantized))
    file.set("general.quantization_version", Value::u32(2));
  file.tensors = std::move(tensors);
  return file;
}

File one_tensor() { return with_tensors({filled("weight", tensor::f32, {8})}); }

File two_tensors() {
  return with_tensors({filled("first", tensor::f32, {8}), filled("second", tensor::f32, {4})});
}

File rich() {
  File file = with_tensors({filled("blk.0.attn_q.weight", tensor::f32, {3, 2}),
                            filled("blk.0.attn_norm.bias", tensor::f16, {5}),
                            filled("output.weight", tensor::i8, {2, 2, 2, 2})});
  file.set("gcts.u8", Value::u8(200));
  file.set("gcts.i8", Value::i8(-5));
  file.set("gcts.u16", Value::u16(50'000));
  file.set("gcts.i16", Value::i16(-12'345));
  file.set("gcts.u32", Value::u32(3'000'000'000));
  file.set("gcts.i32", Value::i32(-2'000'000'000));
  file.set("gcts.f32", Value::f32(1.5f));
  file.set("gcts.flag", Value::boolean(true));
  file.set("gcts.text", Value::string("h\xc3\xa9llo"));
  file.set("gcts.u64", Value::u64(10'000'000'000'000'000'000u));
  file.set("gcts.i64", Value::i64(-9'000'000'000'000'000'000));
  file.set("gcts.f64", Value::f64(-2.25));
  file.set("gcts.words", Value::strings({"one", "", "three"}));
  file.set("gcts.numbers", Value::array(ValueType::int16, {Value::i16(-1), Value::i16(0), Value::i16(257)}));
  file.set("gcts.none", Value::array(ValueType::float64, {}));
  return file;
}

namespace {

// Bytes of one element where a block is one element, else 0.
uint32_t element_bytes(uint32_t type) {
  const TensorType* row = find_tensor_type(type);
  return row && row->block_elements == 1 ? row->block_bytes : 0;
}

}  // namespace

File in_order(File file, ByteOrder order) {
  if (file.layout.order != order)
    for (Tensor& t : file.tensors)
      if (const uint32_t bytes = element_bytes(t.type); bytes > 1)
        for (size_t at = 0; at + bytes <= t.data.size(); at += bytes)
          std::reverse(t.data.begin() + static_cast<ptrdiff_t>(at),
                       t.data.begin() + static_cast<ptrdiff_t>(at + bytes));
  file.layout.order = order;
  return file;
}

File in_version(File file, uint32_t version) {
  file.layout.version = version;
  return file;
}

bool has_scalar_tensors(const File& file) {
  return std::all_of(file.tensors.begin(), file.tensors.end(),
                     [](const Tensor& t) { return element_bytes(t.type) > 0; });
}

Value nested(uint32_t depth) {
  Value value = Value::array(ValueType::uint8, {Value::u8(1)});
  for (uint32_t i = 1; i < depth; ++i) {
    std::vector<Value> elements;
    elements.push_back(std::move(value));
    value = Value::array(ValueType::array, std::move(elements));
  }
  return value;
}

}  // namespace gcts
