// Checks of tokenizer.* keys.

#include <fmt/format.h>

#include <string>
#include <vector>

#include "reference/check.h"
#include "reference/checks/fields.h"
#include "reference/duplicates.h"
#include "reference/quote.h"
#include "reference/survey.h"

namespace gcts {
namespace {

constexpr std::string_view kTokens = "tokenizer.ggml.tokens";

bool is_array_of(const ValueView& v, ValueType type) { return v.type == ValueType::array && v.element_type == type; }

// The tokens if they are an array of strings.
const ValueView* tokens_of(const Reading& reading) {
  const KeyValueView* pair = reading.survey->find(kTokens);
  return pair != nullptr && is_array_of(pair->value, ValueType::string) ? &pair->value : nullptr;
}

std::string type_of(const ValueView& v) {
  if (v.type != ValueType::array) return std::string(value_type_name(v.type));
  return fmt::format("array of {}", value_type_name(v.element_type));
}

// Calls back for each string of an array of strings.
template <class Each>
void for_each_string(const ValueView& array, Each each) {
  struct Visitor : ValueVisitor {
    explicit Visitor(Each& f) : each_one(f) {}
    void scalars(ValueType, uint64_t, std::span<const std::byte>, Layout) override {}
    void string(std::string_view text) override { each_one(text); }
    void array_begin(ValueType, uint64_t) override {}
    void array_end() override {}
    Each& each_one;
  } visitor(each);
  visit(array, visitor);
}

uint64_t offset_in(const ValueView& v, std::string_view text) {
  return v.offset + static_cast<uint64_t>(reinterpret_cast<const std::byte*>(text.data()) - v.bytes.data());
}

// Whether `pair` is an array of `type` with one entry for each token; reports if not.
bool check_parallel(const Reading& reading, Findings& findings, rule::Index rule, const KeyValueView& pair, ValueType type) {
  const ValueView& v = pair.value;
  if (!is_array_of(v, type)) {
    findings.add(rule, value_type_offset(pair),
                 fmt::format("{} is of type {}; it is an array of {}", pair.key, type_of(v), value_type_name(type)));
    return false;
  }
  const ValueView* tokens = tokens_of(reading);
  if (tokens == nullptr || tokens->count == v.count) return true;
  findings.add(rule, v.offset, fmt::format("{} has {} entries for {} tokens", pair.key, v.count, tokens->count));
  return false;
}

}  // namespace

void check_tokens_are_strings(const Reading& reading, Findings& findings) {
  const KeyValueView* pair = reading.survey->find(kTokens);
  if (pair == nullptr || is_array_of(pair->value, ValueType::string)) return;
  findings.add(rule::tokens_are_strings, value_type_offset(*pair),
               fmt::format("{} is of type {}; it is an array of strings", kTokens, type_of(pair->value)));
}

void check_scores_match_tokens(const Reading& reading, Findings& findings) {
  if (const KeyValueView* pair = reading.survey->find("tokenizer.ggml.scores"))
    check_parallel(reading, findings, rule::scores_match_tokens, *pair, ValueType::float32);
}

void check_token_types_match_tokens(const Reading& reading, Findings& findings) {
  const KeyValueView* pair = reading.survey->find("tokenizer.ggml.token_type");
  if (pair == nullptr) return;
  if (!check_parallel(reading, findings, rule::token_types_match_tokens, *pair, ValueType::int32)) return;
  ValueView one = pair->value;
  one.type = ValueType::int32;
  for (uint64_t i = 0; i < pair->value.count; ++i) {
    one.bytes = pair->value.bytes.subspan(4 * i, 4);
    const auto type = static_cast<int32_t>(one.bits());
    if (type >= 1 && type <= 6) continue;
    return findings.add(rule::token_types_match_tokens, pair->value.offset + 4 * i,
                        fmt::format("the type of token {} is {}; types are 1 to 6", i, type));
  }
}

void check_special_token_in_range(const Reading& reading, Findings& findings) {
  const ValueView* tokens = tokens_of(reading);
  for (const KeyValueView& pair : reading.metadata) {
    if (!pair.key.starts_with("tokenizer.ggml.") || !pair.key.ends_with("_token_id")) continue;
    if (pair.value.type != ValueType::uint32)
      findings.add(rule::special_token_in_range, value_type_offset(pair),
                   fmt::format("{} is of type {}; it is a uint32", quote(pair.key), type_of(pair.value)));
    else if (tokens != nullptr && pair.value.bits() >= tokens->count)
      findings.add(rule::special_token_in_range, pair.value.offset,
                   fmt::format("{} is {}, but there are {} tokens", quote(pair.key), pair.value.bits(), tokens->count));
  }
}

void check_merges_are_pairs(const Reading& reading, Findings& findings) {
  const KeyValueView* pair = reading.survey->find("tokenizer.ggml.merges");
  if (pair == nullptr) return;
  const ValueView& v = pair->value;
  if (!is_array_of(v, ValueType::string))
    return findings.add(rule::merges_are_pairs, value_type_offset(*pair),
                        fmt::format("{} is of type {}; it is an array of strings", pair->key, type_of(v)));
  bool found = false;
  for_each_string(v, [&](std::string_view merge) {
    const size_t space = merge.find(' ', 1);
    if (found || (space != merge.npos && space + 1 < merge.size())) return;
    found = true;
    findings.add(rule::merges_are_pairs, offset_in(v, merge),
                 fmt::format("the merge {} is not two parts joined by a space", quote(merge)));
  });
}

void check_tokens_unique(const Reading& reading, Findings& findings) {
  const ValueView* tokens = tokens_of(reading);
  if (tokens == nullptr) return;
  std::vector<std::string_view> texts;
  texts.reserve(tokens->count);
  for_each_string(*tokens, [&](std::string_view token) { texts.push_back(token); });
  for (const Duplicate& d : find_duplicates(texts))
    findings.add(rule::tokens_unique, offset_in(*tokens, texts[d.index]),
                 fmt::format("token {} has the text of token {}, {}", d.index, d.first, quote(texts[d.index])));
}

void check_chat_template_is_string(const Reading& reading, Findings& findings) {
  constexpr std::string_view kTemplate = "tokenizer.chat_template";
  for (const KeyValueView& pair : reading.metadata) {
    const bool named = pair.key.starts_with("tokenizer.chat_template.");
    if ((pair.key == kTemplate || named) && pair.value.type != ValueType::string)
      findings.add(rule::chat_template_is_string, value_type_offset(pair),
                   fmt::format("{} is of type {}; it is a string", quote(pair.key), type_of(pair.value)));
  }
  const KeyValueView* list = reading.survey->find("tokenizer.chat_templates");
  if (list != nullptr && !is_array_of(list->value, ValueType::string))
    findings.add(rule::chat_template_is_string, value_type_offset(*list),
                 fmt::format("tokenizer.chat_templates is of type {}; it is an array of strings", type_of(list->value)));
}

void check_embedding_rows_match_tokens(const Reading& reading, Findings& findings) {
  const ValueView* tokens = tokens_of(reading);
  if (tokens == nullptr) return;
  const TensorView* t = reading.find_tensor("token_embd.weight");
  if (t == nullptr || t->rank > kMaxRank || t->dims[1] == tokens->count) return;
  findings.add(rule::embedding_rows_match_tokens, TensorFields(reading, *t).dims,
               fmt::format("token_embd.weight has {} rows for {} tokens", t->dims[1], tokens->count));
}

}  // namespace gcts
