// The generator: the same numbers in any order, and plausible as random ones.
#include "reference/generator.h"

#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <set>
#include <vector>

using gcts::Generator;

BOOST_AUTO_TEST_SUITE(generator)

BOOST_AUTO_TEST_CASE(a_number_depends_on_key_and_index_alone) {
  Generator walked(7, "kernel/vec_dot/q4_0/avx2/bound/n=33");
  std::vector<uint64_t> numbers(100);
  for (uint64_t& number : numbers) number = walked.next();
  const Generator fresh(7, "kernel/vec_dot/q4_0/avx2/bound/n=33");
  for (size_t i = numbers.size(); i-- > 0;) BOOST_TEST(fresh.at(i) == numbers[i]);
  // A stream does not depend on how far its parent was drawn.
  BOOST_TEST(walked.stream(3).next() == fresh.stream(3).next());
  BOOST_TEST(walked.stream("weights").next() == fresh.stream("weights").next());
}

BOOST_AUTO_TEST_CASE(the_numbers_are_part_of_every_published_case) {
  // A repro line of an older report must give the same data: these may not change.
  Generator g(1, "case");
  BOOST_TEST(g.next() == 0x655a2ea91bd90a53u);
  BOOST_TEST(g.next() == 0xfc3f76003f73f213u);
  BOOST_TEST(g.stream(5).next() == 0x5a23dcbbf86b01d0u);
}

BOOST_AUTO_TEST_CASE(neighbouring_keys_share_nothing) {
  std::set<uint64_t> seen;
  size_t drawn = 0;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    for (const char* name : {"", "a", "b", "aa", "ab"}) {
      for (uint64_t number = 0; number < 8; ++number) {
        Generator g = Generator(seed, name).stream(number);
        for (int i = 0; i < 64; ++i, ++drawn) seen.insert(g.next());
      }
    }
  }
  BOOST_TEST(seen.size() == drawn);
}

BOOST_AUTO_TEST_CASE(every_bit_is_even_and_independent_of_the_next_number) {
  Generator g(11, "bits");
  constexpr int kDraws = 1 << 16;
  std::array<int, 64> ones{}, changes{};
  uint64_t last = g.next();
  for (int i = 0; i < kDraws; ++i) {
    const uint64_t x = g.next();
    for (size_t bit = 0; bit < 64; ++bit) {
      ones[bit] += x >> bit & 1;
      changes[bit] += (x ^ last) >> bit & 1;
    }
    last = x;
  }
  // Six deviations of a fair coin: sqrt(kDraws) / 2 = 128 each.
  for (size_t bit = 0; bit < 64; ++bit) {
    BOOST_TEST(std::abs(ones[bit] - kDraws / 2) < 768);
    BOOST_TEST(std::abs(changes[bit] - kDraws / 2) < 768);
  }
}

BOOST_AUTO_TEST_CASE(ranges_are_met_and_kept) {
  Generator g(3, "ranges");
  std::array<int, 7> met{};
  for (int i = 0; i < 7000; ++i) ++met[g.below(7)];
  for (const int count : met) BOOST_TEST(std::abs(count - 1000) < 200);
  bool low = false, high = false;
  for (int i = 0; i < 1000; ++i) {
    const int64_t x = g.between(-3, 4);
    BOOST_TEST((x >= -3 && x <= 4));
    low |= x == -3;
    high |= x == 4;
  }
  BOOST_TEST((low && high));
}

BOOST_AUTO_TEST_CASE(normal_numbers_have_mean_0_and_deviation_1) {
  Generator g(5, "normal");
  constexpr int kDraws = 1 << 16;
  double sum = 0, squares = 0, largest = 0;
  int beyond_two = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = g.normal();
    sum += x;
    squares += x * x;
    largest = std::max(largest, std::fabs(x));
    beyond_two += std::fabs(x) > 2;
  }
  BOOST_TEST(std::fabs(sum / kDraws) < 0.02);
  BOOST_TEST(std::fabs(squares / kDraws - 1) < 0.03);
  BOOST_TEST((largest > 3.5 && largest <= 6));
  BOOST_TEST(std::fabs(beyond_two / double{kDraws} - 0.0455) < 0.005);
}

BOOST_AUTO_TEST_SUITE_END()
