// Eight elements of a block, by type: codes, the scale that they share, and what is added.
//
//   value[j] = scale * code[j] + offset
//
// scale * code[j] is exact in f32 for every type but Q8_K.  Types without a minimum add
// -0, which changes nothing, the sign of a zero included.  Elements i to i + 7 of block b;
// i is a multiple of eight.

typedef struct {
  float scale, offset;
  int has_offset;
  int code[8];
} Codes;

#define GPU_CODES(name) GPU_FUNCTION void codes_##name(GPU_GLOBAL const uchar* b, uint i, Codes* c)

GPU_FUNCTION void set_scale(Codes* c, float scale) {
  c->scale = scale;
  c->offset = -0.0f;
  c->has_offset = 0;
}
GPU_FUNCTION void set_scale_and_offset(Codes* c, float scale, float offset) {
  c->scale = scale;
  c->offset = offset;
  c->has_offset = 1;
}

// Eight bytes from an even address.
GPU_FUNCTION void load_bytes(GPU_GLOBAL const uchar* p, Codes* c) {
  for (int j = 0; j < 8; j += 2) {
    const uint pair = load16(p + j);
    c->code[j] = (int)(pair & 255);
    c->code[j + 1] = (int)(pair >> 8);
  }
}
GPU_FUNCTION void load_signed(GPU_GLOBAL const uchar* p, Codes* c) {
  load_bytes(p, c);
  for (int j = 0; j < 8; ++j) c->code[j] = c->code[j] < 128 ? c->code[j] : c->code[j] - 256;
}
// `bits` bits of each of eight bytes, from bit `shift` on.
GPU_FUNCTION void load_fields(GPU_GLOBAL const uchar* p, uint shift, uint mask, Codes* c) {
  load_bytes(p, c);
  for (int j = 0; j < 8; ++j) c->code[j] = (int)(((uint)c->code[j] >> shift) & mask);
}
GPU_FUNCTION void add(Codes* c, int value) {
  for (int j = 0; j < 8; ++j) c->code[j] += value;
}
// One bit a code, the first in bit 0.
GPU_FUNCTION void add_bits(Codes* c, uint bits, int weight) {
  for (int j = 0; j < 8; ++j) c->code[j] += (int)((bits >> j) & 1) * weight;
}

