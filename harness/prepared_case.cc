// Bytes and expected contents, made once.

#include "harness/prepared_case.h"

#include <algorithm>

#include "harness/reference_contents.h"

namespace gcts {

namespace {

// A case larger than this is made again for each subject rather than kept.
constexpr uint64_t kKeptBytes = 256 * 1024;

}  // namespace

PreparedCase::PreparedCase(const Case& c) : case_(c), files_(c.files()) {}

uint64_t PreparedCase::bytes() const {
  uint64_t total = 0;
  for (const CaseFile& file : files_) total += file.bytes.size();
  return total;
}

const std::vector<uint8_t>* PreparedCase::contents(bool digests) const {
  std::call_once(read_once_, [&] {
    std::vector<Reading> readings;
    for (const CaseFile& file : files_) readings.push_back(read(file.bytes, {.stage = case_.stage, .lint = false}));
    complete_ = !readings.empty() &&
                std::all_of(readings.begin(), readings.end(), [](const Reading& r) { return r.complete; });
    if (!complete_) return;
    contents_[0] = encode_readings(readings, false);
    contents_[1] = encode_readings(readings, true);
  });
  return complete_ ? &contents_[digests ? 1 : 0] : nullptr;
}

std::shared_ptr<const PreparedCase> PreparedCases::get(const Case& c) {
  const bool keep = c.size == CaseSize::small;
  if (keep) {
    const std::lock_guard lock(mutex_);
    if (const auto found = kept_.find(&c); found != kept_.end()) return found->second;
  }
  auto made = std::make_shared<const PreparedCase>(c);
  if (keep && made->bytes() <= kKeptBytes) {
    const std::lock_guard lock(mutex_);
    return kept_.emplace(&c, std::move(made)).first->second;
  }
  return made;
}

}  // namespace gcts
