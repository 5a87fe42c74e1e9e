// Recipes for models that are split over several files.

#include <functional>
#include <string>
#include <vector>

#include "corpus/models.h"
#include "corpus/recipe.h"
#include "reference/filename.h"
#include "reference/tensor_type.h"

namespace gcts {
namespace {

// A set under construction: its files with their names, the one to open first.
struct Shard {
  std::string name;
  File file;
};
using ShardSet = std::vector<Shard>;

void number(File& file, uint16_t no, uint16_t count, int32_t tensors) {
  file.set("split.no", Value::u16(no));
  file.set("split.count", Value::u16(count));
  file.set("split.tensors.count", Value::i32(tensors));
}

std::string shard_name(uint32_t number, uint32_t count) { return shard_file_name({"model", number, count}); }

// `count` shards of one tensor each; the first has the metadata.
ShardSet shards(uint16_t count) {
  ShardSet set;
  for (uint16_t i = 0; i < count; ++i) {
    File file = i == 0 ? minimal() : File{};
    file.tensors.push_back(filled("blk." + std::to_string(i) + ".weight", tensor::f32, {8}));
    number(file, i, count, count);
    set.push_back({shard_name(i + 1u, count), std::move(file)});
  }
  return set;
}

std::vector<CaseFile> written(const ShardSet& set) {
  std::vector<CaseFile> files;
  for (const Shard& shard : set) files.push_back({shard.name, write_bytes(shard.file)});
  return files;
}

Draft& sound(Recipe& r, std::string_view suffix, ShardSet set, std::string_view comment) {
  return r.files(suffix, comment, [set = std::move(set)] { return written(set); }).tag("shards");
}

// A sound set with one fault.  The document says nothing of sets beyond the name.
Draft& broken(Recipe& r, rule::Index rule, std::string_view suffix, std::string_view parent, ShardSet set, std::string_view comment,
              const std::function<void(ShardSet&)>& fault) {
  fault(set);
  return sound(r, suffix, std::move(set), comment).breaks(rule).child_of(parent).either("divergence");
}

std::function<void(ShardSet&)> key(size_t shard, std::string_view name, Value value) {
  return [=](ShardSet& set) { set[shard].file.set(name, value); };
}

std::function<void(ShardSet&)> without_key(size_t shard, std::string_view name) {
  return [=](ShardSet& set) { std::erase_if(set[shard].file.metadata, [&](const KeyValue& pair) { return pair.key == name; }); };
}

std::function<void(ShardSet&)> named(size_t shard, std::string name) {
  return [=](ShardSet& set) { set[shard].name = name; };
}

}  // namespace

RECIPE(split_number) {
  sound(r, "two", shards(2), "two shards");
  sound(r, "three", shards(3), "three shards");
  broken(r, rule::split_number, "uint32", "two", shards(2), "a loader that asks for a uint16 throws", key(0, "split.no", Value::u32(0)));
  broken(r, rule::split_number, "second_uint32", "two", shards(2), "a loader that asks for a uint16 without looking aborts", key(1, "split.no", Value::u32(1)));
  broken(r, rule::split_number, "missing_in_second", "two", shards(2), "the second shard does not say which it is", without_key(1, "split.no"));
  broken(r, rule::split_number, "string", "three", shards(3), "the number as a string", key(2, "split.no", Value::string("2")));
}

RECIPE(split_count) {
  // The number of tensors is left out: it means one thing in a set and another in one file.
  const auto uncounted = [] {
    ShardSet set = shards(2);
    for (size_t i = 0; i < 2; ++i) without_key(i, "split.tensors.count")(set);
    return set;
  };
  sound(r, "two", uncounted(), "two shards");
  r.valid("absent", one_tensor(), "no split keys: one file");
  r.valid("one", [] {
    File file = one_tensor();
    number(file, 0, 1, 1);
    return file;
  }(), "a set of one file");
  broken(r, rule::split_count, "int32", "two", uncounted(), "a count of another type", key(0, "split.count", Value::i32(2)));
  broken(r, rule::split_count, "second_uint32", "two", uncounted(), "the second shard has a count of another type", key(1, "split.count", Value::u32(2)));
  broken(r, rule::split_count, "string", "two", uncounted(), "the count as a string", key(0, "split.count", Value::string("2")));
}

RECIPE(split_tensors_count) {
  sound(r, "two", shards(2), "two tensors in all");
  broken(r, rule::split_tensors_count, "one_more", "two", shards(2), "three tensors are claimed and two are there", key(0, "split.tensors.count", Value::i32(3)));
  broken(r, rule::split_tensors_count, "one_less", "two", shards(2), "one tensor is claimed and two are there", key(0, "split.tensors.count", Value::i32(1)));
  broken(r, rule::split_tensors_count, "negative", "two", shards(2), "a loader that allocates by it fails", key(0, "split.tensors.count", Value::i32(-1)));
  broken(r, rule::split_tensors_count, "uint32", "two", shards(2), "a count of another type", key(0, "split.tensors.count", Value::u32(2)));
}

RECIPE(shard_file_name) {
  sound(r, "two", shards(2), "names that end in 00001-of-00002 and 00002-of-00002");
  sound(r, "other_prefix", [] {
    ShardSet set = shards(2);
    for (uint32_t i = 0; i < 2; ++i) set[i].name = shard_file_name({"a-00007-of-00009", i + 1, 2});
    return set;
  }(), "a prefix that looks like a shard's tail");
  broken(r, rule::shard_file_name, "from_zero", "two", shards(2), "names that count from 0", [](ShardSet& set) {
    for (uint32_t i = 0; i < 2; ++i) set[i].name = shard_name(i, 2);
  });
  broken(r, rule::shard_file_name, "four_digits", "two", shards(2), "names with four digits", [](ShardSet& set) {
    set[0].name = "model-0001-of-0002.gguf";
    set[1].name = "model-0002-of-0002.gguf";
  }).either("undefined");
  broken(r, rule::shard_file_name, "number_above_count", "two", shards(2), "the first shard's name has number 3 of 2", named(0, shard_name(3, 2)));
}

RECIPE(shard_first) {
  sound(r, "first", shards(2), "the first shard is opened");
  broken(r, rule::shard_first, "second", "first", shards(2), "the second shard is opened", [](ShardSet& set) { std::swap(set[0], set[1]); });
  sound(r, "first_of_three", shards(3), "the first of three shards is opened");
  broken(r, rule::shard_first, "last_of_three", "first_of_three", shards(3), "the last of three shards is opened", [](ShardSet& set) { std::swap(set[0], set[2]); }).either("undefined");
}

RECIPE(shard_name_matches_keys) {
  sound(r, "two", shards(2), "names and keys agree");
  broken(r, rule::shard_name_matches_keys, "keys_swapped", "two", shards(2), "the files were renamed: each has the other's name",
         [](ShardSet& set) { std::swap(set[0].file, set[1].file); });
  broken(r, rule::shard_name_matches_keys, "count_in_keys", "two", shards(2), "the names say two shards, the keys three", [](ShardSet& set) {
    for (Shard& shard : set) shard.file.set("split.count", Value::u16(3));
  });
  broken(r, rule::shard_name_matches_keys, "number_twice", "two", shards(2), "both files say that they are the first", key(1, "split.no", Value::u16(0)));
}

RECIPE(shard_tensor_names_unique) {
  sound(r, "two", shards(2), "two names");
  broken(r, rule::shard_tensor_names_unique, "same_name", "two", shards(2), "the first shard's tensor or the last one's: readers differ",
         [](ShardSet& set) { set[1].file.tensors[0].name = set[0].file.tensors[0].name; });
  sound(r, "three", shards(3), "three names");
  broken(r, rule::shard_tensor_names_unique, "first_and_last", "three", shards(3), "the first and the last shard share a name",
         [](ShardSet& set) { set[2].file.tensors[0].name = set[0].file.tensors[0].name; });
}

RECIPE(shard_present) {
  sound(r, "three", shards(3), "three shards, all there");
  broken(r, rule::shard_present, "last_missing", "three", shards(3), "the last shard is missing", [](ShardSet& set) { set.pop_back(); });
  broken(r, rule::shard_present, "second_missing", "three", shards(3), "the second shard is missing", [](ShardSet& set) { set.erase(set.begin() + 1); });
  broken(r, rule::shard_present, "first_alone", "three", shards(3), "only the first shard was fetched", [](ShardSet& set) { set.resize(1); });
}

RECIPE(shard_own_alignment) {
  const auto aligned = [](uint32_t first, uint32_t second) {
    ShardSet set = shards(2);
    for (Shard& shard : set) shard.file.tensors.push_back(filled("more." + shard.name, tensor::i8, {5}));
    for (Shard& shard : set) shard.file.set("split.tensors.count", Value::i32(4));
    if (first) set[0].file.set(kAlignmentKey, Value::u32(first));
    if (second) set[1].file.set(kAlignmentKey, Value::u32(second));
    return set;
  };
  sound(r, "64_then_default", aligned(64, 0), "a reader that keeps the first shard's alignment finds other data in the second");
  sound(r, "default_then_64", aligned(0, 64), "the second shard alone has an alignment of its own");
  sound(r, "64_then_128", aligned(64, 128), "two different alignments");
}

RECIPE(shard_without_tensors) {
  const auto metadata_first = [](uint16_t count) {
    ShardSet set = shards(count);
    set[0].file.tensors.clear();
    for (Shard& shard : set) shard.file.set("split.tensors.count", Value::i32(count - 1));
    return set;
  };
  sound(r, "first_of_two", metadata_first(2), "the first shard holds metadata alone");
  sound(r, "first_of_three", metadata_first(3), "the first of three shards holds metadata alone");
  sound(r, "all", [] {
    ShardSet set = shards(2);
    for (Shard& shard : set) {
      shard.file.tensors.clear();
      shard.file.set("split.tensors.count", Value::i32(0));
    }
    return set;
  }(), "no shard has a tensor");
}

RECIPE(shards_same_layout) {
  sound(r, "two", shards(2), "two shards of version 3");
  broken(r, rule::shards_same_layout, "second_version_2", "two", shards(2), "the second shard has version 2",
         [](ShardSet& set) { set[1].file.layout.version = 2; }).either("undefined");
  sound(r, "three", shards(3), "three shards of version 3");
  broken(r, rule::shards_same_layout, "last_version_2", "three", shards(3), "the last shard has version 2",
         [](ShardSet& set) { set[2].file.layout.version = 2; }).either("undefined");
}

RECIPE(first_shard_metadata) {
  const auto with_keys = [](std::string_view architecture) {
    ShardSet set = shards(2);
    set[0].file.set("gcts.value", Value::u32(1));
    set[1].file.set("gcts.value", Value::u32(2));
    set[1].file.set("general.architecture", Value::string(architecture));
    return set;
  };
  sound(r, "value_contradicted", with_keys("gcts"), "the second shard gives a key another value");
  sound(r, "architecture_contradicted", with_keys("other"), "the second shard names another architecture");
  sound(r, "repeated", shards(3), "later shards repeat the architecture");
}

RECIPE(shard_count_limit) {
  sound(r, "two", shards(2), "two shards");
  sound(r, "nine", shards(9), "nine shards");
  const auto renamed = [](uint32_t count) {
    return [count](ShardSet& set) {
      for (uint32_t i = 0; i < set.size(); ++i) set[i].name = shard_name(i + 1, count);
    };
  };
  broken(r, rule::shard_count_limit, "65536", "two", shards(2), "a count of 65536 does not fit the uint16 of split.count", renamed(65'536));
  broken(r, rule::shard_count_limit, "99999", "two", shards(2), "a reader that lists the names makes 99,999 of them", renamed(99'999));
}

}  // namespace gcts
