// The eight 6-bit scales and eight 6-bit minima that Q4_K and Q5_K keep in twelve bytes.
//
// The low six bits of bytes 0..3 and 4..7 are the scales and minima of runs 0..3.
// Bytes 8..11 hold the low four bits of the scales (low half) and minima (high half)
// of runs 4..7, whose upper two bits are the top bits of bytes 0..3 and 4..7.

#ifndef GCTS_REFERENCE_CODECS_K_SCALES_H_
#define GCTS_REFERENCE_CODECS_K_SCALES_H_

#include <cstddef>
#include <cstdint>

namespace gcts::k_scales {

constexpr uint32_t scale(const uint8_t* bytes, size_t run) {
  if (run < 4) return bytes[run] & 63u;
  return (bytes[run + 4] & 15u) | (bytes[run - 4] & 0xc0u) >> 2;
}

constexpr uint32_t minimum(const uint8_t* bytes, size_t run) {
  if (run < 4) return bytes[run + 4] & 63u;
  return static_cast<uint32_t>(bytes[run + 4]) >> 4 | (bytes[run] & 0xc0u) >> 2;
}

// Adds a scale and a minimum below 64 to bytes that are zero where they go.
constexpr void put(uint8_t* bytes, size_t run, uint32_t scale_code, uint32_t minimum_code) {
  const auto add = [bytes](size_t at, uint32_t bits) { bytes[at] = static_cast<uint8_t>(bytes[at] | bits); };
  if (run < 4) {
    add(run, scale_code);
    add(run + 4, minimum_code);
  } else {
    add(run + 4, (scale_code & 15) | (minimum_code & 15) << 4);
    add(run - 4, (scale_code >> 4) << 6);
    add(run, (minimum_code >> 4) << 6);
  }
}

}  // namespace gcts::k_scales

#endif  // GCTS_REFERENCE_CODECS_K_SCALES_H_
