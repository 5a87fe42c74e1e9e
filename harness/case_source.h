// Where the cases of a run come from: the corpus, and whatever generates more.
//
// A source is one row of case_sources.inc and one function that adds its cases to a
// list.  It makes only what the request asks for, so that a generator of thousands
// costs nothing when one is named.

#ifndef GCTS_HARNESS_CASE_SOURCE_H_
#define GCTS_HARNESS_CASE_SOURCE_H_

#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "corpus/case.h"
#include "harness/selection.h"

namespace gcts {

struct CaseRequest {
  Selection selection;
  Tier tier = Tier::smoke;
  uint64_t seed = 0;

  // Does the request take this case?  Large ones wait for tier full unless named.
  bool takes(const Case& c) const;
};

// Cases of the corpus by reference, generated ones owned.
class CaseList {
 public:
  void add(const Case& c) { cases_.push_back(&c); }
  void add_generated(Case c) {
    generated_.push_back(std::move(c));
    cases_.push_back(&generated_.back());
  }
  const std::vector<const Case*>& all() const { return cases_; }
  void sort_by_id();

 private:
  std::vector<const Case*> cases_;
  std::deque<Case> generated_;
};

struct CaseSource {
  std::string_view name;
  std::string_view description;
  void (*add)(const CaseRequest& request, CaseList& out);
};
std::span<const CaseSource> case_sources();

// What the request takes from every source, in id order.
void collect_cases(const CaseRequest& request, CaseList& out);

}  // namespace gcts

#endif  // GCTS_HARNESS_CASE_SOURCE_H_
