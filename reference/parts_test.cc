// The parts the reader is made of: UTF-8, shapes, duplicates, quoting, sources.

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "reference/checks/spdx.h"
#include "reference/duplicates.h"
#include "reference/faults_for_test.h"
#include "reference/quote.h"
#include "reference/shape.h"
#include "reference/source.h"
#include "reference/utf8.h"

namespace gcts {
namespace {

using namespace std::string_view_literals;

BOOST_AUTO_TEST_SUITE(reader_parts)

BOOST_AUTO_TEST_CASE(well_formed_utf8) {
  for (const std::string_view text :
       {""sv, "a"sv, "\0"sv, "0123456789abcdef"sv, "\xc2\x80"sv, "\xdf\xbf"sv, "\xe0\xa0\x80"sv, "\xed\x9f\xbf"sv, "\xee\x80\x80"sv,
        "\xef\xbb\xbf"sv, "\xef\xbf\xbf"sv, "\xf0\x90\x80\x80"sv, "\xf4\x8f\xbf\xbf"sv, "1234567\xc3\xa9"sv, "\xc3\xa9 12345678"sv})
    BOOST_TEST(find_invalid_utf8(text) == text.size());
}

BOOST_AUTO_TEST_CASE(ill_formed_utf8_is_found_where_it_begins) {
  for (const std::string_view bad :
       {"\x80"sv, "\xbf"sv, "\xc0\x80"sv, "\xc1\xbf"sv, "\xc2"sv, "\xc2 "sv, "\xe0\x80\x80"sv, "\xe0\x9f\xbf"sv, "\xe1\x80"sv,
        "\xed\xa0\x80"sv, "\xed\xbf\xbf"sv, "\xf0\x80\x80\x80"sv, "\xf0\x8f\xbf\xbf"sv, "\xf4\x90\x80\x80"sv,
        "\xf5\x80\x80\x80"sv, "\xf0\x90\x80"sv, "\xfe"sv, "\xff"sv}) {
    for (size_t before = 0; before < 20; ++before) {
      for (const size_t after : {0, 1, 9}) {
        const std::string text = std::string(before, 'a') + std::string(bad) + std::string(after, 'b');
        BOOST_TEST(find_invalid_utf8(text) == before);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(sizes_of_shapes) {
  const auto bytes = [](uint32_t type, std::vector<uint64_t> dims) {
    const auto rank = static_cast<uint32_t>(dims.size());
    dims.resize(4, 1);
    const ShapeSize size = measure(type, rank, dims);
    BOOST_TEST((size.fault == ShapeFault::none));
    return size.bytes;
  };
  BOOST_TEST(bytes(0, {}) == 4u);
  BOOST_TEST(bytes(0, {3, 5, 7, 2}) == 840u);
  BOOST_TEST(bytes(2, {64, 3}) == 108u);
  BOOST_TEST(bytes(12, {256}) == 144u);
  BOOST_TEST(bytes(0, {8, 0}) == 0u);
  BOOST_TEST(bytes(24, {0, uint64_t{1} << 62, 8}) == 0u);
  BOOST_TEST(bytes(24, {(uint64_t{1} << 62)}) == uint64_t{1} << 62);
  BOOST_TEST(bytes(1, {(uint64_t{1} << 62)}) == uint64_t{1} << 63);
}

BOOST_AUTO_TEST_CASE(duplicates_of_few_and_many) {
  BOOST_TEST(find_duplicates({}).empty());
  const std::vector<std::string_view> few = {"a", "b", "a", "", "a", ""};
  const std::vector<Duplicate> found = find_duplicates(few);
  BOOST_TEST(found.size() == 3u);
  BOOST_TEST((found[0].index == 2 && found[0].first == 0));
  BOOST_TEST((found[1].index == 4 && found[1].first == 0));
  BOOST_TEST((found[2].index == 5 && found[2].first == 3));

  std::vector<std::string> texts;
  for (uint64_t i = 0; i < 50'000; ++i) texts.push_back(std::to_string(i % 49'990));
  const std::vector<std::string_view> many(texts.begin(), texts.end());
  const std::vector<Duplicate> late = find_duplicates(many);
  BOOST_TEST(late.size() == 10u);
  for (size_t i = 0; i < late.size(); ++i) BOOST_TEST((late[i].index == 49'990 + i && late[i].first == i));
  BOOST_TEST(find_duplicates(std::vector<std::string_view>(20'000, "same")).size() == 19'999u);
}

BOOST_AUTO_TEST_CASE(quoted_text_is_printable_and_short) {
  BOOST_TEST(quote("a.b") == "\"a.b\"");
  BOOST_TEST(quote("a\n\x1b\"\\\xff"sv) == "\"a\\x0a\\x1b\\x22\\x5c\\xff\"");
  BOOST_TEST(quote(std::string(65, 'k')) == "\"" + std::string(64, 'k') + "...\"");
}

BOOST_AUTO_TEST_CASE(licence_expressions) {
  for (const char* good : {"MIT", "apache-2.0", "Apache-2.0 OR MIT", "GPL-2.0+ WITH Classpath-exception-2.0", "(MIT AND (BSD-3-Clause OR ISC))",
                           "LicenseRef-llama3", "DocumentRef-x:LicenseRef-y"})
    BOOST_TEST(is_spdx_expression(good));
  for (const char* bad : {"", " ", "MIT or", "MIT MIT", "AND MIT", "(MIT", "MIT)", "()", "https://example.org", "a/b", "see file"})
    BOOST_TEST(!is_spdx_expression(bad));
}

BOOST_AUTO_TEST_CASE(a_stream_is_fetched_as_far_as_needed) {
  Bytes bytes(300'000);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7);
  for (const size_t chunk : {1000u, 70'000u, 400'000u}) {
    for (const uint64_t reached : {10u, 4096u, 200'000u}) {
      const ChunkSource chunks = chunks_of(bytes, chunk);
      Source source(chunks);
      BOOST_TEST(source.reach(10));
      BOOST_TEST(source.size() < 100'000u);
      BOOST_TEST(source.reach(reached));
      BOOST_TEST((source.data()[reached - 1] == bytes[reached - 1]));
      uint64_t next = std::min<uint64_t>(150'000, reached);
      const uint64_t size = source.drain(next, [&](uint64_t offset, std::span<const std::byte> part) {
        BOOST_TEST(offset == next);
        BOOST_TEST(std::equal(part.begin(), part.end(), bytes.begin() + static_cast<std::ptrdiff_t>(offset)));
        next += part.size();
      });
      BOOST_TEST(size == bytes.size());
      BOOST_TEST(next == bytes.size());
      BOOST_TEST(!source.reach(300'001));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace gcts
