// What a model takes; see model_size.h.

#include "harness/model_size.h"

#include <vector>

#include <fmt/format.h>

#include "reference/tensor_type.h"

namespace gcts {
namespace {

// More blocks than any model has: a hostile count must not become a loop.
constexpr uint64_t kMostBlocks = 1 << 20;

// Numbers of an architecture: "llama.block_count" and its like.
class ArchitectureKeys {
 public:
  explicit ArchitectureKeys(const Reading& reading) : reading_(reading) {
    const KeyValueView* pair = reading.find("general.architecture");
    if (pair != nullptr && pair->value.type == ValueType::string) name_ = pair->value.text();
  }
  const std::string& name() const { return name_; }
  std::string key(std::string_view rest) const { return name_ + '.' + std::string(rest); }

  std::optional<uint64_t> number(std::string_view rest) const {
    const KeyValueView* pair = reading_.find(key(rest));
    return pair == nullptr ? std::nullopt : pair->value.as_unsigned();
  }
  // One number for each of `count` blocks, from a scalar or an array.
  std::optional<std::vector<uint64_t>> numbers(std::string_view rest, uint64_t count) const {
    if (const auto one = number(rest)) return std::vector<uint64_t>(count, *one);
    const KeyValueView* pair = reading_.find(key(rest));
    if (pair == nullptr || pair->value.type != ValueType::array || pair->value.count < count) return std::nullopt;
    const uint32_t width = scalar_bytes(pair->value.element_type);
    if (width == 0) return std::nullopt;
    std::vector<uint64_t> out;
    for (uint64_t i = 0; i < count; ++i) {
      ValueView element;
      element.type = pair->value.element_type;
      element.layout = pair->value.layout;
      element.bytes = pair->value.bytes.subspan(i * width, width);
      const auto value = element.as_unsigned();
      if (!value) return std::nullopt;
      out.push_back(*value);
    }
    return out;
  }

 private:
  const Reading& reading_;
  std::string name_;
};

}  // namespace

ModelSize model_size(std::span<const Reading* const> shards) {
  ModelSize out;
  for (const Reading* shard : shards) {
    for (const TensorView& tensor : shard->tensors) {
      ++out.tensors;
      if (!tensor.sized) {
        ++out.unsized;
        continue;
      }
      uint64_t elements = 1;
      for (uint64_t dim : tensor.dims) elements *= dim;
      const TensorType* type = find_tensor_type(tensor.type);
      TypeShare& share = out.by_type[type != nullptr ? std::string(type->name) : fmt::format("type {}", tensor.type)];
      ++share.tensors;
      share.parameters += elements;
      share.bytes += tensor.size;
      out.parameters += elements;
      out.bytes += tensor.size;
    }
  }
  return out;
}

std::optional<KvCache> kv_cache(const Reading& reading, uint64_t context, std::string& missing) {
  const ArchitectureKeys keys(reading);
  auto lacks = [&](std::string_view rest) {
    missing = keys.name().empty() ? "general.architecture" : keys.key(rest);
    return std::nullopt;
  };
  if (keys.name().empty()) return lacks("");
  KvCache out;
  const auto blocks = keys.number("block_count");
  if (!blocks || *blocks == 0 || *blocks > kMostBlocks) return lacks("block_count");
  out.blocks = *blocks;
  out.context = context != 0 ? context : keys.number("context_length").value_or(0);
  if (out.context == 0) return lacks("context_length");
  const auto heads = keys.numbers("attention.head_count", out.blocks);
  if (!heads) return lacks("attention.head_count");
  const auto kv_heads = keys.numbers("attention.head_count_kv", out.blocks).value_or(*heads);
  const auto width = keys.number("embedding_length");
  const auto key_length = keys.number("attention.key_length"), value_length = keys.number("attention.value_length");
  if (!width && !(key_length && value_length)) return lacks("embedding_length");
  for (uint64_t i = 0; i < out.blocks; ++i) {
    const uint64_t head = width && (*heads)[i] > 0 ? *width / (*heads)[i] : 0;
    uint64_t keys_here = 0, values_here = 0;
    bool wraps = __builtin_mul_overflow(kv_heads[i], key_length.value_or(head), &keys_here);
    wraps |= __builtin_mul_overflow(kv_heads[i], value_length.value_or(head), &values_here);
    wraps |= __builtin_add_overflow(out.elements_per_position, keys_here, &out.elements_per_position);
    wraps |= __builtin_add_overflow(out.elements_per_position, values_here, &out.elements_per_position);
    if (wraps) return lacks("attention.head_count_kv");
  }
  uint64_t elements = 0;
  const bool wraps = __builtin_mul_overflow(out.elements_per_position, out.context, &elements) ||
                     __builtin_mul_overflow(elements, uint64_t{2}, &out.bytes);
  return wraps ? lacks("attention.head_count_kv") : std::optional(out);
}

}  // namespace gcts
