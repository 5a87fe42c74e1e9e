// The corpus as files that anyone can use without this program.
//
//   DIR/manifest.json                     what every file is and what a reader must say
//   DIR/valid/<area>/<case>.gguf          and <case>.json, what the file holds
//   DIR/invalid/<area>/<case>.gguf
//   DIR/either/<area>/<case>.gguf         and <case>.json
//   DIR/<folder>/split/<case>/<file>      the files of a shard set
//   DIR/vectors/<type>.json               known answers of each tensor type (vectors.h);
//                                         not with a selection of cases
//
// The folder is the verdict under profile `spec`; the manifest has that of both
// profiles.  Everything is the same byte for byte from every build.

#ifndef GCTS_CORPUS_EXPORT_H_
#define GCTS_CORPUS_EXPORT_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "corpus/case.h"

namespace gcts {

struct ExportOptions {
  bool large = false;                       // also the cases that are otherwise made on demand
  std::function<bool(const Case&)> select;  // which cases; null: all
};

struct ExportResult {
  uint64_t cases = 0, files = 0, bytes = 0;
  std::string manifest_sha256;
  std::string error;  // "" where all went well
};

// Writes the corpus into `dir`, which is made if it is not there.  Files of the same
// names are replaced; others are left alone.
ExportResult export_corpus(const std::filesystem::path& dir, const ExportOptions& options = {});

// The same without a directory: what the manifest would be.
ExportResult measure_corpus(const ExportOptions& options = {});

// Compares a directory with its manifest: one sentence for each file that is missing,
// changed or not listed.  Empty: all is as exported.
std::vector<std::string> verify_corpus(const std::filesystem::path& dir);

}  // namespace gcts

#endif  // GCTS_CORPUS_EXPORT_H_
