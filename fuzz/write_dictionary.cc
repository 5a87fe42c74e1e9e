// Writes the dictionary of a campaign: magics, the keys that rules speak of, numbers at
// which readers break, type ids, in the bytes that a file has them in.
//
// Keys come from the files of the corpus, so that a rule with a recipe is in the
// dictionary too.

#include <cstdio>
#include <set>
#include <string>
#include <string_view>

#include "corpus/case.h"
#include "reference/tensor_type.h"

using namespace gcts;

namespace {

constexpr size_t kLongestToken = 48;

void print(std::string_view token) {
  std::putchar('"');
  for (const char c : token) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f || c == '"' || c == '\\') std::printf("\\x%02X", byte);
    else std::putchar(c);
  }
  std::printf("\"\n");
}

std::string number(uint64_t value, unsigned bytes, ByteOrder order) {
  std::string out;
  for (unsigned i = 0; i < bytes; ++i) out += static_cast<char>(value >> 8 * (order == ByteOrder::little ? i : bytes - 1 - i));
  return out;
}

void add_numbers(std::set<std::string>& out) {
  for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
    for (const unsigned bits : {8u, 16u, 31u, 32u, 61u, 62u, 63u}) {
      for (const int64_t by : {-1, 0, 1}) out.insert(number((uint64_t{1} << bits) + static_cast<uint64_t>(by), 8, order));
    }
    out.insert(number(~uint64_t{0}, 8, order));
    for (uint32_t version = 0; version <= kNewestVersion + 1; ++version) out.insert(number(version, 4, order));
    for (uint32_t type = 0; type < kValueTypeCount; ++type) out.insert(number(type, 4, order));
    for (const TensorType& type : tensor_types()) out.insert(number(type.id, 4, order));
    for (const uint32_t alignment : {8u, 24u, 64u, 4096u}) out.insert(number(alignment, 4, order));
  }
}

void add_keys(std::set<std::string>& out) {
  for (const Case& c : cases()) {
    if (c.kind != CaseKind::read || c.size != CaseSize::small) continue;
    for (const CaseFile& file : c.files()) {
      const Reading reading = read(file.bytes, {.stage = Stage::metadata, .lint = false});
      for (const KeyValueView& pair : reading.metadata)
        if (pair.key.size() >= 2 && pair.key.size() <= kLongestToken) out.emplace(pair.key);
    }
  }
}

}  // namespace

int main() {
  std::set<std::string> tokens{"GGUF", "FUGG", "gguf", "ggml", "ggmf", "ggjt", "ggla", ".gguf", "-00001-of-00002.gguf"};
  add_numbers(tokens);
  add_keys(tokens);
  for (const std::string& token : tokens) print(token);
  return 0;
}
