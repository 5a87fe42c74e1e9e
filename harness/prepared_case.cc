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

std::vector<Reading> PreparedCase::readings() const {
  std::vector<Reading> out;
  for (const CaseFile& file : files_) out.push_back(read(file.bytes, {.stage = case_.stage, .lint = false}));
  return out;
}

const std::vector<uint8_t>* PreparedCase::contents(bool digests, bool sha256) const {
  std::call_once(read_once_, [&] {
    const std::vector<Reading> readings = this->readings();
    complete_ = !readings.empty() &&
                std::all_of(readings.begin(), readings.end(), [](const Reading& r) { return r.complete; });
    if (!complete_) return;
    contents_[0] = encode_readings(readings, false);
    contents_[1] = encode_readings(readings, true);
  });
  if (!complete_) return nullptr;
  if (!digests || !sha256) return &contents_[digests ? 1 : 0];
  std::call_once(sha256_once_, [&] { with_sha256_ = encode_readings(readings(), true, true); });
  return &with_sha256_;
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
