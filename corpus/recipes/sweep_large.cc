// Sweeps over what exists: files too large to store, and twins in other layouts.

#include <algorithm>
#include <set>
#include <string>

#include "corpus/models.h"
#include "corpus/recipe.h"
#include "reference/tensor_type.h"

namespace gcts {
namespace {

Bytes tensors(uint32_t count) {
  File file = minimal();
  for (uint32_t i = 0; i < count; ++i) {
    const std::string name = "blk." + std::to_string(i) + ".weight";
    file.tensors.push_back({name, tensor::i8, {4}, pattern(4, name), {}});
  }
  return write_bytes(file);
}

Bytes pairs(uint32_t count) {
  File file = minimal();
  for (uint32_t i = 0; i < count; ++i) file.metadata.push_back({"gcts.k" + std::to_string(i), Value::u32(i)});
  return write_bytes(file);
}

Bytes numbers(ValueType type, uint32_t count) {
  std::vector<Value> elements;
  elements.reserve(count);
  for (uint32_t i = 0; i < count; ++i) elements.push_back(Value::scalar(type, i));
  File file = with("gcts.list", Value::array(type, std::move(elements)));
  file.set("gcts.after", Value::u8(1));
  return write_bytes(file);
}

Bytes words(uint32_t count) {
  std::vector<std::string> elements;
  elements.reserve(count);
  for (uint32_t i = 0; i < count; ++i) elements.push_back("token" + std::to_string(i));
  File file = with("gcts.words", Value::strings(std::move(elements)));
  file.set("gcts.after", Value::u8(1));
  return write_bytes(file);
}

// The first valid file with a model of its own that each stem has.
std::vector<const Draft*> one_a_rule(const std::deque<Draft>& drafts) {
  std::vector<const Draft*> chosen;
  std::set<std::string> stems;
  for (const Draft& draft : drafts)
    if (draft.model && !draft.model->finish && draft.parent.empty() && draft.c.breaks.empty() &&
        draft.c.reason.empty() && draft.c.size == CaseSize::small && draft.area != "sweeps" &&
        draft.model->file.layout == Layout{} && stems.insert(draft.stem).second)
      chosen.push_back(&draft);
  return chosen;
}

// Version 1 has no types above array.
bool has_old_types(const Value& value) {
  const auto is_old = [](ValueType type) { return type <= ValueType::array; };
  return is_old(value.type) && is_old(value.element_type) &&
         std::all_of(value.elements.begin(), value.elements.end(), has_old_types);
}

bool has_old_types(const File& file) {
  return std::all_of(file.metadata.begin(), file.metadata.end(),
                     [](const KeyValue& pair) { return has_old_types(pair.value); });
}

}  // namespace

SWEEP(large) {
  r.of(rule::many_tensors)
      .bytes("100_000_tensors", "a hundred thousand tensors of four bytes", [] { return tensors(100'000); })
      .large();
  r.of(rule::many_keys)
      .bytes("100_000_pairs", "as many keys as one reader allows", [] { return pairs(100'000); })
      .large()
      .tag("limit:keys=100001")
      .either("limit");
  r.of(rule::many_keys).bytes("20_000_pairs", "twenty thousand keys", [] { return pairs(20'000); }).large();
  r.of(rule::long_array);
  for (const ValueType type : {ValueType::uint8, ValueType::int32, ValueType::float32, ValueType::uint64})
    r.bytes("1_000_000_" + std::string(value_type_name(type)), "a million elements, then another pair",
            [type] { return numbers(type, 1'000'000); })
        .large()
        .tag("limit:array=1000000");
  r.bytes("1_000_000_strings", "a million tokens, then another pair", [] { return words(1'000'000); })
      .large()
      .tag("limit:array=1000000");
  r.of(rule::nesting_moderate)
      .bytes("64_deep", "64 arrays around one byte, many times over",
             [] {
               File file = minimal();
               for (int i = 0; i < 1000; ++i) file.set("gcts.n" + std::to_string(i), nested(64));
               return write_bytes(file);
             })
      .large()
      .breaks(rule::nested_array)
      .tag("limit:depth=64")
      .either("limit");
}

SWEEP(twins) {
  for (const Draft* original : one_a_rule(r.drafts())) {
    const rule::Index rule = original->c.rule;
    const std::string name = original->stem + "_" + original->suffix;
    // The model outlives the list of drafts only by way of its own pointer.
    const std::shared_ptr<const Model> model = original->model;
    Model second = *model;
    second.file.layout.version = 2;
    r.of(rule::version_2_same_layout)
        .valid(name + "_version_2", std::move(second), "the same file in version 2")
        .also(rule);
    if (has_old_types(model->file)) {
      Model first = *model;
      first.file.layout.version = 1;
      r.of(rule::version_1)
          .valid(name + "_version_1", std::move(first),
                 "the same model in version 1: read or refused, never misread")
          .breaks(rule::version_1)
          .either("undefined")
          .tag("version:1")
          .also(rule);
    }
    if (!has_scalar_tensors(model->file)) continue;
    Model big = *model;
    big.file = in_order(model->file, ByteOrder::big);
    r.of(rule::big_endian_version_3)
        .valid(name + "_big_endian", std::move(big), "the same model in the other byte order")
        .breaks(rule::big_endian_version_3)
        .also(rule);
  }
}

}  // namespace gcts
