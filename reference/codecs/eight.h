// Eight trial scales at a time: the arithmetic of the grid searches.

#ifndef GCTS_REFERENCE_CODECS_EIGHT_H_
#define GCTS_REFERENCE_CODECS_EIGHT_H_

#include <cstddef>

namespace gcts {

// Eight numbers, one a trial scale, in two vectors of four: what every 64-bit machine does
// at once.  Lanes never meet, so the bits do not depend on how a machine does it.
struct Eight {
  typedef float Four __attribute__((vector_size(16)));  // GCC's and Clang's vector type
  typedef long long Two __attribute__((vector_size(16)));

  static Eight all(float value) {
    const Four four = {value, value, value, value};
    return {{four, four}};
  }
  float operator[](size_t n) const { return half[n / 4][n % 4]; }
  void set(size_t n, float value) { half[n / 4][n % 4] = value; }

  Four half[2];
};

inline Eight operator+(const Eight& a, const Eight& b) {
  return {{a.half[0] + b.half[0], a.half[1] + b.half[1]}};
}
inline Eight operator-(const Eight& a, const Eight& b) {
  return {{a.half[0] - b.half[0], a.half[1] - b.half[1]}};
}
inline Eight operator*(const Eight& a, const Eight& b) {
  return {{a.half[0] * b.half[0], a.half[1] * b.half[1]}};
}
inline Eight operator*(const Eight& a, float b) { return {{a.half[0] * b, a.half[1] * b}}; }
inline Eight least(const Eight& a, const Eight& b) {
  return {{a.half[0] < b.half[0] ? a.half[0] : b.half[0], a.half[1] < b.half[1] ? a.half[1] : b.half[1]}};
}
inline bool any_less(const Eight& a, const Eight& b) {
  const auto less = (Eight::Two)(a.half[0] < b.half[0]) | (Eight::Two)(a.half[1] < b.half[1]);
  return (less[0] | less[1]) != 0;
}

}  // namespace gcts

#endif  // GCTS_REFERENCE_CODECS_EIGHT_H_
