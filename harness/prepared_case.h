// A read case with its bytes and what the reference makes of them, shared between
// subjects and threads.

#ifndef GCTS_HARNESS_PREPARED_CASE_H_
#define GCTS_HARNESS_PREPARED_CASE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "corpus/case.h"

namespace gcts {

class PreparedCase {
 public:
  explicit PreparedCase(const Case& c);

  const Case& source() const { return case_; }
  const std::vector<CaseFile>& files() const { return files_; }
  uint64_t bytes() const;
  // The contents as records, with or without digests of tensor bytes (`sha256`: as a
  // process makes them); null where the reference could not read the file to its end.
  const std::vector<uint8_t>* contents(bool digests, bool sha256 = false) const;

 private:
  std::vector<Reading> readings() const;

  const Case& case_;
  std::vector<CaseFile> files_;
  mutable std::once_flag read_once_, sha256_once_;
  mutable bool complete_ = false;
  mutable std::vector<uint8_t> contents_[2], with_sha256_;
};

// Small cases are kept for the next subject; large ones are made again.
class PreparedCases {
 public:
  std::shared_ptr<const PreparedCase> get(const Case& c);

 private:
  std::mutex mutex_;
  std::map<const Case*, std::shared_ptr<const PreparedCase>> kept_;
};

}  // namespace gcts

#endif  // GCTS_HARNESS_PREPARED_CASE_H_
