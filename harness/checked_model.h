// A model as it is given on a command line: one file, or the shards of a split set.
//
// Shards are known by their names (prefix-00001-of-0000N.gguf).  Naming one of a set
// means the set: the others are looked for beside it.  What is wrong with the set as
// a whole is found by reference/split.h.

#ifndef GCTS_HARNESS_CHECKED_MODEL_H_
#define GCTS_HARNESS_CHECKED_MODEL_H_

#include <memory>
#include <string>
#include <vector>

#include "harness/model_manifest.h"
#include "harness/mapped_file.h"
#include "harness/tensor_scan.h"
#include "reference/reader.h"
#include "reference/split.h"

namespace gcts {

struct CheckedFile {
  std::string path;                  // "-" for standard input
  std::unique_ptr<MappedFile> file;  // null for a stream
  Reading reading;
  std::vector<TensorScan> scans;     // one a tensor, or none where no data were looked at
  std::string metadata_sha256;       // where digests were asked for
};

struct CheckedModel {
  std::vector<CheckedFile> parts;  // in shard order
  std::vector<SetFinding> set_findings;  // of the set as a whole; none for a single file

  const std::string& name() const { return parts.front().path; }
  bool changed() const;  // a file of it changed since it was opened
};

// The models that the paths name, each a list of paths in shard order.
std::vector<std::vector<std::string>> group_into_models(const std::vector<std::string>& paths);

// Opens and reads a model.  False and an explanation that names the file if one cannot be opened.
bool load_model(const std::vector<std::string>& paths, const ScanOptions& scan, bool look_at_data, CheckedModel& out, std::string& error);

ModelManifest manifest_of(const CheckedModel& model);

}  // namespace gcts

#endif  // GCTS_HARNESS_CHECKED_MODEL_H_
