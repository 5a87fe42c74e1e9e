// The corpus itself: each case shows one thing, and the reference says which.

#define BOOST_TEST_MODULE corpus
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "corpus/case.h"
#include "reference/codec.h"
#include "reference/split.h"
#include "reference/tensor_type.h"

namespace gcts {
namespace {

// What the reference finds at the root of a case's files.
std::vector<Finding> root_findings(const Case& c) {
  const std::vector<CaseFile> files = c.files();
  std::vector<Finding> roots;
  const auto take = [&](const Findings& findings) {
    for (const Finding& finding : findings.all())
      if (finding.root) roots.push_back(finding);
  };
  if (c.has_tag("shards")) {
    std::vector<NamedFile> set;
    for (const CaseFile& file : files) set.push_back({file.name, file.bytes});
    const SetReading reading = read_set(set);
    for (const SetFinding& found : reading.findings)
      if (found.finding.root) roots.push_back(found.finding);
  } else {
    take(read(files[0].bytes).findings);
  }
  return roots;
}

std::string names(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings)
    text += "\n    " + std::string(rule_at(finding.rule).name) + " at " + std::to_string(finding.offset) +
            ": " + finding.message;
  return text;
}

bool is_small_read(const Case& c) { return c.kind == CaseKind::read && c.size == CaseSize::small; }

// Rules whose cases are not files to read with the rule broken.
bool shown_by_files(const Rule& rule) {
  return rule.kind == RuleKind::decode || rule.kind == RuleKind::check || rule.kind == RuleKind::set ||
         rule.kind == RuleKind::permit;
}

BOOST_AUTO_TEST_SUITE(corpus)

BOOST_AUTO_TEST_CASE(enough_cases_with_unique_sorted_ids) {
  const std::vector<Case>& all = cases();
  BOOST_TEST(all.size() >= 700u);
  BOOST_TEST_MESSAGE(all.size() << " cases");
  for (size_t i = 1; i < all.size(); ++i) BOOST_TEST((all[i - 1].id < all[i].id), all[i].id);
  for (const Case& c : all) {
    BOOST_TEST_CONTEXT(c.id) {
      BOOST_TEST(find_case(c.id) == &c);
      BOOST_TEST(
          c.id.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-") ==
          std::string::npos);
      BOOST_TEST(c.id.starts_with("format/"));
      BOOST_TEST(!c.comment.empty());
      BOOST_TEST(c.rule < rule::kCount);
    }
  }
  BOOST_TEST(find_case("format/valid/nothing") == nullptr);
}

// One fault, one root finding, and it is the one that the case names.
BOOST_AUTO_TEST_CASE(each_case_breaks_what_it_says) {
  for (const Case& c : cases()) {
    if (!is_small_read(c)) continue;
    BOOST_TEST_CONTEXT(c.id) {
      const std::vector<Finding> roots = root_findings(c);
      std::vector<rule::Index> found;
      for (const Finding& finding : roots) found.push_back(finding.rule);
      std::vector<rule::Index> expected = c.breaks;
      std::sort(found.begin(), found.end());
      std::sort(expected.begin(), expected.end());
      std::string wanted;
      for (const rule::Index index : expected) wanted += " " + std::string(rule_at(index).name);
      BOOST_TEST((found == expected),
                 "expected" << (wanted.empty() ? " nothing" : wanted) << ", found" << names(roots));
    }
  }
}

// The same of files that are made on demand; one fault may stand in them many times.
BOOST_AUTO_TEST_CASE(each_large_case_breaks_what_it_says) {
  for (const Case& c : cases()) {
    if (c.kind == CaseKind::write || c.size != CaseSize::large) continue;
    const Bytes bytes = c.kind == CaseKind::read ? c.files()[0].bytes : c.scaled(c.scale);
    std::set<rule::Index> found;
    const Reading reading = read(bytes);
    for (const Finding& finding : reading.findings.all())
      if (finding.root) found.insert(finding.rule);
    BOOST_TEST((found == std::set<rule::Index>(c.breaks.begin(), c.breaks.end())), c.id);
  }
}

BOOST_AUTO_TEST_CASE(verdicts_follow_from_broken_rules) {
  const Profile spec = Profile::builtin(BuiltinProfile::spec), ggml = Profile::builtin(BuiltinProfile::ggml);
  for (const Case& c : cases()) {
    BOOST_TEST_CONTEXT(c.id) {
      BOOST_TEST((c.expected(spec) == c.spec));
      BOOST_TEST((c.expected(ggml) == c.ggml));
      if (c.kind == CaseKind::read)
        BOOST_TEST(c.id.starts_with("format/" + std::string(expectation_name(c.spec)) + "/"));
      const bool reasoned = c.reason == "divergence" || c.reason == "undefined" || c.reason == "limit";
      BOOST_TEST((c.reason.empty() || reasoned));
      if (c.spec == Expectation::either) BOOST_TEST(reasoned);
      if (c.reason == "limit") BOOST_TEST(c.has_tag("limit:"));
    }
  }
}

// The stored verdict and the reference's own verdict are the same.
BOOST_AUTO_TEST_CASE(reference_agrees_with_every_verdict) {
  for (const BuiltinProfile which : {BuiltinProfile::spec, BuiltinProfile::ggml}) {
    const Profile profile = Profile::builtin(which);
    for (const Case& c : cases()) {
      if (!is_small_read(c) || c.has_tag("shards")) continue;
      const Expectation expected = c.expected(profile);
      if (expected == Expectation::either) continue;
      const Verdict verdict = judge(read(c.files()[0].bytes).findings, profile);
      BOOST_TEST((verdict == Verdict::valid) == (expected == Expectation::valid),
                 c.id << " under " << profile.name());
    }
  }
}

BOOST_AUTO_TEST_CASE(parents_exist_are_valid_and_differ) {
  for (const Case& c : cases()) {
    BOOST_TEST_CONTEXT(c.id) {
      if (c.kind == CaseKind::read && c.spec == Expectation::invalid) BOOST_TEST(!c.parent.empty());
      if (c.parent.empty()) continue;
      const Case* parent = find_case(c.parent);
      BOOST_REQUIRE(parent != nullptr);
      BOOST_TEST((parent->spec == Expectation::valid));
      if (!is_small_read(c)) continue;
      const std::vector<CaseFile> mine = c.files(), theirs = parent->files();
      const auto same = [](const CaseFile& a, const CaseFile& b) {
        return a.name == b.name && a.bytes == b.bytes;
      };
      BOOST_TEST(!std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end(), same));
    }
  }
}

