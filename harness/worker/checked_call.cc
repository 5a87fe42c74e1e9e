// Fills registers before a call, and compares them and the floating-point state after it.

#include "harness/worker/checked_call.h"

#include "harness/worker/protocol.h"

#if defined(__x86_64__)
#include <xmmintrin.h>

// int gcts_call_keeping(fn, arguments, damaged): calls fn with patterns in the
// registers that the System V ABI has a function keep (rbx, rbp, r12 to r15) and counts
// those that came back changed, and the direction flag if it came back set.
extern "C" int gcts_call_keeping(gcts_fn fn, const uint64_t* arguments, uint32_t* damaged);
__asm__(R"(
.text
.type gcts_call_keeping, @function
gcts_call_keeping:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  pushq %rdx
  movq %rdi, %rax
  movq %rsi, %r10
  movq 0(%r10), %rdi
  movq 8(%r10), %rsi
  movq 16(%r10), %rdx
  movq 24(%r10), %rcx
  movq 32(%r10), %r8
  movq $0x11111111, %rbx
  movq $0x22222222, %rbp
  movq $0x33333333, %r12
  movq $0x44444444, %r13
  movq $0x55555555, %r14
  movq $0x66666666, %r15
  call *%rax
  pushfq
  popq %rcx
  cld
  shrl $10, %ecx
  andl $1, %ecx
  xorl %edx, %edx
  cmpq $0x11111111, %rbx
  setne %dl
  addl %edx, %ecx
  xorl %edx, %edx
  cmpq $0x22222222, %rbp
  setne %dl
  addl %edx, %ecx
  cmpq $0x33333333, %r12
  setne %dl
  addl %edx, %ecx
  cmpq $0x44444444, %r13
  setne %dl
  addl %edx, %ecx
  cmpq $0x55555555, %r14
  setne %dl
  addl %edx, %ecx
  cmpq $0x66666666, %r15
  setne %dl
  addl %edx, %ecx
  popq %rdx
  movl %ecx, (%rdx)
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size gcts_call_keeping, .-gcts_call_keeping
)");
#elif defined(__aarch64__)
// The same for AAPCS64: x19 to x28, the frame pointer, and the low halves of v8 to v15.
extern "C" int gcts_call_keeping(gcts_fn fn, const uint64_t* arguments, uint32_t* damaged);
__asm__(R"(
.text
.type gcts_call_keeping, %function
gcts_call_keeping:
  stp x29, x30, [sp, #-176]!
  stp x19, x20, [sp, #16]
  stp x21, x22, [sp, #32]
  stp x23, x24, [sp, #48]
  stp x25, x26, [sp, #64]
  stp x27, x28, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  str x2, [sp, #160]
  mov x29, sp
  mov x9, x0
  mov x10, x1
  ldp x0, x1, [x10]
  ldp x2, x3, [x10, #16]
  ldr x4, [x10, #32]
.irp n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28
  mov x\n, #(0x1100 + \n)
.endr
.irp n, 8, 9, 10, 11, 12, 13, 14, 15
  mov x11, #(0x2200 + \n)
  fmov d\n, x11
.endr
  blr x9
  mov x11, sp
  cmp x29, x11
  cset w12, ne
.irp n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28
  mov x11, #(0x1100 + \n)
  cmp x\n, x11
  cinc w12, w12, ne
.endr
.irp n, 8, 9, 10, 11, 12, 13, 14, 15
  mov x11, #(0x2200 + \n)
  fmov x13, d\n
  cmp x13, x11
  cinc w12, w12, ne
.endr
  ldr x11, [sp, #160]
  str w12, [x11]
  ldp x19, x20, [sp, #16]
  ldp x21, x22, [sp, #32]
  ldp x23, x24, [sp, #48]
  ldp x25, x26, [sp, #64]
  ldp x27, x28, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  ldp x29, x30, [sp], #176
  ret
.size gcts_call_keeping, .-gcts_call_keeping
)");
#endif

namespace gcts::worker {

#if defined(__x86_64__)

gcts_status checked_call(gcts_fn run, const uint64_t (&arguments)[5], uint32_t& environment) {
  // MXCSR: bit 6 DAZ, 7 to 12 exception masks, 13 and 14 rounding, 15 FTZ; below, sticky
  // flags that a kernel may set.
  constexpr uint32_t kDefault = 0x1f80;
  uint16_t x87_before;
  struct {
    uint32_t control, status, tags, pointers[4];
  } x87_after;
  _mm_setcsr(kDefault);
  __asm__ volatile("fninit; fnstcw %0" : "=m"(x87_before));
  uint32_t damaged = 0;
  const int status = gcts_call_keeping(run, arguments, &damaged);
  const uint32_t changed = _mm_getcsr() ^ kDefault;
  __asm__ volatile("fnstenv %0" : "=m"(x87_after));
  environment = 0;
  if (changed & 0x6000) environment |= kRoundingChanged;
  if (changed & 0x8040) environment |= kFlushingChanged;
  if (changed & 0x1f80) environment |= kMasksChanged;
  // Every tag is 3 where the stack is empty; MMX registers in use are not.
  if ((x87_after.control & 0xffff) != x87_before || (x87_after.tags & 0xffff) != 0xffff) environment |= kX87Changed;
  if (damaged) environment |= kRegistersChanged;
  _mm_setcsr(kDefault);
  if (environment & kX87Changed) __asm__ volatile("fninit");
  return static_cast<gcts_status>(status);
}

#elif defined(__aarch64__)

gcts_status checked_call(gcts_fn run, const uint64_t (&arguments)[5], uint32_t& environment) {
  // FPCR: bits 22 and 23 rounding, 24 flush to zero, 19 flush half, 8 to 15 traps.
  const uint64_t before = 0;
  uint64_t after;
  __asm__ volatile("msr fpcr, %0" : : "r"(before));
  uint32_t damaged = 0;
  const int status = gcts_call_keeping(run, arguments, &damaged);
  __asm__ volatile("mrs %0, fpcr" : "=r"(after));
  environment = 0;
  if (after & 0xc00000) environment |= kRoundingChanged;
  if (after & 0x1080000) environment |= kFlushingChanged;
  if (after & 0xff00) environment |= kMasksChanged;
  if (damaged) environment |= kRegistersChanged;
  __asm__ volatile("msr fpcr, %0" : : "r"(before));
  return static_cast<gcts_status>(status);
}

#else

using AnyFn = int (*)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

gcts_status checked_call(gcts_fn run, const uint64_t (&a)[5], uint32_t& environment) {
  environment = 0;
  return static_cast<gcts_status>(reinterpret_cast<AnyFn>(run)(a[0], a[1], a[2], a[3], a[4]));
}

#endif

}  // namespace gcts::worker
