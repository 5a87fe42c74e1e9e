// Eight elements of a block of the IQ types that are points of a lattice.  kLattice_<name>
// holds the ranks of a point's coordinates in the lattice's alphabet, two bits a rank, or
// three for points of four.

GPU_FUNCTION int iq2_value(uint rank) { return rank == 0 ? 8 : rank == 1 ? 25 : 43; }
GPU_FUNCTION int iq3_value(uint rank) { return (int)(4 + 8 * rank + (rank == 7 ? 2 : 0)); }

// Seven sign bits and an eighth that makes the number of minus signs even.
GPU_FUNCTION uint even_signs(uint index) {
  uint parity = index ^ (index >> 4);
  parity ^= parity >> 2;
  parity ^= parity >> 1;
  return index | (parity & 1) << 7;
}
GPU_FUNCTION void set_signs(Codes* c, uint signs) {
  for (int j = 0; j < 8; ++j) c->code[j] = (signs >> j) & 1 ? -c->code[j] : c->code[j];
}
GPU_FUNCTION void iq2_point(Codes* c, uint ranks, uint signs) {
  for (int j = 0; j < 8; ++j) c->code[j] = iq2_value((ranks >> (2 * j)) & 3);
  set_signs(c, signs);
}
GPU_FUNCTION float iq2_scale(float d, uint s) { return d * (0.5f + (float)s) * 0.25f; }

#ifdef GPU_HAS_iq2xxs
GPU_CODES(iq2_xxs) {
  const uint l = (i >> 3) & 3;
  GPU_GLOBAL const uchar* q = b + 2 + 8 * (i >> 5);
  const uint w = load32(q + 4);
  set_scale(c, iq2_scale(load_half(b), w >> 28));
  iq2_point(c, kLattice_iq2xxs[q[l]], even_signs((w >> (7 * l)) & 127));
}
#endif

#ifdef GPU_HAS_iq2xs
GPU_CODES(iq2_xs) {
  const uint g = i >> 5, l = (i >> 3) & 3, w = load16(b + 2 + 8 * g + 2 * l);
  set_scale(c, iq2_scale(load_half(b), (b[66 + g] >> (2 * (l & 2))) & 15));
  iq2_point(c, kLattice_iq2xs[w & 511], even_signs(w >> 9));
}
#endif

#ifdef GPU_HAS_iq2s
GPU_CODES(iq2_s) {
  const uint g = i >> 5, l = (i >> 3) & 3;
  const uint index = b[2 + 4 * g + l] | (((uint)b[66 + g] >> (2 * l)) & 3) << 8;
  set_scale(c, iq2_scale(load_half(b), (b[74 + g] >> (2 * (l & 2))) & 15));
  iq2_point(c, kLattice_iq2s[index], b[34 + 4 * g + l]);
}
#endif

#ifdef GPU_HAS_iq3xxs
GPU_CODES(iq3_xxs) {
  const uint g = i >> 5, l = (i >> 3) & 3, w = load32(b + 66 + 4 * g);
  GPU_GLOBAL const uchar* q = b + 2 + 8 * g + 2 * l;
  set_scale(c, load_half(b) * (0.5f + (float)(w >> 28)) * 0.5f);
  for (int j = 0; j < 8; ++j) c->code[j] = iq3_value((kLattice_iq3xxs[q[j >> 2]] >> (3 * (j & 3))) & 7);
  set_signs(c, even_signs((w >> (7 * l)) & 127));
}
#endif

#ifdef GPU_HAS_iq3s
GPU_CODES(iq3_s) {
  const uint g = i >> 5, l = (i >> 3) & 3, high = b[66 + g], s = (b[106 + (g >> 1)] >> (4 * (g & 1))) & 15;
  GPU_GLOBAL const uchar* q = b + 2 + 8 * g + 2 * l;
  set_scale(c, load_half(b) * (float)(1 + 2 * s));
  for (int j = 0; j < 8; ++j) {
    const uint m = 2 * l + (uint)(j >> 2), index = q[j >> 2] | ((high >> m) & 1) << 8;
    c->code[j] = (int)(1 + 2 * (((uint)kLattice_iq3s[index] >> (3 * (j & 3))) & 7));
  }
  set_signs(c, b[74 + 4 * g + l]);
}
#endif

#ifdef GPU_HAS_iq1s
// The values -1, 0 and 1 and an eighth more or less: codes are eighths.
GPU_FUNCTION void iq1_point(Codes* c, uint ranks, int delta) {
  for (int j = 0; j < 8; ++j) c->code[j] = 8 * ((int)((ranks >> (2 * j)) & 3) - 1) + delta;
}
GPU_CODES(iq1_s) {
  const uint g = i >> 5, l = (i >> 3) & 3, h = load16(b + 34 + 2 * g);
  set_scale(c, load_half(b) * (float)(2 * ((h >> 12) & 7) + 1) * 0.125f);
  iq1_point(c, kLattice_iq1s[b[2 + 4 * g + l] | ((h >> (3 * l)) & 7) << 8], h & 0x8000 ? -1 : 1);
}
GPU_CODES(iq1_m) {
  // The block's scale stands in the highest four bits of four words of sub-scales.
  GPU_GLOBAL const uchar* words = b + 48;
  uint bits = 0;
  for (uint w = 0; w < 4; ++w) bits |= (load16(words + 2 * w) >> 12) << (4 * w);
  const uint g = i >> 5, l = (i >> 3) & 3, k = i >> 4;
  const uint t = (b[32 + 2 * g + (l >> 1)] >> (4 * (l & 1))) & 15, s = (load16(words + 2 * (k >> 2)) >> (3 * (k & 3))) & 7;
  set_scale(c, float_of_half((ushort)bits) * (float)(2 * s + 1) * 0.125f);
  iq1_point(c, kLattice_iq1s[b[4 * g + l] | (t & 7) << 8], t & 8 ? -1 : 1);
}
#endif