// Cases of a rule by what they are: valid, invalid, either, write, resource.
struct Shown {
  size_t valid = 0, invalid = 0, either = 0, write = 0, resource = 0, breaking = 0;
  size_t files() const { return valid + invalid + either; }
};

std::map<rule::Index, Shown> shown(bool with_sweeps) {
  std::map<rule::Index, Shown> by_rule;
  for (const Case& c : cases()) {
    if (!with_sweeps && c.id.find("/sweeps/") != std::string::npos) continue;
    Shown& s = by_rule[c.rule];
    if (c.kind == CaseKind::write)
      ++s.write;
    else if (c.kind == CaseKind::resource)
      ++s.resource;
    else if (c.spec == Expectation::valid)
      ++s.valid;
    else if (c.spec == Expectation::invalid)
      ++s.invalid;
    else
      ++s.either;
    if (std::find(c.breaks.begin(), c.breaks.end(), c.rule) != c.breaks.end()) ++s.breaking;
  }
  return by_rule;
}

BOOST_AUTO_TEST_CASE(every_rule_is_shown) {
  std::map<rule::Index, Shown> by_rule = shown(false);
  for (size_t i = 0; i < rules().size(); ++i) {
    const Rule& rule = rules()[i];
    const Shown& s = by_rule[static_cast<rule::Index>(i)];
    BOOST_TEST_CONTEXT(rule.id << " " << rule.name) {
      if (rule.kind == RuleKind::writer) BOOST_TEST(s.write >= 2u);
      if (rule.kind == RuleKind::resource) BOOST_TEST(s.resource >= 1u);
      if (!shown_by_files(rule)) continue;
      BOOST_TEST(s.files() >= 3u);
      BOOST_TEST((s.valid >= 1u || rule.kind == RuleKind::permit));
      if (rule.kind != RuleKind::permit) BOOST_TEST(s.breaking >= 2u);
    }
  }
}

BOOST_AUTO_TEST_CASE(print_rules_and_their_cases) {
  std::map<rule::Index, Shown> by_rule = shown(true);
  for (size_t i = 0; i < rules().size(); ++i) {
    const Rule& rule = rules()[i];
    const Shown& s = by_rule[static_cast<rule::Index>(i)];
    std::string line = std::string(rule.id) + " " + std::string(rule.name) + " (" +
                       std::string(rule_kind_name(rule.kind)) + "):";
    const std::pair<std::string_view, size_t> counts[] = {{"valid", s.valid},
                                                          {"invalid", s.invalid},
                                                          {"either", s.either},
                                                          {"write", s.write},
                                                          {"resource", s.resource}};
    for (const auto& [name, count] : counts)
      if (count) line += " " + std::to_string(count) + " " + std::string(name);
    BOOST_TEST_MESSAGE(line);
    BOOST_TEST((rule.kind == RuleKind::api || s.files() + s.write + s.resource > 0), line);
  }
}

// Made twice, a case is the same bytes.
BOOST_AUTO_TEST_CASE(files_are_the_same_each_time) {
  for (const Case& c : cases()) {
    if (!is_small_read(c)) continue;
    const std::vector<CaseFile> once = c.files(), again = c.files();
    BOOST_REQUIRE(!once.empty());
    BOOST_TEST(once.size() == again.size());
    for (size_t i = 0; i < once.size(); ++i) BOOST_TEST((once[i].bytes == again[i].bytes), c.id);
  }
}

// Patterned tensor bytes are legal blocks of their type: no scale is NaN or infinite.
BOOST_AUTO_TEST_CASE(tensor_bytes_are_legal) {
  size_t blocks = 0;
  for (const Case& c : cases()) {
    if (!is_small_read(c) || !c.id.starts_with("format/valid/sweeps/tensor_types.")) continue;
    const std::vector<CaseFile> files = c.files();
    const Reading reading = read(files[0].bytes);
    for (const TensorView& tensor : reading.tensors) {
      const TensorType& type = *find_tensor_type(tensor.type);
      for (uint64_t at = 0; at < tensor.data.size(); at += type.block_bytes, ++blocks) {
        const BlockFault fault = type.codec->validate(tensor.data.data() + at);
        BOOST_TEST(!fault.what, c.id << ": " << (fault.what ? fault.what : "") << " at byte " << fault.byte);
      }
    }
  }
  BOOST_TEST(blocks > 1000u);
}

// A stored corpus stays small enough to carry around.
BOOST_AUTO_TEST_CASE(small_cases_are_small) {
  uint64_t total = 0;
  for (const Case& c : cases()) {
    if (!is_small_read(c)) continue;
    uint64_t size = 0;
    for (const CaseFile& file : c.files()) size += file.bytes.size();
    BOOST_TEST(size <= 600'000u, c.id << " has " << size << " bytes");
    total += size;
  }
  BOOST_TEST_MESSAGE(total << " bytes of small cases");
  BOOST_TEST(total < 16'000'000u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace gcts
