// The search for the nearest value of the table of IQ4_NL and IQ4_XS.

#ifndef GCTS_REFERENCE_CODECS_IQ4_VALUES_H_
#define GCTS_REFERENCE_CODECS_IQ4_VALUES_H_

#include <cstdint>

#include "reference/codebooks.h"

namespace gcts {

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
