// The primitives of the reader: each takes a bounded piece of the file and says
// whether it was there.  No other code of the template touches a byte of the file
// without asking here first.

#ifndef TEMPLATE_BYTES_H_
#define TEMPLATE_BYTES_H_

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <gcts/plugin.h>

typedef struct bytes {
  const uint8_t* data;
  uint64_t size;
  uint64_t at;      // of the next byte to take
  bool big_endian;  // of the file
} bytes;

static inline uint64_t bytes_left(const bytes* b) { return b->size - b->at; }

// The next n bytes, or null if there are fewer.
static inline const uint8_t* take(bytes* b, uint64_t n) {
  if (n > bytes_left(b)) return NULL;
  const uint8_t* p = b->data + b->at;
  b->at += n;
  return p;
}

// An unsigned integer of `width` bytes, 1 to 8.
static inline uint64_t decode(const uint8_t* p, unsigned width, bool big_endian) {
  uint64_t v = 0;
  for (unsigned i = 0; i < width; i++) v = v << 8 | p[big_endian ? i : width - 1 - i];
  return v;
}

static inline bool take_unsigned(bytes* b, unsigned width, uint64_t* v) {
  const uint8_t* p = take(b, width);
  if (p) *v = decode(p, width, b->big_endian);
  return p != NULL;
}

static inline bool take_u32(bytes* b, uint32_t* v) {
  uint64_t wide = 0;
  bool there = take_unsigned(b, 4, &wide);
  *v = (uint32_t)wide;
  return there;
}

static inline bool take_u64(bytes* b, uint64_t* v) { return take_unsigned(b, 8, v); }

// The type id of a metadata value or of an array's elements.
static inline bool take_value_type(bytes* b, uint32_t* v) { return take_u32(b, v); }

// A length and that many bytes; the bytes stay in the file.
static inline bool take_string(bytes* b, gcts_string* s) {
  uint64_t size = 0;
  const uint8_t* p = take_u64(b, &size) ? take(b, size) : NULL;
  s->data = (const char*)p;
  s->size = p ? (size_t)size : 0;
  return p != NULL;
}

// Bytes of one scalar; 0 for strings, arrays and unknown ids.
static inline unsigned scalar_size(uint32_t value_type) {
  static const uint8_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
  return value_type < sizeof sizes ? sizes[value_type] : 0;
}

// Elements and bytes of a block of a tensor type; 0 elements for ids that were
// removed or never given out.
typedef struct block {
  uint16_t elements, bytes;
} block;

static inline block block_of(uint32_t tensor_type) {
  static const block blocks[] = {
      {1, 4},    {1, 2},    {32, 18},  {32, 20},  {0, 0},    {0, 0},    {32, 22},  //  0 F32 .. Q5_0
      {32, 24},  {32, 34},  {32, 36},  {256, 84}, {256, 110}, {256, 144},          //  7 Q5_1 .. Q4_K
      {256, 176}, {256, 210}, {256, 292}, {256, 66}, {256, 74}, {256, 98},         // 13 Q5_K .. IQ3_XXS
      {256, 50}, {32, 18},  {256, 110}, {256, 82}, {256, 136},                     // 19 IQ1_S .. IQ4_XS
      {1, 1},    {1, 2},    {1, 4},    {1, 8},    {1, 8},                          // 24 I8 .. F64
      {256, 56}, {1, 2},    {0, 0},    {0, 0},    {0, 0},                          // 29 IQ1_M, BF16
      {256, 54}, {256, 66}, {0, 0},    {0, 0},    {0, 0},                          // 34 TQ1_0, TQ2_0
      {32, 17},  {64, 36},  {128, 18}, {64, 18},                                   // 39 MXFP4 .. Q2_0
  };
  const block none = {0, 0};
  return tensor_type < sizeof blocks / sizeof *blocks ? blocks[tensor_type] : none;
}

// a * b, or false if that is more than 64 bits hold.
static inline bool multiply(uint64_t a, uint64_t b, uint64_t* product) {
  *product = a * b;
  return a == 0 || *product / a == b;
}

// v rounded up to a multiple of `alignment`, or false if that is more than 64 bits hold.
static inline bool round_up(uint64_t v, uint64_t alignment, uint64_t* rounded) {
  const uint64_t rest = v % alignment;
  *rounded = rest ? v + (alignment - rest) : v;
  return *rounded >= v;
}

#endif  // TEMPLATE_BYTES_H_
