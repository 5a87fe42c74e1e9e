// The naming convention of model files:
//
//   [Sidecar-]BaseName-SizeLabel[-FineTune]-Version[-Encoding][-Type][-Shard].gguf
//   mmproj-Qwen2-VL-7B-v1.0-F16.gguf      Grok-100B-v1.0-Q4_0-00003-of-00009.gguf
//
// The GGUF document gives the convention twice, in prose and as a regular
// expression, and the two disagree: the expression demands a version, the prose
// assumes v1.0; the expression lets the size and even the base name go.  Both
// readings are offered.  A name that follows neither is no fault of the file: the
// convention is for people.

#ifndef GCTS_REFERENCE_FILENAME_H_
#define GCTS_REFERENCE_FILENAME_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gcts {

// The components of a name; "" where absent.
struct FileName {
  std::string sidecar;     // "mmproj" or "mtp"
  std::string base_name;   // "Qwen2-VL"
  std::string size_label;  // "8x7B", "30B-A3B"
  std::string fine_tune;   // "Instruct"
  std::string version;     // "v1.0"
  std::string encoding;    // "Q4_K_M"
  std::string type;        // "LoRA" or "vocab"
  std::string shard;       // "00003-of-00009"
  friend bool operator==(const FileName&, const FileName&) = default;
};

enum class NameReading : uint8_t { prose, expression };

struct ParsedName {
  bool follows = false;
  FileName parts;     // where it follows
  std::string fault;  // where it does not: one sentence
};

// `name` is a file name without directories.  Time is linear in its length.
ParsedName parse_file_name(std::string_view name, NameReading reading);

// The tail of a shard's name; this much is common to every tool.
struct ShardName {
  std::string prefix;   // all before "-00001-of-00002.gguf"
  uint32_t number = 0;  // as written: 1 is the first
  uint32_t count = 0;
  friend bool operator==(const ShardName&, const ShardName&) = default;
};
// Nothing unless the name ends in "-ddddd-of-ddddd.gguf"; the numbers' range is not judged.
std::optional<ShardName> parse_shard_name(std::string_view name);
std::string shard_file_name(const ShardName& shard);

}  // namespace gcts

#endif  // GCTS_REFERENCE_FILENAME_H_
