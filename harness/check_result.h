// What is said about a model: its verdict under a profile, and every complaint.

#ifndef GCTS_HARNESS_CHECK_RESULT_H_
#define GCTS_HARNESS_CHECK_RESULT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/checked_model.h"
#include "reference/finding.h"

namespace gcts {

// One complaint.  Rules of the catalogue have an id; what `check` looks at beyond it goes
// by the names "tensor_data" (illegal blocks) and "manifest".
struct Complaint {
  std::string file;       // path of the file it is about
  std::string id;         // "OFF-002", "" beyond the catalogue
  std::string rule;       // "tensor_offset_aligned"
  Severity severity = Severity::must;
  bool root = true;
  uint64_t offset = 0;
  std::string message;    // may hold text from the file
  std::string statement;  // the rule in one sentence
  std::string advice;
};

struct CheckResult {
  Verdict verdict = Verdict::valid;
  std::vector<Complaint> complaints;  // must before should, else in file order
  std::vector<std::string> notes;     // where another profile's verdict differs
};

// compare_with: a profile whose verdict is noted where it differs; null: none.
CheckResult judge_model(const CheckedModel& model, const Profile& profile, bool strict, const Profile* compare_with);

// True if all of the metadata was read and one of the built-in profiles accepts the
// file: it can be worked with (a big-endian file under `spec`, an upper-case key under `ggml`).
bool is_usable(const Reading& reading);

// Adds a complaint that a manifest is not met.
void add_difference(CheckResult& result, const std::string& file, std::string message);

}  // namespace gcts

#endif  // GCTS_HARNESS_CHECK_RESULT_H_
