// Checks the tables of the IQ types by what is known of them: their digest, order and alphabet.

#include "reference/codebooks.h"

#include <openssl/evp.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <numeric>
#include <set>
#include <string>

namespace gcts {
namespace {

std::string sha256(const std::string& text) {
  unsigned char digest[32];
  unsigned int size = 0;
  BOOST_REQUIRE(EVP_Digest(text.data(), text.size(), digest, &size, EVP_sha256(), nullptr) == 1);
  std::string hex;
  for (const unsigned char byte : digest) {
    hex += "0123456789abcdef"[byte >> 4];
    hex += "0123456789abcdef"[byte & 15];
  }
  return hex;
}

// The form whose digests are known: a point a line, its values in decimal with commas between.
template <class Points>
std::string text_of(const Points& points) {
  std::string text;
  for (const auto& point : points) {
    if (!text.empty()) text += '\n';
    std::string line;
    for (const int value : point) line += (line.empty() ? "" : ",") + std::to_string(value);
    text += line;
  }
  return text;
}

template <size_t count, size_t width>
void check_grid(const Grid<count, width>& grid, const std::set<int>& alphabet, const char* digest) {
  BOOST_TEST(sha256(text_of(grid)) == digest);
  std::set<int> seen;
  for (size_t i = 0; i < count; ++i) {
    seen.insert(grid[i].begin(), grid[i].end());
    if (i == 0) continue;
    BOOST_TEST(std::lexicographical_compare(grid[i - 1].rbegin(), grid[i - 1].rend(), grid[i].rbegin(),
                                            grid[i].rend()));
  }
  BOOST_TEST((seen == alphabet));
}

template <size_t count>
void check_even_ranks(const Grid<count, 8>& grid) {
  for (const auto& point : grid) {
    const int sum = std::accumulate(point.begin(), point.end(), 0, [](int ranks, int value) {
      return ranks + (value == 8 ? 0 : value == 25 ? 1 : 2);
    });
    BOOST_TEST(sum % 2 == 0);
  }
}

BOOST_AUTO_TEST_SUITE(codebooks)

BOOST_AUTO_TEST_CASE(iq1) {
  check_grid(kIq1sGrid, {-1, 0, 1}, "c3d9cd9f1da3831e63aef894fdf536cb9741fccf091bfbed27855b1fa8bd07db");
}

BOOST_AUTO_TEST_CASE(iq2) {
  const std::set<int> alphabet = {8, 25, 43};
  check_grid(kIq2xxsGrid, alphabet, "1872588c75dd5f06af409a9f280149c9c4125813b0d2cd72efca5e19aa0a55d4");
  check_grid(kIq2xsGrid, alphabet, "c617434ea1594ce0eb15d494cce891db500638076cbc80a87ddaf75be2efc106");
  check_grid(kIq2sGrid, alphabet, "a07094e8338f23f1b5a7cd4afcc41010016ac6548b91f61845802a4d7c1ca02b");
  check_even_ranks(kIq2xxsGrid);
  check_even_ranks(kIq2xsGrid);
}

BOOST_AUTO_TEST_CASE(iq3) {
  check_grid(kIq3xxsGrid, {4, 12, 20, 28, 36, 44, 52, 62},
             "b5d9100ebdfad36dae8fbdd9ced1c4d1e4bf327baea86affc461ef10f8dd3385");
  check_grid(kIq3sGrid, {1, 3, 5, 7, 9, 11, 13, 15},
             "b8f7023b75c29c0d65a50e17fd94f0837ffd1ec1b411297484c4995118abca4f");
}

BOOST_AUTO_TEST_CASE(iq4) {
  std::array<std::array<int, 1>, 16> lines;
  for (size_t i = 0; i < 16; ++i) lines[i] = {kIq4Values[i]};
  BOOST_TEST(sha256(text_of(lines)) == "c65165b91bad889c473d56c7899241bc65eec44ea407627937ddae075ab139f1");
  BOOST_TEST(std::is_sorted(kIq4Values.begin(), kIq4Values.end()));
}

BOOST_AUTO_TEST_CASE(signs) {
  std::array<std::array<int, 1>, 128> lines;
  for (uint32_t i = 0; i < 128; ++i) {
    lines[i] = {even_signs(i)};
    BOOST_TEST(std::popcount(even_signs(i)) % 2 == 0);
  }
  BOOST_TEST(sha256(text_of(lines)) == "e42cc099615e075a8c97e9e7f16e43b79567ddfd208e8147cd8fd9b75709b90a");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace gcts
