// The reference's reader behind the plugin ABI, in its three steps: the file is
// mapped, read, and reported.

#ifndef GCTS_PLUGINS_REFERENCE_READER_H_
#define GCTS_PLUGINS_REFERENCE_READER_H_

#include <cstddef>
#include <span>
#include <string>

#include "gcts/plugin.h"
#include "reference/finding.h"
#include "reference/reader.h"

namespace gcts {

// The bytes that a request names: memory of the host, or a file mapped read-only.
class Input {
 public:
  Input() = default;
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  // False and an explanation if the file cannot be opened.
  bool open(const gcts_read_request& request, std::string& why_not);
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
  void* mapping_ = nullptr;
};

// The profile that decides over a file: the environment's GCTS_PROFILE, else spec.
const Profile& chosen_profile();

// Whether a finding makes a file invalid under the chosen profile; where GCTS_STRICT
// is set, `should` rules count like `must` rules.
bool breaks_file(const Finding& finding);

// Pushes what was read into the sink; tensors' bytes where `with_bytes` says so.
void report(const Reading& reading, bool with_bytes, const gcts_sink& sink);

// "offset 24: magic: ...", for the sink's message.
std::string explain(const Finding& finding);

gcts_status reference_read(const gcts_read_request* request, const gcts_sink* sink) noexcept;

}  // namespace gcts

#endif  // GCTS_PLUGINS_REFERENCE_READER_H_
