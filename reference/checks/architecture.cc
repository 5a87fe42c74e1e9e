// Checks of the metadata schema: general.* and the keys of the architecture.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "reference/check.h"
#include "reference/checks/fields.h"
#include "reference/checks/spdx.h"
#include "reference/quote.h"
#include "reference/survey.h"
#include "reference/tensor_type.h"

namespace gcts {
namespace {

struct Architecture {
  std::string_view name;
  std::string_view required;  // keys, separated by spaces
};

constexpr Architecture kArchitectures[] = {
#define ARCHITECTURE(name, required) {#name, required},
#include "reference/architectures.inc"
#undef ARCHITECTURE
};

// A value of general.file_type: 0 to 18 in the document.  Most tensors are of `type`;
// an empty one is a removed file type.
constexpr std::string_view kFileTypes[] = {"f32",  "f16",  "q4_0", "q4_1", "q4_1", "",     "",     "q8_0", "q5_0", "q5_1",
                                           "q2_k", "q3_k", "q3_k", "q3_k", "q4_k", "q4_k", "q5_k", "q5_k", "q6_k"};

// general.architecture if it is a string.
std::optional<std::string_view> architecture_of(const Reading& reading) {
  const KeyValueView* pair = reading.survey->find("general.architecture");
  if (pair == nullptr || pair->value.type != ValueType::string) return std::nullopt;
  return pair->value.text();
}

const KeyValueView* find_of_architecture(const Reading& reading, std::string_view key) {
  const auto architecture = architecture_of(reading);
  return architecture ? reading.survey->find(*architecture, key) : nullptr;
}

std::optional<uint64_t> unsigned_of(const KeyValueView* pair) {
  return pair == nullptr ? std::nullopt : pair->value.as_unsigned();
}

bool is_string(const KeyValueView& pair) { return pair.value.type == ValueType::string; }
bool is_string_array(const ValueView& v) { return v.type == ValueType::array && v.element_type == ValueType::string; }

std::string type_of(const ValueView& v) {
  if (v.type != ValueType::array) return std::string(value_type_name(v.type));
  return fmt::format("array of {}", value_type_name(v.element_type));
}

// Finds the first string of an array for which `bad` holds.
template <class Bad>
class StringFinder : public ValueVisitor {
 public:
  explicit StringFinder(Bad bad) : bad_(bad) {}
  void scalars(ValueType, uint64_t, std::span<const std::byte>, Layout) override {}
  void string(std::string_view text) override {
    if (!found_ && bad_(text)) found_ = text;
  }
  void array_begin(ValueType, uint64_t) override {}
  void array_end() override {}
  std::optional<std::string_view> found() const { return found_; }

