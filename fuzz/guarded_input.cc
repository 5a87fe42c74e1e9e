// Two views of one memory file.

#include "fuzz/guarded_input.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace gcts {
namespace {

constexpr size_t kGuard = 1 << 16;  // a page, on every machine

[[noreturn]] void no_memory() {
  std::perror("no memory for inputs");
  std::exit(1);
}

void fill(int file, std::span<const std::byte> bytes) {
  if (ftruncate(file, 0) != 0) no_memory();
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t n = pwrite(file, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
    if (n <= 0) no_memory();
    at += static_cast<size_t>(n);
  }
}

}  // namespace

GuardedInput::GuardedInput() {
  const int memory = memfd_create("input", MFD_CLOEXEC);
  if (memory < 0 || ftruncate(memory, kMost) != 0) no_memory();
  void* writable = mmap(nullptr, kMost, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  void* reserved = mmap(nullptr, kMost + 2 * kGuard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (writable == MAP_FAILED || reserved == MAP_FAILED) no_memory();
  reserved_ = static_cast<uint8_t*>(reserved);
  readable_ = reserved_ + kGuard;
  if (mmap(readable_, kMost, PROT_READ, MAP_SHARED | MAP_FIXED, memory, 0) == MAP_FAILED) no_memory();
  writable_ = static_cast<uint8_t*>(writable);
  close(memory);
}

GuardedInput::~GuardedInput() {
  munmap(writable_, kMost);
  munmap(reserved_, kMost + 2 * kGuard);
  if (file_ >= 0) close(file_);
}

std::span<const uint8_t> GuardedInput::place(std::span<const std::byte> input) {
  if (input.size() > kMost) return {};
  const size_t at = kMost - input.size();
  if (!input.empty()) std::memcpy(writable_ + at, input.data(), input.size());
  return {readable_ + at, input.size()};
}

std::string GuardedInput::as_file(std::span<const std::byte> input) {
  if (file_ < 0) file_ = memfd_create("input file", MFD_CLOEXEC);
  if (file_ < 0) no_memory();
  fill(file_, input);
  return "/proc/self/fd/" + std::to_string(file_);
}

}  // namespace gcts
