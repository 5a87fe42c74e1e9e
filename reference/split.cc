// Judges the files of a split model together.

#include "reference/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "reference/filename.h"
#include "reference/quote.h"

namespace gcts {
namespace {

constexpr std::string_view kNumber = "split.no";
constexpr std::string_view kCount = "split.count";
constexpr std::string_view kTensors = "split.tensors.count";

// A key's value if the key is there with the type that it has to have.
std::optional<uint64_t> typed(const Reading& reading, std::string_view key, ValueType type) {
  const KeyValueView* pair = reading.find(key);
  if (!pair || pair->value.type != type) return {};
  return pair->value.bits();
}

uint64_t offset_of(const Reading& reading, std::string_view key) {
  const KeyValueView* pair = reading.find(key);
  return pair ? pair->value.offset : 0;
}

// Everything known about a set while it is judged.
class Judge {
 public:
  Judge(std::span<const std::string> names, std::span<const Reading> shards)
      : names_(names), shards_(shards) {
    for (const std::string& name : names) parsed_.push_back(parse_shard_name(name));
  }

  std::vector<SetFinding> run() {
    const bool named = check_names();
    if (named) {
      check_first();
      check_names_match_keys();
    }
    const bool complete = check_present(named);
    check_layouts();
    check_tensor_names();
    if (complete) check_tensor_count();
    return std::move(findings_);
  }

 private:
  // The first finding of a rule is the root, the others follow from the same mistake.
  void add(size_t file, rule::Index rule, uint64_t offset, std::string message, bool root = true) {
    const bool again = std::any_of(findings_.begin(), findings_.end(),
                                   [&](const SetFinding& f) { return f.finding.rule == rule; });
    findings_.push_back({file, {rule, offset, root && !again, std::move(message)}});
  }

  bool check_names();
  void check_first();
  void check_names_match_keys();
  bool check_present(bool named);
  void check_layouts();
  void check_tensor_names();
  void check_tensor_count();

  std::span<const std::string> names_;
  std::span<const Reading> shards_;
  std::vector<std::optional<ShardName>> parsed_;
  std::vector<SetFinding> findings_;
};

// Whether the names can be trusted to say which file is which.
bool Judge::check_names() {
  for (size_t i = 0; i < names_.size(); ++i) {
    const auto& shard = parsed_[i];
    if (!shard)
      add(i, rule::shard_file_name, 0,
          fmt::format("the name {} does not end in -00001-of-{:05}.gguf or the like", quote(names_[i]),
                      names_.size()));
    else if (shard->number == 0)
      add(i, rule::shard_file_name, 0,
          fmt::format("the name {} has number 0; shards are numbered from 1 in names", quote(names_[i])));
    else if (shard->number > shard->count)
      add(i, rule::shard_file_name, 0,
          fmt::format("the name {} has number {} of {}", quote(names_[i]), shard->number, shard->count));
    else if (shard->count > kMaxShards)
      add(i, rule::shard_count_limit, 0,
          fmt::format("the name {} speaks of {} shards; a set has at most {}", quote(names_[i]), shard->count,
                      kMaxShards));
  }
  return findings_.empty();
}

void Judge::check_first() {
  if (parsed_[0]->number != 1)
    add(0, rule::shard_first, 0,
        fmt::format("{} is shard {} of {}; a split model is opened by its first", quote(names_[0]),
                    parsed_[0]->number, parsed_[0]->count));
}

void Judge::check_names_match_keys() {
  for (size_t i = 0; i < names_.size(); ++i) {
    if (const auto number = typed(shards_[i], kNumber, ValueType::uint16);
        number && *number + 1 != parsed_[i]->number)
      add(i, rule::shard_name_matches_keys, offset_of(shards_[i], kNumber),
          fmt::format("{} has split.no {}, which belongs into the name as {:05}", quote(names_[i]), *number,
                      *number + 1));
    if (const auto count = typed(shards_[i], kCount, ValueType::uint16);
        count && *count > 1 && *count != parsed_[i]->count)
      add(i, rule::shard_name_matches_keys, offset_of(shards_[i], kCount),
          fmt::format("{} has split.count {}", quote(names_[i]), *count));
  }
}

// Whether all files are there, as far as can be told.
bool Judge::check_present(bool named) {
  if (!named) return names_.size() == typed(shards_[0], kCount, ValueType::uint16).value_or(names_.size());
  const uint32_t count = parsed_[0]->count;
  std::vector<bool> present(count);
  for (const auto& shard : parsed_)
    if (shard->number <= count) present[shard->number - 1] = true;
  uint32_t told = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (present[i]) continue;
    if (told++ < Findings::kMaxPerRule)
      add(0, rule::shard_present, 0,
          fmt::format("{} is missing", quote(shard_file_name({parsed_[0]->prefix, i + 1, count}))));
  }
  return told == 0;
}

void Judge::check_layouts() {
  const auto order = [](Layout layout) { return layout.order == ByteOrder::little ? "little" : "big"; };
  const Layout first = shards_[0].layout;
  for (size_t i = 1; i < shards_.size(); ++i)
    if (shards_[i].layout != first)
      add(i, rule::shards_same_layout, 4,
          fmt::format("{} has version {} and is {}-endian, {} has version {} and is {}-endian",
                      quote(names_[i]), shards_[i].layout.version, order(shards_[i].layout), quote(names_[0]),
                      first.version, order(first)));
}

void Judge::check_tensor_names() {
  std::unordered_map<std::string_view, size_t> owner;
  for (size_t i = 0; i < shards_.size(); ++i) {
    for (const TensorView& tensor : shards_[i].tensors) {
      const auto [found, is_new] = owner.emplace(tensor.name, i);
      if (is_new || found->second == i) continue;
      add(i, rule::shard_tensor_names_unique, tensor.info_offset,
          fmt::format("the tensor {} stands in {} and in {}", quote(tensor.name),
                      quote(names_[found->second]), quote(names_[i])));
      if (findings_.size() > Findings::kMaxPerRule * 8) return;
    }
  }
}

void Judge::check_tensor_count() {
  uint64_t total = 0;
  for (const Reading& shard : shards_) total += shard.tensors.size();
  for (size_t i = 0; i < shards_.size(); ++i) {
    const auto claimed = typed(shards_[i], kTensors, ValueType::int32);
    if (!claimed || *claimed == total || shards_[i].findings.has(rule::split_tensors_count)) continue;
    add(i, rule::split_tensors_count, offset_of(shards_[i], kTensors),
        fmt::format("split.tensors.count is {}, and the set has {} tensors", static_cast<int32_t>(*claimed),
                    total));
  }
}

// The metadata schema is about the model, which the first shard describes.
bool is_schema(rule::Index index) {
  return rule_at(index).area == "architecture" || rule_at(index).area == "tokenizer";
}

// The index of the shard that describes the model: the one that says it is number 0.
// Where none says so it is the one that was opened, unless that says that it is not;
// then it is none of them.
size_t first_shard(std::span<const Reading> shards) {
  for (size_t i = 0; i < shards.size(); ++i)
    if (typed(shards[i], kNumber, ValueType::uint16) == 0) return i;
  return !shards.empty() && typed(shards[0], kNumber, ValueType::uint16) ? shards.size() : 0;
}

}  // namespace

