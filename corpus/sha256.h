// SHA-256 of bytes that come in pieces.

#ifndef GCTS_CORPUS_SHA256_H_
#define GCTS_CORPUS_SHA256_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace gcts {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  void add(std::span<const std::byte> bytes);
  // 64 hexadecimal digits; nothing may be added after it.
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string sha256_of(std::span<const std::byte> bytes);
std::string sha256_of(std::string_view text);

}  // namespace gcts

#endif  // GCTS_CORPUS_SHA256_H_
