// Runs the checks of the table.

#include "reference/check.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "reference/survey.h"

namespace gcts {
namespace {

using Check = void (*)(const Reading&, Findings&);

// Null for rules that are not checks; the index is the rule's.
constexpr Check kChecks[] = {
#define GCTS_CHECK_decode(name) nullptr
#define GCTS_CHECK_check(name) check_##name
#define GCTS_CHECK_set(name) nullptr
#define GCTS_CHECK_permit(name) nullptr
#define GCTS_CHECK_writer(name) nullptr
#define GCTS_CHECK_api(name) nullptr
#define GCTS_CHECK_resource(name) nullptr
#define RULE(id, name, area, level, kind, spec, ggml, source, statement, effect) GCTS_CHECK_##kind(name),
#include "reference/rules.inc"
#undef RULE
};

// Areas that need every pair and tensor info: what is absent from a part of a file
// may stand in the rest.
constexpr std::string_view kNeedsWhole[] = {"offsets", "data", "architecture", "tokenizer", "split"};

// When a check runs.
struct Condition {
  bool needs_whole, needs_data, lint;
};

constexpr Condition condition(std::string_view area, Severity spec, Severity ggml) {
  return {std::find(std::begin(kNeedsWhole), std::end(kNeedsWhole), area) != std::end(kNeedsWhole), area == "data",
          spec != Severity::must && ggml != Severity::must};
}

// By the rule's index.  A small file costs little more than the checks that it runs.
constexpr Condition kConditions[] = {
#define RULE(id, name, area, level, kind, spec, ggml, source, statement, effect) \
  condition(#area, Severity::spec, Severity::ggml),
#include "reference/rules.inc"
#undef RULE
};

bool applies(const Condition& when, const Reading& reading, const ReadOptions& options) {
  return (reading.complete || !when.needs_whole) && (reading.stage == Stage::data || !when.needs_data) &&
         (options.lint || !when.lint);
}

// Traits of a whole file are roots only where nothing else is wrong.
void settle(Findings& findings) {
  constexpr rule::Index kTraits[] = {rule::big_endian_version_3, rule::big_endian_version, rule::version_1,
                                     rule::nested_array};
  const auto trait = [&](rule::Index index) {
    return std::find(std::begin(kTraits), std::end(kTraits), index) != std::end(kTraits);
  };
  const bool faulty = std::any_of(findings.all().begin(), findings.all().end(), [&](const Finding& f) {
    const Rule& r = rule_at(f.rule);
    const bool fault = r.kind == RuleKind::decode || r.spec == Severity::must || r.ggml == Severity::must;
    return f.root && !trait(f.rule) && fault;
  });
  if (!faulty) return;
  for (const rule::Index index : kTraits) findings.demote(index);
}

}  // namespace

void run_checks(Reading& reading, std::vector<Extent> extents, const ReadOptions& options) {
  const Survey survey(reading, std::move(extents));
  reading.survey = std::shared_ptr<const Survey>(std::shared_ptr<void>(), &survey);  // owned by nobody
  for (size_t i = 0; i < std::size(kChecks); ++i)
    if (kChecks[i] != nullptr && applies(kConditions[i], reading, options)) kChecks[i](reading, reading.findings);
  reading.survey.reset();
  settle(reading.findings);
}

}  // namespace gcts
