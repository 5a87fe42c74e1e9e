// The loops behind the ceilings of AArch64, in assembly as those of x86-64 are.

#if defined(__aarch64__)

#include "harness/worker/ceilings.h"

namespace gcts::worker {

#define ALL_V                                                                                                  \
  "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", \
      "v17", "v18", "v19"

void clock_chain(uint64_t steps) {
  uint64_t x = 0;
  __asm__ volatile(
      "1:\n"
      ".rept 64\n add %0, %0, #1\n .endr\n"
      "subs %1, %1, #1\n b.ne 1b\n"
      : "+r"(x), "+r"(steps)::"cc");
}

#define TRAFFIC_FN(name) void traffic_##name(uint8_t* to, const uint8_t* from, uint64_t bytes)

TRAFFIC_FN(read_asimd) {
  __asm__ volatile(
      "1:\n ldp q0, q1, [%0]\n ldp q2, q3, [%0, #32]\n ldp q4, q5, [%0, #64]\n ldp q6, q7, [%0, #96]\n"
      "add %0, %0, #128\n cmp %0, %1\n b.lo 1b\n"
      : "+r"(from)
      : "r"(from + bytes)
      : "cc", "memory", ALL_V);
  static_cast<void>(to);
}
TRAFFIC_FN(read_asimd_four) {
  const uint64_t quarter = bytes / 4;
  const uint8_t *second = from + quarter, *third = second + quarter, *fourth = third + quarter;
  __asm__ volatile(
      "1:\n ldp q0, q1, [%0], #32\n ldp q2, q3, [%1], #32\n ldp q4, q5, [%2], #32\n ldp q6, q7, [%3], #32\n"
      "cmp %0, %4\n b.lo 1b\n"
      : "+r"(from), "+r"(second), "+r"(third), "+r"(fourth)
      : "r"(from + quarter)
      : "cc", "memory", ALL_V);
  static_cast<void>(to);
}

// Anything but zeros, for which a processor may send no data to memory.
#define WRITE_LOOP(op)                                                                              \
  __asm__ volatile("movi v0.16b, #0x5a\n1:\n" op " q0, q0, [%0]\n" op " q0, q0, [%0, #32]\n" op " q0, q0, [%0, #64]\n" \
                   op " q0, q0, [%0, #96]\n add %0, %0, #128\n cmp %0, %1\n b.lo 1b\n"              \
                   : "+r"(to)                                                                       \
                   : "r"(to + bytes)                                                                \
                   : "cc", "memory", ALL_V);                                                        \
  static_cast<void>(from)
TRAFFIC_FN(write_asimd) { WRITE_LOOP("stp"); }
TRAFFIC_FN(write_asimd_past) { WRITE_LOOP("stnp"); }

#define COPY_LOOP(op)                                                                                        \
  __asm__ volatile("1:\n ldp q0, q1, [%1]\n ldp q2, q3, [%1, #32]\n add %1, %1, #64\n" op " q0, q1, [%0]\n" op \
                   " q2, q3, [%0, #32]\n add %0, %0, #64\n cmp %0, %2\n b.lo 1b\n"                           \
                   : "+r"(to), "+r"(from)                                                                    \
                   : "r"(to + bytes)                                                                         \
                   : "cc", "memory", ALL_V)
TRAFFIC_FN(copy_asimd) { COPY_LOOP("stp"); }
TRAFFIC_FN(copy_asimd_past) { COPY_LOOP("stnp"); }

// Sixteen sums at once, operands in v16 and v17.
#define PEAK_FN(name) void peak_##name(uint64_t steps)
#define PEAK_LOOP(architecture, op, to, from)                                                                       \
  __asm__ volatile(architecture                                                                                   \
                   ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17\n movi v\\n\\().4s, #0\n .endr\n"        \
                   "1:\n .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n " op " v\\n\\()." to ", v16." from      \
                   ", v17." from "\n .endr\n subs %0, %0, #1\n b.ne 1b\n"                                        \
                   : "+r"(steps)::"cc", ALL_V)

PEAK_FN(f32_asimd) { PEAK_LOOP("", "fmla", "4s", "4s"); }
PEAK_FN(int8_dotprod) { PEAK_LOOP(".arch armv8.2-a+dotprod\n", "sdot", "4s", "16b"); }
PEAK_FN(int8_i8mm) { PEAK_LOOP(".arch armv8.2-a+i8mm\n", "smmla", "4s", "16b"); }
PEAK_FN(bf16_bfdot) { PEAK_LOOP(".arch armv8.2-a+bf16\n", "bfdot", "4s", "8h"); }
PEAK_FN(bf16_bfmmla) { PEAK_LOOP(".arch armv8.2-a+bf16\n", "bfmmla", "4s", "8h"); }
PEAK_FN(f16_asimd) { PEAK_LOOP(".arch armv8.2-a+fp16\n", "fmla", "8h", "8h"); }

}  // namespace gcts::worker

#endif
