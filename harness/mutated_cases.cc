// The source of format/mutated/<n>: files that no person thought of.
//
// A case is a small file of the corpus, mostly a valid one, changed by the mutator with
// a generator keyed by (seed, id); what the reference finds in the result is what is
// expected of everybody.  Where the corpus holds that either verdict is right, so does
// a mutated file with the same trait (undecided.h).

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "corpus/mutator.h"
#include "harness/case_source.h"
#include "harness/undecided.h"

namespace gcts {
namespace {

constexpr uint64_t kInSmoke = 200, kInAll = 10'000;
constexpr size_t kLargestBase = 4096, kLargestFile = 8192;

// Small single files about which the suite has made up its mind; shard sets depend on
// names, which a mutation does not change.
struct Bases {
  std::vector<const Case*> valid, invalid;

  Bases() {
    for (const Case& c : cases()) {
      if (c.kind != CaseKind::read || c.size != CaseSize::small || !c.reason.empty() || c.has_tag("shards")) continue;
      if (c.spec == Expectation::valid) valid.push_back(&c);
      else if (!c.parent.empty()) invalid.push_back(&c);
    }
  }
};

const Bases& bases() {
  static const Bases all;
  return all;
}

struct Mutated {
  const Case* base = nullptr;
  Bytes bytes;
};

Mutated make(uint64_t seed, std::string_view id) {
  Generator random(seed, id);
  Mutated out;
  for (;;) {
    const auto& from = random.chance(1, 8) ? bases().invalid : bases().valid;
    out.base = from[random.below(from.size())];
    const std::vector<CaseFile> files = out.base->files();
    if (files.size() != 1 || files[0].bytes.size() > kLargestBase) continue;
    out.bytes = mutate(files[0].bytes, random.stream("mutation"), kLargestFile);
    return out;
  }
}

// The broken rules, roots first.
std::vector<rule::Index> broken(const Findings& findings) {
  std::vector<rule::Index> out;
  for (const bool root : {true, false}) {
    for (const Finding& finding : findings.all()) {
      if (finding.root == root && std::find(out.begin(), out.end(), finding.rule) == out.end()) out.push_back(finding.rule);
    }
  }
  return out;
}

// The rule that a reader which accepts the file is told about: what stops decoding if
// anything does, else the last that makes the file invalid.
rule::Index told(const std::vector<rule::Index>& breaks, rule::Index otherwise) {
  for (const rule::Index index : breaks) {
    if (rule_at(index).spec != Severity::must) continue;
    otherwise = index;
    if (rule_at(index).kind == RuleKind::decode) break;
  }
  return otherwise;
}

Case mutated_case(uint64_t seed, std::string id) {
  const Mutated mutated = make(seed, id);
  const Case& base = *mutated.base;
  const Reading reading = read(mutated.bytes, {.stage = base.stage});
  const uint64_t depth = nesting(mutated.bytes);
  Case c;
  c.stage = base.stage;
  c.breaks = broken(reading.findings);
  if (alignment_is_open(reading)) std::erase_if(c.breaks, follows_from_alignment);
  c.rule = told(c.breaks, base.rule);
  c.also = c.breaks;
  std::erase(c.also, c.rule);
  c.reason = undecided(reading, depth);
  if (c.reason.empty() && base.has_tag("limit:")) c.reason = "divergence";
  c.spec = c.expected(Profile::builtin(BuiltinProfile::spec));
  c.ggml = c.expected(Profile::builtin(BuiltinProfile::ggml));
  c.parent = base.spec == Expectation::valid ? base.id : base.parent;
  if (depth > 1) c.tags.push_back(fmt::format("limit:depth={}", depth));
  if (reading.layout.version == 1) c.tags.push_back("version:1");
  c.comment = fmt::format("{}, changed at random under seed {}", base.id, seed);
  c.files = [seed, id] { return std::vector<CaseFile>{{"model.gguf", make(seed, id).bytes}}; };
  c.id = std::move(id);
  return c;
}

}  // namespace

void add_mutated_cases(const CaseRequest& request, CaseList& out) {
  for (uint64_t n = 0; n < kInAll; ++n) {
    std::string id = fmt::format("format/mutated/{}", n);
    if (!request.selection.contains(id)) continue;
    if (n < kInSmoke || request.tier != Tier::smoke || request.selection.names(id)) {
      out.add_generated(mutated_case(request.seed, std::move(id)));
    }
  }
}

}  // namespace gcts
