// SHA-256 of bytes, as 64 hexadecimal digits.

#ifndef GCTS_CORPUS_SHA256_H_
#define GCTS_CORPUS_SHA256_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace gcts {

std::string sha256(std::span<const std::byte> bytes);
std::string sha256(std::string_view text);

}  // namespace gcts

#endif  // GCTS_CORPUS_SHA256_H_
