// Models that are split over several files: finding the files, judging them as one.
//
// A set is model-00001-of-0000N.gguf to model-0000N-of-0000N.gguf, each a GGUF file
// of its own with its own alignment.  Each says its place: split.no (uint16, from 0),
// split.count (uint16) and split.tensors.count (int32, of all files).  The first
// holds the metadata of the model, and may hold nothing else; later ones need no
// metadata but split.*, so the metadata schema is not asked of them.

#ifndef GCTS_REFERENCE_SPLIT_H_
#define GCTS_REFERENCE_SPLIT_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/reader.h"

namespace gcts {

inline constexpr uint32_t kMaxShards = 65535;  // what split.count can say

// Is this file, opened by this name, one of several?
bool is_shard(std::string_view name, const Reading& reading);

// The names, without directories, of the files beside `path` that are of its set: in the
// order of their numbers, 1 to the count that the name tells, and its own name last
// where its number is not among these.  Its own is listed whether it is there or not;
// for a name that is no shard's it is all.  The folder is looked through once: a name
// that claims 99,999 shards costs what the folder holds.
std::vector<std::string> shards_beside(const std::string& path);

struct NamedFile {
  std::string name;  // without directories
  std::span<const std::byte> bytes;
};

struct SetFinding {
  size_t file = 0;  // index of the file that the finding is about
  Finding finding;
};

struct SetReading {
  std::vector<Reading> shards;       // in the order given
  std::vector<SetFinding> findings;  // those of each file, then those of the set
};

// Reads files as one model.  The first is the one that was opened; a file that is
// not there is not listed.  One file that is no shard gives its own findings alone.
SetReading read_set(std::span<const NamedFile> files, const ReadOptions& options = {});

// The judgement of a set whose files have been read already.
std::vector<SetFinding> check_set(std::span<const std::string> names, std::span<const Reading> shards);

Verdict judge(const SetReading& set, const Profile& profile, bool strict = false);

}  // namespace gcts

#endif  // GCTS_REFERENCE_SPLIT_H_
