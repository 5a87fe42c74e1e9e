// Shard sets: each fault gives one root finding about the right file.

#include "reference/split.h"

#include <stdlib.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "reference/filename.h"
#include "reference/writer.h"

namespace gcts {
namespace {

struct Shard {
  std::string name;
  File file;
};
using ShardSet = std::vector<Shard>;

ShardSet shards(uint16_t count) {
  ShardSet set;
  for (uint16_t i = 0; i < count; ++i) {
    File file;
    if (i == 0) file.set("general.architecture", Value::string("test"));
    file.tensors.push_back({"t" + std::to_string(i), 24, {32}, Bytes(32, std::byte{1}), {}});
    file.set("split.no", Value::u16(i));
    file.set("split.count", Value::u16(count));
    file.set("split.tensors.count", Value::i32(count));
    set.push_back({shard_file_name({"m", i + 1u, count}), file});
  }
  return set;
}

// "file:rule" of each root finding.
std::string roots(const ShardSet& set) {
  std::vector<Bytes> bytes;
  for (const Shard& shard : set) bytes.push_back(write_bytes(shard.file));
  std::vector<NamedFile> files;
  for (size_t i = 0; i < set.size(); ++i) files.push_back({set[i].name, bytes[i]});
  const SetReading reading = read_set(files);
  BOOST_TEST(reading.shards.size() == set.size());
  std::string text;
  for (const SetFinding& f : reading.findings) {
    BOOST_TEST(!f.finding.message.empty());
    if (f.finding.root)
      text += (text.empty() ? "" : " ") + std::to_string(f.file) + ":" +
              std::string(rule_at(f.finding.rule).name);
  }
  return text;
}

std::string roots(ShardSet set, const std::function<void(ShardSet&)>& fault) {
  fault(set);
  return roots(set);
}

BOOST_AUTO_TEST_SUITE(split)

BOOST_AUTO_TEST_CASE(sound_sets) {
  for (const uint16_t count : {2, 3, 12}) BOOST_TEST(roots(shards(count)) == "");
  BOOST_TEST(roots(shards(3), [](ShardSet& s) {
               s[0].file.tensors.clear();
               for (Shard& shard : s) shard.file.set("split.tensors.count", Value::i32(2));
             }) == "");
}

BOOST_AUTO_TEST_CASE(one_file_is_no_set) {
  File file;
  file.set("general.architecture", Value::string("test"));
  BOOST_TEST(roots({{"anything at all", file}}) == "");
  file.set("split.count", Value::u16(1));
  file.set("split.no", Value::u16(0));
  BOOST_TEST(roots({{"a.gguf", file}}) == "");
}

BOOST_AUTO_TEST_CASE(names) {
  BOOST_TEST(roots(shards(2), [](ShardSet& s) { s[1].name = "m-2.gguf"; }) == "1:shard_file_name");
  BOOST_TEST(roots(shards(2), [](ShardSet& s) { s[0].name = shard_file_name({"m", 0, 2}); }) ==
             "0:shard_file_name");
  BOOST_TEST(roots(shards(2), [](ShardSet& s) { s[1].name = shard_file_name({"m", 3, 2}); }) ==
             "1:shard_file_name");
  BOOST_TEST(roots(shards(2), [](ShardSet& s) { std::swap(s[0], s[1]); }) == "0:shard_first");
  BOOST_TEST(roots(shards(2), [](ShardSet& s) { std::swap(s[0].name, s[1].name), std::swap(s[0], s[1]); }) ==
             "0:shard_name_matches_keys");
  BOOST_TEST(roots(shards(2), [](ShardSet& s) {
               for (Shard& shard : s) shard.file.set("split.count", Value::u16(4));
             }) == "0:shard_name_matches_keys");
  BOOST_TEST(roots(shards(2), [](ShardSet& s) {
               for (uint32_t i = 0; i < 2; ++i) s[i].name = shard_file_name({"m", i + 1, 70'000});
             }) == "0:shard_count_limit");
}

BOOST_AUTO_TEST_CASE(missing_files) {
  BOOST_TEST(roots(shards(3), [](ShardSet& s) { s.pop_back(); }) == "0:shard_present");
  BOOST_TEST(roots(shards(40), [](ShardSet& s) { s.resize(1); }) == "0:shard_present");
  BOOST_TEST(roots(shards(3), [](ShardSet& s) { s.erase(s.begin()); }) == "0:shard_first 0:shard_present");
}

BOOST_AUTO_TEST_CASE(contents) {
  BOOST_TEST(roots(shards(3), [](ShardSet& s) { s[2].file.tensors[0].name = "t0"; }) ==
             "2:shard_tensor_names_unique");
  BOOST_TEST(roots(shards(3), [](ShardSet& s) { s[0].file.set("split.tensors.count", Value::i32(7)); }) ==
             "0:split_tensors_count");
  BOOST_TEST(roots(shards(3), [](ShardSet& s) { s[1].file.set("split.tensors.count", Value::u32(3)); }) ==
             "1:split_tensors_count");
  BOOST_TEST(roots(shards(3), [](ShardSet& s) { s[1].file.layout.version = 2; }) == "1:shards_same_layout");
  BOOST_TEST(roots(shards(2), [](ShardSet& s) {
               std::erase_if(s[1].file.metadata, [](const KeyValue& p) { return p.key == "split.no"; });
             }) == "1:split_number");
}

// The schema is asked of the first shard, and of it alone.
BOOST_AUTO_TEST_CASE(metadata_schema) {
  BOOST_TEST(roots(shards(2), [](ShardSet& s) { s[0].file.metadata.erase(s[0].file.metadata.begin()); }) ==
             "0:architecture_present");
}

BOOST_AUTO_TEST_CASE(verdicts) {
  ShardSet set = shards(2);
  const Bytes first = write_bytes(set[0].file), second = write_bytes(set[1].file);
  const std::vector<NamedFile> complete = {{set[0].name, first}, {set[1].name, second}},
                               alone = {{set[0].name, first}};
  const Profile spec = Profile::builtin(BuiltinProfile::spec), ggml = Profile::builtin(BuiltinProfile::ggml);
  BOOST_TEST((judge(read_set(complete), ggml, true) == Verdict::valid));
  BOOST_TEST((judge(read_set(alone), ggml) == Verdict::invalid));
  BOOST_TEST((judge(read_set(alone), spec) == Verdict::valid));
  BOOST_TEST((judge(read_set(alone), spec, true) == Verdict::invalid));
  BOOST_TEST((judge(read_set({}), ggml) == Verdict::valid));
}

BOOST_AUTO_TEST_CASE(files_of_a_set) {
  char folder[] = "/tmp/gcts-split-XXXXXX";
  BOOST_REQUIRE(mkdtemp(folder));
  const std::string at = std::string(folder) + "/";
  for (const char* name : {"m-00003-of-00003.gguf", "m-00001-of-00003.gguf", "m-00004-of-00003.gguf", "m-00002-of-00004.gguf",
                           "n-00002-of-00003.gguf", "m-00000-of-00003.gguf", "m-00002-of-00003.txt"})
    std::ofstream(at + name) << "x";
  using Names = std::vector<std::string>;
  BOOST_TEST(shards_beside(at + "plain.gguf") == (Names{"plain.gguf"}), boost::test_tools::per_element());
  BOOST_TEST(shards_beside(at + "m-00003-of-00003.gguf") == (Names{"m-00001-of-00003.gguf", "m-00003-of-00003.gguf"}), boost::test_tools::per_element());
  BOOST_TEST(shards_beside(at + "m-00002-of-00003.gguf") == (Names{"m-00001-of-00003.gguf", "m-00002-of-00003.gguf", "m-00003-of-00003.gguf"}),
             boost::test_tools::per_element());
  BOOST_TEST(shards_beside(at + "m-00000-of-00003.gguf") == (Names{"m-00001-of-00003.gguf", "m-00003-of-00003.gguf", "m-00000-of-00003.gguf"}),
             boost::test_tools::per_element());
  BOOST_TEST(shards_beside(at + "m-00001-of-99999.gguf") == (Names{"m-00001-of-99999.gguf"}), boost::test_tools::per_element());
  BOOST_TEST(shards_beside(at + "missing/m-00001-of-00002.gguf") == (Names{"m-00001-of-00002.gguf"}), boost::test_tools::per_element());
  std::filesystem::remove_all(folder);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace gcts
