// Globs, shards, durations.

#include "harness/selection.h"

#include <boost/test/unit_test.hpp>
#include <set>

#include "corpus/case.h"

namespace gcts {

BOOST_AUTO_TEST_SUITE(selection)

BOOST_AUTO_TEST_CASE(globs) {
  BOOST_TEST(glob_match("", ""));
  BOOST_TEST(!glob_match("", "a"));
  BOOST_TEST(glob_match("*", ""));
  BOOST_TEST(glob_match("*", "a/b"));
  BOOST_TEST(glob_match("a*c", "abbc"));
  BOOST_TEST(!glob_match("a*c", "abbd"));
  BOOST_TEST(glob_match("a?c", "abc"));
  BOOST_TEST(!glob_match("a?c", "ac"));
  BOOST_TEST(glob_match("*.one_*", "x/y.two.one_z"));
  BOOST_TEST(glob_match("a*b*c", "a1b2b3c"));
  BOOST_TEST(!glob_match("[ab]", "a"));  // brackets are nothing special
  // A pattern of many stars takes no exponential time.
  const std::string text(20000, 'a');
  BOOST_TEST(!glob_match("a*a*a*a*a*a*a*a*b", text));
}

BOOST_AUTO_TEST_CASE(leading_parts_select) {
  BOOST_TEST(selects("format", "format/valid/keys/a"));
  BOOST_TEST(selects("format/valid", "format/valid/keys/a"));
  BOOST_TEST(selects("format/valid/", "format/valid/keys/a"));
  BOOST_TEST(selects("*/keys", "format/valid/keys/a"));
  BOOST_TEST(!selects("form", "format/valid/keys/a"));
  BOOST_TEST(!selects("format/valid/keys/a/b", "format/valid/keys/a"));
}

BOOST_AUTO_TEST_CASE(run_and_skip) {
  const Selection all;
  BOOST_TEST(all.contains("anything"));
  const Selection some{{"a", "b/*"}, {"*/x"}};
  BOOST_TEST(some.contains("a/y"));
  BOOST_TEST(some.contains("b/y"));
  BOOST_TEST(!some.contains("a/x"));
  BOOST_TEST(!some.contains("c"));
  BOOST_TEST(some.names("a"));
  BOOST_TEST(!some.names("b/y"));
}

BOOST_AUTO_TEST_CASE(shards_partition_the_cases) {
  for (uint64_t count : {1, 2, 3, 7}) {
    size_t smallest = SIZE_MAX;
    std::set<std::string> seen;
    for (uint64_t index = 1; index <= count; ++index) {
      const Shard shard{index, count};
      size_t size = 0;
      for (const Case& c : cases()) {
        if (!shard.contains(c.id)) continue;
        BOOST_TEST(seen.insert(c.id).second);
        ++size;
      }
      smallest = std::min(smallest, size);
    }
    BOOST_TEST(seen.size() == cases().size());
    BOOST_TEST(smallest > cases().size() / count / 2);
  }
}

BOOST_AUTO_TEST_CASE(shards_parsed) {
  Shard shard;
  BOOST_TEST(parse_shard("2/5", shard));
  BOOST_TEST(shard.index == 2);
  BOOST_TEST(shard.count == 5);
  for (const char* bad : {"", "1", "0/2", "3/2", "1/0", "a/b", "1/2/3", "-1/2", "1/ 2"}) {
    BOOST_TEST_CONTEXT(bad) { BOOST_TEST(!parse_shard(bad, shard)); }
  }
}

BOOST_AUTO_TEST_CASE(durations) {
  double seconds = 0;
  BOOST_TEST(parse_duration("90", seconds));
  BOOST_TEST(seconds == 90);
  BOOST_TEST(parse_duration("5m", seconds));
  BOOST_TEST(seconds == 300);
  BOOST_TEST(parse_duration("1h", seconds));
  BOOST_TEST(seconds == 3600);
  for (const char* bad : {"", "s", "1.5s", "-1", "1d", "m5"}) BOOST_TEST(!parse_duration(bad, seconds));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace gcts
