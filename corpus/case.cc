// Assembles the cases: runs every recipe and sweep, settles verdicts, ids and parents.

#include "corpus/case.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <iterator>
#include <map>

#include "corpus/recipe.h"

namespace gcts {

// A rule that a file, a writer or a family of files can show has a recipe; a rule
// that only an API shows has its tests where the API is.
#define RECIPE_OF_decode(name) void recipe_##name(Recipe&);
#define RECIPE_OF_check(name) RECIPE_OF_decode(name)
#define RECIPE_OF_set(name) RECIPE_OF_decode(name)
#define RECIPE_OF_permit(name) RECIPE_OF_decode(name)
#define RECIPE_OF_writer(name) RECIPE_OF_decode(name)
#define RECIPE_OF_resource(name) RECIPE_OF_decode(name)
#define RECIPE_OF_api(name)
#define RULE(id, name, area, level, kind, ...) RECIPE_OF_##kind(name)
#include "reference/rules.inc"
#undef RULE
#undef RECIPE_OF_decode

#define GCTS_SWEEP(name, what) void sweep_##name(Recipe&);
#include "corpus/sweeps.inc"
#undef GCTS_SWEEP

namespace {

using RecipeFunction = void (*)(Recipe&);

struct RecipeRow {
  rule::Index rule;
  RecipeFunction make;
};

constexpr RecipeRow kRecipes[] = {
#define RECIPE_OF_decode(name) {rule::name, recipe_##name},
#define RULE(id, name, area, level, kind, ...) RECIPE_OF_##kind(name)
#include "reference/rules.inc"
#undef RULE
};

struct SweepRow {
  std::string_view name;
  RecipeFunction make;
};

constexpr SweepRow kSweeps[] = {
#define GCTS_SWEEP(name, what) {#name, sweep_##name},
#include "corpus/sweeps.inc"
#undef GCTS_SWEEP
};

constexpr std::string_view kExpectationNames[] = {"valid", "invalid", "either"};
constexpr std::string_view kCaseKindNames[] = {"read", "write", "resource"};

std::string folder(const Draft& draft) {
  return std::string(draft.c.kind == CaseKind::read ? expectation_name(draft.c.spec)
                                                    : case_kind_name(draft.c.kind));
}

std::string id_of(const Draft& draft) {
  return "format/" + folder(draft) + "/" + draft.area + "/" + draft.name();
}

std::vector<Case> settle(std::deque<Draft>& drafts) {
  const Profile spec = Profile::builtin(BuiltinProfile::spec), ggml = Profile::builtin(BuiltinProfile::ggml);
  std::map<std::string, std::string> ids;  // by stem.suffix
  for (Draft& draft : drafts) {
    draft.c.spec = draft.c.expected(spec);
    draft.c.ggml = draft.c.expected(ggml);
    draft.c.id = id_of(draft);
    if (!ids.emplace(draft.name(), draft.c.id).second) {
      std::fprintf(stderr, "corpus: two cases are called %s\n", draft.name().c_str());
      std::abort();
    }
  }
  std::vector<Case> result;
  for (Draft& draft : drafts) {
    if (!draft.parent.empty()) draft.c.parent = ids.at(draft.parent);
    result.push_back(std::move(draft.c));
  }
  std::sort(result.begin(), result.end(), [](const Case& a, const Case& b) { return a.id < b.id; });
  return result;
}

std::vector<Case> build() {
  std::deque<Draft> drafts;
  for (const RecipeRow& row : kRecipes) {
    const Rule& rule = rule_at(row.rule);
    Recipe recipe(drafts, std::string(rule.area), std::string(rule.name), row.rule);
    row.make(recipe);
  }
  for (const SweepRow& row : kSweeps) {
    Recipe recipe(drafts, "sweeps", std::string(row.name), rule::Index{});
    row.make(recipe);
  }
  return settle(drafts);
}

}  // namespace

std::string_view expectation_name(Expectation expectation) {
  return kExpectationNames[static_cast<size_t>(expectation)];
}
std::string_view case_kind_name(CaseKind kind) { return kCaseKindNames[static_cast<size_t>(kind)]; }

Expectation Case::expected(const Profile& profile) const {
  for (const rule::Index index : breaks)
    if (profile.severity(index) == Severity::must) return Expectation::invalid;
  return reason.empty() ? Expectation::valid : Expectation::either;
}

bool Case::is_lint() const {
  return !breaks.empty() && spec != Expectation::invalid && ggml != Expectation::invalid;
}

bool Case::has_tag(std::string_view prefix) const {
  return std::any_of(tags.begin(), tags.end(),
                     [&](const std::string& tag) { return tag.starts_with(prefix); });
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all = build();
  return all;
}

const Case* find_case(std::string_view id) {
  const std::vector<Case>& all = cases();
  const auto found = std::lower_bound(all.begin(), all.end(), id,
                                      [](const Case& c, std::string_view wanted) { return c.id < wanted; });
  return found != all.end() && found->id == id ? &*found : nullptr;
}

}  // namespace gcts
