// The expected-failure file of an implementation under test.
//
//   {"schema": 1, "implementation": "ggml",
//    "expected": [{"case": "format/invalid/keys/*", "outcome": "fail", "reason": "..."}]}
//
// An entry names the outcome of every case that its glob selects.  A case that comes to
// that outcome is xfail; one that passes is xpass; one that comes to another stays what
// it is.  Only xfail is good: every drift fails.  The first entry that selects a case
// counts.  An entry with a "rule" selects only cases whose result names that rule, and
// does not ask all of them to fail: it is for generated cases, of which no one knows
// beforehand which will meet the fault.  An entry may list several outcomes, any of which is
// expected: which limit a runaway meets first, of time or of memory, is up to the machine.
// `pass` may follow in such a list, where a fault does not show in every run: what lies behind
// memory that is read too far.  Then a pass is no drift either.
// reports/README.md documents the schema for people who write such files.

#ifndef GCTS_HARNESS_XFAIL_H_
#define GCTS_HARNESS_XFAIL_H_

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "reports/report.h"

namespace gcts {

inline constexpr uint32_t kXfailSchema = 1;

struct XfailEntry {
  std::string case_glob;
  Outcome outcome = Outcome::fail;
  std::string reason;
  std::string rule{};  // a rule's name; "" for any
  std::vector<Outcome> also{};  // expected too; may hold pass

  bool expects(Outcome outcome) const;
  bool may_pass() const { return !rule.empty() || expects(Outcome::pass); }
};

struct XfailFile {
  std::string implementation;  // the subject's name
  std::vector<XfailEntry> entries;

  const XfailEntry* find(std::string_view case_id, std::string_view rule = {}) const;
};

bool parse_xfail(std::istream& in, XfailFile& out, std::string& error);
bool load_xfail(const std::string& path, XfailFile& out, std::string& error);
void write_xfail(const XfailFile& file, std::ostream& out);

// Turns outcomes into xfail and xpass for the subject that the file belongs to.
void apply_xfail(const XfailFile& file, Report& report);

// The file that this run makes true: one entry a case with a bad outcome.  Entries for
// cases that did not run are kept as they are, reasons of cases that did are kept too.
XfailFile updated_xfail(const XfailFile& old, const Report& report);

}  // namespace gcts

#endif  // GCTS_HARNESS_XFAIL_H_
