// A case: bytes, the rule they exercise, and what a reader must say about them.
//
// A case id is a slash path, at once its name, its selector and the line that
// repeats it:
//
//   format/valid/tensors/tensor_offset_aligned.two_tensors
//   format/invalid/tensors/tensor_offset_aligned.plus_one
//   format/either/arrays/nested_array.depth_65
//   format/write/writer/writer_padding_zero.two_tensors
//   format/resource/resource/many_keys_linear.short_keys
//
// The folder of a read case is the verdict under `spec`; `either` carries a reason.
// Every invalid case names a valid parent from which it differs by one minimal
// fault; the parent travels with it into every selection.  Cases make their bytes
// when asked, from fixed inputs alone: the same bytes on every machine and from
// every compiler.

#ifndef GCTS_CORPUS_CASE_H_
#define GCTS_CORPUS_CASE_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/finding.h"
#include "reference/gguf.h"
#include "reference/reader.h"
#include "reference/writer.h"

namespace gcts {

enum class Expectation : uint8_t { valid, invalid, either };

// How a case is shown to an implementation.
enum class CaseKind : uint8_t {
  read,      // one file (or shard set) to read
  write,     // a model to write; the output is judged
  resource,  // a family of files of growing size: time and memory are judged
};

// How large a case is; large ones are generated on demand and never stored.
enum class CaseSize : uint8_t { small, large };

struct CaseFile {
  std::string name;  // "model.gguf", "model-00001-of-00002.gguf"
  Bytes bytes;
};

// What a writer case asks for.
struct WriteCase {
  File model;
  WriteStrategy strategy = WriteStrategy::whole;
  bool must_refuse = false;   // the model cannot be written: the writer has to say so
  bool output_fails = false;  // the output refuses bytes: the writer has to report it
  bool via_reader = false;    // the plugin's own reader supplies the model if it has one
};

struct Case {
  std::string id;
  CaseKind kind = CaseKind::read;
  CaseSize size = CaseSize::small;
  rule::Index rule = rule::kCount;        // the rule it exercises first
  std::vector<rule::Index> also;          // further rules it exercises
  std::vector<rule::Index> breaks;        // rules that the file breaks, as root findings; none: a sound file
  Expectation spec = Expectation::valid;  // the folder of a read case
  Expectation ggml = Expectation::valid;
  Stage stage = Stage::data;      // the stage at which the verdict is due
  std::string parent;             // id of the valid parent; "" where there is none
  std::string reason;             // either: "divergence", "undefined" or "limit"
  std::vector<std::string> tags;  // "limit:string=16777216", "version:1", "big_endian", ...
  std::string comment;            // why the case matters, one sentence

  std::function<std::vector<CaseFile>()> files;  // read: the file, or the shards: the one to open first
  std::function<WriteCase()> write;              // write
  std::function<Bytes(uint64_t n)> scaled;       // resource: the file at size n
  uint64_t scale = 0;                            // resource: n of the smallest file

  // Under a profile: invalid if a rule that the file breaks is `must` in it;
  // otherwise `either` if there is a reason, else valid.
  Expectation expected(const Profile& profile) const;
  // The file breaks rules that no profile counts unless strict.
  bool is_lint() const;
  bool has_tag(std::string_view prefix) const;
};

std::string_view expectation_name(Expectation expectation);
std::string_view case_kind_name(CaseKind kind);

// Every case of the suite, in id order.  Built once, on first use.
const std::vector<Case>& cases();
const Case* find_case(std::string_view id);

}  // namespace gcts

#endif  // GCTS_CORPUS_CASE_H_
