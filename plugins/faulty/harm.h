// The ways in which a fault brings its process down, or takes more than its share.

#ifndef GCTS_PLUGINS_FAULTY_HARM_H_
#define GCTS_PLUGINS_FAULTY_HARM_H_

#include <cstdint>

namespace gcts {

// More resident memory than a reader of a small file may take: 1.25 GiB, in steps.
void occupy_memory();
// `size` resident bytes that are never given back.
void leak_memory(uint64_t size);
// `size` resident bytes that are given back at once: only a peak shows them.
void occupy_for_a_moment(uint64_t size);
// Processor time without end.
[[noreturn]] void spin();
void dereference_null();
// What an integer division does: SIGFPE if `divisor` is 0.
void divide_by(uint64_t divisor);
void overrun_stack_array(uint64_t count);
void free_twice();
// Calls itself `depth` times with a frame of 4 KiB.
uint64_t recurse(uint64_t depth);

}  // namespace gcts

#endif  // GCTS_PLUGINS_FAULTY_HARM_H_