 private:
  Bad bad_;
  std::optional<std::string_view> found_;
};

bool two_letters(std::string_view text) {
  return text.size() == 2 && std::all_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

}  // namespace

void check_architecture_present(const Reading& reading, Findings& findings) {
  if (reading.survey->find("general.architecture") == nullptr)
    findings.add(rule::architecture_present, reading.metadata_end,
                 "general.architecture is absent, so the model's kind is unknown");
}

void check_architecture_charset(const Reading& reading, Findings& findings) {
  const auto name = architecture_of(reading);
  if (!name) return;
  const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  if (!name->empty() && std::all_of(name->begin(), name->end(), allowed)) return;
  findings.add(rule::architecture_charset, reading.survey->find("general.architecture")->value.offset,
               fmt::format("general.architecture is {}; the document allows lower-case letters and digits", quote(*name)));
}

void check_architecture_is_string(const Reading& reading, Findings& findings) {
  const KeyValueView* pair = reading.survey->find("general.architecture");
  if (pair == nullptr || is_string(*pair)) return;
  findings.add(rule::architecture_is_string, value_type_offset(*pair),
               fmt::format("general.architecture is of type {}; it is a string", type_of(pair->value)));
}

void check_quantization_version_present(const Reading& reading, Findings& findings) {
  const KeyValueView* pair = reading.survey->find("general.quantization_version");
  if (pair != nullptr && pair->value.type != ValueType::uint32)
    return findings.add(rule::quantization_version_present, value_type_offset(*pair),
                        fmt::format("general.quantization_version is of type {}; it is a uint32", type_of(pair->value)));
  if (pair != nullptr) return;
  const TensorView* t = reading.survey->quantized;
  if (t == nullptr) return;
  findings.add(rule::quantization_version_present, t->info_offset,
               fmt::format("tensor {} is quantized, but general.quantization_version is absent", quote(t->name)));
}

void check_file_type_known(const Reading& reading, Findings& findings) {
  const KeyValueView* pair = reading.survey->find("general.file_type");
  if (pair == nullptr) return;
  const ValueView& v = pair->value;
  if (v.type != ValueType::uint32)
    return findings.add(rule::file_type_known, value_type_offset(*pair),
                        fmt::format("general.file_type is of type {}; it is a uint32", type_of(v)));
  if (v.bits() < std::size(kFileTypes) && !kFileTypes[v.bits()].empty()) return;
  findings.add(rule::file_type_known, v.offset,
               fmt::format("general.file_type is {}, which the document's list, 0 to 18 without 5 and 6, does not have",
                           v.bits()));
}

// Counted over matrices: norms and biases stay in f32 whatever the file type says.
void check_file_type_matches_tensors(const Reading& reading, Findings& findings) {
  const KeyValueView* pair = reading.survey->find("general.file_type");
  const auto file_type = unsigned_of(pair);
  if (!file_type || *file_type >= std::size(kFileTypes) || kFileTypes[*file_type].empty()) return;
  std::vector<uint64_t> counts(tensor_types().size());
  for (const TensorView& t : reading.tensors)
    if (t.rank >= 2 && t.type < counts.size()) ++counts[t.type];
  const auto most = std::max_element(counts.begin(), counts.end());
  const TensorType* named = find_tensor_type(kFileTypes[*file_type]);
  if (*most == 0 || counts[named->id] == *most) return;
  findings.add(rule::file_type_matches_tensors, pair->value.offset,
               fmt::format("general.file_type {} stands for {}, but {} of the matrices are {} and {} are {}", *file_type,
                           named->name, *most, tensor_types()[static_cast<size_t>(most - counts.begin())].name,
                           counts[named->id], named->name));
}

void check_per_layer_array_length(const Reading& reading, Findings& findings) {
  const auto blocks = unsigned_of(find_of_architecture(reading, "block_count"));
  if (!blocks) return;
  for (const std::string_view key : {"attention.head_count", "attention.head_count_kv", "feed_forward_length"}) {
    const KeyValueView* pair = find_of_architecture(reading, key);
    if (pair == nullptr || pair->value.type != ValueType::array || pair->value.count == *blocks) continue;
    findings.add(rule::per_layer_array_length, pair->value.offset,
                 fmt::format("{} has {} entries for {} blocks", quote(pair->key), pair->value.count, *blocks));
  }
}

void check_architecture_key_prefix(const Reading& reading, Findings& findings) {
  const auto own = architecture_of(reading);
  if (!own) return;
  for (const KeyValueView& pair : reading.metadata) {
    const std::string_view prefix = pair.key.substr(0, pair.key.find('.'));
    if (prefix == *own || prefix.size() == pair.key.size()) continue;
    for (const Architecture& other : kArchitectures)
      if (other.name == prefix)
        findings.add(rule::architecture_key_prefix, pair.offset,
                     fmt::format("the key {} is one of {}, but general.architecture is {}", quote(pair.key), prefix,
                                 quote(*own)));
  }
}

void check_architecture_keys_present(const Reading& reading, Findings& findings) {
  const auto name = architecture_of(reading);
  if (!name) return;
  for (const Architecture& architecture : kArchitectures) {
    if (architecture.name != *name) continue;
    std::string missing;
    for (std::string_view rest = architecture.required; !rest.empty();) {
      const std::string_view key = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(rest.size(), key.size() + 1));
      if (find_of_architecture(reading, key) == nullptr)
        missing += fmt::format("{}{}.{}", missing.empty() ? "" : ", ", *name, key);
    }
    if (!missing.empty())
      findings.add(rule::architecture_keys_present, reading.metadata_end,
                   fmt::format("the document requires keys of {} that are absent: {}", *name, missing));
  }
}

void check_rope_scaling_known(const Reading& reading, Findings& findings) {
  const KeyValueView* type = find_of_architecture(reading, "rope.scaling.type");
  const KeyValueView* linear = find_of_architecture(reading, "rope.scale_linear");
  if (type == nullptr) return;
  if (!is_string(*type)) {
    findings.add(rule::rope_scaling_known, value_type_offset(*type),
                 fmt::format("{} is of type {}; it is a string", quote(type->key), type_of(type->value)));
  } else if (const std::string_view text = type->value.text(); text != "none" && text != "linear" && text != "yarn") {
    findings.add(rule::rope_scaling_known, type->value.offset,
                 fmt::format("{} is {}; the document knows none, linear and yarn", quote(type->key), quote(text)));
  } else if (linear != nullptr) {
    findings.add(rule::rope_scaling_known, linear->offset,
                 fmt::format("the older {} stands beside {}", quote(linear->key), quote(type->key)));
  }
}

void check_string_list_keys(const Reading& reading, Findings& findings) {
  for (const std::string_view key : {"general.tags", "general.languages", "general.datasets"}) {
    const KeyValueView* pair = reading.survey->find(key);
    if (pair == nullptr) continue;
    if (!is_string_array(pair->value)) {
      findings.add(rule::string_list_keys, value_type_offset(*pair),
                   fmt::format("{} is of type {}; it is an array of strings", key, type_of(pair->value)));
      continue;
    }
    if (key != "general.languages") continue;
    StringFinder finder([](std::string_view text) { return !two_letters(text); });
    visit(pair->value, finder);
    if (finder.found())
      findings.add(rule::string_list_keys, pair->value.offset,
                   fmt::format("{} holds {}; languages are ISO 639 codes of two letters", key, quote(*finder.found())));
  }
}

void check_base_model_count(const Reading& reading, Findings& findings) {
  constexpr std::string_view kPrefix = "general.base_model.";
  const KeyValueView* count = reading.survey->find("general.base_model.count");
  std::set<uint64_t> groups;
  for (const KeyValueView& pair : reading.metadata) {
    if (!pair.key.starts_with(kPrefix)) continue;
    std::string_view id = pair.key.substr(kPrefix.size());
    id = id.substr(0, id.find('.'));
    constexpr size_t kDigits = 9;  // more models than any file could name
    if (id.empty() || id.size() > kDigits || id.find_first_not_of("0123456789") != id.npos) continue;
    groups.insert(std::stoull(std::string(id)));
  }
  const auto declared = unsigned_of(count);
  const bool numbered = groups.empty() || *groups.rbegin() + 1 == groups.size();
  if ((count == nullptr && groups.empty()) || (declared && *declared == groups.size() && numbered)) return;
  findings.add(rule::base_model_count, count == nullptr ? reading.metadata_end : count->value.offset,
               count == nullptr
                   ? fmt::format("there are {} general.base_model groups, but general.base_model.count is absent", groups.size())
                   : fmt::format("general.base_model.count does not match the {} groups of keys, numbered from 0", groups.size()));
}

void check_license_is_spdx(const Reading& reading, Findings& findings) {
  const KeyValueView* pair = reading.survey->find("general.license");
  if (pair == nullptr || (is_string(*pair) && is_spdx_expression(pair->value.text()))) return;
  findings.add(rule::license_is_spdx, is_string(*pair) ? pair->value.offset : value_type_offset(*pair),
               fmt::format("general.license is {}, which is not an SPDX expression",
                           is_string(*pair) ? quote(pair->value.text()) : type_of(pair->value)));
}

void check_rwkv_version(const Reading& reading, Findings& findings) {
  const KeyValueView* pair = reading.find("rwkv.architecture_version");
  if (pair == nullptr || unsigned_of(pair) == uint64_t{4}) return;
  findings.add(rule::rwkv_version, pair->value.offset, "rwkv.architecture_version is not 4, the only one described");
}

void check_general_type_known(const Reading& reading, Findings& findings) {
  static constexpr std::string_view kTypes[] = {"model", "adapter", "mmproj", "imatrix", "vocab"};
  const KeyValueView* pair = reading.survey->find("general.type");
  if (pair == nullptr) return;
  const std::string_view text = pair->value.text();
  if (is_string(*pair) && std::find(std::begin(kTypes), std::end(kTypes), text) != std::end(kTypes)) return;
  findings.add(rule::general_type_known, pair->value.offset,
               fmt::format("general.type is {}; known are model, adapter, mmproj, imatrix and vocab",
                           is_string(*pair) ? quote(text) : type_of(pair->value)));
}

}  // namespace gcts
