// A set of files out of one input: it is cut at every magic, and the pieces get shard
// names, in an order and with a count that the input decides.

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "fuzz/promise.h"
#include "reference/split.h"

using namespace gcts;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kMostFiles = 8;
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const uint64_t chosen = choice(data, size);
  std::vector<size_t> cuts{0};
  for (size_t at = all.find("GGUF", 1); at != all.npos && cuts.size() < kMostFiles; at = all.find("GGUF", at + 1)) cuts.push_back(at);
  cuts.push_back(size);
  const size_t count = cuts.size() - 1, first = chosen % count;
  const size_t claimed = chosen >> 8 & 7 ? count : count + (chosen >> 11 & 1 ? 1 : 65535);
  std::vector<NamedFile> files;
  for (size_t i = 0; i < count; ++i) {
    const size_t piece = (first + i) % count;
    files.push_back({fmt::format("model-{:05}-of-{:05}.gguf", chosen >> 16 & 7 ? piece + 1 : i, claimed % 100'000),
                     std::as_bytes(std::span(all.substr(cuts[piece], cuts[piece + 1] - cuts[piece])))});
  }
  const SetReading set = read_set(files);
  promise(set.shards.size() == files.size(), "every file is read");
  const Profile profile = Profile::builtin(BuiltinProfile::ggml);
  for (const SetFinding& found : set.findings) promise(found.file < files.size(), "a finding is about a file of the set");
  for (const Reading& shard : set.shards) {
    if (judge(shard.findings, profile) == Verdict::invalid)
      promise(judge(set, profile) == Verdict::invalid, "a set with an invalid file is invalid");
  }
  return 0;
}