GPU_TABLE signed char kIq4[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
GPU_TABLE signed char kFp4[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

GPU_CODES(q4_0) {
  set_scale(c, load_half(b));
  load_fields(b + 2 + (i & 15), 4 * (i >> 4), 15, c);
  add(c, -8);
}
GPU_CODES(q4_1) {
  set_scale_and_offset(c, load_half(b), load_half(b + 2));
  load_fields(b + 4 + (i & 15), 4 * (i >> 4), 15, c);
}
GPU_CODES(q5_0) {
  set_scale(c, load_half(b));
  load_fields(b + 6 + (i & 15), 4 * (i >> 4), 15, c);
  add_bits(c, b[2 + i / 8], 16);
  add(c, -16);
}
GPU_CODES(q5_1) {
  set_scale_and_offset(c, load_half(b), load_half(b + 2));
  load_fields(b + 8 + (i & 15), 4 * (i >> 4), 15, c);
  add_bits(c, b[4 + i / 8], 16);
}
GPU_CODES(q8_0) {
  set_scale(c, load_half(b));
  load_signed(b + 2 + i, c);
}
GPU_CODES(q8_1) {
  set_scale(c, load_half(b));
  load_signed(b + 4 + i, c);
}
GPU_CODES(q8_k) {
  set_scale(c, float_of_bits(load32(b)));
  load_signed(b + 4 + i, c);
}
GPU_CODES(iq4_nl) {
  set_scale(c, load_half(b));
  load_fields(b + 2 + (i & 15), 4 * (i >> 4), 15, c);
  for (int j = 0; j < 8; ++j) c->code[j] = kIq4[c->code[j]];
}
GPU_CODES(mxfp4) {
  const uint e = b[0];
  set_scale(c, float_of_bits(e < 2 ? 0x00200000u << e : (e - 1) << 23));
  for (int j = 0; j < 8; ++j) c->code[j] = kFp4[(b[1 + (i & 15) + (uint)j] >> (4 * (i >> 4))) & 15];
}
GPU_CODES(nvfp4) {
  // Half the value of a UE4M3; the highest bit is ignored, 0x7f is zero.
  const uint s = i >> 4, u = b[s], exponent = (u >> 3) & 15, fraction = u & 7;
  float scale = exponent == 0 ? (float)fraction * 0.0009765625f : (float)(8 + fraction) * float_of_bits((exponent + 116) << 23);
  if (u == 0x7f) scale = 0;
  set_scale(c, scale);
  load_fields(b + 4 + 8 * s, (i >> 1) & 4, 15, c);
  for (int j = 0; j < 8; ++j) c->code[j] = kFp4[c->code[j]];
}
GPU_CODES(q1_0) {
  set_scale(c, load_half(b));
  const uint bits = b[2 + i / 8];
  for (int j = 0; j < 8; ++j) c->code[j] = (bits >> j) & 1 ? 1 : -1;
}
GPU_CODES(q2_0) {
  set_scale(c, load_half(b));
  const uint pairs = load16(b + 2 + i / 4);
  for (int j = 0; j < 8; ++j) c->code[j] = (int)((pairs >> (2 * j)) & 3) - 1;
}

GPU_CODES(q2_k) {
  const uint s = b[i >> 4];
  set_scale_and_offset(c, load_half(b + 80) * (float)(s & 15), -(load_half(b + 82) * (float)(s >> 4)));
  load_fields(b + 16 + 32 * (i >> 7) + (i & 31), 2 * ((i >> 5) & 3), 3, c);
}
GPU_CODES(q3_k) {
  const uint k = i >> 4;
  GPU_GLOBAL const uchar* s = b + 96;
  const uint low = k < 8 ? s[k] & 15 : s[k - 8] >> 4, high = (s[8 + (k & 3)] >> (2 * (k >> 2))) & 3;
  set_scale(c, load_half(b + 108) * (float)((int)(low | high << 4) - 32));
  Codes mask;
  load_fields(b + (i & 31), i >> 5, 1, &mask);
  load_fields(b + 32 + 32 * (i >> 7) + (i & 31), 2 * ((i >> 5) & 3), 3, c);
  for (int j = 0; j < 8; ++j) c->code[j] += 4 * mask.code[j] - 4;
}
// The six-bit scales and minima of Q4_K and Q5_K.
GPU_FUNCTION void scale_pairs(GPU_GLOBAL const uchar* b, uint k, Codes* c) {
  GPU_GLOBAL const uchar* s = b + 4;
  const uint scale = k < 4 ? s[k] & 63 : (s[k + 4] & 15) | (s[k - 4] >> 6) << 4;
  const uint minimum = k < 4 ? s[k + 4] & 63 : (s[k + 4] >> 4) | (s[k] >> 6) << 4;
  set_scale_and_offset(c, load_half(b) * (float)scale, -(load_half(b + 2) * (float)minimum));
}
GPU_CODES(q4_k) {
  scale_pairs(b, i >> 5, c);
  load_fields(b + 16 + 32 * (i >> 6) + (i & 31), (i >> 3) & 4, 15, c);
}
GPU_CODES(q5_k) {
  Codes fifth;
  load_fields(b + 16 + (i & 31), i >> 5, 1, &fifth);
  scale_pairs(b, i >> 5, c);
  load_fields(b + 48 + 32 * (i >> 6) + (i & 31), (i >> 3) & 4, 15, c);
  for (int j = 0; j < 8; ++j) c->code[j] += 16 * fifth.code[j];
}
GPU_CODES(q6_k) {
  const uint plane = (i >> 5) & 3, s = b[192 + (i >> 4)];
  Codes high;
  load_fields(b + 128 + 32 * (i >> 7) + (i & 31), 2 * plane, 3, &high);
  set_scale(c, load_half(b + 208) * (float)(s < 128 ? (int)s : (int)s - 256));
  load_fields(b + 64 * (i >> 7) + 32 * (plane & 1) + (i & 31), 2 * (plane & 2), 15, c);
  for (int j = 0; j < 8; ++j) c->code[j] += 16 * high.code[j] - 32;
}
GPU_CODES(iq4_xs) {
  const uint g = i >> 5;
  const uint scale = ((b[4 + (g >> 1)] >> (4 * (g & 1))) & 15) | ((load16(b + 2) >> (2 * g)) & 3) << 4;
  set_scale(c, load_half(b) * (float)((int)scale - 32));
  load_fields(b + 8 + 16 * g + (i & 15), (i >> 2) & 4, 15, c);
  for (int j = 0; j < 8; ++j) c->code[j] = kIq4[c->code[j]];
}

// Trit n of a byte: the byte is a fraction of three to the fifth.
GPU_FUNCTION int trit(uint byte, uint n) {
  const uint power = n == 0 ? 1 : n == 1 ? 3 : n == 2 ? 9 : n == 3 ? 27 : 81;
  return (int)((((byte * power) & 255) * 3) >> 8) - 1;
}
GPU_CODES(tq1_0) {
  set_scale(c, load_half(b + 52));
  for (uint j = 0; j < 8; ++j) {
    const uint e = i + j;
    c->code[j] = e < 160   ? trit(b[e & 31], e >> 5)
                 : e < 240 ? trit(b[32 + (e & 15)], (e - 160) >> 4)
                           : trit(b[48 + (e & 3)], (e - 240) >> 2);
  }
}
GPU_CODES(tq2_0) {
  set_scale(c, load_half(b + 64));
  load_fields(b + 32 * (i >> 7) + (i & 31), 2 * ((i >> 5) & 3), 3, c);
  add(c, -1);
}
