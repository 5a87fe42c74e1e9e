// What is wrong with a file: findings, and the verdict that follows under a profile.

#ifndef GCTS_REFERENCE_FINDING_H_
#define GCTS_REFERENCE_FINDING_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reference/rule.h"

namespace gcts {

// One broken rule at one place.
struct Finding {
  rule::Index rule = rule::kCount;
  uint64_t offset = 0;     // byte offset in the file of the field that breaks it
  bool root = true;        // false: merely follows from an earlier finding
  std::string message;     // one sentence: names the field, what it holds, what is allowed
};

// Findings in the order found.  At most kMaxPerRule are kept for one rule, so that
// a hostile file cannot make the list larger than itself; the rest are counted.
class Findings {
 public:
  static constexpr uint32_t kMaxPerRule = 16;

  void add(rule::Index rule, uint64_t offset, std::string message, bool root = true);
  // Marks all findings of a rule as following from others.
  void demote(rule::Index rule);
  const std::vector<Finding>& all() const { return findings_; }
  bool empty() const { return findings_.empty(); }
  bool has(rule::Index rule) const { return counts_.size() > rule && counts_[rule] > 0; }
  // How many were found of a rule, the ones not kept included.
  uint64_t count(rule::Index rule) const { return counts_.size() > rule ? counts_[rule] : 0; }

 private:
  std::vector<Finding> findings_;
  std::vector<uint64_t> counts_;
};

// What each rule means: the severity of every rule by index.
class Profile {
 public:
  static Profile builtin(BuiltinProfile which);  // "spec" or "ggml"
  // "spec", "ggml", or the path of a profile file: JSON
  //   {"name": "mine", "base": "spec", "rules": {"nested_array": "off", ...}}
  // On failure returns false and explains in `error`.
  static bool load(std::string_view name_or_path, Profile& out, std::string& error);

  std::string_view name() const { return name_; }
  Severity severity(rule::Index rule) const { return severities_[rule]; }
  void set(rule::Index rule, Severity severity) { severities_[rule] = severity; }

 private:
  std::string name_;
  std::vector<Severity> severities_;
};

enum class Verdict : uint8_t { valid, invalid };

// invalid if any finding breaks a rule that is `must` in the profile (with
// strict: `should` too).
Verdict judge(const Findings& findings, const Profile& profile, bool strict = false);

std::string_view verdict_name(Verdict verdict);

}  // namespace gcts

#endif  // GCTS_REFERENCE_FINDING_H_
