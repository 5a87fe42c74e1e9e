// The loops behind the ceilings of x86-64, in assembly so that what is timed is what
// stands here and no compiler adds to it or takes from it.

#if defined(__x86_64__)

#include "harness/worker/ceilings.h"

namespace gcts::worker {
namespace {

#define EIGHT(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define TWELVE(X) EIGHT(X) X(8) X(9) X(10) X(11)
#define ALL_XMM                                                                                                \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", \
      "xmm13", "xmm14", "xmm15"
#define WIDE(features) __attribute__((target(features), noinline))

}  // namespace

void clock_chain(uint64_t steps) {
  uint64_t x = 0;
  __asm__ volatile(
      ".p2align 5\n1:\n"
      ".rept 64\n ror $1, %0\n .endr\n"
      "dec %1\n jnz 1b\n"
      : "+r"(x), "+r"(steps)::"cc");
}

// ------------------------------- Memory traffic -------------------------------
// Eight accesses of W bytes an iteration.

#define READ_LOOP(op, r, w, more)                                                    \
  const uint8_t* end = from + bytes;                                                 \
  __asm__ volatile(".p2align 5\n1:\n" more                                           \
                   op " 0*" w "(%[from]), %%" r "0\n" op " 1*" w "(%[from]), %%" r "1\n" \
                   op " 2*" w "(%[from]), %%" r "2\n" op " 3*" w "(%[from]), %%" r "3\n" \
                   op " 4*" w "(%[from]), %%" r "4\n" op " 5*" w "(%[from]), %%" r "5\n" \
                   op " 6*" w "(%[from]), %%" r "6\n" op " 7*" w "(%[from]), %%" r "7\n" \
                   "add $8*" w ", %[from]\n cmp %[end], %[from]\n jb 1b\n"           \
                   : [from] "+r"(from)                                               \
                   : [end] "r"(end)                                                  \
                   : "cc", "memory", ALL_XMM);                                       \
  static_cast<void>(to)

// Four streams, a quarter of the bytes each.
#define READ_FOUR_LOOP(op, r, w)                                                                          \
  const uint64_t quarter = bytes / 4;                                                                     \
  const uint8_t* end = from + quarter;                                                                    \
  __asm__ volatile(".p2align 5\n1:\n"                                                                     \
                   op " (%[from]), %%" r "0\n" op " " w "(%[from]), %%" r "1\n"                           \
                   op " (%[from],%[q]), %%" r "2\n" op " " w "(%[from],%[q]), %%" r "3\n"                 \
                   op " (%[from],%[q],2), %%" r "4\n" op " " w "(%[from],%[q],2), %%" r "5\n"             \
                   op " (%[from],%[qqq]), %%" r "6\n" op " " w "(%[from],%[qqq]), %%" r "7\n"             \
                   "add $2*" w ", %[from]\n cmp %[end], %[from]\n jb 1b\n"                                \
                   : [from] "+r"(from)                                                                    \
                   : [end] "r"(end), [q] "r"(quarter), [qqq] "r"(3 * quarter)                             \
                   : "cc", "memory", ALL_XMM);                                                            \
  static_cast<void>(to)

// What is written is anything but zeros: a processor may tell memory "a line of zeros" and send
// no data, three times as fast where it was measured.
alignas(64) constexpr uint8_t kWritten[64] = {0x5a, 0x11, 0x93, 0x27, 0xc5, 0x6e, 0x38, 0xf1, 0x5b, 0x12, 0x94, 0x28, 0xc6, 0x6f, 0x39, 0xf2,
                                              0x5c, 0x13, 0x95, 0x29, 0xc7, 0x70, 0x3a, 0xf3, 0x5d, 0x14, 0x96, 0x2a, 0xc8, 0x71, 0x3b, 0xf4,
                                              0x5e, 0x15, 0x97, 0x2b, 0xc9, 0x72, 0x3c, 0xf5, 0x5f, 0x16, 0x98, 0x2c, 0xca, 0x73, 0x3d, 0xf6,
                                              0x60, 0x17, 0x99, 0x2d, 0xcb, 0x74, 0x3e, 0xf7, 0x61, 0x18, 0x9a, 0x2e, 0xcc, 0x75, 0x3f, 0xf8};
#define WRITE_LOOP(load, op, r, w)                                                 \
  const uint8_t* end = to + bytes;                                                 \
  __asm__ volatile(load " (%[written]), %%" r "0\n .p2align 5\n1:\n"               \
                   op " %%" r "0, 0*" w "(%[to])\n" op " %%" r "0, 1*" w "(%[to])\n" \
                   op " %%" r "0, 2*" w "(%[to])\n" op " %%" r "0, 3*" w "(%[to])\n" \
                   op " %%" r "0, 4*" w "(%[to])\n" op " %%" r "0, 5*" w "(%[to])\n" \
                   op " %%" r "0, 6*" w "(%[to])\n" op " %%" r "0, 7*" w "(%[to])\n" \
                   "add $8*" w ", %[to]\n cmp %[end], %[to]\n jb 1b\n sfence\n"    \
                   : [to] "+r"(to)                                                 \
                   : [end] "r"(end), [written] "r"(kWritten)                       \
                   : "cc", "memory", ALL_XMM);                                     \
  static_cast<void>(from)

#define COPY_LOOP(load, store, r, w)                                                         \
  const uint8_t* end = to + bytes;                                                           \
  __asm__ volatile(".p2align 5\n1:\n"                                                        \
                   load " 0*" w "(%[from]), %%" r "0\n" load " 1*" w "(%[from]), %%" r "1\n" \
                   load " 2*" w "(%[from]), %%" r "2\n" load " 3*" w "(%[from]), %%" r "3\n" \
                   store " %%" r "0, 0*" w "(%[to])\n" store " %%" r "1, 1*" w "(%[to])\n"   \
                   store " %%" r "2, 2*" w "(%[to])\n" store " %%" r "3, 3*" w "(%[to])\n"   \
                   "add $4*" w ", %[from]\n add $4*" w ", %[to]\n cmp %[end], %[to]\n jb 1b\n sfence\n" \
                   : [to] "+r"(to), [from] "+r"(from)                                        \
                   : [end] "r"(end)                                                          \
                   : "cc", "memory", ALL_XMM)

#define TRAFFIC_FN(name) void traffic_##name(uint8_t* to, const uint8_t* from, uint64_t bytes)
#define PREFETCH_FOUR "prefetcht0 2048(%[from])\n prefetcht0 2112(%[from])\n prefetcht0 2176(%[from])\n prefetcht0 2240(%[from])\n"
#define PREFETCH_EIGHT \
  PREFETCH_FOUR "prefetcht0 2304(%[from])\n prefetcht0 2368(%[from])\n prefetcht0 2432(%[from])\n prefetcht0 2496(%[from])\n"

TRAFFIC_FN(read_sse) { READ_LOOP("movups", "xmm", "16", ""); }
WIDE("avx") TRAFFIC_FN(read_avx) { READ_LOOP("vmovups", "ymm", "32", ""); }
WIDE("avx") TRAFFIC_FN(read_avx_ahead) { READ_LOOP("vmovups", "ymm", "32", PREFETCH_FOUR); }
WIDE("avx") TRAFFIC_FN(read_avx_four) { READ_FOUR_LOOP("vmovups", "ymm", "32"); }
WIDE("avx512f") TRAFFIC_FN(read_avx512) { READ_LOOP("vmovups", "zmm", "64", ""); }
WIDE("avx512f") TRAFFIC_FN(read_avx512_ahead) { READ_LOOP("vmovups", "zmm", "64", PREFETCH_EIGHT); }
WIDE("avx512f") TRAFFIC_FN(read_avx512_four) { READ_FOUR_LOOP("vmovups", "zmm", "64"); }

TRAFFIC_FN(write_sse) { WRITE_LOOP("movups", "movaps", "xmm", "16"); }
TRAFFIC_FN(write_sse_past) { WRITE_LOOP("movups", "movntps", "xmm", "16"); }
WIDE("avx") TRAFFIC_FN(write_avx) { WRITE_LOOP("vmovups", "vmovaps", "ymm", "32"); }
WIDE("avx") TRAFFIC_FN(write_avx_past) { WRITE_LOOP("vmovups", "vmovntps", "ymm", "32"); }
WIDE("avx512f") TRAFFIC_FN(write_avx512) { WRITE_LOOP("vmovups", "vmovaps", "zmm", "64"); }
WIDE("avx512f") TRAFFIC_FN(write_avx512_past) { WRITE_LOOP("vmovups", "vmovntps", "zmm", "64"); }
TRAFFIC_FN(write_string) {
  uint8_t* at = to;
  __asm__ volatile("rep stosb" : "+D"(at), "+c"(bytes) : "a"(kWritten[0]) : "memory");
  static_cast<void>(from);
}

TRAFFIC_FN(copy_sse) { COPY_LOOP("movups", "movaps", "xmm", "16"); }
WIDE("avx") TRAFFIC_FN(copy_avx) { COPY_LOOP("vmovups", "vmovaps", "ymm", "32"); }
WIDE("avx") TRAFFIC_FN(copy_avx_past) { COPY_LOOP("vmovups", "vmovntps", "ymm", "32"); }
WIDE("avx512f") TRAFFIC_FN(copy_avx512) { COPY_LOOP("vmovups", "vmovaps", "zmm", "64"); }
WIDE("avx512f") TRAFFIC_FN(copy_avx512_past) { COPY_LOOP("vmovups", "vmovntps", "zmm", "64"); }

// --------------------------------- Arithmetic ---------------------------------
// Twelve sums at once: more than latency times throughput on any machine so far, and
// with two operands they fit in sixteen registers.

#define PEAK_LOOP(clear, body)                                  \
  __asm__ volatile(clear ".p2align 5\n1:\n" body "dec %0\n jnz 1b\n" : "+r"(steps)::"cc", ALL_XMM)
#define PEAK_FN(name) void peak_##name(uint64_t steps)

#define CLEAR_SSE(i) "xorps %%xmm" #i ", %%xmm" #i "\n"
#define CLEAR_YMM(i) "vxorps %%ymm" #i ", %%ymm" #i ", %%ymm" #i "\n"
#define CLEAR_ZMM(i) "vpxord %%zmm" #i ", %%zmm" #i ", %%zmm" #i "\n"
#define CLEAR_ALL(CLEAR) TWELVE(CLEAR) CLEAR(12) CLEAR(13) CLEAR(14) CLEAR(15)

// Products and sums in turn: machines before FMA do one of each a cycle.
#define SSE_SIX "mulps %%xmm14, %%xmm0\n addps %%xmm15, %%xmm6\n mulps %%xmm14, %%xmm1\n addps %%xmm15, %%xmm7\n" \
                "mulps %%xmm14, %%xmm2\n addps %%xmm15, %%xmm8\n mulps %%xmm14, %%xmm3\n addps %%xmm15, %%xmm9\n" \
                "mulps %%xmm14, %%xmm4\n addps %%xmm15, %%xmm10\n mulps %%xmm14, %%xmm5\n addps %%xmm15, %%xmm11\n"
PEAK_FN(f32_sse) { PEAK_LOOP(CLEAR_ALL(CLEAR_SSE), SSE_SIX); }

#define FMA_YMM(i) "vfmadd231ps %%ymm14, %%ymm15, %%ymm" #i "\n"
WIDE("avx2,fma") PEAK_FN(f32_fma) { PEAK_LOOP(CLEAR_ALL(CLEAR_YMM), TWELVE(FMA_YMM)); }
#define FMA_ZMM(i) "vfmadd231ps %%zmm14, %%zmm15, %%zmm" #i "\n"
WIDE("avx512f") PEAK_FN(f32_avx512) { PEAK_LOOP(CLEAR_ALL(CLEAR_ZMM), TWELVE(FMA_ZMM)); }

// Products of bytes to sums of pairs, to sums of four, to the sum.
#define MADD_YMM(a, b)                                                                           \
  "vpmaddubsw %%ymm14, %%ymm15, %%ymm" #b "\n vpmaddwd %%ymm13, %%ymm" #b ", %%ymm" #b "\n" \
  "vpaddd %%ymm" #b ", %%ymm" #a ", %%ymm" #a "\n"
WIDE("avx2") PEAK_FN(int8_avx2) {
  PEAK_LOOP(CLEAR_ALL(CLEAR_YMM), MADD_YMM(0, 4) MADD_YMM(1, 5) MADD_YMM(2, 6) MADD_YMM(3, 7));
}
#define VNNI_YMM(i) "%{vex%} vpdpbusd %%ymm14, %%ymm15, %%ymm" #i "\n"
WIDE("avx2") PEAK_FN(int8_avx_vnni) { PEAK_LOOP(CLEAR_ALL(CLEAR_YMM), TWELVE(VNNI_YMM)); }
#define VNNI_ZMM(i) "vpdpbusd %%zmm14, %%zmm15, %%zmm" #i "\n"
WIDE("avx512f") PEAK_FN(int8_avx512_vnni) { PEAK_LOOP(CLEAR_ALL(CLEAR_ZMM), TWELVE(VNNI_ZMM)); }
#define BF16_ZMM(i) "vdpbf16ps %%zmm14, %%zmm15, %%zmm" #i "\n"
WIDE("avx512f") PEAK_FN(bf16_avx512_bf16) { PEAK_LOOP(CLEAR_ALL(CLEAR_ZMM), TWELVE(BF16_ZMM)); }
#define F16_ZMM(i) "vfmadd231ph %%zmm14, %%zmm15, %%zmm" #i "\n"
WIDE("avx512f") PEAK_FN(f16_avx512_fp16) { PEAK_LOOP(CLEAR_ALL(CLEAR_ZMM), TWELVE(F16_ZMM)); }

namespace {

// Intel SDM, volume 1, 18.3: palette 1, eight tiles of 16 rows of 64 bytes.
struct alignas(64) TileConfig {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
static_assert(sizeof(TileConfig) == 64);

#define ZERO_TILES                                                                                       \
  "ldtilecfg %1\n tilezero %%tmm0\n tilezero %%tmm1\n tilezero %%tmm2\n tilezero %%tmm3\n tilezero %%tmm4\n" \
  "tilezero %%tmm5\n"
#define TILE_LOOP(op)                                                                                 \
  const TileConfig config;                                                                            \
  __asm__ volatile(ZERO_TILES "1:\n" op " %%tmm5, %%tmm4, %%tmm0\n" op " %%tmm5, %%tmm4, %%tmm1\n"    \
                   op " %%tmm5, %%tmm4, %%tmm2\n" op " %%tmm5, %%tmm4, %%tmm3\n dec %0\n jnz 1b\n tilerelease\n" \
                   : "+r"(steps)                                                                      \
                   : "m"(config)                                                                      \
                   : "cc")

}  // namespace

PEAK_FN(int8_amx_amx) { TILE_LOOP("tdpbssd"); }
PEAK_FN(bf16_amx_amx) { TILE_LOOP("tdpbf16ps"); }

}  // namespace gcts::worker

#endif