bool is_shard(std::string_view name, const Reading& reading) {
  const auto parsed = parse_shard_name(name);
  return (parsed && parsed->count > 1) || typed(reading, kCount, ValueType::uint16).value_or(0) > 1;
}

std::vector<std::string> shards_beside(const std::string& path) {
  const size_t name_at = path.rfind('/') + 1;  // npos + 1 is 0
  const std::string name = path.substr(name_at), folder = name_at == 0 ? "." : path.substr(0, name_at);
  const auto own = parse_shard_name(name);
  if (!own || own->count < 2) return {name};
  std::map<uint32_t, std::string> found;
  std::error_code unreadable;  // then nothing but the file itself is known
  for (std::filesystem::directory_iterator file(folder, unreadable), end; !unreadable && file != end; file.increment(unreadable)) {
    std::string other = file->path().filename().string();
    const auto shard = parse_shard_name(other);
    if (shard && shard->prefix == own->prefix && shard->count == own->count && shard->number >= 1 && shard->number <= shard->count)
      found.emplace(shard->number, std::move(other));
  }
  found[own->number >= 1 && own->number <= own->count ? own->number : own->count + 1] = name;
  std::vector<std::string> names;
  for (auto& [number, each] : found) names.push_back(std::move(each));
  return names;
}

std::vector<SetFinding> check_set(std::span<const std::string> names, std::span<const Reading> shards) {
  if (shards.empty() || (shards.size() == 1 && !is_shard(names[0], shards[0]))) return {};
  return Judge(names, shards).run();
}

SetReading read_set(std::span<const NamedFile> files, const ReadOptions& options) {
  SetReading set;
  std::vector<std::string> names;
  for (const NamedFile& file : files) {
    names.push_back(file.name);
    set.shards.push_back(read(file.bytes, options));
  }
  const size_t describing = first_shard(set.shards);
  for (size_t i = 0; i < files.size(); ++i)
    for (const Finding& finding : set.shards[i].findings.all())
      if (i == describing || !is_schema(finding.rule)) set.findings.push_back({i, finding});
  std::vector<SetFinding> together = check_set(names, set.shards);
  std::move(together.begin(), together.end(), std::back_inserter(set.findings));
  return set;
}

Verdict judge(const SetReading& set, const Profile& profile, bool strict) {
  const Severity least = strict ? Severity::should : Severity::must;
  const auto counts = [&](const SetFinding& f) { return profile.severity(f.finding.rule) >= least; };
  return std::any_of(set.findings.begin(), set.findings.end(), counts) ? Verdict::invalid : Verdict::valid;
}

}  // namespace gcts
