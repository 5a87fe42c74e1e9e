// Recognises what a file that is not GGUF is instead, so that an error can say
// "this is a safetensors file" rather than "wrong magic".

#ifndef GCTS_REFERENCE_LEGACY_H_
#define GCTS_REFERENCE_LEGACY_H_

#include <cstddef>
#include <span>
#include <string_view>

namespace gcts {

// How many bytes of a file's beginning recognise_foreign can use.
inline constexpr size_t kForeignHeadBytes = 512;

// The name of the format that a file beginning with `head` is in, with its article
// where one reads better: "a safetensors file".  Empty if it is not recognised or
// if it is GGUF.
std::string_view recognise_foreign(std::span<const std::byte> head);

}  // namespace gcts

#endif  // GCTS_REFERENCE_LEGACY_H_
