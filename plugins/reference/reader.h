// The reference's reader behind the plugin ABI, in its three steps: the file, or the
// set of files that it belongs to, is mapped, read, and reported.

#ifndef GCTS_PLUGINS_REFERENCE_READER_H_
#define GCTS_PLUGINS_REFERENCE_READER_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gcts/plugin.h"
#include "reference/finding.h"
#include "reference/reader.h"
#include "reference/split.h"

namespace gcts {

// A file mapped read-only.
class Mapping {
 public:
  // False and an explanation if the file cannot be opened.
  static bool open(const std::string& path, std::unique_ptr<Mapping>& mapping, std::string& why_not);
  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  explicit Mapping(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::span<const std::byte> bytes_;
};

// What a request names: memory of the host, or a file and, where it is one of a set,
// the other files of the set that are there.
class Input {
 public:
  bool open(const gcts_read_request& request, std::string& why_not);
  const std::vector<NamedFile>& files() const { return files_; }
  // A file in memory has no name, so it is no shard whatever its keys say.
  bool is_named() const { return !mappings_.empty(); }

 private:
  std::vector<std::unique_ptr<Mapping>> mappings_;
  std::vector<NamedFile> files_;
};

// Reads files as the set that they are, or a file without a name by itself.
SetReading read_files(std::span<const NamedFile> files, bool named, Stage stage);

// The profile that decides over a file: the environment's GCTS_PROFILE, else spec.
const Profile& chosen_profile();

// Whether a finding makes a file invalid under the chosen profile; where GCTS_STRICT
// is set, `should` rules count like `must` rules.
bool breaks_file(const Finding& finding);

// Pushes what was read into the sink: the metadata of the first file, the tensors of
// all, with their bytes where `with_bytes` says so.
void report(std::span<const Reading> shards, bool with_bytes, const gcts_sink& sink);

// "offset 24: magic: ...", for the sink's message.
std::string explain(const Finding& finding);

gcts_status reference_read(const gcts_read_request* request, const gcts_sink* sink) noexcept;

}  // namespace gcts

#endif  // GCTS_PLUGINS_REFERENCE_READER_H_
