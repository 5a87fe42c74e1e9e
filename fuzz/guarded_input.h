// An input where foreign code reads it: read-only, its end at an unmapped page.
//
// The same memory is mapped a second time for writing, so that placing an input costs a
// copy and no system call.

#ifndef GCTS_FUZZ_GUARDED_INPUT_H_
#define GCTS_FUZZ_GUARDED_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace gcts {

class GuardedInput {
 public:
  static constexpr size_t kMost = size_t{1} << 20;

  GuardedInput();
  ~GuardedInput();
  GuardedInput(const GuardedInput&) = delete;
  GuardedInput& operator=(const GuardedInput&) = delete;

  // Valid until the next call; empty if the input is larger than kMost.  An input of no
  // bytes is a pointer to the unmapped page.
  std::span<const uint8_t> place(std::span<const std::byte> input);

  // A file of these bytes, by a path that this process can open.
  std::string as_file(std::span<const std::byte> input);

 private:
  uint8_t* writable_ = nullptr;
  uint8_t* readable_ = nullptr;  // between two pages that are not there
  uint8_t* reserved_ = nullptr;
  int file_ = -1;
};

}  // namespace gcts

#endif  // GCTS_FUZZ_GUARDED_INPUT_H_
