// The table of values of IQ4_NL and IQ4_XS, and the search for the nearest.

#ifndef GCTS_REFERENCE_CODECS_IQ4_VALUES_H_
#define GCTS_REFERENCE_CODECS_IQ4_VALUES_H_

#include <cstdint>

namespace gcts {

inline constexpr int8_t kIq4Values[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                          1,    13,   25,  38,  53,  69,  89,  113};

// The index of the table value nearest to x; a tie takes the larger value, NaN index 15.
inline uint8_t nearest_iq4(float x) {
  uint8_t above = 0;
  while (above < 15 && !(x <= static_cast<float>(kIq4Values[above]))) ++above;
  if (above == 0) return 0;
  const float to_lower = x - static_cast<float>(kIq4Values[above - 1]);
  const float to_upper = static_cast<float>(kIq4Values[above]) - x;
  return static_cast<uint8_t>(to_lower < to_upper ? above - 1 : above);
}

}  // namespace gcts

#endif  // GCTS_REFERENCE_CODECS_IQ4_VALUES_H_
