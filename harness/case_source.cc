// The table of sources, and the corpus as one of them.

#include "harness/case_source.h"

#include <algorithm>

namespace gcts {

#define CASE_SOURCE(name, description) void add_##name##_cases(const CaseRequest& request, CaseList& out);
#include "harness/case_sources.inc"
#undef CASE_SOURCE

std::span<const CaseSource> case_sources() {
  static constexpr CaseSource kSources[] = {
#define CASE_SOURCE(name, description) {#name, description, add_##name##_cases},
#include "harness/case_sources.inc"
#undef CASE_SOURCE
  };
  return kSources;
}

bool CaseRequest::takes(const Case& c) const {
  if (!selection.contains(c.id)) return false;
  return c.size == CaseSize::small || tier != Tier::smoke || selection.names(c.id);
}

void CaseList::sort_by_id() {
  std::sort(cases_.begin(), cases_.end(), [](const Case* a, const Case* b) { return a->id < b->id; });
}

void collect_cases(const CaseRequest& request, CaseList& out) {
  for (const CaseSource& source : case_sources()) source.add(request, out);
  out.sort_by_id();
}

void add_corpus_cases(const CaseRequest& request, CaseList& out) {
  for (const Case& c : cases()) {
    if (request.takes(c)) out.add(c);
  }
}

}  // namespace gcts
