// The stream of inputs that one program writes and another reads, of another machine
// perhaps: each is its size as 8 bytes, little-endian, and its bytes.

#ifndef GCTS_CORPUS_FOREIGN_INPUTS_H_
#define GCTS_CORPUS_FOREIGN_INPUTS_H_

#include <cstdint>
#include <cstdio>

#include "reference/gguf.h"

namespace gcts {

inline bool put_input(std::FILE* to, const Bytes& input) {
  unsigned char size[8];
  for (int i = 0; i < 8; ++i) size[i] = static_cast<unsigned char>(uint64_t{input.size()} >> 8 * i);
  return std::fwrite(size, 1, 8, to) == 8 && std::fwrite(input.data(), 1, input.size(), to) == input.size();
}

// False at the end of the stream.
inline bool get_input(std::FILE* from, Bytes& input) {
  unsigned char size[8];
  if (std::fread(size, 1, 8, from) != 8) return false;
  uint64_t count = 0;
  for (int i = 0; i < 8; ++i) count |= uint64_t{size[i]} << 8 * i;
  input.resize(static_cast<size_t>(count));
  return std::fread(input.data(), 1, input.size(), from) == input.size();
}

}  // namespace gcts

#endif  // GCTS_CORPUS_FOREIGN_INPUTS_H_
