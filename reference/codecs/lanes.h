// Sums whose order is fixed, so that every compiler and vector width gives the same bits.

#ifndef GCTS_REFERENCE_CODECS_LANES_H_
#define GCTS_REFERENCE_CODECS_LANES_H_

namespace gcts {

// Eight partial sums, for the elements with the same index modulo 8; added in order.
struct Lanes {
  float lane[8] = {};
  float sum() const {
    float total = 0;
    for (const float part : lane) total += part;
    return total;
  }
};

// The nearest integer, ties to even, for magnitudes below 2^22.
inline float nearest_integer(float value) { return (value + 0x1.8p23f) - 0x1.8p23f; }

// 1 / scale; scales too small for an inverse count as 0, and so does the inverse of 0.
inline float search_inverse(float scale) {
  return scale > -0x1p-100f && scale < 0x1p-100f ? 0.0f : 1.0f / scale;
}

}  // namespace gcts

#endif  // GCTS_REFERENCE_CODECS_LANES_H_
