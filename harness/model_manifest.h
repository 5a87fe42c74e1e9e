// A manifest: the SHA-256 of each tensor of a model, of its metadata, and one over all.
//
//   {"schema":1,"files":[{"name":"model.gguf","size":…,"metadata_sha256":"…"}],
//    "tensors":[{"name":"…","type":"q4_0","dims":[…],"size":…,"sha256":"…"}, …],
//    "sha256":"…"}
//
// The digest of a tensor is that of its bytes as they stand in the file, without
// padding.  The one over all is that of the lines "name type dims sha256\n" of the tensors
// in file order, dims joined by "x": it stays the same when tensors are cut into
// shards differently, or metadata change.  Names that are not UTF-8 stand with U+FFFD.

#ifndef GCTS_HARNESS_MODEL_MANIFEST_H_
#define GCTS_HARNESS_MODEL_MANIFEST_H_

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace gcts {

struct ModelManifestFile {
  std::string name;  // without directories
  uint64_t size = 0;
  std::string metadata_sha256;
};

struct ModelManifestTensor {
  std::string name, type, sha256;
  std::vector<uint64_t> dims;
  uint64_t size = 0;
};

struct ModelManifest {
  std::vector<ModelManifestFile> files;
  std::vector<ModelManifestTensor> tensors;

  std::string sha256() const;  // the one over all
};

void write_manifest(const ModelManifest& manifest, std::ostream& out);
// False and an explanation if the text is no manifest of schema 1, or its digest over
// all is not that of its tensors.
bool read_manifest(std::istream& in, ModelManifest& out, std::string& error);

// One sentence a difference of the model from what the manifest says; empty: none.
// Names of files may differ.
std::vector<std::string> manifest_differences(const ModelManifest& expected, const ModelManifest& found);

}  // namespace gcts

#endif  // GCTS_HARNESS_MODEL_MANIFEST_H_
