// Expands the tables of codebooks/ from digits to values, at compile time.

#include "reference/codebooks.h"

#include <string_view>

namespace gcts {
namespace {

// Each point is `width` digits, a digit the rank of a value in the alphabet, and a blank.
template <size_t count, size_t width, size_t letters>
consteval Grid<count, width> expand(std::string_view digits, const int8_t (&alphabet)[letters]) {
  if (digits.size() != count * (width + 1)) throw "the table has another number of points";
  Grid<count, width> grid{};
  for (size_t i = 0; i < count; ++i)
    for (size_t j = 0; j < width; ++j)
      grid[i][j] = alphabet[static_cast<size_t>(digits[i * (width + 1) + j] - '0')];
  return grid;
}

constexpr int8_t kSignedUnits[] = {-1, 0, 1};
constexpr int8_t kIq2Magnitudes[] = {8, 25, 43};
constexpr int8_t kIq3xxsMagnitudes[] = {4, 12, 20, 28, 36, 44, 52, 62};
constexpr int8_t kIq3sMagnitudes[] = {1, 3, 5, 7, 9, 11, 13, 15};

}  // namespace

constexpr Grid<2048, 8> kIq1sGrid = expand<2048, 8>(
#include "reference/codebooks/iq1_s.inc"
    , kSignedUnits);

constexpr Grid<256, 8> kIq2xxsGrid = expand<256, 8>(
#include "reference/codebooks/iq2_xxs.inc"
    , kIq2Magnitudes);

constexpr Grid<512, 8> kIq2xsGrid = expand<512, 8>(
#include "reference/codebooks/iq2_xs.inc"
    , kIq2Magnitudes);

constexpr Grid<1024, 8> kIq2sGrid = expand<1024, 8>(
#include "reference/codebooks/iq2_s.inc"
    , kIq2Magnitudes);

constexpr Grid<256, 4> kIq3xxsGrid = expand<256, 4>(
#include "reference/codebooks/iq3_xxs.inc"
    , kIq3xxsMagnitudes);

constexpr Grid<512, 4> kIq3sGrid = expand<512, 4>(
#include "reference/codebooks/iq3_s.inc"
    , kIq3sMagnitudes);

}  // namespace gcts
