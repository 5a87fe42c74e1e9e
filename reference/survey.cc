// One pass over keys and one over tensors on behalf of all checks.

#include "reference/survey.h"

#include <algorithm>
#include <array>
#include <utility>

#include "reference/tensor_type.h"

namespace gcts {
namespace {

constexpr std::array<bool, 256> plain_key_bytes() {
  std::array<bool, 256> plain{};
  for (int c = 'a'; c <= 'z'; ++c) plain[static_cast<size_t>(c)] = true;
  for (int c = '0'; c <= '9'; ++c) plain[static_cast<size_t>(c)] = true;
  plain['_'] = true;
  return plain;
}

// Segments of plain bytes joined by single dots, not longer than a key may be.
bool is_ordinary_key(std::string_view key) {
  static constexpr std::array<bool, 256> kPlain = plain_key_bytes();
  constexpr size_t kLongest = 65535;
  bool after_dot = true;
  for (const char c : key) {
    const bool dot = c == '.';
    if (dot ? after_dot : !kPlain[static_cast<unsigned char>(c)]) return false;
    after_dot = dot;
  }
  return !after_dot && key.size() <= kLongest;
}

bool is_ordinary_tensor(const TensorView& t) {
  constexpr size_t kLongest = 63;      // ggml's limit
  constexpr uint32_t kNewestType = 39;  // in the document
  if (!t.sized || t.type > kNewestType || t.name.empty() || t.name.size() > kLongest) return false;
  // Neither NUL nor beyond ASCII, whether char has a sign or not.
  return std::all_of(t.name.begin(), t.name.end(), [](char c) { return c != 0 && static_cast<unsigned char>(c) < 0x80; });
}

bool is_quantized(const TensorView& t) {
  const TensorType* row = find_tensor_type(t.type);
  return row != nullptr && row->block_elements > 1;
}

bool is_known(std::string_view key, std::string_view architecture) {
  const std::string_view prefix = key.substr(0, key.find('.'));
  return prefix == "general" || prefix == "tokenizer" || prefix == "split" ||
         (!architecture.empty() && key.starts_with(architecture));
}

// An order of keys in which most comparisons need not look at the text.
bool is_before(std::string_view a, std::string_view b) { return a.size() != b.size() ? a.size() < b.size() : a < b; }

}  // namespace

Survey::Survey(const Reading& reading, std::vector<Extent> all_extents) : extents(std::move(all_extents)) {
  const KeyValueView* named = reading.find("general.architecture");
  const std::string_view architecture = named == nullptr ? std::string_view() : named->value.text();
  constexpr size_t kUsual = 32;  // known keys of a model
  known.reserve(std::min(kUsual, reading.metadata.size()));
  for (uint64_t i = 0; i < reading.metadata.size(); ++i) {
    const KeyValueView& pair = reading.metadata[i];
    if (!is_ordinary_key(pair.key)) odd_keys.push_back(i);
    if (is_known(pair.key, architecture)) known.push_back(&pair);
  }
  std::sort(known.begin(), known.end(), [](const KeyValueView* a, const KeyValueView* b) {
    return a->key == b->key ? a < b : is_before(a->key, b->key);
  });
  for (uint64_t i = 0; i < reading.tensors.size(); ++i) {
    const TensorView& t = reading.tensors[i];
    if (!is_ordinary_tensor(t)) odd_tensors.push_back(i);
    if (quantized == nullptr && is_quantized(t)) quantized = &t;
  }
  if (!reading.complete) return;
  strays = find_strays(reading, extents);
  placement = find_placement_faults(reading, extents, strays);
  need = find_need(reading, extents, strays);
}

const KeyValueView* Survey::find(std::string_view key) const {
  const auto it = std::lower_bound(known.begin(), known.end(), key,
                                   [](const KeyValueView* pair, std::string_view wanted) { return is_before(pair->key, wanted); });
  return it == known.end() || (*it)->key != key ? nullptr : *it;
}

const KeyValueView* Survey::find(std::string_view prefix, std::string_view key) const {
  const size_t dot = prefix.size(), size = dot + 1 + key.size();
  // Below 0: `text` comes before the key that is looked for; 0: it is that key.
  const auto order = [&](std::string_view text) {
    if (text.size() != size) return text.size() < size ? -1 : 1;
    if (const int start = text.compare(0, dot, prefix); start != 0) return start;
    if (const int middle = text.compare(dot, 1, "."); middle != 0) return middle;
    return text.compare(dot + 1, key.size(), key);
  };
  const auto it = std::partition_point(known.begin(), known.end(), [&](const KeyValueView* pair) { return order(pair->key) < 0; });
  return it == known.end() || order((*it)->key) != 0 ? nullptr : *it;
}

}  // namespace gcts
