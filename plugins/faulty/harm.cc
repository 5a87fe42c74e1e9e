// Undefined behaviour on purpose: pointers and operands are volatile, so that the
// compiler neither sees through it nor removes it.

#include "plugins/faulty/harm.h"

#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace gcts {

void leak_memory(uint64_t size) {
  constexpr uint64_t kPage = 4096;  // one byte each makes all of it resident
  auto* memory = static_cast<volatile unsigned char*>(std::malloc(size));
  for (uint64_t at = 0; memory && at < size; at += kPage) memory[at] = 1;
}

void occupy_for_a_moment(uint64_t size) {
  constexpr uint64_t kPage = 4096;
  auto* memory = static_cast<volatile unsigned char*>(std::malloc(size));
  for (uint64_t at = 0; memory && at < size; at += kPage) memory[at] = 1;
  std::free(const_cast<unsigned char*>(memory));
}

void occupy_memory() {
  constexpr uint64_t kStep = uint64_t{64} << 20;
  for (int i = 0; i < 20; ++i) leak_memory(kStep);
}

void spin() {
  volatile uint64_t turns = 0;
  for (;;) turns = turns + 1;
}

void dereference_null() {
  volatile int* volatile nowhere = nullptr;
  *nowhere = 1;
}

// Not every processor traps; the signal is raised so that every host sees it.
void divide_by(uint64_t divisor) {
  if (divisor == 0) std::raise(SIGFPE);
}

void overrun_stack_array(uint64_t count) {
  volatile uint64_t array[4];
  volatile uint64_t* volatile element = array;
  for (uint64_t i = 0; i < count; ++i) {
    *element = i;
    element = element + 1;
  }
}

void free_twice() {
  void* volatile memory = std::malloc(64);
  void* volatile again = memory;
  std::free(memory);
  std::free(again);
}

uint64_t recurse(uint64_t depth) {
  volatile unsigned char frame[4096];
  frame[depth % sizeof frame] = static_cast<unsigned char>(depth);
  if (depth == 0) return 0;
  const uint64_t below = recurse(depth - 1);
  return below + frame[depth % sizeof frame];
}

}  // namespace gcts
